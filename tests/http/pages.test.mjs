// The pages that are built into the program, and the files that they load.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import zlib from "node:zlib";
import { start } from "./daemon.mjs";

const id = "0".repeat(64);

let daemon;
before(async () => {
    daemon = await start();
});
after(() => daemon.stop());

test("gives pages that load only what is here", async () => {
    for (const path of ["/", `/models/${id}?depth=2&anything=1`, `/embed/${id}`]) {
        const page = await daemon.get(path);
        assert.equal(page.status, 200);
        assert.equal(page.type, "text/html");
        const policy = page.headers["content-security-policy"];
        assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
        assert.match(policy, path.startsWith("/embed") ? /frame-ancestors \*$/ : /frame-ancestors 'self'$/);
        assert.equal(page.headers["cache-control"], "no-cache");
        assert.equal((await daemon.get(path, { "If-None-Match": page.headers.etag })).status, 304);

        const files = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
        assert.ok(files.length >= 2, "a script and a style");
        for (const file of files) {
            const plain = await daemon.get(file);
            assert.equal(plain.status, 200, file);
            assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
            assert.equal(plain.headers["x-content-type-options"], "nosniff");
            const packed = await daemon.get(file, { "Accept-Encoding": "gzip" });
            if (packed.headers["content-encoding"]) {
                assert.deepEqual(zlib.gunzipSync(packed.body), plain.body);
                assert.notEqual(packed.headers.etag, plain.headers.etag);
            }
        }
    }
});

test("a page names the picture of its model for who has no JavaScript", async () => {
    const page = (await daemon.get(`/models/${id}?depth=2`)).text;
    assert.match(page, new RegExp(`<noscript>[^]*<a href="/v1/models/${id}/graph.svg">[^]*</noscript>`));
    assert.match((await daemon.get(`/embed/${id}`)).text, new RegExp(`src="/v1/models/${id}/graph.svg"`));
    const packed = await daemon.get(`/models/${id}`, { "Accept-Encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.equal(zlib.gunzipSync(packed.body).toString(), page);
});

test("a browser gets a page where there is no id, a program a problem", async () => {
    for (const path of ["/models/foo", "/embed/foo", "/models/%3Cscript%3E"]) {
        const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        const page = await daemon.get(path, { Accept: html });
        assert.equal(page.status, 404);
        assert.equal(page.type, "text/html");
        assert.match(page.text, /no model at this address/);
        assert.equal(page.headers["cache-control"], "no-store");
        assert.match(page.headers.vary, /Accept\b/);
        const problem = await daemon.get(path, { Accept: "*/*" });
        assert.equal(problem.status, 404);
        assert.equal(problem.type, "application/problem+json");
    }
});

test("the start page leads to the licence of what its scripts hold", async () => {
    const [, address] = /<a href="([^"]+)">Third-party notices/.exec((await daemon.get("/")).text);
    const notices = await daemon.get(address);
    assert.equal(notices.type, "text/plain");
    for (const part of ["d3-zoom", "Mike Bostock", "Redistributions in binary form", "NO EVENT"]) {
        assert.ok(notices.text.includes(part), part);
    }
});

test("has no page for what is no id", async () => {
    for (const path of ["/models/x", `/embed/${id}0`, `/models/${id}/`, "/assets/", "/assets/..%2findex.html"]) {
        assert.equal((await daemon.get(path)).status, 404, path);
    }
});
