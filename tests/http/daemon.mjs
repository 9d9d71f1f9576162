// A daemon of its own for a test: started on a free port, stopped and watched until it is gone.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import http from "node:http";
import net from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

export const program = process.env.ONNXSCOPE;
if (!program) {
    throw new Error("ONNXSCOPE must hold the path of the program");
}

export function fixture(name) {
    return readFileSync(fileURLToPath(new URL(`../fixtures/${name}.onnx`, import.meta.url)));
}

export function sha256(bytes) {
    return createHash("sha256").update(bytes).digest("hex");
}

export class Daemon {
    constructor(child, host, port) {
        this.child = child;
        this.host = host;
        this.port = port;
        this.log = []; // every line of its log, parsed
        this.waiters = [];
        this.exit = new Promise((resolve) => {
            child.on("exit", (code, signal) => resolve({ code, signal }));
        });
        if (child.stderr) {
            createInterface({ input: child.stderr }).on("line", (line) => this.take(line));
        }
    }

    take(text) {
        let line;
        try {
            line = JSON.parse(text);
        } catch {
            line = { raw: text }; // of a sanitizer
        }
        this.log.push(line);
        this.waiters = this.waiters.filter(({ wanted, resolve }) => !wanted(line) || resolve(line));
    }

    // The first line, past or to come, that `wanted` says yes to.
    line(wanted) {
        const seen = this.log.find(wanted);
        return seen ?? new Promise((resolve) => this.waiters.push({ wanted, resolve }));
    }

    // One exchange on a connection of its own unless an agent is given.
    ask(method, path, { headers = {}, body, agent = false } = {}) {
        return new Promise((resolve, reject) => {
            const request = http.request(
                { host: this.host, port: this.port, method, path, headers, agent },
                (response) => {
                    const parts = [];
                    response.on("data", (part) => parts.push(part));
                    response.on("error", reject);
                    response.on("end", () => resolve(new Answer(response, Buffer.concat(parts))));
                },
            );
            request.on("error", reject);
            request.end(body);
        });
    }

    get(path, headers) {
        return this.ask("GET", path, { headers });
    }

    post(path, body, headers) {
        return this.ask("POST", path, { headers, body });
    }

    async store(body) {
        const answer = await this.post("/v1/models", body);
        if (answer.status !== 201 && answer.status !== 200) {
            throw new Error(`storing a model: ${answer.status} ${answer.body}`);
        }
        return `/v1/models/${sha256(body)}`;
    }

    kill(signal = "SIGTERM") {
        this.child.kill(signal);
    }

    // A clean end: exit status 0, and nothing from a sanitizer.
    async stop() {
        this.kill();
        const { code, signal } = await this.exit;
        const noise = this.log.filter((line) => line.raw !== undefined).map((line) => line.raw);
        if (code !== 0 || noise.length) {
            throw new Error(`exit ${code} ${signal}\n${noise.join("\n")}`);
        }
    }
}

class Answer {
    constructor(response, body) {
        this.status = response.statusCode;
        this.headers = response.headers;
        this.body = body;
    }

    get type() {
        return (this.headers["content-type"] ?? "").split(";")[0];
    }

    get text() {
        return this.body.toString();
    }

    get json() {
        return JSON.parse(this.text);
    }
}

export async function start(...options) {
    const child = spawn(program, ["serve", "--listen", "127.0.0.1:0", ...options], {
        stdio: ["ignore", "pipe", "pipe"],
    });
    const daemon = new Daemon(child);
    const ready = await Promise.race([
        daemon.line((line) => line.msg === "listening"),
        daemon.exit.then(({ code }) => {
            throw new Error(`the daemon ended with ${code}: ${JSON.stringify(daemon.log)}`);
        }),
    ]);
    const url = new URL(ready.url);
    daemon.url = ready.url;
    daemon.host = url.hostname;
    daemon.port = Number(url.port);
    return daemon;
}

// A port that nobody listens on, for a daemon that cannot tell which one it took.
export function freePort() {
    return new Promise((resolve) => {
        const server = net.createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

// Runs `body` with a daemon and stops it whatever happens.
export async function withDaemon(options, body) {
    const daemon = await start(...options);
    let done = false;
    try {
        await body(daemon);
        done = true;
    } finally {
        if (done) {
            await daemon.stop();
        } else {
            daemon.kill("SIGKILL");
        }
    }
}

// Processes started by `pid`, oldest first.
export function childrenOf(pid) {
    const found = [];
    for (const task of readdirSync(`/proc/${pid}/task`)) {
        try {
            const text = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8");
            found.push(...text.split(" ").filter(Boolean).map(Number));
        } catch {
            // the thread ended meanwhile
        }
    }
    return found;
}

export async function until(condition, what, ms = 10000) {
    const end = Date.now() + ms;
    for (;;) {
        const value = await condition();
        if (value) {
            return value;
        }
        if (Date.now() > end) {
            throw new Error(`${what} did not happen in ${ms} ms`);
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
}
