// Bodies: every way to cut, wrap and compress them gives the same model.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import zlib from "node:zlib";
import { fixture, sha256, start } from "./daemon.mjs";
import { model, node, tensor } from "./model.mjs";
import { Connection } from "./raw.mjs";

const resnet = fixture("resnet18");
const id = sha256(resnet);
const at = `/v1/models/${id}`;

let daemon;
before(async () => {
    daemon = await start("--max-model", "100MiB", "--max-ratio", "20");
});
after(() => daemon.stop());

async function stores(body, headers, name) {
    await daemon.ask("DELETE", at);
    const answer = await daemon.post("/v1/models", body, headers);
    assert.equal(answer.status, 201, `${name}: ${answer.text}`);
    assert.equal(answer.headers.location, at, name);
    assert.equal(answer.json.size, resnet.length, name);
}

function form(parts, edge = "onnxscope-7d1f") {
    const body = parts.map(([disposition, content]) =>
        Buffer.concat([
            Buffer.from(`--${edge}\r\nContent-Disposition: form-data; ${disposition}\r\n`),
            Buffer.from("Content-Type: application/octet-stream\r\n\r\n"),
            Buffer.from(content),
            Buffer.from("\r\n"),
        ]),
    );
    return {
        body: Buffer.concat([...body, Buffer.from(`--${edge}--\r\n`)]),
        headers: { "Content-Type": `multipart/form-data; boundary=${edge}` },
    };
}

// The body in pieces, each sent by itself.
async function sendPieces(head, pieces) {
    const connection = new Connection(daemon);
    connection.socket.setNoDelay(true);
    connection.send(head);
    for (const piece of pieces) {
        connection.send(piece);
        await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await connection.answer(20000);
    connection.close();
    return answer;
}

function cut(bytes, n) {
    const pieces = [];
    for (let i = 0; i < bytes.length; i += n) {
        pieces.push(bytes.subarray(i, i + n));
    }
    return pieces;
}

for (const n of [1, 7, 97, 4096, 1 << 20]) {
    test(`takes a body in pieces of ${n} bytes`, async () => {
        const head = `POST /v1/models HTTP/1.1\nHost: localhost\nContent-Length: ${resnet.length}\n\n`;
        await daemon.ask("DELETE", at);
        const answer = await sendPieces(head, cut(resnet, n));
        assert.equal(answer.status, 201);
        assert.equal(answer.headers.location, at);
    });
}

for (const n of [3, 1000, 65536]) {
    test(`takes a chunked body in chunks of ${n} bytes`, async () => {
        const head = "POST /v1/models HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n";
        const chunks = cut(resnet, n).map((piece) =>
            Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
        );
        await daemon.ask("DELETE", at);
        const answer = await sendPieces(head, [...chunks, Buffer.from("0\r\n\r\n")]);
        assert.equal(answer.status, 201);
        assert.equal(answer.headers.location, at);
    });
}

test("undoes Content-Encoding gzip, also of several members", async () => {
    await stores(zlib.gzipSync(resnet), { "Content-Encoding": "gzip" }, "gzip");
    await stores(zlib.gzipSync(resnet), { "Content-Encoding": "X-GZIP" }, "x-gzip");
    const members = cut(resnet, 5000).map((piece) => zlib.gzipSync(piece));
    await stores(Buffer.concat(members), { "Content-Encoding": "gzip" }, "members");
    await stores(resnet, { "Content-Encoding": "identity" }, "identity");
});

test("undoes Content-Encoding zstd", async () => {
    // A frame of one raw block, written by hand (RFC 8878): a single segment with a 4-byte size.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(resnet.length);
    const block = Buffer.alloc(3);
    block.writeUIntLE((resnet.length << 3) | 1, 0, 3);
    const frame = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size, block, resnet]);
    await stores(frame, { "Content-Encoding": "zstd" }, "zstd");
});

test("refuses codings that it does not know or that are damaged", async () => {
    const unknown = await daemon.post("/v1/render", resnet, { "Content-Encoding": "br" });
    assert.equal(unknown.status, 415);
    assert.equal(unknown.headers["accept-encoding"], "gzip, zstd");
    const packed = zlib.gzipSync(resnet);
    for (const body of [resnet, packed.subarray(0, packed.length / 2), Buffer.alloc(0)]) {
        const answer = await daemon.post("/v1/render", body, { "Content-Encoding": "gzip" });
        assert.equal(answer.status, 400);
        assert.match(answer.json.detail, /gzip|compressed/);
    }
    const flipped = Buffer.from(packed);
    flipped[flipped.length - 8] ^= 1; // of the check sum
    assert.equal((await daemon.post("/v1/render", flipped, { "Content-Encoding": "gzip" })).status, 400);
});

