import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, finish, overflows, seriousViolations, setup } from "./browser.mjs";

const site = setup();
const SETTLED = 350; // milliseconds: a new picture takes no click before

function labels(page) {
    return page.$$eval("#stage .node text:first-of-type", (texts) => texts.map((t) => t.textContent));
}

function count(page, selector) {
    return page.locator(`#stage ${selector}`).count();
}

function queryOf(page) {
    return new URL(page.url()).search;
}

// Runs what changes the view and waits for its picture.
async function redraw(page, act) {
    const before = await page.$("#stage svg");
    await act();
    await page.waitForFunction((svg) => !svg.isConnected, before);
    await drawn(page);
    await page.waitForTimeout(SETTLED);
}

async function openModel(name, query = "", options = {}) {
    const page = await site.open((await site.store(name)) + query, options);
    await drawn(page);
    await page.waitForTimeout(SETTLED);
    return page;
}

function nodeAt(page, label) {
    return page.locator("#stage .node", { has: page.locator(`text="${label}"`) });
}

function captionAt(page, label) {
    return page.locator("#stage .caption", { has: page.locator(`text="${label}"`) });
}

test("the picture is visible, styled and described", async () => {
    const page = await openModel("resnet18", "?depth=1");
    assert.ok((await labels(page)).includes("layer1"));
    const size = await nodeAt(page, "layer1").first().boundingBox();
    assert.ok(size.width > 20 && size.height > 10, JSON.stringify(size));
    const fill = await page.$eval("#stage .node.module rect", (r) => getComputedStyle(r).fill);
    assert.notEqual(fill, "rgb(0, 0, 0)", "the picture's own style sheet applies");
    assert.match(await page.textContent("#status"), /^\d+ nodes, \d+ edges$/);
    assert.match(await page.textContent("#facts"), /pytorch[^]*11,6\d\d,\d\d\d/);
    await finish(page);
});

test("more and less depth change the picture and the address", async () => {
    const page = await openModel("resnet18", "?depth=1");
    const nodes = await count(page, ".node");
    await redraw(page, () => page.click("#depth-more"));
    assert.equal(queryOf(page), "?depth=2");
    assert.ok((await count(page, ".node")) > nodes);
    assert.ok((await count(page, ".cluster")) > 0);
    assert.match(await page.textContent("#depth"), /^2 of \d$/);
    await redraw(page, () => page.click("#depth-less"));
    assert.equal(await count(page, ".node"), nodes);
    await redraw(page, () => page.click("#depth-all"));
    assert.equal(queryOf(page), "?depth=inf");
    await redraw(page, () => page.click("#depth-auto"));
    assert.equal(queryOf(page), "");
    await finish(page);
});

test("a click opens a box; the way back closes it, and a reload reproduces the picture", async () => {
    const page = await openModel("resnet18", "?depth=1");
    const closed = await labels(page);
    await redraw(page, () => nodeAt(page, "layer2").first().click());
    assert.equal(queryOf(page), "?depth=1&expand=layer2@0");
    const opened = await labels(page);
    assert.ok(opened.includes("layer2.0") && !opened.includes("layer2"), opened.join());
    await page.reload();
    await drawn(page);
    assert.deepEqual(await labels(page), opened);
    await redraw(page, () => page.goBack());
    assert.deepEqual(await labels(page), closed);
    await redraw(page, () => page.goForward());
    assert.deepEqual(await labels(page), opened);
    await finish(page);
});

test("a click on a caption closes its box, a double click on a box does too", async () => {
    const page = await openModel("resnet18", "?depth=2");
    await redraw(page, () => captionAt(page, "layer1").locator("text").click());
    assert.equal(queryOf(page), "?depth=2&collapse=layer1@0");
    assert.ok((await labels(page)).includes("layer1"));
    await redraw(page, () => nodeAt(page, "layer1").first().click());
    assert.equal(queryOf(page), "?depth=2");
    const box = page.locator("#stage .cluster").filter({ has: page.locator('title:text-is("layer2")') });
    const { height } = await box.locator("rect").boundingBox();
    const edge = { position: { x: 4, y: height / 2 } };
    await redraw(page, () => box.locator("rect").dblclick(edge));
    assert.equal(queryOf(page), "?depth=2&collapse=layer2@0");
    await finish(page);
});

test("opening a box keeps it in sight and selects it", async () => {
    const page = await openModel("resnet18", "?depth=1");
    await redraw(page, () => nodeAt(page, "layer3").first().click());
    const caption = await captionAt(page, "layer3").boundingBox();
    const stage = await page.locator("#stage").boundingBox();
    assert.ok(caption.y >= stage.y && caption.y < stage.y + stage.height);
    assert.match(await page.textContent("#selected"), /layer3/);
    assert.equal(await count(page, ".cluster.selected"), 1);
    await redraw(page, () => page.click("#selected >> text=Close box"));
    assert.equal(queryOf(page), "?depth=1");
    await finish(page);
});

