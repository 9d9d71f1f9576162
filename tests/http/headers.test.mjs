// Headers for browsers and caches: security, validators, ages, codings.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import zlib from "node:zlib";
import { fixture, sha256, start } from "./daemon.mjs";

const gpt = fixture("gpt12");
const at = `/v1/models/${sha256(gpt)}`;
const picture = `${at}/graph.svg?depth=1`;

let daemon;
before(async () => {
    daemon = await start();
    await daemon.store(gpt);
});
after(() => daemon.stop());

test("every answer is safe to look at", async () => {
    for (const path of [picture, `${at}/graph.json`, `${at}/graph.dot`, at, "/livez", "/nothing"]) {
        const { headers } = await daemon.get(path);
        assert.equal(headers["x-content-type-options"], "nosniff", path);
        assert.match(headers["content-security-policy"], /default-src 'none'/, path);
        assert.equal(headers["referrer-policy"], "no-referrer", path);
        assert.ok(headers["cross-origin-resource-policy"], path);
        assert.equal(headers.server, undefined);
    }
    const { headers } = await daemon.get(picture);
    assert.equal(headers["content-security-policy"], "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
});

test("echoes a request id that is one, and makes one else", async () => {
    assert.equal((await daemon.get("/livez", { "X-Request-Id": "a.B_c-1" })).headers["x-request-id"], "a.B_c-1");
    const ids = new Set();
    for (const id of ["", "a b", "é", "x".repeat(65), '{"a":1}']) {
        const answer = await daemon.get("/livez", { "X-Request-Id": Buffer.from(id).toString("latin1") });
        assert.match(answer.headers["x-request-id"], /^[0-9a-f]{8}-[0-9a-f]{8}$/);
        ids.add(answer.headers["x-request-id"]);
    }
    assert.equal(ids.size, 5);
});

test("has strong validators that name bytes", async () => {
    const first = await daemon.get(picture);
    const tag = first.headers.etag;
    assert.match(tag, /^"[0-9a-f]{32}"$/);
    assert.equal((await daemon.get(`${at}/graph.svg?depth=1&fold=1&theme=light`)).headers.etag, tag, "defaults written out");
    assert.equal((await daemon.get(`${at}/graph.svg?theme=light&depth=1`)).headers.etag, tag, "another order");
    assert.notEqual((await daemon.get(`${at}/graph.svg?depth=0`)).headers.etag, tag);
    assert.notEqual((await daemon.get(`${at}/graph.dot?depth=1`)).headers.etag, tag);
    assert.match((await daemon.get(at)).headers.etag, /^"[0-9a-f]{32}"$/);
});

test("answers 304 when the client has it", async () => {
    const full = await daemon.get(picture);
    const tag = full.headers.etag;
    for (const list of [tag, `W/${tag}`, `"x", ${tag}`, "*", `"a,b" , ${tag},"c"`]) {
        const answer = await daemon.get(picture, { "If-None-Match": list });
        assert.equal(answer.status, 304, list);
        assert.equal(answer.body.length, 0);
        assert.equal(answer.headers.etag, tag);
        for (const name of ["cache-control", "content-security-policy", "vary"]) {
            assert.equal(answer.headers[name], full.headers[name], name);
        }
    }
    for (const list of ['"x"', tag.slice(1, -1), '""', ""]) {
        assert.equal((await daemon.get(picture, { "If-None-Match": list })).status, 200, list);
    }
    const summary = await daemon.get(at);
    assert.equal((await daemon.get(at, { "If-None-Match": summary.headers.etag })).status, 304);
    assert.equal((await daemon.ask("HEAD", picture, { headers: { "If-None-Match": tag } })).status, 304);
});

test("ages pictures by minutes, or for ever when the URL pins the version", async () => {
    const { version } = (await daemon.get("/version")).json;
    const age = async (query) => (await daemon.get(picture + query)).headers["cache-control"];
    assert.equal(await age(""), "public, max-age=300, stale-while-revalidate=86400");
    assert.equal(await age(`&v=${version}`), "public, max-age=31536000, immutable");
    assert.equal(await age("&v=0.0.0"), "public, max-age=300, stale-while-revalidate=86400");
    assert.equal((await daemon.get(at)).headers["cache-control"], "no-cache");
    assert.equal((await daemon.get("/v1/models")).headers["cache-control"], "no-store");
});

test("compresses what is worth it when the client takes gzip", async () => {
    const plain = await daemon.get(picture, { "Accept-Encoding": "identity" });
    const packed = await daemon.get(picture, { "Accept-Encoding": "gzip" });
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.deepEqual(zlib.gunzipSync(packed.body), plain.body);
    assert.ok(packed.body.length < plain.body.length);
    assert.notEqual(packed.headers.etag, plain.headers.etag);
    for (const answer of [plain, packed]) {
        assert.match(answer.headers.vary, /Accept-Encoding/);
    }
    const again = await daemon.get(picture, { "Accept-Encoding": "gzip", "If-None-Match": packed.headers.etag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.etag, packed.headers.etag);
    const other = await daemon.get(picture, { "Accept-Encoding": "identity", "If-None-Match": packed.headers.etag });
    assert.equal(other.status, 200, "the compressed form is not what this client would get");

    const coding = async (value) => (await daemon.get(picture, { "Accept-Encoding": value })).headers["content-encoding"];
    assert.equal(await coding("br, gzip;q=0.5"), "gzip");
    assert.equal(await coding("*"), "gzip");
    assert.equal(await coding("gzip;q=0"), undefined);
    assert.equal(await coding("gzip;q=0.2, identity;q=0.9"), undefined);
    const nodes = await daemon.get(`${at}/nodes.json`, { "Accept-Encoding": "gzip" });
    assert.equal(JSON.parse(zlib.gunzipSync(nodes.body)).schema, "onnxscope/nodes/1");
    assert.equal((await daemon.get("/livez", { "Accept-Encoding": "gzip" })).headers["content-encoding"], undefined);
    const head = await daemon.ask("HEAD", picture, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(head.headers["content-length"], String(packed.body.length));
});

test("names a file, and offers it for download", async () => {
    const { headers } = await daemon.get(picture);
    assert.equal(headers["content-disposition"], `inline; filename="onnxscope-${sha256(gpt).slice(0, 8)}.svg"`);
    const download = await daemon.get(`${at}/nodes.json?download=1`);
    assert.match(download.headers["content-disposition"], /^attachment; filename="onnxscope-[0-9a-f]{8}\.nodes\.json"$/);
    const summary = await daemon.get(`${at}?download=1`);
    assert.equal(summary.headers["content-disposition"], `attachment; filename="onnxscope-${sha256(gpt).slice(0, 8)}.summary.json"`);
    assert.match((await daemon.get(at)).headers["content-disposition"], /^inline;/);
});

test("says that stored pictures may be seen anywhere", async () => {
    const answer = await daemon.get(picture, { "Sec-Fetch-Site": "cross-site", Referer: "https://foreign.example/" });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["access-control-allow-origin"], undefined, "no CORS unless it is configured");
});