test("takes the field `model` of a form", async () => {
    const parts = [
        ['name="note"', "a\r\n--onnxscope\r\nb"],
        ['name="model"; filename="m.onnx"', resnet],
        ['name="model"; filename="second.onnx"', "not this one"],
    ];
    const { body, headers } = form(parts);
    await stores(body, headers, "form");
    const quoted = { "Content-Type": 'Multipart/Form-Data; charset=utf-8; boundary="onnxscope-7d1f"' };
    await stores(body, quoted, "quoted boundary");
    await stores(Buffer.concat([Buffer.from("preamble\r\n"), body, Buffer.from("epilogue")]), headers, "around");
    await stores(zlib.gzipSync(body), { ...headers, "Content-Encoding": "gzip" }, "gzip form");

    await daemon.ask("DELETE", at);
    const fields = `Content-Type: ${headers["Content-Type"]}\nContent-Length: ${body.length}\n`;
    const head = `POST /v1/models HTTP/1.1\nHost: localhost\n${fields}\n`;
    const answer = await sendPieces(head, cut(body, 1));
    assert.equal(answer.headers.location, at, "byte by byte");
});

test("says what is wrong with a form", async () => {
    const { body, headers } = form([['name="file"', resnet]]);
    const cases = [
        [body, headers, /no field named "model"/],
        [form([['name="model"', resnet]]).body.subarray(0, -20), headers, /before its last boundary/],
        [body, { "Content-Type": "multipart/form-data" }, /boundary/],
        [Buffer.alloc(0), headers, /before its last boundary/],
    ];
    for (const [content, fields, detail] of cases) {
        const answer = await daemon.post("/v1/models", content, fields);
        assert.equal(answer.status, 400);
        assert.match(answer.json.detail, detail);
    }
});

test("draws half a model and says so", async () => {
    const half = resnet.subarray(0, resnet.length / 2);
    const picture = await daemon.post("/v1/render", half);
    assert.equal(picture.status, 200);
    assert.ok(Number(picture.headers["onnxscope-warnings"]) > 0);
    const summary = await daemon.post("/v1/models", half);
    assert.equal(summary.json.complete, false);
    assert.ok(summary.json.warnings.some((one) => /byte \d+/.test(one.where)));
    await daemon.ask("DELETE", summary.headers.location);
});

test("says what a file that is no model looks like, and stores nothing", async () => {
    const safetensors = Buffer.concat([
        Buffer.from('\x40\0\0\0\0\0\0\0{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.padEnd(72)),
        Buffer.alloc(4),
    ]);
    const files = {
        zip: Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(200)]),
        html: Buffer.from("<!DOCTYPE html><html><body>404</body></html>"),
        lfs: Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`),
        safetensors,
        png: Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
        text: Buffer.from("hello, this is no model"),
        empty: Buffer.alloc(0),
    };
    for (const [name, body] of Object.entries(files)) {
        for (const path of ["/v1/render", "/v1/models"]) {
            const answer = await daemon.post(path, body);
            assert.equal(answer.status, 422, name);
            assert.ok(answer.json.detail.toLowerCase().includes(name), `${name}: ${answer.json.detail}`);
        }
        assert.equal((await daemon.ask("HEAD", `/v1/models/${sha256(body)}`)).status, 404);
    }
});

test("refuses a body over its limit before, or at its end", async () => {
    const declared = new Connection(daemon).send(
        `POST /v1/models HTTP/1.1\nHost: localhost\nExpect: 100-continue\nContent-Length: ${101 << 20}\n\n`,
    );
    const early = await declared.answer();
    assert.equal(early.status, 413);
    const problem = JSON.parse(early.body);
    assert.equal(problem.limit, "max-model");
    assert.equal(problem.setting, "--max-model");
    declared.close();

    const chunked = new Connection(daemon).send(
        "POST /v1/models HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n",
    );
    const piece = Buffer.concat([Buffer.from("100000\r\n"), tensor("w", 1 << 20).subarray(0, 1 << 20), Buffer.from("\r\n")]);
    // One field of 110 MiB, so that the model goes on for all of it.
    chunked.send(Buffer.concat([Buffer.from("7\r\n"), Buffer.from([0x3a, 0x80, 0x80, 0x80, 0x38, 0x2a, 0x00]), Buffer.from("\r\n")]));
    for (let i = 0; i < 110; i++) {
        if (!chunked.socket.write(piece)) {
            await new Promise((resolve) => chunked.socket.once("drain", resolve));
        }
    }
    chunked.send(Buffer.from("0\r\n\r\n"));
    const late = await chunked.answer(30000);
    assert.equal(late?.status, 413);
    assert.equal(JSON.parse(late.body).limit, "max-model");
    chunked.close();
});

test("stops undoing a compression bomb", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(90 << 20));
    const answer = await daemon.post("/v1/models", bomb, { "Content-Encoding": "gzip" });
    assert.equal(answer.status, 413);
    assert.equal(answer.json.limit, "max-ratio");
});

test("does not hold weights in memory", async () => {
    const weights = tensor("w", 64 << 20);
    const body = model([node("Relu", ["x"], ["y"])], [weights]);
    const answer = await daemon.post("/v1/models", body);
    assert.equal(answer.status, 201);
    assert.equal(answer.json.size, body.length);
    assert.equal(answer.headers.location, `/v1/models/${sha256(body)}`);
    assert.equal(answer.json.counts.initializers, 1);
});
