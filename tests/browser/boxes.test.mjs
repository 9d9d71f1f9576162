// The lists of a view, without a browser: Debian's esbuild makes one module of them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../web/src/", import.meta.url));
const bundle = execFileSync("esbuild", ["--bundle", "--format=esm", "--loader=ts"], {
    cwd: source,
    input: 'export * from "./boxes"; export * from "./view_url";',
});
const { openBox, closeBox, parseView, pictureQuery, queryOf, withOption } = await import(
    `data:text/javascript;base64,${bundle.toString("base64")}`
);

function box(path, depth, call = 0, leaf = false) {
    return { path, call, depth, leaf };
}

test("opening a box below the depth names the call", () => {
    assert.equal(queryOf(openBox(parseView("?depth=1"), box("layer1", 1), 1)), "depth=1&expand=layer1@0");
});

test("closing what was opened leaves no trace", () => {
    const opened = openBox(parseView("?depth=1"), box("layer1", 1), 1);
    assert.equal(queryOf(closeBox(opened, box("layer1", 1), 1)), "depth=1");
});

test("a leaf that was opened closes without a trace although the depth is greater", () => {
    const opened = openBox(parseView(""), box("conv1", 1), 4);
    assert.equal(queryOf(opened), "expand=conv1@0");
    assert.equal(queryOf(closeBox(opened, box("conv1", 1, 0, true), 4)), "");
});

test("closing a box above the depth names it, and opening it again leaves no trace", () => {
    const closed = closeBox(parseView("?depth=3"), box("layer1", 1), 3);
    assert.equal(queryOf(closed), "depth=3&collapse=layer1@0");
    assert.equal(queryOf(openBox(closed, box("layer1", 1), 3)), "depth=3");
});

test("a run that is open without being asked for closes by name, and opens again", () => {
    const closed = closeBox(parseView(""), box("~x5", 1), 1);
    assert.equal(queryOf(closed), "collapse=~x5@0");
    assert.equal(queryOf(openBox(closed, box("~x5", 1), 1)), "expand=~x5@0");
});

test("a box that the depth shuts meanwhile opens again", () => {
    const closed = withOption(closeBox(parseView("?depth=3"), box("layer1", 1), 3), "depth", "1");
    assert.equal(queryOf(openBox(closed, box("layer1", 1), 1)), "depth=1&expand=layer1@0");
});

test("closing a box forgets what was opened and closed in it, and nothing else", () => {
    const view = parseView("?depth=1&expand=a@0,a.b@0,ab@0&collapse=a.c@1");
    assert.equal(queryOf(closeBox(view, box("a", 1), 1)), "depth=1&expand=ab@0");
});

test("a box that a broad pattern opens is closed by name", () => {
    const view = parseView("?depth=1&expand=layer*");
    assert.equal(
        queryOf(closeBox(view, box("layer1", 1), 1)),
        "depth=1&expand=layer*&collapse=layer1@0",
    );
});

test("names with characters of patterns are escaped", () => {
    const view = openBox(parseView(""), box("a,b*c@d%e f", 2), 1);
    assert.equal(view.get("expand"), "a%2Cb%2Ac%40d%25e%20f@0");
});

test("an address survives being read and written", () => {
    const view = openBox(parseView("?depth=2&graph_dir=LR"), box("é,ü & =#", 2, 3), 2);
    assert.deepEqual([...parseView(`?${queryOf(view)}`)], [...view]);
});

test("opening the whole model raises the depth", () => {
    assert.equal(queryOf(openBox(parseView("?depth=0"), box("", 0), 0)), "depth=1");
});

test("a default is not written", () => {
    assert.equal(queryOf(withOption(parseView("?graph_dir=LR"), "graph_dir", "TB")), "");
});

test("an option that the page does not know is passed on", () => {
    assert.equal(queryOf(withOption(parseView("?roll=full"), "depth", "2")), "roll=full&depth=2");
});

test("the picture is dark for who likes it dark, unless the address names a theme", () => {
    assert.equal(pictureQuery(parseView("?depth=1"), true), "depth=1&theme=dark");
    assert.equal(pictureQuery(parseView("?theme=light"), true), "theme=light");
    assert.equal(pictureQuery(parseView(""), false), "");
});
