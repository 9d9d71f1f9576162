// Errors: problem documents, cards, and who may do what.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { fixture, sha256, start } from "./daemon.mjs";

const resnet = fixture("resnet18");
const at = `/v1/models/${sha256(resnet)}`;
const missing = `/v1/models/${"0".repeat(64)}`;

let daemon;
before(async () => {
    daemon = await start("--host-name", "models.example, other.example");
    await daemon.store(resnet);
});
after(() => daemon.stop());

function isProblem(answer, status) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers["content-type"], "application/problem+json");
    assert.equal(answer.headers["cache-control"], "no-store");
    const problem = answer.json;
    assert.equal(problem.status, status);
    assert.match(problem.type, /^urn:onnxscope:problem:[a-z-]+$/);
    assert.ok(problem.title && problem.detail);
    assert.equal(problem.request_id, answer.headers["x-request-id"]);
    return problem;
}

test("names a wrong parameter and lists what exists", async () => {
    const table = [
        [`${at}/graph.svg?dept=2`, /'dept'.*'depth'.*max_boxes.*download/],
        [`${at}/graph.svg?theme=pink`, /theme.*'pink'.*light/],
        [`${at}/graph.svg?depth=-3`, /depth.*'-3'/],
        [`${at}/graph.svg?depth`, /depth/],
        [`${at}/graph.svg?format=dot`, /'format'/],
        [`${at}/graph.svg?download=yes`, /download.*'yes'.*0, 1/],
        [`${at}/graph.svg?errors=no`, /errors.*'no'.*json, image/],
        [`${at}/nodes.json?depth=2`, /'depth'.*download/],
        ["/v1/models?limit=0", /limit.*'0'/],
        ["/v1/models?limit=1001", /limit.*'1001'/],
        ["/v1/models?cursor=x", /page/],
        ["/v1/models?depth=1", /'depth'.*limit, cursor/],
        ["/livez?x=1", /'x'/],
    ];
    for (const [path, detail] of table) {
        assert.match(isProblem(await daemon.get(path), 400).detail, detail, path);
    }
    assert.match(isProblem(await daemon.post("/v1/render?dept=2", resnet), 400).detail, /dept/);
    assert.match(isProblem(await daemon.post("/v1/render?format=gif", resnet), 400).detail, /'gif'.*svg, png, pdf, html, dot, json/);
});

test("a compressed body that does not say so is told how", async () => {
    const packed = isProblem(await daemon.post("/v1/render", Buffer.from("1f8b080000000000", "hex")), 422);
    assert.match(packed.detail, /a gzip file; unpack it, or send it with Content-Encoding: gzip$/);
    const text = isProblem(await daemon.post("/v1/render", Buffer.from("{}")), 422);
    assert.ok(!/Content-Encoding/.test(text.detail));
});

test("does not find what is not there", async () => {
    for (const path of ["/v1/nothing", "/v1", "/v1%2Fmodels", "/%2F", "//", "/livez/", missing, `${missing}/graph.svg`, "/v1/models/x",
        `/v1/models/${"A".repeat(64)}`, `${at}/graph.exe`, `${at}/`, "/assets/nothing.js", "/models/x"]) {
        isProblem(await daemon.get(path), 404);
    }
    isProblem(await daemon.ask("DELETE", missing), 404);
    assert.equal((await daemon.ask("HEAD", missing)).status, 404);
});

test("draws an error for <img> when it is asked to", async () => {
    for (const [path, status] of [[`${missing}/graph.svg?errors=image`, 404],
        [`${at}/graph.svg?errors=image&theme=%3Cscript%3E%26`, 400]]) {
        const answer = await daemon.get(path);
        assert.equal(answer.status, status);
        assert.equal(answer.type, "image/svg+xml");
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.match(answer.headers["content-security-policy"], /default-src 'none'/);
        assert.match(answer.text, /^<svg [^>]*viewBox="[^"]+"[^>]*role="img"[^>]*><title>/);
        assert.doesNotMatch(answer.text, /<script|&(?!amp;|lt;|gt;)/);
    }
    const post = await daemon.post("/v1/render?errors=image", Buffer.from("no model"));
    assert.equal(post.status, 422);
    assert.match(post.text, /^<svg /);
});

test("tells offset and field of damage", async () => {
    const problem = isProblem(await daemon.post("/v1/render", resnet.subarray(0, 40)), 422);
    assert.ok(Number.isInteger(problem.offset) && problem.offset <= 40, JSON.stringify(problem));
});

test("answers to the names of this machine and no other", async () => {
    const hosts = {
        "localhost": 200, "localhost:1": 200, "app.localhost": 200, "127.0.0.1": 200, "10.1.2.3:8080": 200,
        "[::1]:80": 200, "models.example": 200, "MODELS.example:8080": 200, "other.example": 200,
        "rebind.example": 421, "localhost.rebind.example": 421, "127.0.0.1.rebind.example": 421,
        "notlocalhost": 421, "models.example.evil": 421, "[::1": 421,
    };
    for (const [host, status] of Object.entries(hosts)) {
        const answer = await daemon.get("/v1/models", { Host: host });
        assert.equal(answer.status, status, host);
    }
    const problem = isProblem(await daemon.post("/v1/models", resnet, { Host: "rebind.example" }), 421);
    assert.equal(problem.setting, "--host-name");
});

test("lets no foreign page change anything", async () => {
    const own = `127.0.0.1:${daemon.port}`;
    const table = [
        [{ Origin: "https://foreign.example" }, 403],
        [{ Origin: "null" }, 403],
        [{ Origin: "http://127.0.0.1:1" }, 403],
        [{ Origin: `https://${own}`, Host: own }, 200],
        [{ Origin: `http://${own}`, Host: own }, 200],
        [{ Origin: "http://localhost", Host: "localhost:80" }, 200],
        [{ Origin: "https://models.example" }, 200],
        [{ "Sec-Fetch-Site": "cross-site" }, 403],
        [{ "Sec-Fetch-Site": "same-site" }, 403],
        [{ "Sec-Fetch-Site": "same-origin" }, 200],
        [{ "Sec-Fetch-Site": "none" }, 200],
        [{ Origin: `http://${own}`, Host: own, "Sec-Fetch-Site": "cross-site" }, 403],
        [{}, 200],
    ];
    for (const [headers, status] of table) {
        assert.equal((await daemon.post("/v1/models", resnet, headers)).status, status, JSON.stringify(headers));
        assert.equal((await daemon.post("/v1/render", resnet, headers)).status, status);
        assert.equal((await daemon.get(`${at}/graph.svg`, headers)).status, 200, "looking is free");
    }
    assert.equal((await daemon.ask("DELETE", at, { headers: { Origin: "https://foreign.example" } })).status, 403);
    assert.equal((await daemon.ask("HEAD", at)).status, 200);
});
