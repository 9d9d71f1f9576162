// Pictures that are no text: PNG and PDF, drawn by a job that can open no file.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { inflateSync } from "node:zlib";
import { fixture, program, start } from "./daemon.mjs";
import { model, node } from "./model.mjs";

const resnet = fixture("resnet18");
const signature = Buffer.from("89504e470d0a1a0a", "hex");

let daemon;
let at;
before(async () => {
    daemon = await start();
    at = await daemon.store(resnet);
});
after(() => daemon.stop());

function size(png) {
    assert.deepEqual(png.subarray(0, 8), signature);
    return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

// The text of a page, as far as its font is a simple one: what stands in the operators Tj and TJ.
function words(pdf) {
    let text = "";
    for (let i = pdf.indexOf("stream\n"); i >= 0; i = pdf.indexOf("stream\n", i + 1)) {
        try {
            text += inflateSync(pdf.subarray(i + 7)).toString("latin1");
        } catch {
            // not compressed in this way
        }
    }
    return [...text.matchAll(/\[([^\]]*)\]TJ|\(([^)]*)\)Tj/g)]
        .map(([, parts, one]) => one ?? [...parts.matchAll(/\(([^)]*)\)/g)].map((part) => part[1]).join(""))
        .join(" ");
}

function rendered(format, ...options) {
    const { status, stdout } = spawnSync(program, ["render", "--format", format, ...options, "-"], {
        input: resnet,
        maxBuffer: 1 << 28,
        env: { ...process.env, ASAN_OPTIONS: "detect_leaks=0" }, // fonts stay loaded
    });
    assert.equal(status, 0);
    return stdout;
}

test("a job draws what the command line draws", async () => {
    for (const format of ["png", "pdf"]) {
        const answer = await daemon.get(`${at}/graph.${format}`);
        assert.equal(answer.status, 200);
        assert.equal(answer.type, format === "png" ? "image/png" : "application/pdf");
        assert.equal(answer.headers["onnxscope-warnings"], "0");
        assert.ok(answer.body.equals(rendered(format)), format);
    }
});

test("dots an inch are the client's choice", async () => {
    const standard = size((await daemon.get(`${at}/graph.png`)).body);
    const doubled = size((await daemon.get(`${at}/graph.png?dpi=192`)).body);
    const posted = size((await daemon.post("/v1/render?format=png&dpi=192", resnet)).body);
    assert.deepEqual(posted, doubled);
    doubled.forEach((side, i) => assert.ok(Math.abs(side - 2 * standard[i]) <= 2, `${doubled} ${standard}`));
    assert.ok(rendered("png", "--dpi", "192").equals((await daemon.get(`${at}/graph.png?dpi=192`)).body));
    for (const dpi of ["7", "1201", "x", ""]) {
        const answer = await daemon.get(`${at}/graph.png?dpi=${dpi}`);
        assert.equal(answer.status, 400, dpi);
        assert.match(answer.json.detail, /dpi.*8 to 1200/);
    }
    assert.equal((await daemon.get(`${at}/graph.svg?dpi=96`)).status, 400, "an SVG has no dots");
});

test("a page of a PDF is as large as the picture, without a margin", async () => {
    const svg = (await daemon.get(`${at}/graph.svg`)).text;
    const [, w, h] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg);
    const pdf = (await daemon.get(`${at}/graph.pdf`)).body.toString("latin1");
    assert.ok(pdf.includes(`/MediaBox [ 0 0 ${w} ${h} ]`), /\/MediaBox[^/]*/.exec(pdf)[0]);
});

test("text in a PDF is text", async () => {
    const text = words((await daemon.get(`${at}/graph.pdf`)).body);
    for (const word of ["input", "output", "params", "ReLU"]) {
        assert.ok(text.includes(word), `${word} in ${text.slice(0, 300)}`);
    }
});

test("every theme, direction and label comes out of the sandbox", async () => {
    for (const view of ["theme=dark&legend=1", "theme=torchview", "theme=print&names=path", "graph_dir=LR&edge_labels=shape",
        "params=node&attrs=1&costs=all", "depth=inf&hide_module_functions=0&dpi=30", "highlight=op:Conv", "engine=dot&depth=1"]) {
        for (const format of ["png", "pdf"]) {
            const answer = await daemon.post(`/v1/render?format=${format}&${view}`, resnet);
            assert.equal(answer.status, 200, `${format} ${view} ${answer.status !== 200 && answer.text}`);
        }
    }
});

test("no character of a name ends a job", async () => {
    const from = [0x80, 0x250, 0x590, 0x700, 0x900, 0x1100, 0x1e00, 0x2000, 0x2190, 0x2300, 0x2500, 0x2600, 0x2e80, 0x4e00, 0xac00,
        0xe000, 0xfe00, 0x10000, 0x1d400, 0x1f300, 0x20000, 0xe0000];
    for (const first of from) {
        const nodes = [...Array(24).keys()].map((i) => {
            const name = [...Array(24).keys()].map((k) => String.fromCodePoint(first + i * 24 + k)).join("");
            return node("Relu", [i ? `v${i}` : "x"], [i === 23 ? "y" : `v${i + 1}`], `/${name}/Relu`);
        });
        const answer = await daemon.post("/v1/render?format=png", model(nodes));
        assert.equal(answer.status, 200, `U+${first.toString(16)}`);
    }
});

