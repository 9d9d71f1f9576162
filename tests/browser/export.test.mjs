// The picture as one file: opened from a disk, and from the daemon with its policy.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { finish, seriousViolations, setup } from "./browser.mjs";

const site = setup();

// Opens the exported page of a fixture from a file, where every request would be one too many.
async function openFile(t, name, query = "", options = {}) {
    const folder = mkdtempSync(`${tmpdir()}/onnxscope-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const at = await site.store(name);
    const answer = await site.daemon.get(`/v1${at}/graph.html${query}`);
    assert.equal(answer.status, 200);
    writeFileSync(`${folder}/model.html`, answer.body);
    const page = await site.open("/livez", options);
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const address = pathToFileURL(`${folder}/model.html`).href;
    await page.goto(address);
    await page.waitForSelector("body.live");
    assert.deepEqual(asked, [address], "nothing else is loaded");
    return page;
}

const viewBox = (page) => page.getAttribute("#stage > svg", "viewBox");
const scale = async (page) => 1280 / Number((await viewBox(page)).split(" ")[2]);

test("works from a file, without a request, by wheel, keys and drag", async (t) => {
    const page = await openFile(t, "resnet18", "?depth=2");
    assert.deepEqual(await seriousViolations(page), []);
    const first = await scale(page);
    await page.mouse.move(640, 400);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction((before) => 1280 / document.querySelector("svg").viewBox.baseVal.width > before, first);
    await page.locator("#stage").focus();
    await page.keyboard.press("0");
    const whole = await scale(page);
    await page.keyboard.press("+");
    assert.ok((await scale(page)) > whole);
    const before = (await viewBox(page)).split(" ").map(Number);
    await page.mouse.move(600, 400);
    await page.mouse.down();
    await page.mouse.move(500, 350, { steps: 4 });
    await page.mouse.up();
    const after = (await viewBox(page)).split(" ").map(Number);
    assert.ok(after[0] > before[0] && after[1] > before[1], "the picture follows the pointer");
    await page.click("#fit");
    assert.ok(Math.abs((await scale(page)) - whole) < 1e-6);
    await finish(page);
});

test("finds by name and tells what is under the pointer", async (t) => {
    const page = await openFile(t, "resnet18", "?depth=2");
    await page.keyboard.press("/");
    await page.keyboard.type("avgpool");
    assert.equal(await page.textContent("#count"), "1 of 1");
    const box = await page.locator("g.current").boundingBox();
    assert.ok(Math.abs(box.x + box.width / 2 - 640) < 60 && Math.abs(box.y + box.height / 2 - 400) < 60, "in the middle");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector("#info:not([hidden])");
    assert.match(await page.textContent("#info"), /avgpool/);
    await page.fill("#search", "layer1");
    const [, n] = /^1 of (\d+)$/.exec(await page.textContent("#count"));
    assert.ok(n > 1);
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#count"), `2 of ${n}`);
    await page.fill("#search", "no such thing");
    assert.equal(await page.textContent("#count"), "0 of 0");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".found").count(), 0);
    await finish(page);
});

test("names that are markup stay text, and the daemon's policy lets its script run", async () => {
    const at = await site.store("name_script");
    for (const theme of ["light", "dark"]) {
        const page = await site.open(`/v1${at}/graph.html?theme=${theme}`);
        await page.waitForSelector("body.live");
        assert.equal(await page.locator("script").count(), 1);
        assert.equal(await page.locator("body.dark").count(), theme === "dark" ? 1 : 0);
        await finish(page);
    }
});
