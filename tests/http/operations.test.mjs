// What services around the daemon read: metrics, the description of the API, code to embed a page.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { fixture, sha256, start } from "./daemon.mjs";

const resnet = fixture("resnet18");
const id = sha256(resnet);

let daemon;
before(async () => {
    daemon = await start("--host-name", "models.example");
    await daemon.store(resnet);
});
after(() => daemon.stop());

// The text format 0.0.4: HELP and TYPE once before the samples of a family, no sample twice.
function parseMetrics(text) {
    assert.match(text, /\n$/);
    const types = new Map();
    const samples = new Map();
    let family = "";
    for (const line of text.trimEnd().split("\n")) {
        const type = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line);
        if (type) {
            assert.ok(!types.has(type[1]), `${type[1]} comes twice`);
            family = type[1];
            types.set(family, type[2]);
        } else if (!line.startsWith("# HELP ")) {
            const [, name, labels, value] = /^([a-z_]+)(\{(?:[a-z_]+="[^"\\\n]*",?)+\})? ([0-9.]+)$/.exec(line) ?? assert.fail(line);
            const base = types.get(family) === "histogram" ? name.replace(/_(bucket|sum|count)$/, "") : name;
            assert.equal(base, family, line);
            assert.ok(types.get(family) !== "counter" || /_total$/.test(name), `${name} is no name of a counter`);
            assert.ok(!samples.has(name + (labels ?? "")), `${line} comes twice`);
            samples.set(name + (labels ?? ""), Number(value));
        }
    }
    return { types, samples };
}

async function metrics() {
    const answer = await daemon.get("/metrics");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(answer.headers["cache-control"], "no-store");
    return parseMetrics(answer.text);
}

test("metrics have Prometheus' form, and buckets that add up", async () => {
    await daemon.get(`/v1/models/${id}/graph.svg?depth=1`);
    const { types, samples } = await metrics();
    const sums = [...samples.keys()].filter((name) => name.includes("_count"));
    assert.ok(sums.length > 2);
    for (const count of sums) {
        const [, name, route = ""] = /^([a-z_]+)_count(?:\{(.*)\})?$/.exec(count);
        const buckets = [...samples].filter(([key]) => key.startsWith(`${name}_bucket{${route && `${route},`}le=`));
        assert.equal(buckets.length, 13, count);
        buckets.reduce((before, [key, value]) => {
            assert.ok(value >= before, key);
            return value;
        }, 0);
        assert.match(buckets.at(-1)[0], /le="\+Inf"/);
        assert.equal(buckets.at(-1)[1], samples.get(count));
        assert.ok(samples.has(count.replace("_count", "_sum")));
    }
    for (const name of ["build_info", "http_requests_total", "http_request_duration_seconds", "job_queue_length", "jobs_running",
        "jobs_total", "cache_requests_total", "cache_bytes", "store_bytes", "store_models", "limits_hit_total"]) {
        assert.ok(types.has(`onnxscope_${name}`), name);
    }
});

test("metrics count what happens, and hold nothing of a client", async () => {
    const requests = 'onnxscope_http_requests_total{route="/v1/models/{id}/graph.svg",method="GET",code="200"}';
    const hits = 'onnxscope_cache_requests_total{result="hit"}';
    const misses = 'onnxscope_cache_requests_total{result="miss"}';
    const limit = 'onnxscope_limits_hit_total{limit="host-name"}';
    const before = (await metrics()).samples;
    const path = `/v1/models/${id}/graph.svg?depth=2&fold=7`;
    await daemon.get(path);
    await daemon.get(path);
    await daemon.get("/v1/secret-name?token=secret");
    await daemon.get("/livez", { Host: "secret.example" });
    const answer = await daemon.get("/metrics");
    const { samples } = parseMetrics(answer.text);
    const grown = (name) => samples.get(name) - (before.get(name) ?? 0);
    assert.equal(grown(requests), 2);
    assert.equal(grown(hits), 1);
    assert.equal(grown(misses), 1);
    assert.equal(grown(limit), 1);
    assert.equal(grown('onnxscope_http_requests_total{route="none",method="GET",code="404"}'), 1);
    assert.equal(samples.get("onnxscope_store_models"), 1);
    assert.ok(samples.get("onnxscope_store_bytes") > 1000);
    assert.ok(samples.get('onnxscope_jobs_total{result="ok"}') >= 2);
    assert.doesNotMatch(answer.text, new RegExp(`secret|${id}`));
});

test("the description has every route, parameter and view option, and nothing else", async () => {
    const answer = await daemon.get("/openapi.json");
    assert.equal(answer.status, 200);
    assert.equal(answer.type, "application/json");
    const described = answer.json;
    assert.match(described.openapi, /^3\.1\./);
    for (const [path, methods] of Object.entries(described.paths)) {
        const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
        for (const operation of Object.values(methods)) {
            const inPath = operation.parameters.filter((row) => row.in === "path");
            assert.deepEqual(inPath.map((row) => row.name), names, path);
            assert.ok(inPath.every((row) => row.required));
            assert.ok(operation.summary);
            assert.ok(operation.responses.default.$ref.endsWith("/problem"));
            const query = operation.parameters.filter((row) => row.in === "query").map((row) => row.name);
            assert.equal(new Set(query).size, query.length, path);
        }
        const at = path.replace("{id}", id).replace("{name}", "none");
        const allowed = (await daemon.ask("PUT", at)).headers.allow.split(", ").filter((method) => method !== "HEAD");
        assert.deepEqual(Object.keys(methods).map((method) => method.toUpperCase()).sort(), allowed.sort(), path);
    }
    // The daemon's own complaint lists what there is.
    const told = (await daemon.get(`/v1/models/${id}/graph.png?nothing=1`)).json.detail;
    const listed = described.paths["/v1/models/{id}/graph.png"].get.parameters.filter((row) => row.in === "query");
    for (const { name } of listed) {
        assert.ok(told.includes(name), `${name} in ${told}`);
    }
    assert.ok(listed.length > 25);
    const types = Object.keys(described.paths["/v1/render"].post.responses[200].content);
    for (const type of ["image/svg+xml", "image/png", "application/pdf", "text/html", "text/vnd.graphviz", "application/json"]) {
        assert.ok(types.includes(type), type);
    }
});

const oembed = (url, more = "") => daemon.get(`/oembed?url=${encodeURIComponent(url)}${more}`);

test("pages of our own can be embedded, at most as large as asked", async () => {
    const page = `${daemon.url.replace(/\/$/, "")}/models/${id}`;
    const { status, type, json } = await oembed(`${page}?depth=2&names="><script>`);
    assert.equal(status, 200);
    assert.equal(type, "application/json");
    assert.equal(json.version, "1.0");
    assert.equal(json.type, "rich");
    assert.deepEqual([json.width, json.height], [800, 600]);
    assert.equal(json.html, `<iframe src="${page.replace("/models/", "/embed/")}?depth=2&amp;names=&quot;&gt;&lt;script&gt;" ` +
        'width="800" height="600" title="Model graph" style="border:0" sandbox="allow-scripts allow-same-origin"></iframe>');
    const small = (await oembed(page.replace("/models/", "/embed/"), "&maxwidth=400&maxheight=9999&format=json")).json;
    assert.deepEqual([small.width, small.height], [400, 600]);
    assert.match(small.html, /width="400" height="600"/);
    const named = await oembed(`https://models.example/models/${id}`);
    assert.match(named.json.html, /src="https:\/\/models\.example\/embed\//);
});

test("nothing else can be embedded", async () => {
    const own = daemon.url.replace(/\/$/, "");
    for (const url of [`http://other.example/models/${id}`, `${own}/models/${"0".repeat(64)}`, `${own}/models/x`, `${own}/v1/models/${id}`,
        `javascript:alert(1)//models/${id}`, `//${own.slice(7)}/models/${id}`, `http://models.example@evil.example/models/${id}`,
        `http://models.example:80@evil.example/models/${id}`, own, "x"]) {
        assert.equal((await oembed(url)).status, 404, url);
    }
    assert.equal((await daemon.get("/oembed")).status, 400);
    assert.equal((await oembed("x".repeat(3000))).status, 400);
    assert.equal((await oembed(`${own}/models/${id}`, "&maxwidth=0")).status, 400);
    assert.equal((await oembed(`${own}/models/${id}`, "&format=xml")).status, 501);
});
