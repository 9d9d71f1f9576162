// What happens while a picture is being made: sharing, queueing, dying, being too slow.
import { test } from "node:test";
import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { childrenOf, fixture, start, until, withDaemon } from "./daemon.mjs";
import { tangle } from "./model.mjs";
import { Connection } from "./raw.mjs";

const resnet = fixture("resnet18");
const heavy = tangle(150000); // its job takes long enough to be caught

const zygoteOf = (daemon) => childrenOf(daemon.child.pid)[0];

// The process of a job, as soon as there is one.
function catchJob(daemon) {
    const zygote = zygoteOf(daemon);
    return until(() => {
        for (let i = 0; i < 200; i++) {
            const [job] = childrenOf(zygote);
            if (job) {
                return job;
            }
        }
        return null;
    }, "a job");
}

test("many who want the same share one job", async () => {
    await withDaemon([], async (daemon) => {
        const at = await daemon.store(heavy);
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const asks = Array.from({ length: 20 }, () => daemon.get(`${at}/graph.svg?depth=0`));
        await until(() => daemon.get("/livez"), "an answer while others wait");
        await new Promise((resolve) => setTimeout(resolve, 300)); // until all have joined
        process.kill(zygote, "SIGCONT");
        const answers = await Promise.all(asks);
        assert.equal(new Set(answers.map((one) => one.text)).size, 1);
        assert.ok(answers.every((one) => one.status === 200));
        await until(() => daemon.log.filter((one) => one.route?.endsWith(".svg")).length === 20, "the log");
        const how = daemon.log.filter((one) => one.route?.endsWith(".svg")).map((one) => one.cache);
        assert.equal(how.filter((one) => one === "miss").length, 1);
        assert.equal(how.filter((one) => one === "joined").length, 19);
        for (const line of daemon.log.filter((one) => one.cache === "miss")) {
            assert.match(`${line.queue_ms} ${line.run_ms}`, /^\d+(\.\d{1,3})? \d+(\.\d{1,3})?$/);
        }

        await daemon.get(`${at}/graph.svg?depth=0`, { "X-Request-Id": "after" });
        assert.equal((await daemon.line((one) => one.request_id === "after")).cache, "hit");
    });
});

test("without a cache everybody gets the same bytes all the same", async () => {
    await withDaemon(["--cache-size", "0"], async (daemon) => {
        const at = await daemon.store(resnet);
        const answers = [];
        for (let i = 0; i < 3; i++) {
            answers.push((await daemon.get(`${at}/graph.svg`)).text);
        }
        assert.equal(new Set(answers).size, 1);
        assert.ok(!daemon.log.some((one) => one.cache === "hit"));
    });
});

test("different models at the same time do not mix", async () => {
    await withDaemon(["--workers", "3"], async (daemon) => {
        const models = ["resnet18", "unet", "gpt12", "recursive_net"].map(fixture);
        const alone = [];
        for (const model of models) {
            alone.push((await daemon.post("/v1/render?depth=1", model)).text);
        }
        const mixed = await Promise.all(
            Array.from({ length: 24 }, (_, i) => daemon.post(`/v1/render?depth=1&max_boxes=${60 + i}`, models[i % 4])),
        );
        mixed.forEach((answer, i) => assert.equal(answer.text, alone[i % 4]));
    });
});

test("a job that is killed costs one request", async () => {
    await withDaemon(["--cache-size", "0"], async (daemon) => {
        const at = await daemon.store(heavy);
        const victim = daemon.get(`${at}/graph.svg?depth=3`);
        process.kill(await catchJob(daemon), "SIGKILL");
        const answer = await victim;
        assert.equal(answer.status, 500);
        assert.equal(answer.type, "application/problem+json");
        assert.match(answer.json.alternative, new RegExp(`^${at}/graph\\.svg\\?depth=1$`));

        const again = await daemon.get(`${at}/graph.svg?depth=3`);
        assert.equal(again.status, 500, "the same input is not tried again at once");
        assert.equal((await daemon.get(`${at}/graph.svg?depth=0`)).status, 200, "another view is");
        assert.equal((await daemon.post("/v1/render", resnet)).status, 200);
    });
});

test("a zygote that is killed is started anew", async () => {
    await withDaemon(["--log-level", "debug"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const waits = daemon.post("/v1/render", resnet);
        await daemon.line((one) => one.msg === "job sent");
        process.kill(zygote, "SIGKILL");
        assert.equal((await waits).status, 200);
        assert.notEqual(zygoteOf(daemon), zygote);
        await until(async () => (await daemon.get("/readyz")).status === 200, "readiness");
    });
});

test("a job over its deadline is answered 504", async () => {
    await withDaemon(["--deadline", "10ms"], async (daemon) => {
        const answer = await daemon.post("/v1/render?depth=inf", heavy);
        assert.equal(answer.status, 504);
        assert.equal(answer.json.limit, "deadline");
    });
});

test("a request that waits too long is answered 504, and its picture is there later", async () => {
    await withDaemon(["--request-timeout", "300ms"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const answer = await daemon.post("/v1/render", resnet);
        assert.equal(answer.status, 504);
        assert.equal(answer.json.limit, "request-timeout");
        process.kill(zygote, "SIGCONT");
        assert.equal((await daemon.post("/v1/render", resnet)).status, 200);
    });
});

