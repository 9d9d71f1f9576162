import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

function here(name) {
    return fileURLToPath(new URL(name, import.meta.url));
}

test("the page passes the type checker", () => {
    const compiler = here("node_modules/typescript/bin/tsc");
    try {
        execFileSync(process.execPath, [compiler, "--noEmit", "-p", here("../../web")]);
    } catch (error) {
        throw new Error(String(error.stdout));
    }
});
