// Requests byte by byte, for what no HTTP client would send.
import net from "node:net";

export class Connection {
    constructor(daemon) {
        this.socket = net.connect(daemon.port, daemon.host);
        this.received = Buffer.alloc(0);
        this.closed = false;
        this.wake = () => {};
        this.socket.on("data", (part) => {
            this.received = Buffer.concat([this.received, part]);
            this.wake();
        });
        for (const event of ["close", "error"]) {
            this.socket.on(event, () => {
                this.closed = true;
                this.wake();
            });
        }
    }

    // Line ends as HTTP has them.
    send(text) {
        this.socket.write(typeof text === "string" ? text.replaceAll("\n", "\r\n") : text);
        return this;
    }

    async wait(condition, ms) {
        const end = Date.now() + ms;
        while (!condition() && Date.now() < end) {
            await new Promise((resolve) => {
                const timer = setTimeout(resolve, Math.max(1, end - Date.now()));
                this.wake = () => {
                    clearTimeout(timer);
                    resolve();
                };
            });
        }
        return condition();
    }

    // The next answer: { status, headers, body }, or null when the connection ends or time is up.
    async answer(ms = 10000) {
        const headEnd = () => this.received.indexOf("\r\n\r\n");
        await this.wait(() => headEnd() >= 0 || this.closed, ms);
        if (headEnd() < 0) {
            return null;
        }
        const head = this.received.subarray(0, headEnd()).toString("latin1").split("\r\n");
        const headers = Object.fromEntries(
            head.slice(1).map((line) => [
                line.slice(0, line.indexOf(":")).toLowerCase(),
                line.slice(line.indexOf(":") + 1).trim(),
            ]),
        );
        const from = headEnd() + 4;
        const n = Number(headers["content-length"] ?? 0);
        await this.wait(() => this.received.length >= from + n || this.closed, ms);
        const body = this.received.subarray(from, from + n);
        this.received = this.received.subarray(from + n);
        return { status: Number(head[0].split(" ")[1]), headers, body, line: head[0] };
    }

    async ends(ms = 10000) {
        return this.wait(() => this.closed, ms);
    }

    close() {
        this.socket.destroy();
    }
}

// Sends and gives the first answer; `rest` is what came behind it, `closed` whether the daemon ended
// the connection within a moment.
export async function exchange(daemon, text) {
    const connection = new Connection(daemon).send(text);
    const answer = await connection.answer();
    const closed = await connection.ends(300);
    const rest = connection.received.toString("latin1");
    connection.close();
    return { ...answer, answered: answer !== null, closed, rest };
}
