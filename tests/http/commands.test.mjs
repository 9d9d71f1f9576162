// The command line beside the daemon: usage errors, help, what it does without standard streams.
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
        [["render", "--no-such", resnet], /no option --no-such[^]*There are: .*--depth.*--max-skeleton/],
        [["render", "--dept", "2", resnet], /no option --dept; did you mean --depth\?/],
        [["render", "--fromat", "svg", resnet], /did you mean --format\?/],
        [["render", "--max-skeletton", "1MiB", resnet], /did you mean --max-skeleton\?/],
        [["render", "--no-show-shape", resnet], /did you mean --no-show-shapes\?/],
        [["render", "--no-depth", resnet], /no option --no-depth; did you mean --depth\?/],
        [["render", "--no-max-skeleton", resnet], /no option --no-max-skeleton; did you mean --max-skeleton\?/],
        [["render", "--no-show-shapes=1", resnet], /: --no-show-shapes takes no value\n/],
        [["render", "--fold", "8", resnet], /: "8" is taken for a model: write --fold=8\n/],
        [["render", resnet, "--roll", "full"], /: "full" is taken for a model: write --roll=full\n/],
        [["render", "--show-shapes", "0", resnet], /: "0" is taken for a model: write --show-shapes=0\n/],
        [["render", "--fold", "--legend", "8", resnet], /one model at a time: ".*onnx" is one too many/],
        [["render", "--fold", resnet, "8"], /one model at a time: "8" is one too many/],
        [["render", "-o", "a.svg", "-o", "b.png", resnet], /one output at a time: -o "b.png" is one too many/],
        [["render", "-o", "-", "--output", "b.png", resnet], /one output at a time: -o "b.png" is one too many/],
        [["render", "--highlight", "bogus", resnet], /: view option highlight: 'bogus': it starts/],
        [["inspect", "--sumary", resnet], /did you mean --summary\?/],
        [["serve", "--lissten", "127.0.0.1:0"], /did you mean --listen\?/],
        [["render", "-x", resnet], /no option -x/],
        [["render", "--expand", "a..b", resnet], /view option expand: /],
        [["health", "https://127.0.0.1:1"], /over http:\/\/, not https:\/\//],
        [["health", "ftp://127.0.0.1"], /not ftp:\/\//],
        [["health", "http://127.0.0.1:99999"], /port is a number from 1 to 65535, not "99999"/],
        [["health", "http://127.0.0.1:x"], /port is a number/],
        [["health", "http://:80"], /takes http:\/\/HOST:PORT/],
        [["health", "http://127.0.0.1:1", "http://127.0.0.1:2"], /one daemon at a time/],
        [["health", "--quiet"], /no option --quiet/],
        [["serve", "--host-name", "*", "--check-config"], /host-name takes names .*"\*"/],
        [["serve", "--host-name", "a b", "--check-config"], /"a b"/],
        [["serve", "--host-name", "good.example,bad:80", "--check-config"], /"bad:80"/],
    ];
    for (const [options, sentence] of table) {
        const { status, stderr, stdout } = run(options);
        assert.equal(status, 2, options.join(" "));
        assert.match(stderr, sentence);
        assert.equal(stdout, "");
    }
});

test("a dash as the output is standard output", (t) => {
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { status, stdout } = spawnSync(program, ["render", "--depth", "0", "-o", "-", resnet], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0);
    assert.match(stdout, /^<svg /);
    assert.deepEqual(readdirSync(folder), []);
});

test("every document ends its last line", () => {
    for (const options of [["render"], ["render", "--format", "dot"], ["render", "--format", "json"], ["inspect"],
        ["inspect", "--modules"], ["inspect", "--nodes"], ["inspect", "--graph"], ["inspect", "--format", "table"]]) {
        const { stdout } = run([...options, resnet]);
        assert.match(stdout, /[^\n]\n$/, options.join(" "));
    }
});

test("version and help are commands too", () => {
    assert.equal(run(["version"]).stdout, run(["--version"]).stdout);
    for (const word of ["help", "version"]) {
        assert.equal(run(["help", word]).status, 0);
        assert.equal(run(["help", word]).stdout, run(["help"]).stdout);
    }
    assert.match(run(["help", "health"]).stdout, /ONNXSCOPE_LISTEN/);
});

test("what cannot be written is an error", () => {
    for (const words of ["--version", "help", "help render", "serve --check-config"]) {
        const { status, stderr } = spawnSync("sh", ["-c", `exec "$1" ${words} >/dev/full`, "sh", program], { encoding: "utf8" });
        assert.equal(status, 1, words);
        assert.match(stderr, /standard output: cannot be written: No space left/);
    }
});

test("messages say a thing once, and nothing of HTTP", (t) => {
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const limit = run(["render", "--max-skeleton", "64", resnet]).stderr;
    assert.equal(limit.match(/max-skeleton/g).length, 1, limit);
    writeFileSync(`${folder}/a.gz`, Buffer.from("1f8b0800", "hex"));
    assert.match(run(["render", `${folder}/a.gz`]).stderr, /it looks like a gzip file; unpack it\n$/);
    writeFileSync(`${folder}/a.json`, "{}");
    assert.match(run(["render", `${folder}/a.json`]).stderr, /it looks like a JSON file \(\.json\)\n$/);
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
