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

test("has no page for what is no id", async () => {
    for (const path of ["/models/x", `/embed/${id}0`, `/models/${id}/`, "/assets/", "/assets/..%2findex.html"]) {
        assert.equal((await daemon.get(path)).status, 404, path);
    }
});
