import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { drawn, finish, seriousViolations, setup } from "./browser.mjs";

const site = setup();

async function embedAddress(query) {
    return (await site.store("resnet18")).replace("/models/", "/embed/") + query;
}

test("shows the picture of its query and nothing else", async () => {
    const page = await site.open(await embedAddress("?depth=1&graph_dir=LR&theme=dark"));
    await drawn(page);
    assert.ok(await page.$("#stage > svg.onnxscope-dark"));
    assert.equal(await page.locator("button, input, a, select").count(), 0);
    const wide = await page.$eval("#stage g", (g) => g.getBBox().width > g.getBBox().height);
    assert.equal(wide, true);
    assert.deepEqual(await seriousViolations(page), []);
    await finish(page);
});

test("pans and zooms once it is clicked, and leaves the wheel to the page before", async () => {
    const page = await site.open(await embedAddress("?depth=1"));
    await drawn(page);
    const transform = () => page.getAttribute("#stage svg > g", "transform");
    const first = await transform();
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -200);
    await page.waitForTimeout(200);
    assert.equal(await transform(), first);
    await page.mouse.click(300, 300);
    await page.mouse.wheel(0, -200);
    await page.waitForFunction(
        (old) => document.querySelector("#stage svg > g").getAttribute("transform") !== old,
        first,
    );
    await finish(page);
});

test("another site may frame it, and it says what is wrong", async () => {
    const good = site.url.replace(/\/$/, "") + (await embedAddress("?depth=1"));
    const bad = `${site.url.replace(/\/$/, "")}/embed/${"0".repeat(64)}`;
    const host = createServer((_, response) => {
        response.setHeader("Content-Type", "text/html");
        response.end(`<title>a</title><iframe src="${good}"></iframe><iframe src="${bad}"></iframe>`);
    });
    await new Promise((resolve) => host.listen(0, "127.0.0.1", resolve));
    try {
        const page = await site.browser.newPage();
        await page.goto(`http://127.0.0.1:${host.address().port}/`);
        const [shown, failed] = page.frames().slice(1);
        await shown.waitForSelector("#stage svg");
        await failed.waitForSelector('#message [role="alert"]');
        await page.close();
    } finally {
        host.close();
    }
});
