// Starting, stopping, being asked for health; and clients that are slow on purpose.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { childrenOf, Daemon, fixture, freePort, program, start, until, withDaemon } from "./daemon.mjs";
import { Connection } from "./raw.mjs";

const resnet = fixture("resnet18");

test("ends with status 0 on SIGTERM and on SIGINT, and leaves no process", async () => {
    for (const signal of ["SIGTERM", "SIGINT"]) {
        const daemon = await start();
        const [zygote] = childrenOf(daemon.child.pid);
        daemon.kill(signal);
        assert.deepEqual(await daemon.exit, { code: 0, signal: null });
        await until(() => {
            try {
                process.kill(zygote, 0);
                return false;
            } catch {
                return true;
            }
        }, "the end of the zygote");
    }
});

test("lets running requests end when it is told to stop", async () => {
    const daemon = await start("--log-level", "debug");
    const [zygote] = childrenOf(daemon.child.pid);
    process.kill(zygote, "SIGSTOP");
    const waits = daemon.post("/v1/render", resnet);
    await daemon.line((one) => one.msg === "job sent");
    daemon.kill();
    await daemon.line((one) => one.msg === "stopping");
    await assert.rejects(daemon.get("/livez"), "no new connection");
    process.kill(zygote, "SIGCONT");
    const answer = await waits;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.connection, "close");
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
});

test("answers who still waits when the time to stop is over", async () => {
    const daemon = await start("--drain-timeout", "300ms", "--log-level", "debug");
    const [zygote] = childrenOf(daemon.child.pid);
    process.kill(zygote, "SIGSTOP");
    const waits = daemon.post("/v1/render", resnet);
    await daemon.line((one) => one.msg === "job sent");
    daemon.kill();
    const answer = await waits;
    assert.equal(answer.status, 503);
    assert.ok(answer.headers["retry-after"]);
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
});

// A client that sends a byte now and then and never comes to its end.
function slowUpload(daemon) {
    const connection = new Connection(daemon).send(
        "POST /v1/render HTTP/1.1\nHost: localhost\nContent-Length: 100000\n\n",
    );
    const trickle = setInterval(() => connection.socket.write("x"), 50);
    connection.socket.on("close", () => clearInterval(trickle));
    return connection;
}

test("answers who still uploads when the time to stop is over, and then stops", async () => {
    const daemon = await start("--drain-timeout", "500ms");
    const upload = slowUpload(daemon);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const begin = Date.now();
    daemon.kill();
    const answer = await upload.answer();
    assert.equal(answer?.status, 503);
    assert.match(JSON.parse(answer.body).detail, /shutting down/);
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
    assert.ok(Date.now() - begin < 1800, `it took ${Date.now() - begin} ms`);
    const line = daemon.log.find((one) => one.msg === "request");
    assert.equal(line.status, 503);
});

test("a second signal does not wait for an upload either", async () => {
    const daemon = await start("--drain-timeout", "60s");
    const upload = slowUpload(daemon);
    await new Promise((resolve) => setTimeout(resolve, 200));
    daemon.kill();
    await daemon.line((one) => one.msg === "stopping");
    const begin = Date.now();
    daemon.kill();
    assert.equal((await upload.answer())?.status, 503);
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
    assert.ok(Date.now() - begin < 1500, `it took ${Date.now() - begin} ms`);
});

test("says where it listens, and warns when that is beyond this machine", async () => {
    const open = await start("--listen", "0.0.0.0:0");
    const ready = await open.line((one) => one.msg === "listening");
    assert.equal(ready.listen, `0.0.0.0:${open.port}`);
    assert.equal(ready.url, `http://127.0.0.1:${open.port}`);
    const warning = await open.line((one) => one.level === "warn");
    assert.match(warning.detail, /no authentication/);
    await open.stop();
    const local = await start();
    await local.stop();
    assert.equal(local.log.find((one) => one.msg === "listening").listen, `127.0.0.1:${local.port}`);
    assert.ok(!local.log.some((one) => one.level === "warn"));
});

test("a second signal ends it now", async () => {
    const daemon = await start("--drain-timeout", "60s", "--drain-delay", "60s");
    daemon.kill();
    await daemon.line((one) => one.msg === "stopping");
    daemon.kill();
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
});

test("is unready before it refuses connections", async () => {
    const daemon = await start("--drain-delay", "1s");
    daemon.kill();
    await daemon.line((one) => one.msg === "stopping");
    const ready = await daemon.get("/readyz");
    assert.equal(ready.status, 503);
    assert.equal(ready.headers.connection, "close");
    assert.equal((await daemon.get("/livez")).status, 200);
    assert.equal((await daemon.post("/v1/render", resnet)).status, 200);
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
});

test("`health` tells whether a daemon is ready", async () => {
    await withDaemon([], async (daemon) => {
        assert.equal(spawnSync(program, ["health", daemon.url]).status, 0);
    });
    const gone = await start();
    await gone.stop();
    assert.equal(spawnSync(program, ["health", gone.url]).status, 1);
});

