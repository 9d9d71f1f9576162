// Every route: what it answers, in which form, with which headers.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { fixture, sha256, start } from "./daemon.mjs";

const form = { "Content-Type": "application/x-www-form-urlencoded", Accept: "*/*" }; // as curl sends
const resnet = fixture("resnet18");
const id = sha256(resnet);
const at = `/v1/models/${id}`;

let daemon;
before(async () => {
    daemon = await start();
});
after(() => daemon.stop());

test("draws a posted model, whatever its Content-Type", async () => {
    for (const type of [form["Content-Type"], "text/plain", "application/json", undefined]) {
        const answer = await daemon.post("/v1/render?depth=2", resnet, type && { "Content-Type": type });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers["content-type"], "image/svg+xml; charset=utf-8");
        assert.match(answer.text, /^<svg /);
        assert.equal(answer.headers["onnxscope-warnings"], "0");
        assert.equal(answer.headers["cache-control"], "no-store");
    }
    assert.equal((await daemon.ask("HEAD", at)).status, 404, "nothing was stored");
});

test("chooses the format by ?format, then by Accept", async () => {
    const wants = [
        ["", "*/*", "image/svg+xml"],
        ["", undefined, "image/svg+xml"],
        ["", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html"],
        ["", "application/json", "application/json"],
        ["", "image/*;q=0.1, text/vnd.graphviz", "text/vnd.graphviz"],
        ["", "image/png;q=0.9, image/svg+xml;q=0.2", "image/png"],
        ["", "image/*", "image/svg+xml"],
        ["", "application/pdf", "application/pdf"],
        ["?format=png", "image/svg+xml", "image/png"],
        ["?format=dot", "application/json", "text/vnd.graphviz"],
        ["?format=json", "audio/ogg", "application/json"],
    ];
    for (const [query, accept, type] of wants) {
        const answer = await daemon.post(`/v1/render${query}`, resnet, accept && { Accept: accept });
        assert.equal(answer.status, 200);
        assert.equal(answer.type, type, `${query} ${accept}`);
        assert.equal(/Accept(,|$)/.test(answer.headers.vary ?? ""), query === "");
    }
    const answer = await daemon.post("/v1/render", resnet, { Accept: "audio/ogg" });
    assert.equal(answer.status, 406);
    assert.match(answer.json.detail, /image\/svg\+xml.*text\/vnd\.graphviz.*application\/json/);
});

test("stores a model under the SHA-256 of its bytes", async () => {
    const created = await daemon.post("/v1/models", resnet, form);
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, at);
    assert.equal(created.json.schema, "onnxscope/model/1");
    assert.equal(created.json.id, id);
    assert.equal(created.json.size, resnet.length);
    assert.equal(created.json.complete, true);

    const again = await daemon.post("/v1/models", resnet, form);
    assert.equal(again.status, 200);
    assert.deepEqual(again.json, created.json);

    const summary = await daemon.get(at);
    assert.equal(summary.status, 200);
    assert.deepEqual(summary.json, created.json);
    const head = await daemon.ask("HEAD", at);
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
    assert.equal(head.headers["content-length"], String(summary.body.length));
});

test("gives documents of a stored model", async () => {
    const { counts } = (await daemon.get(await daemon.store(resnet))).json;
    const documents = [
        ["graph.svg", "image/svg+xml", /^<svg /],
        ["graph.dot", "text/vnd.graphviz", /^(strict )?digraph/],
        ["graph.json", "application/json", /"onnxscope\/graph\/1"/],
        ["modules.json", "application/json", /"onnxscope\/modules\/1"/],
        ["nodes.json", "application/json", /"onnxscope\/nodes\/1"/],
    ];
    for (const [name, type, content] of documents) {
        const answer = await daemon.get(`${at}/${name}`);
        assert.equal(answer.status, 200, name);
        assert.equal(answer.type, type);
        assert.match(answer.text, content);
        const head = await daemon.ask("HEAD", `${at}/${name}`);
        assert.equal(head.status, 200);
        assert.equal(head.body.length, 0);
        assert.equal(head.headers.etag, answer.headers.etag);
    }
    const { nodes } = (await daemon.get(`${at}/nodes.json`)).json;
    assert.equal(nodes.length, counts.nodes_all_graphs);
    const { options } = (await daemon.get(`${at}/graph.json?depth=1&graph-dir=LR`)).json;
    assert.equal(String(options.depth), "1");
    assert.equal(options.graph_dir, "LR");
    const download = await daemon.get(`${at}/modules.json?download=1`);
    assert.equal(download.headers["content-disposition"], `attachment; filename="onnxscope-${id.slice(0, 8)}.modules.json"`);
});

