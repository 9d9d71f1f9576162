// Every setting, set so that it shows: what is refused names the limit and the setting that raises it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Daemon, fixture, freePort, program, sha256, until, withDaemon } from "./daemon.mjs";
import { bytes, model, node, tangle, tensor } from "./model.mjs";
import { Connection } from "./raw.mjs";

const resnet = fixture("resnet18");
const large = tangle(20000);
const isSanitized = readFileSync(program).includes("__asan_init") || readFileSync(program).includes("__tsan_init");

// An If in an If in an If...: `n` graphs deep.
function nested(n) {
    let body = node("Relu", ["x"], ["y"]);
    for (let i = 0; i < n; i++) {
        const graph = Buffer.concat([bytes(1, body), bytes(2, `g${i}`)]);
        body = Buffer.concat([node("If", ["x"], ["y"]), bytes(5, Buffer.concat([bytes(1, "then_branch"), bytes(6, graph)]))]);
    }
    return model([body]);
}

// setting, value, what is asked, status of the answer.
const refusals = [
    ["max-model", "1KiB", "/v1/render", resnet, 413],
    ["max-skeleton", "4KiB", "/v1/render", resnet, 413],
    ["max-messages", "50", "/v1/render", resnet, 413],
    ["max-nodes", "10", "/v1/render", resnet, 413],
    ["max-memory", "16KiB", "/v1/render", resnet, 413],
    ["max-output", "64KiB", "/v1/render?format=json&depth=inf&max_boxes=100000", large, 413],
    ["store-size", "1MiB", "/v1/models", tangle(60000), 413],
    ["deadline", "10ms", "/v1/render?depth=inf", tangle(150000), 504],
];

for (const [setting, value, path, body, status] of refusals) {
    test(`${setting} refuses by its name`, async () => {
        await withDaemon([`--${setting}`, value], async (daemon) => {
            const answer = await daemon.post(path, body);
            assert.equal(answer.status, status, answer.text);
            assert.equal(answer.json.limit, setting);
            assert.equal(answer.json.setting, `--${setting}`);
            assert.equal((await daemon.get("/readyz")).status, 200);
        });
    });
}

test("job-memory refuses by its name", { skip: isSanitized && "sanitizers need all addresses" }, async () => {
    await withDaemon(["--job-memory", "64MiB"], async (daemon) => {
        const answer = await daemon.post("/v1/render?format=json&depth=inf", tangle(150000));
        assert.equal(answer.status, 413, answer.text);
        assert.equal(answer.json.limit, "job-memory");
    });
});

test("what nests deeper than max-depth and max-graph-depth is left out, and said", async () => {
    for (const [setting, value, body] of [["max-depth", "4", resnet], ["max-graph-depth", "2", nested(6)]]) {
        await withDaemon([`--${setting}`, value], async (daemon) => {
            const answer = await daemon.post("/v1/render?format=json", body);
            assert.equal(answer.status, 200, answer.text);
            assert.ok(Number(answer.headers["onnxscope-warnings"]) > 0);
            assert.match(JSON.stringify(answer.json.warnings), new RegExp(setting));
        });
    }
});

test("a view over max-drawn comes back coarser, and under a tag of its own", async () => {
    const tags = new Set();
    const pictures = new Set();
    for (const value of ["20", "10000"]) {
        await withDaemon(["--max-drawn", value], async (daemon) => {
            const at = await daemon.store(resnet);
            const answer = await daemon.get(`${at}/graph.svg?depth=inf`);
            assert.equal(answer.status, 200);
            assert.equal(Number(answer.headers["onnxscope-warnings"]) > 0, value === "20");
            tags.add(answer.headers.etag);
            pictures.add(answer.text);
        });
    }
    assert.equal(pictures.size, 2);
    assert.equal(tags.size, 2, "two daemons that draw differently must not share a tag");
});

test("max-tensor decides which values are kept, and pictures with others have other tags", async () => {
    const small = model([node("Add", ["x", "w"], ["y"])], [tensor("w", 400)]);
    const tags = new Set();
    for (const value of ["1", "1KiB"]) {
        await withDaemon(["--max-tensor", value], async (daemon) => {
            tags.add((await daemon.get(`${await daemon.store(small)}/graph.svg`)).headers.etag);
        });
    }
    assert.equal(tags.size, 2);
});

test("store-size makes the least recently used models go", async () => {
    await withDaemon(["--store-size", "1MiB"], async (daemon) => {
        const models = Array.from({ length: 20 }, (_, i) => tangle(4000 + i));
        for (const one of models) {
            await daemon.store(one);
        }
        const there = await Promise.all(models.map((one) => daemon.ask("HEAD", `/v1/models/${sha256(one)}`)));
        assert.equal(there.at(-1).status, 200);
        assert.equal(there[0].status, 404);
    });
});

test("connection-memory bounds the headers of a request", async () => {
    const headers = { "X-Filler": "x".repeat(24 << 10) };
    await withDaemon(["--connection-memory", "16KiB"], async (daemon) => {
        assert.equal((await daemon.get("/livez", headers)).status, 431);
        assert.equal((await daemon.get("/livez")).status, 200);
    });
    await withDaemon(["--connection-memory", "256KiB"], async (daemon) => {
        assert.equal((await daemon.get("/livez", headers)).status, 200);
    });
});

test("idle-timeout closes connections that say nothing", async () => {
    await withDaemon(["--idle-timeout", "1s"], async (daemon) => {
        const connection = new Connection(daemon).send("GET /livez HTTP/1.1\nHost: localhost\n\n");
        assert.equal((await connection.answer()).status, 200);
        assert.ok(!connection.closed);
        assert.ok(await connection.ends(5000));
    });
});

test("log-level decides what is logged", async () => {
    const port = await freePort();
    const child = spawn(program, ["serve", "--listen", `127.0.0.1:${port}`, "--log-level", "warn"], {
        stdio: ["ignore", "pipe", "pipe"],
    });
    const daemon = new Daemon(child, "127.0.0.1", port);
    await until(() => daemon.get("/readyz").then((one) => one.status === 200, () => false), "readiness");
    await daemon.post("/v1/render", resnet);
    await daemon.stop();
    assert.deepEqual(daemon.log.filter((line) => line.level === "info" || line.level === "debug"), []);
});

test("every setting shows in a test", () => {
    const folder = fileURLToPath(new URL(".", import.meta.url));
    const text = readdirSync(folder)
        .filter((name) => name.endsWith(".test.mjs"))
        .map((name) => readFileSync(folder + name, "utf8"))
        .join("\n");
    const { stdout } = spawnSync(program, ["serve", "--check-config"], { encoding: "utf8" });
    const names = stdout.trim().split("\n").map((line) => line.split("=")[0]);
    assert.ok(names.length > 20);
    for (const name of names) {
        assert.ok(text.includes(`"--${name}"`) || text.includes(`["${name}", `), name);
    }
});
