// Debian's chromium for a test file, and pages that report whatever they complain about.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { fixture, start } from "../http/daemon.mjs";

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// The browser runs as root in containers, hence no sandbox; the rest keeps it from looking for hosts.
const ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

export function fixturePath(name) {
    return fileURLToPath(new URL(`../fixtures/${name}.onnx`, import.meta.url));
}

// A daemon and a browser for the tests of one file, ready before the first of them.
export function setup() {
    const site = {};
    before(async () => {
        site.daemon = await start();
        site.url = site.daemon.url;
        site.browser = await chromium.launch({
            executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
            args: ARGUMENTS,
        });
    });
    after(async () => {
        await site.browser?.close();
        await site.daemon?.stop();
    });
    // Address of a stored fixture: "/models/{id}".
    site.store = async (name) => {
        const stored = await site.daemon.store(fixture(name));
        return stored.replace("/v1", "");
    };
    site.open = (address, options = {}) => openPage(site, address, options);
    return site;
}

// What a page must never do: complain of its policy, throw, or fail to load something.
function watch(page) {
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(`thrown: ${error.message}`));
    page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
            complaints.push(`${message.type()}: ${message.text()}`);
        }
    });
    return complaints;
}

// Every page has a context of its own: nothing is remembered from one test to the next.
async function openPage(site, address, options) {
    const { width = 1280, height = 800, scheme = "light", touch = false } = options;
    const page = await site.browser.newPage({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: "reduce",
        hasTouch: touch,
    });
    page.setDefaultTimeout(15000);
    page.complaints = watch(page);
    await page.goto(site.url.replace(/\/$/, "") + address);
    return page;
}

// The picture is there and nothing is being drawn any more.
export async function drawn(page) {
    await page.waitForSelector('#stage[aria-busy="false"] svg');
}

// `allowed`: a complaint that the test provoked.
export async function finish(page, allowed = null) {
    const complaints = page.complaints.filter((text) => !allowed?.test(text));
    assert.deepEqual(complaints, []);
    await page.close();
}

export async function seriousViolations(page) {
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`);
}

// Whether the page is wider than its window.
export function overflows(page) {
    return page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth > clientWidth;
    });
}
