// Requests that RFC 9110 and 9112 forbid or leave open, byte by byte.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { start } from "./daemon.mjs";
import { Connection, exchange } from "./raw.mjs";

let daemon;
before(async () => {
    daemon = await start();
});
after(() => daemon.stop());

const H = "Host: localhost\n";
const post = (fields, body = "") => `POST /v1/render HTTP/1.1\n${H}${fields}\n${body}`;
const get = (fields, target = "/livez") => `GET ${target} HTTP/1.1\n${fields}\n`;

// What must be refused, with which status; all of it ends the connection.
const refused = {
    "Content-Length beside Transfer-Encoding": [400, post("Content-Length: 3\nTransfer-Encoding: chunked\n", "0\n\n")],
    "two Content-Lengths": [400, post("Content-Length: 3\nContent-Length: 4\n", "abcd")],
    "two equal Content-Lengths": [400, post("Content-Length: 3\nContent-Length: 3\n", "abc")],
    "two Transfer-Encodings": [400, post("Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n", "0\n\n")],
    "Transfer-Encoding identity": [501, post("Transfer-Encoding: identity\n", "abc")],
    "Transfer-Encoding gzip, chunked": [501, post("Transfer-Encoding: gzip, chunked\n", "0\n\n")],
    "Transfer-Encoding in HTTP/1.0": [400, `POST /v1/render HTTP/1.0\n${H}Transfer-Encoding: chunked\n\n0\n\n`],
    "a space before the colon": [400, post("Content-Length : 3\n", "abc")],
    "a malformed header name": [400, get(`${H}foo(bar: x\n`)],
    "no Host": [400, get("Accept: */*\n")],
    "two Hosts": [400, get(`${H}Host: other\n`)],
    "NUL in the path": [400, get(H, "/livez%00evil")],
    "an encoded control character": [400, get(H, "/livez%0a")],
    "a bad escape": [400, get(H, "/v1/models/%zz")],
    "an escape that is cut off": [400, get(H, "/v1/models/%4")],
    "a bad escape in the query": [400, get(H, "/livez?a=%g0")],
    "a backslash": [400, get(H, "/v1\\models")],
    "the absolute form": [400, get(H, "http://localhost/livez")],
    "the authority form": [400, `CONNECT localhost:80 HTTP/1.1\n${H}\n`],
    "the asterisk form": [400, `OPTIONS * HTTP/1.1\n${H}\n`],
    "no leading slash": [400, get(H, "livez")],
    "an expectation that cannot be met": [417, get(`${H}Expect: tea\n`)],
};
for (const [name, [status, text]] of Object.entries(refused)) {
    test(`refuses ${name}`, async () => {
        const answer = await exchange(daemon, text);
        assert.equal(answer.status, status);
        assert.equal(answer.headers["content-type"], "application/problem+json");
        assert.equal(JSON.parse(answer.body).status, status);
        assert.ok(answer.closed, "the connection is closed");
        assert.equal(answer.rest, "", "nothing behind it is taken for a request");
    });
}

// What the library refuses by itself: the status counts, the page is its own.
const refusedBelow = {
    "a negative Content-Length": [400, post("Content-Length: -1\n")],
    "a Content-Length with a sign": [400, post("Content-Length: +3\n", "abc")],
    "a list as Content-Length": [400, post("Content-Length: 3, 3\n", "abc")],
    "HTTP/2.0": [505, `GET /livez HTTP/2.0\n${H}\n`],
    "a chunk size that is no number": [400, post("Transfer-Encoding: chunked\n", "0x3\nabc\n0\n\n")],
    "a negative chunk size": [400, post("Transfer-Encoding: chunked\n", "-1\nabc\n0\n\n")],
    "a chunk size of 17 digits": [413, post("Transfer-Encoding: chunked\n", "11111111111111111\nabc\n0\n\n")],
    "2000 header fields": [431, get(H + Array.from({ length: 2000 }, (_, i) => `X-${i}: ${i}\n`).join(""))],
    "a target of 100 KB": [414, get(H, `/${"a".repeat(100000)}`)],
    "header fields of 100 KB": [431, get(`${H}X: ${"a".repeat(100000)}\n`)],
};
for (const [name, [status, text]] of Object.entries(refusedBelow)) {
    test(`refuses ${name}`, async () => {
        const answer = await exchange(daemon, text);
        assert.equal(answer.status, status);
        assert.ok(answer.closed);
    });
}

