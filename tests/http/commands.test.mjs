// The command line beside the daemon: usage errors, help, what it does without standard streams.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { program } from "./daemon.mjs";

// libgvc keeps memory until the process ends: a sanitizer must not take that for an error.
process.env.ASAN_OPTIONS = `${process.env.ASAN_OPTIONS ?? ""}:detect_leaks=0`;

const resnet = fileURLToPath(new URL("../fixtures/resnet18.onnx", import.meta.url));

function run(options, { env = {} } = {}) {
    const { status, stdout, stderr } = spawnSync(program, options, {
        env: { ...process.env, ...env },
        encoding: "utf8",
        timeout: 60000,
    });
    return { status, stdout, stderr };
}

test("wrong usage ends with status 2 and a sentence", () => {
    const table = [
        [["render", "--timings=0", resnet], /--timings takes no value/],
        [["inspect", "--summary=1", resnet], /--summary takes no value/],
        [["serve", "--check-config=x"], /--check-config takes no value/],
        [["render", "-depth", "2", resnet], /two dashes: --depth/],
        [["serve", "-listen=127.0.0.1:0"], /two dashes: --listen/],
        [["render", "--max-depth", "501", resnet], /max-depth takes a whole number from 1 to 500/],
        [["serve", "--max-depth", "501", "--check-config"], /max-depth takes a whole number from 1 to 500/],
        [["render", "--max-nodes", "0", resnet], /max-nodes takes/],
        [["render", "--no-such", resnet], /no.such/],
    ];
    for (const [options, sentence] of table) {
        const { status, stderr, stdout } = run(options);
        assert.equal(status, 2, options.join(" "));
        assert.match(stderr, sentence);
        assert.equal(stdout, "");
    }
});

test("the largest value of a setting is one that works", () => {
    for (const [name, value] of [["max-depth", "500"], ["max-graph-depth", "166"], ["max-skeleton", "64GiB"]]) {
        assert.equal(run(["render", `--${name}`, value, resnet]).status, 0, name);
    }
});

test("`health` refuses an ONNXSCOPE_LISTEN that is no address", () => {
    const { status, stderr } = run(["health"], { env: { ONNXSCOPE_LISTEN: `${"x".repeat(600)}:80` } });
    assert.equal(status, 2);
    assert.match(stderr, /ONNXSCOPE_LISTEN/);
    const long = run(["health", `http://${"y".repeat(300)}:80`]);
    assert.equal(long.status, 1);
    assert.match(long.stderr, /no daemon is ready at http:\/\/yyy/);
});

test("help fits a terminal and names every switch", () => {
    for (const command of ["serve", "render", "inspect"]) {
        const { status, stdout } = run(["help", command]);
        assert.equal(status, 0);
        for (const line of stdout.split("\n")) {
            assert.ok(line.length <= 100, line);
        }
    }
    const { stdout } = run(["help", "inspect"]);
    assert.match(stdout, /^usage: .*--modules/m);
    assert.match(stdout, /^ {2}--expand LIST +\S/m);
});

test("files are written whole though the standard streams are closed", (t) => {
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const shell = (script) => spawnSync("sh", ["-c", script, "sh", program, resnet, `${folder}/out.svg`]);
    assert.equal(shell('exec "$1" render --depth 0 -o "$3" "$2"').status, 0);
    const wanted = readFileSync(`${folder}/out.svg`, "utf8");
    assert.equal(shell('exec "$1" render --depth 0 --timings -o "$3" "$2" <&- >&- 2>&-').status, 0);
    assert.equal(readFileSync(`${folder}/out.svg`, "utf8"), wanted);
    assert.equal(shell('exec "$1" render "$2" >&-').status, 1, "a picture that goes nowhere is an error");
});