test("options change the picture", async () => {
    const page = await openModel("resnet18", "?depth=1");
    const upright = await page.$eval("#stage g", (g) => g.getBBox().height > g.getBBox().width);
    assert.equal(upright, true);
    await page.click("summary >> text=Options");
    await redraw(page, () => page.selectOption('[data-option="graph_dir"]', "LR"));
    assert.equal(await page.$eval("#stage g", (g) => g.getBBox().height > g.getBBox().width), false);
    const shapes = () => page.locator("text.s", { hasText: "(" }).count();
    assert.ok((await shapes()) > 0);
    await redraw(page, () => page.uncheck('[data-option="show_shapes"]'));
    assert.equal(await shapes(), 0);
    assert.equal(queryOf(page), "?depth=1&graph_dir=LR&show_shapes=0");
    await redraw(page, () => page.check('[data-option="hide_module_functions"]'));
    assert.match(queryOf(page), /hide_module_functions=0/);
    await page.keyboard.press("Escape");
    await redraw(page, () => page.click("#reset"));
    assert.equal(queryOf(page), "");
    await finish(page);
});

test("the theme follows the system until the address names one", async () => {
    const page = await openModel("resnet18", "?depth=1", { scheme: "dark" });
    assert.ok(await page.$("#stage > svg.onnxscope-dark"));
    assert.equal(queryOf(page), "?depth=1");
    await redraw(page, () => page.emulateMedia({ colorScheme: "light" }));
    assert.ok(await page.$("#stage > svg.onnxscope-light"));
    await page.click("summary >> text=Options");
    await redraw(page, () => page.selectOption('[data-option="theme"]', "dark"));
    assert.ok(await page.$("#stage > svg.onnxscope-dark"));
    assert.equal(queryOf(page), "?depth=1&theme=dark");
    await finish(page);
});

test("the search finds, marks and centres a node", async () => {
    const page = await openModel("resnet18");
    await page.keyboard.press("/");
    await page.keyboard.type("layer4.1.conv2");
    assert.equal(await page.locator("#found li").count(), 1);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#stage .node.selected");
    const node = await page.locator("#stage .node.selected rect").first().boundingBox();
    const stage = await page.locator("#stage").boundingBox();
    const off = node.x + node.width / 2 - (stage.x + stage.width / 2);
    assert.ok(Math.abs(off) < 2, `off the middle by ${off}`);
    assert.match(await page.textContent("#selected"), /layer4\.1\.conv2/);
    await page.fill("#search", "nothing of the kind");
    assert.match(await page.textContent("#found-count"), /Not in this picture/);
    await finish(page);
});

test("wheel, buttons and keys zoom; dragging pans and clicks nothing", async () => {
    const page = await openModel("resnet18", "?depth=1");
    const transform = () => page.getAttribute("#stage svg > g", "transform");
    const seen = [await transform()];
    const changes = async (what) => {
        seen.push(await transform());
        assert.notEqual(seen.at(-1), seen.at(-2), what);
    };
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(300);
    await changes("wheel");
    await page.click("#zoom-out");
    await changes("button");
    await page.click("#zoom-fit");
    await changes("fit");
    await page.focus("#stage");
    await page.keyboard.press("+");
    await changes("plus");
    await page.keyboard.press("ArrowLeft");
    await changes("arrow");
    const node = await nodeAt(page, "layer1").first().boundingBox();
    await page.mouse.move(node.x + 5, node.y + 5);
    await page.mouse.down();
    await page.mouse.move(node.x + 80, node.y + 40, { steps: 4 });
    await page.mouse.up();
    await changes("drag");
    assert.equal(queryOf(page), "?depth=1");
    await finish(page);
});

test("the keyboard goes from part to part and opens boxes", async () => {
    const page = await openModel("resnet18", "?depth=1");
    await page.focus("#stage");
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    assert.match(await focused(), /^input .*, input$/);
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(), /, module, closed$/);
    await redraw(page, () => page.keyboard.press("Enter"));
    assert.match(queryOf(page), /expand=/);
    assert.match(await focused(), /, module, open$/);
    await redraw(page, () => page.keyboard.press("Enter"));
    assert.equal(queryOf(page), "?depth=1");
    await finish(page);
});

