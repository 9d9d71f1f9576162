// A store in a directory that others change, and one that cannot be written.
import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixture, sha256, start } from "./daemon.mjs";

const resnet = fixture("resnet18");
const unet = fixture("unet");

async function withDirectory(body) {
    const path = mkdtempSync(join(tmpdir(), "onnxscope-http-store-"));
    try {
        await body(path);
    } finally {
        rmSync(path, { recursive: true, force: true });
    }
}

const stored = async (daemon) => (await daemon.get("/v1/models")).json.models.map((one) => one.id);

test("a store whose files were removed takes models again", async () => {
    await withDirectory(async (path) => {
        const daemon = await start("--store", `dir:${path}`);
        const at = await daemon.store(resnet);
        for (const part of ["objects", "tmp"]) {
            rmSync(join(path, part), { recursive: true });
        }
        assert.equal((await daemon.get(at)).status, 404);
        assert.equal((await daemon.get(`${at}/graph.svg`)).status, 404);
        assert.deepEqual(await stored(daemon), []);
        assert.equal((await daemon.post("/v1/models", resnet)).status, 201);
        assert.equal((await daemon.post("/v1/models", unet)).status, 201);
        assert.equal(readdirSync(join(path, "objects")).length, 2);
        assert.equal((await daemon.get(at)).status, 200);
        await daemon.stop();
    });
});

test("two daemons on one directory see what the other does", async () => {
    await withDirectory(async (path) => {
        const one = await start("--store", `dir:${path}`);
        const two = await start("--store", `dir:${path}`);
        const at = await one.store(resnet);
        assert.deepEqual(await stored(two), [sha256(resnet)]);
        assert.equal((await two.get(at)).status, 200);
        assert.equal((await one.ask("DELETE", at)).status, 204);
        assert.equal((await two.get(at)).status, 404);
        assert.deepEqual(await stored(two), []);
        await one.stop();
        await two.stop();
    });
});

test("a store that cannot be written says why, to the client and in the log", async () => {
    await withDirectory(async (path) => {
        const daemon = await start("--store", `dir:${path}`);
        rmSync(join(path, "tmp"), { recursive: true });
        writeFileSync(join(path, "tmp"), "");
        const answer = await daemon.post("/v1/models", resnet);
        assert.equal(answer.status, 500);
        assert.match(answer.json.detail, /cannot write to the store: Not a directory/);
        const line = await daemon.line((one) => one.status === 500);
        assert.equal(line.level, "error");
        assert.equal(line.detail, answer.json.detail);
        await daemon.stop();
    });
});