test("the first job of a daemon has all it needs, however soon it comes", async () => {
    for (let i = 0; i < 5; i++) {
        const fresh = await start();
        const answers = await Promise.all(["png", "pdf", "png"].map((format) => fresh.post(`/v1/render?format=${format}`, resnet)));
        assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
        await fresh.stop();
    }
});

test("a picture over the limit is a smaller one", async (t) => {
    const small = await start("--max-pixels", "100000");
    t.after(() => small.stop());
    const answer = await small.post("/v1/render?format=png&dpi=300", resnet);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["onnxscope-warnings"], "1");
    const [w, h] = size(answer.body);
    assert.ok(w * h < 120000 && w * h > 50000, `${w} x ${h}`);
});

test("packed pictures are not packed again, and are asked about once", async () => {
    for (const format of ["png", "pdf"]) {
        const path = `${at}/graph.${format}`;
        const answer = await daemon.get(path, { "Accept-Encoding": "gzip" });
        assert.equal(answer.headers["content-encoding"], undefined);
        assert.equal(answer.headers.vary, undefined);
        assert.equal(answer.headers["cross-origin-resource-policy"], "cross-origin");
        assert.match(answer.headers["content-security-policy"], /default-src 'none'.*sandbox/);
        assert.match(answer.headers["content-disposition"], new RegExp(`^inline; filename="onnxscope-[0-9a-f]{8}\\.${format}"$`));
        const again = await daemon.get(path, { "If-None-Match": answer.headers.etag, "Accept-Encoding": "gzip" });
        assert.equal(again.status, 304);
        assert.match((await daemon.get(`${path}?download=1`)).headers["content-disposition"], /^attachment;/);
    }
    const [one, two] = await Promise.all([daemon.get(`${at}/graph.png`), daemon.get(`${at}/graph.png?dpi=97`)]);
    assert.notEqual(one.headers.etag, two.headers.etag);
    assert.equal((await daemon.get(`${at}/graph.png?dpi=96`)).headers.etag, one.headers.etag, "96 is what there is without it");
});

test("a page holds the picture and may run its own script only", async () => {
    const svg = (await daemon.get(`${at}/graph.svg?depth=2`)).text.trim();
    const answer = await daemon.get(`${at}/graph.html?depth=2`);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.ok(answer.text.includes(svg), "byte for byte");
    const [, script] = /<script>(.*)<\/script>/s.exec(answer.text);
    const digest = createHash("sha256").update(script).digest("base64");
    assert.ok(script.length < 8192, `${script.length} bytes of script`);
    const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'`;
    assert.ok(answer.text.includes(`<meta http-equiv="Content-Security-Policy" content="${policy}">`));
    assert.equal(answer.headers["content-security-policy"],
        `${policy}; base-uri 'none'; form-action 'none'; sandbox allow-scripts`);
    assert.match(answer.text, /<title>[^<%]+<\/title>/);
    assert.doesNotMatch(answer.text, /%[A-Z]+%|\{\{|src=|href=|url\(/);
    assert.match(answer.headers["content-disposition"], /\.html"$/);
    assert.match(answer.headers.vary, /Accept-Encoding/);
    const packed = await daemon.get(`${at}/graph.html?depth=2`, { "Accept-Encoding": "gzip" });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.ok(rendered("html", "--depth", "2").equals(answer.body));
    const again = await daemon.get(`${at}/graph.html?depth=2`, { "If-None-Match": answer.headers.etag });
    assert.equal(again.status, 304);
    assert.match(again.headers["content-security-policy"], /sandbox allow-scripts/);
});

test("a machine without fonts draws SVG all the same, and says what PNG and PDF need", async (t) => {
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    const before = process.env.FONTCONFIG_FILE;
    writeFileSync(`${folder}/none.conf`, "<fontconfig/>");
    process.env.FONTCONFIG_FILE = `${folder}/none.conf`;
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const bare = await start();
    t.after(() => bare.stop());
    const svg = rendered("svg");
    if (before === undefined) {
        delete process.env.FONTCONFIG_FILE;
    } else {
        process.env.FONTCONFIG_FILE = before;
    }
    assert.ok(svg.equals(rendered("svg")), "the same bytes with and without fonts");
    const drawn = await bare.post("/v1/render", resnet);
    assert.equal(drawn.status, 200);
    assert.ok(drawn.body.equals(svg));
    for (const format of ["png", "pdf"]) {
        const answer = await bare.post(`/v1/render?format=${format}`, resnet);
        assert.equal(answer.status, 501);
        assert.match(answer.json.detail, /need a font.*fonts-liberation.*SVG/);
    }
});