test("`health` without a URL asks where ONNXSCOPE_LISTEN says", async () => {
    await withDaemon([], async (daemon) => {
        const port = new URL(daemon.url).port;
        for (const listen of [`127.0.0.1:${port}`, `0.0.0.0:${port}`]) {
            const env = { ...process.env, ONNXSCOPE_LISTEN: listen };
            assert.equal(spawnSync(program, ["health"], { env }).status, 0, listen);
        }
    });
});

test("says why it cannot start", async () => {
    await withDaemon([], async (daemon) => {
        const taken = spawnSync(program, ["serve", "--listen", `127.0.0.1:${daemon.port}`]);
        assert.equal(taken.status, 1);
        assert.match(taken.stderr.toString(), /cannot listen on 127\.0\.0\.1:\d+: .*in use/);
    });
    const nowhere = spawnSync(program, ["serve", "--listen", "127.0.0.1:0", "--store", "dir:/proc/nowhere"]);
    assert.equal(nowhere.status, 1);
    assert.match(nowhere.stderr.toString(), /nowhere/);
    for (const options of [["--listen", "nonsense"], ["--store", "sql:x"], ["--workers", "many"], ["--no-such"]]) {
        assert.equal(spawnSync(program, ["serve", ...options]).status, 2, options.join(" "));
    }
});

test("serves though the standard streams are closed", async () => {
    const port = await freePort();
    const script = 'exec "$0" serve --listen "127.0.0.1:$1" <&- >&- 2>&-';
    const child = spawn("sh", ["-c", script, program, String(port)], { stdio: "ignore" });
    const daemon = new Daemon(child, "127.0.0.1", port);
    try {
        await until(() => daemon.get("/readyz").then((one) => one.status === 200, () => false), "readiness");
        for (let i = 0; i < 3; i++) {
            assert.equal((await daemon.post("/v1/render?depth=0", resnet)).status, 200);
        }
    } finally {
        daemon.kill();
    }
    assert.deepEqual(await daemon.exit, { code: 0, signal: null });
});

test("listens on IPv6 too", async (t) => {
    let daemon;
    try {
        daemon = await start("--listen", "[::1]:0");
    } catch (error) {
        return t.skip(`no IPv6 here: ${error.message}`);
    }
    daemon.host = "::1";
    assert.equal((await daemon.get("/livez")).status, 200);
    await daemon.stop();
});

test("headers that trickle are cut off in time", async () => {
    await withDaemon(["--header-timeout", "700ms"], async (daemon) => {
        const connection = new Connection(daemon).send("GET /livez HTTP/1.1\n");
        const trickle = setInterval(() => connection.socket.write("X"), 100);
        const answer = await connection.answer(5000);
        clearInterval(trickle);
        assert.equal(answer?.status, 408);
        assert.equal(JSON.parse(answer.body).status, 408);
        assert.ok(await connection.ends());

        const silent = new Connection(daemon);
        assert.equal((await silent.answer(5000))?.status, 408);
        const patient = new Connection(daemon).send("GET /livez HTTP/1.1\nHost: localhost\n\n");
        assert.equal((await patient.answer()).status, 200);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        patient.send("GET /livez HTTP/1.1\nHost: localhost\n\n");
        assert.equal((await patient.answer()).status, 200, "an idle connection is no slow one");
        patient.close();
    });
});

test("bodies that trickle are cut off after their grace", async () => {
    await withDaemon(["--min-upload-rate", "1KiB"], async (daemon) => {
        const connection = new Connection(daemon).send(
            "POST /v1/render HTTP/1.1\nHost: localhost\nContent-Length: 100000\n\n",
        );
        const trickle = setInterval(() => connection.socket.write("x"), 200);
        const answer = await connection.answer(20000);
        clearInterval(trickle);
        assert.equal(answer?.status, 408);
        assert.ok(await connection.ends());
        const line = await daemon.line((one) => one.msg === "request");
        assert.equal(line.status, 408);
    });
});

test("a full house: idle connections make room, busy ones are waited for", async () => {
    await withDaemon(["--max-connections", "8", "--threads", "1"], async (daemon) => {
        const idle = Array.from({ length: 40 }, () => new Connection(daemon));
        await new Promise((resolve) => setTimeout(resolve, 200));
        assert.equal((await daemon.get("/livez")).status, 200, "beside sockets that ask nothing");
        const kept = Array.from({ length: 20 }, () => new Connection(daemon));
        for (const connection of kept) {
            connection.send("GET /livez HTTP/1.1\nHost: localhost\n\n");
        }
        const answers = await Promise.all(kept.map((connection) => connection.answer()));
        assert.ok(answers.every((one) => one?.status === 200));
        assert.equal((await daemon.get("/livez")).status, 200, "beside connections that were kept");
        [...idle, ...kept].forEach((connection) => connection.close());

        const uploads = Array.from({ length: 8 }, () => slowUpload(daemon));
        await new Promise((resolve) => setTimeout(resolve, 300));
        const late = new Connection(daemon).send("GET /livez HTTP/1.1\nHost: localhost\n\n");
        assert.equal(await late.answer(500), null);
        uploads[0].close();
        assert.equal((await late.answer())?.status, 200);
        uploads.forEach((connection) => connection.close());
    });
});
