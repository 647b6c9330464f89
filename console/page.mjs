// SPDX-License-Identifier: Apache-2.0
// page.mjs - build the page of a bundle: one file, with its script and its style sheet inside, and a policy that allows
// these two and nothing else. Marks like <!--baton:timeline--> stay; the program replaces them.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const SHELL_MAX = 262144;

async function bundled(entry) {
    const made = await build({
        entryPoints: [entry],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: "es2022",
        charset: "ascii",
        legalComments: "none",
    });
    const text = made.outputFiles[0].text.trim();
    if (/<\/(script|style)|<!--/i.test(text)) {
        throw new Error(`${entry}: the result would end its element`);
    }
    return text;
}

function hashOf(text) {
    return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

const script = await bundled("src/bundle/main.ts");
const style = await bundled("src/bundle/style.css");
const parts = { script, style, "script-hash": hashOf(script), "style-hash": hashOf(style) };
const page = readFileSync("src/bundle/page.html", "utf8").replace(/\{\{([a-z-]+)\}\}/g, (_, name) => parts[name]);
if (Buffer.byteLength(page) > SHELL_MAX) {
    throw new Error(`the page has ${Buffer.byteLength(page)} bytes; it may have ${SHELL_MAX}`);
}
mkdirSync("dist/page", { recursive: true });
writeFileSync("dist/page/page.html", page);