test("gives the same picture to whoever posts and whoever stores", async () => {
    await daemon.store(resnet);
    const stored = await daemon.get(`${at}/graph.svg?depth=1`);
    const posted = await daemon.post("/v1/render?depth=1", resnet);
    assert.equal(stored.text, posted.text);
});

test("lists models by pages and deletes them", async () => {
    const models = ["resnet18", "unet", "recursive_net"].map(fixture);
    await Promise.all(models.map((model) => daemon.store(model)));
    const all = (await daemon.get("/v1/models")).json;
    assert.equal(all.next, null);
    assert.deepEqual(all.models.map((row) => row.id).sort(), models.map(sha256).sort());
    const row = all.models.find((one) => one.id === id);
    assert.equal(row.size, resnet.length);
    assert.match(row.producer, /pytorch/);
    assert.match(row.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(row.nodes, (await daemon.get(at)).json.counts.nodes);

    const paged = [];
    let cursor = "";
    do {
        const page = (await daemon.get(`/v1/models?limit=2&cursor=${cursor ?? ""}`)).json;
        assert.ok(page.models.length <= 2);
        paged.push(...page.models);
        cursor = page.next;
    } while (cursor);
    assert.deepEqual(paged, all.models);

    for (const model of models) {
        assert.equal((await daemon.ask("DELETE", `/v1/models/${sha256(model)}`)).status, 204);
    }
    assert.equal((await daemon.ask("DELETE", at)).status, 404);
    assert.equal((await daemon.get(at)).status, 404);
    assert.equal((await daemon.get(`${at}/graph.svg`)).status, 404);
    assert.deepEqual((await daemon.get("/v1/models")).json, { models: [], next: null });
});

test("says how it is", async () => {
    for (const path of ["/livez", "/readyz", "/version"]) {
        const answer = await daemon.get(path);
        assert.equal(answer.status, 200);
        assert.equal(answer.type, "application/json");
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.equal((await daemon.ask("HEAD", path)).status, 200);
    }
    const version = (await daemon.get("/version")).json;
    assert.match(version.version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(version.formats, ["svg", "png", "pdf", "html", "dot", "json"]);
});

test("lists the methods that an address has", async () => {
    const table = {
        "/livez": "GET, HEAD",
        "/v1/render": "POST",
        "/v1/models": "GET, HEAD, POST",
        [at]: "GET, HEAD, DELETE",
        [`${at}/graph.svg`]: "GET, HEAD",
    };
    for (const [path, allow] of Object.entries(table)) {
        const answer = await daemon.ask("PATCH", path);
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.allow, allow, path);
    }
    assert.equal((await daemon.get("/v1/render")).status, 405);
});

test("logs one line a request", async () => {
    await daemon.post("/v1/render?depth=1", resnet, { "X-Request-Id": "log-me.1" });
    const line = await daemon.line((one) => one.request_id === "log-me.1");
    assert.equal(line.msg, "request");
    assert.equal(line.method, "POST");
    assert.equal(line.route, "/v1/render");
    assert.equal(line.status, 200);
    assert.equal(line.bytes_in, resnet.length);
    assert.equal(line.remote, "127.0.0.1");
    assert.ok(["hit", "miss", "joined"].includes(line.cache));
    await daemon.get(`${at}/graph.svg?expand=secret`, { "X-Request-Id": "log-me.2" });
    const second = await daemon.line((one) => one.request_id === "log-me.2");
    assert.equal(second.route, "/v1/models/{id}/graph.svg", "the template, not what was asked for");
    assert.doesNotMatch(JSON.stringify(second), /secret/);
});