// What must be answered, and leaves the connection usable.
const answered = {
    "a method that is lower case": [501, `get /livez HTTP/1.1\n${H}\n`],
    "a method nobody knows": [501, `BREW /livez HTTP/1.1\n${H}\n`],
    "TRACE": [405, `TRACE /livez HTTP/1.1\n${H}\n`],
    "PUT": [405, `PUT /livez HTTP/1.1\n${H}Content-Length: 1\n\nx`],
    "dots in the path, which are no path": [404, get(H, "/v1/models/../livez")],
    "encoded dots and slashes": [404, get(H, "/v1/models/%2e%2e%2f%2e%2e%2fetc%2fpasswd")],
    "a body nobody asked for": [200, `GET /livez HTTP/1.1\n${H}Content-Length: 3\n\nabc`],
    "a chunked body nobody asked for": [200, `GET /livez HTTP/1.1\n${H}Transfer-Encoding: chunked\n\n3\nabc\n0\n\n`],
    "chunk extensions": [422, post("Transfer-Encoding: chunked\n", "3;a=b\nabc\n0\n\n")],
    "an empty Host": [421, get("Host:\n")],
    "a minor version of the future": [200, `GET /livez HTTP/1.9\n${H}\n`],
    "an escaped letter": [200, get(H, "/live%7a")],
    "200 header fields": [200, get(H + Array.from({ length: 190 }, (_, i) => `X-${i}: ${i}\n`).join(""))],
};
for (const [name, [status, text]] of Object.entries(answered)) {
    test(`answers ${name}`, async () => {
        const connection = new Connection(daemon).send(text);
        assert.equal((await connection.answer()).status, status);
        connection.send(get(H));
        assert.equal((await connection.answer())?.status, 200, "the next request is answered");
        connection.close();
    });
}

test("refuses more header fields than the table has room for", async () => {
    const answer = await exchange(daemon, get(H + Array.from({ length: 250 }, (_, i) => `X${i}: ${i}\n`).join("")));
    assert.equal(answer.status, 431);
    assert.equal(JSON.parse(answer.body).status, 431);
});

test("refuses a large body where none belongs", async () => {
    const answer = await exchange(daemon, `GET /livez HTTP/1.1\n${H}Content-Length: 70000\n\n`);
    assert.equal(answer.status, 413);
    assert.ok(answer.closed);
});

test("answers pipelined requests in order", async () => {
    const connection = new Connection(daemon).send(get(H) + get(H, "/version") + get(H, "/nothing"));
    assert.match((await connection.answer()).body.toString(), /alive/);
    assert.match((await connection.answer()).body.toString(), /version/);
    assert.equal((await connection.answer()).status, 404);
    connection.close();
});

test("closes an HTTP/1.0 connection", async () => {
    const answer = await exchange(daemon, `GET /livez HTTP/1.0\n${H}\n`);
    assert.equal(answer.status, 200);
    assert.ok(answer.closed);
});

test("answers 100-continue before a body, and not before an error", async () => {
    const connection = new Connection(daemon).send(post("Content-Length: 5\nExpect: 100-continue\n"));
    assert.equal((await connection.answer()).status, 100);
    connection.send("hello");
    assert.equal((await connection.answer()).status, 422);
    connection.close();

    const wrong = `POST /v1/render?dept=2 HTTP/1.1\n${H}Content-Length: 5\nExpect: 100-continue\n\n`;
    assert.equal((await exchange(daemon, wrong)).status, 400);
});

test("knows nothing of a request that ends in the middle", async () => {
    const connection = new Connection(daemon).send(post("Content-Length: 1000\n", "abc"));
    connection.socket.end();
    await connection.ends();
    assert.equal((await daemon.get("/livez")).status, 200);
});

test("what the HTTP library refuses by itself is in the log", async () => {
    for (const [text, statuses, detail] of [
        ["GET / HTTP/2.5\nHost: localhost\n\n", [505], /version is not supported/],
        [`GET /${"a".repeat(70000)} HTTP/1.1\nHost: localhost\n\n`, [414, 431], /header was too big/],
        ["POST /v1/render HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\nzz\n", [400], /chunked encoding/],
        ["GET / HTTP/1.1\nHost: localhost\nContent-Length: x\n\n", [400], /wrong value for.*Content-Length/],
    ]) {
        const answer = await exchange(daemon, text);
        assert.ok(statuses.includes(answer.status), `${answer.status}`);
        const isIt = (one) => one.msg === "no http" && one.status === answer.status && detail.test(one.detail);
        assert.equal((await daemon.line(isIt)).level, "info");
    }
});