test("links are copied, also without the clipboard API, and the download is the view", async () => {
    const page = await openModel("resnet18", "?depth=1&graph_dir=LR");
    await page.evaluate(() => {
        document.addEventListener("copy", () => (globalThis.copied = document.activeElement.value));
        Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await page.click("summary >> text=Share");
    await page.click("#copy-link");
    await page.waitForSelector("#copy-link >> text=Copied");
    assert.equal(await page.evaluate(() => globalThis.copied), page.url());
    const download = page.waitForEvent("download");
    await page.click("#download-svg");
    const file = await (await download).createReadStream();
    const parts = [];
    for await (const part of file) {
        parts.push(part);
    }
    assert.match(Buffer.concat(parts).toString(), /^<svg [^]*<\/svg>\s*$/);
    await finish(page);
});

test("an unknown option and an unknown model are explained", async () => {
    const known = await site.store("resnet18");
    const page = await site.open(`${known}?depth=x`);
    const card = await page.waitForSelector('#message [role="alert"]');
    assert.match(await card.innerText(), /depth[^]*'x'/);
    await page.click("#message >> text=Show the automatic view");
    await drawn(page);
    assert.equal(await page.locator("#message > *").count(), 0);
    await finish(page, /status of 400/);
    const other = await site.open(`/models/${"0".repeat(64)}`);
    const gone = await other.waitForSelector('#message [role="alert"]');
    assert.match(await gone.innerText(), /This model is not here[^]*[Uu]pload/);
    assert.ok(await other.isVisible('#message a[href="/"]'));
    for (const part of [".tools", ".search", ".zoom", ".bar .menu"]) {
        assert.equal(await other.$eval(part, (element) => element.inert), true, part);
    }
    await finish(other, /status of 404/);
});

test("warnings are counted and listed", async () => {
    const page = await openModel("resnet18", "?depth=1&expand=no.such.module");
    assert.equal((await page.textContent("#warnings")).trim(), "1 warning");
    assert.match(await page.textContent("#warning-list"), /no\.such\.module/);
    await finish(page);
});

test("a view that is drawn coarser than asked for is described as it is drawn", async () => {
    const page = await openModel("resnet18", "?depth=1");
    await page.route("**/graph.svg?depth=inf", async (route) => {
        const url = route.request().url().replace("depth=inf", "depth=1");
        await route.fulfill({ response: await route.fetch({ url }) });
    });
    await redraw(page, () => page.click("#depth-all"));
    assert.match(await page.textContent("#warning-list"), /too large[^]*depth 1/);
    await nodeAt(page, "layer2").first().hover();
    await redraw(page, () => nodeAt(page, "layer2").first().click());
    assert.match(await page.textContent("#selected"), /layer2/);
    await finish(page);
});

for (const [name, options] of [
    ["light", {}],
    ["dark", { scheme: "dark" }],
    ["narrow", { width: 360, height: 740 }],
]) {
    test(`nothing serious bars anybody from the viewer: ${name}`, async () => {
        const page = await openModel("resnet18", "?depth=2", options);
        await page.waitForSelector("#facts dl", { state: "attached" });
        assert.equal(await overflows(page), false, "no scrolling sideways");
        assert.deepEqual(await seriousViolations(page), []);
        await nodeAt(page, "input").first().click();
        await page.click("summary >> text=Options");
        assert.deepEqual(await seriousViolations(page), []);
        await finish(page);
    });
}

test("on a narrow screen everything can be reached", async () => {
    const page = await openModel("resnet18", "?depth=2", { width: 360, height: 740, touch: true });
    for (const id of ["depth-auto", "depth-less", "depth-more", "depth-all", "panel-toggle", "search"]) {
        const { x, width } = await page.locator(`#${id}`).boundingBox();
        assert.ok(x >= 0 && x + width <= 360, `${id} from ${x} to ${x + width}`);
    }
    for (const menu of ["Options", "Share"]) {
        await page.click(`summary >> text=${menu}`);
        const parts = page.locator("details[open] .menu-body, details[open] :is(button, a, label, select, input)");
        for (const { x, width } of await Promise.all((await parts.all()).map((part) => part.boundingBox()))) {
            assert.ok(x >= 0 && x + width <= 360, `${menu} from ${x} to ${x + width}`);
        }
        const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${menu}: ${wide} too wide`);
        await page.keyboard.press("Escape");
    }
    await page.click("#panel-toggle");
    assert.ok(await page.isVisible("#facts"));
    await page.click("#panel-close");
    assert.equal(await page.isVisible("#facts"), false);
    await redraw(page, () => nodeAt(page, "layer2.0").first().tap());
    assert.match(queryOf(page), /expand=/);
    await finish(page);
});
