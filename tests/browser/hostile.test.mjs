import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, finish, setup } from "./browser.mjs";

const site = setup();

// Elements that no picture has, and attributes that run or load something.
function foreign(page) {
    return page.evaluate(() => {
        const found = [];
        for (const element of document.querySelectorAll("#stage *, #panel *, #found *")) {
            const names = element.getAttributeNames();
            const active = names.filter((name) => name.startsWith("on") || /^(xlink:)?href$/.test(name));
            if (/^(script|iframe|image|img|foreignobject|animate|set|style|a)$/i.test(element.localName)) {
                found.push(element.localName);
            }
            found.push(...active.map((name) => `${element.localName} ${name}`));
        }
        return found;
    });
}

for (const name of ["name_script", "name_html"]) {
    test(`names that are markup stay text: ${name}`, async () => {
        const page = await site.open(`${await site.store(name)}?depth=inf&hide_module_functions=0`);
        await drawn(page);
        await page.waitForSelector("#facts dl");
        assert.deepEqual(await foreign(page), []);
        assert.ok((await page.locator("#stage .node").count()) > 0);
        await page.fill("#search", "<");
        const found = await page.locator("#found li").count();
        assert.ok(found > 0, "the names are there, as text");
        await page.keyboard.press("Enter");
        assert.match(await page.textContent("#selected"), /</);
        assert.deepEqual(await foreign(page), []);
        await finish(page);
    });
}

test("an address that is markup stays text", async () => {
    const markup = encodeURIComponent('<img src=x onerror=alert(1)>"><script>alert(2)</script>');
    const page = await site.open(`${await site.store("name_script")}?depth=${markup}`);
    const card = await page.waitForSelector('#message [role="alert"]');
    assert.match(await card.innerText(), /<img src=x/);
    assert.equal(await page.locator("#message img, #message script").count(), 0);
    await finish(page, /status of 400/);
});