test("a full queue is said at once", async () => {
    await withDaemon(["--workers", "1", "--queue", "2"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const asks = Array.from({ length: 8 }, (_, i) => daemon.post(`/v1/render?max_boxes=${100 + i}`, resnet));
        const refused = [];
        await until(() => daemon.log.filter((one) => one.status === 429).length === 5, "five refusals");
        assert.equal((await daemon.get("/readyz")).status, 503);
        assert.equal((await daemon.get("/livez")).status, 200);
        process.kill(zygote, "SIGCONT");
        for (const answer of await Promise.all(asks)) {
            if (answer.status !== 200) {
                refused.push(answer);
            }
        }
        assert.equal(refused.length, 5);
        for (const answer of refused) {
            assert.equal(answer.status, 429);
            assert.ok(Number(answer.headers["retry-after"]) > 0);
            assert.ok(answer.json.retry_after > 0);
        }
        await until(async () => (await daemon.get("/readyz")).status === 200, "readiness");
    });
});

// A render that waits for a zygote that does not read, under an id of its own.
function renderSlowly(daemon, id) {
    return new Connection(daemon).send(
        `POST /v1/render?max_boxes=${100 + id.length} HTTP/1.1\nHost: localhost\nX-Request-Id: ${id}\n` +
        `Content-Length: ${resnet.length}\n\n`,
    ).send(resnet);
}

test("a client that is gone while it waits is forgotten", async () => {
    await withDaemon(["--log-level", "debug"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const connection = renderSlowly(daemon, "gone");
        await daemon.line((one) => one.msg === "job sent");
        connection.socket.resetAndDestroy();
        const line = await daemon.line((one) => one.request_id === "gone");
        assert.equal(line.status, 499);
        assert.equal(line.completed, false);
        process.kill(zygote, "SIGCONT");
        assert.equal((await daemon.post("/v1/render", resnet)).status, 200);
    });
});

test("a client that has nothing more to say gets its answer", async () => {
    await withDaemon(["--log-level", "debug"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const connection = renderSlowly(daemon, "quiet");
        connection.socket.end();
        await daemon.line((one) => one.msg === "job sent");
        assert.equal(await connection.answer(600), null, "several looks at who is gone");
        process.kill(zygote, "SIGCONT");
        assert.equal((await connection.answer()).status, 200);
    });
});

test("an upload that is broken off is logged as what it is", async () => {
    await withDaemon([], async (daemon) => {
        const connection = new Connection(daemon).send(
            "POST /v1/render HTTP/1.1\nHost: localhost\nX-Request-Id: half\nContent-Length: 1000\n\nhalf",
        );
        await until(() => connection.socket.bytesWritten > 60 && connection.socket.writableLength === 0, "sending");
        connection.close();
        assert.equal((await daemon.line((one) => one.request_id === "half")).status, 499);
    });
});

test("what nobody waits for any more is not drawn", async () => {
    await withDaemon(["--workers", "1", "--log-level", "debug"], async (daemon) => {
        const zygote = zygoteOf(daemon);
        process.kill(zygote, "SIGSTOP");
        const first = daemon.post("/v1/render", resnet);
        await daemon.line((one) => one.msg === "job sent");
        const leavers = ["a", "bb", "ccc"].map((id) => renderSlowly(daemon, id));
        await until(async () => (await daemon.get("/readyz")).status === 200, "an answer");
        const stays = renderSlowly(daemon, "stays");
        await new Promise((resolve) => setTimeout(resolve, 300));
        leavers.forEach((one) => one.socket.resetAndDestroy());
        await Promise.all(["a", "bb", "ccc"].map((id) => daemon.line((one) => one.request_id === id)));
        process.kill(zygote, "SIGCONT");
        assert.equal((await first).status, 200);
        assert.equal((await stays.answer()).status, 200);
        assert.equal(daemon.log.filter((one) => one.msg === "job sent").length, 2);
        stays.close();
    });
});

test("a stopped zygote under many jobs keeps nobody from stopping", async () => {
    const daemon = await start("--workers", "256", "--queue", "300", "--drain-timeout", "0s");
    process.kill(zygoteOf(daemon), "SIGSTOP");
    const asks = Array.from({ length: 200 }, (_, i) =>
        daemon.post(`/v1/render?max_boxes=${100 + i}`, resnet).catch(() => null));
    await until(() => childrenOf(daemon.child.pid).length === 1, "the zygote");
    await until(() => daemon.get("/livez"), "an answer while others wait");
    daemon.kill();
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
    await Promise.all(asks);
});

test("a long answer that is compressed keeps nobody waiting", async () => {
    await withDaemon(["--threads", "1", "--max-output", "256MiB"], async (daemon) => {
        const at = await daemon.store(heavy);
        await daemon.get(`${at}/nodes.json`); // the document is in the cache, not yet compressed
        const large = daemon.get(`${at}/nodes.json`, { "Accept-Encoding": "gzip" });
        let done = false;
        large.then(() => (done = true));
        let during = 0;
        while (!done) {
            assert.equal((await daemon.get("/livez")).status, 200);
            during += done ? 0 : 1;
        }
        const answer = await large;
        assert.equal(answer.headers["content-encoding"], "gzip");
        assert.ok(during > 10, `${during} answers meanwhile`);
        assert.ok(gunzipSync(answer.body).length > 10 * answer.body.length / 2);
    });
});

test("a model over a limit of jobs is refused by its name", async () => {
    await withDaemon(["--max-nodes", "100"], async (daemon) => {
        const answer = await daemon.post("/v1/render", tangle(200));
        assert.equal(answer.status, 413);
        assert.equal(answer.json.limit, "max-nodes");
    });
});

test("a store keeps models over a restart", async (t) => {
    const { mkdtempSync, rmSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const first = await start("--store", `dir:${folder}`);
    const at = await first.store(resnet);
    const before = [(await first.get(at)).text, (await first.get(`${at}/graph.svg`)).text];
    await first.stop();
    const second = await start("--store", `dir:${folder}`);
    assert.deepEqual([(await second.get(at)).text, (await second.get(`${at}/graph.svg`)).text], before);
    await second.stop();
});
