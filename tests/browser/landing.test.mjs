import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawn, finish, fixturePath, overflows, seriousViolations, setup } from "./browser.mjs";
import { until } from "../http/daemon.mjs";

const site = setup();
const MEBIBYTE = 1 << 20;

async function dropFile(page, name, bytes) {
    const transfer = await page.evaluateHandle(
        ([fileName, base64]) => {
            const all = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([all], fileName));
            return data;
        },
        [name, bytes.toString("base64")],
    );
    await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
    const cover = await page.isVisible(".drop-cover");
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
    return cover;
}

test("choosing a file leads to its picture, and the list names it afterwards", async () => {
    const page = await site.open("/");
    await page.setInputFiles("#file", fixturePath("resnet18"));
    await page.waitForURL(/\/models\/[0-9a-f]{64}$/);
    await drawn(page);
    assert.equal(await page.textContent("#title"), "resnet18.onnx");
    await page.goto(site.url);
    assert.equal(await page.textContent("#rows a"), "resnet18.onnx");
    await page.click("#rows a");
    await drawn(page);
    await finish(page);
});

test("a file may be dropped anywhere", async () => {
    const page = await site.open("/");
    const cover = await dropFile(page, "unet.onnx", readFileSync(fixturePath("unet")));
    assert.equal(cover, true, "the page shows that it takes the file");
    await page.waitForURL(/\/models\/[0-9a-f]{64}$/);
    await drawn(page);
    await finish(page);
});

test("what is no model is refused in words", async () => {
    const page = await site.open("/");
    const notModel = { name: "a.zip", mimeType: "", buffer: Buffer.from("PK\u0003\u0004 and more") };
    await page.setInputFiles("#file", notModel);
    const card = await page.waitForSelector('#problems [role="alert"]');
    assert.match(await card.innerText(), /no usable ONNX model[^]*zip/i);
    assert.equal(await page.isVisible("#sending"), false);
    await finish(page, /status of 422/);
});

test("an upload shows how far it is and can be cancelled", async () => {
    const page = await site.open("/");
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: MEBIBYTE,
    });
    const large = { name: "large.onnx", mimeType: "", buffer: Buffer.alloc(8 * MEBIBYTE, 1) };
    await page.setInputFiles("#file", large);
    await page.waitForFunction(() => {
        const bar = document.querySelector("#sent");
        return bar.value > 0 && bar.value < bar.max;
    });
    assert.match(await page.textContent("#amount"), /of 8\.4 MB/);
    await page.click("#cancel");
    assert.equal(await page.isVisible("#sending"), false);
    assert.equal(await page.locator("#problems > *").count(), 0);
    await finish(page);
});

test("the file can be chosen with the keyboard", async () => {
    const page = await site.open("/");
    let chooser = null;
    page.on("filechooser", (event) => (chooser = event)); // takes the browser a while to notice
    await page.focus(".brand");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.id), "file");
    await until(async () => {
        await page.keyboard.press("Enter");
        await page.waitForTimeout(200);
        return chooser;
    }, "a chooser for files", 60000);
    await finish(page);
});

test("the list of models shows every column, however long a name is", async () => {
    const long = `${"a-model-with-a-rather-long-name-".repeat(6)}.onnx`;
    for (const width of [1280, 360]) {
        const page = await site.open("/", { width, height: 740 });
        const buffer = readFileSync(fixturePath("resnet18"));
        await page.setInputFiles("#file", { name: long, mimeType: "", buffer });
        await page.waitForURL(/\/models\//);
        await page.goto(site.url);
        await page.waitForSelector("#rows tr");
        const cut = await page.$eval(".scroll", (box) => box.scrollWidth - box.clientWidth);
        assert.ok(cut <= 0, `${width}: ${cut} cut off`);
        const { right, edge } = await page.$eval("#rows tr", (row) => ({
            right: row.querySelector("time").getBoundingClientRect().right,
            edge: row.closest(".scroll").getBoundingClientRect().right,
        }));
        assert.ok(right <= edge, `${width}: the last column ends at ${right} of ${edge}`);
        assert.ok((await page.$eval("#rows a", (link) => link.getBoundingClientRect().width)) > 60);
        assert.equal(await overflows(page), false);
        await finish(page);
    }
});

for (const [name, options] of [
    ["light", {}],
    ["dark", { scheme: "dark" }],
    ["narrow", { width: 360, height: 740 }],
]) {
    test(`nothing serious bars anybody from the start page: ${name}`, async () => {
        await site.store("resnet18");
        const page = await site.open("/", options);
        await page.waitForSelector("#rows tr");
        assert.deepEqual(await seriousViolations(page), []);
        assert.equal(await overflows(page), false, "no scrolling sideways");
        await finish(page);
    });
}
