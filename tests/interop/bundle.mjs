// SPDX-License-Identifier: Apache-2.0
// bundle.mjs BATON NODE_MODULES [ENTRIES [CHANGES]] - a real browser opens bundles of a ledger from files, without a network: Playwright, with
// Debian's chromium.
//
// A bundle of 10,000 entries is checked entry by entry, and each of 1,000 changes of one byte is found. Every check of an absence has a
// control that shows that the thing would be seen. Pictures are kept in build/interop/bundle.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const numbers = process.argv.slice(4).map(Number).filter((n) => n > 0);
const ENTRIES = numbers[0] ?? 10000;
const CHANGES = numbers[1] ?? 1000;
const load = createRequire(path.join(modules, "x"));
const { chromium } = load("playwright");
const axe = fs.readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const pictures = path.resolve("build/interop/bundle");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "baton-bundle-"));
const NOW = "2026-02-11T00:45:02Z";
const BATCH = 500;
const WAIT_MS = 120000;
const HOSTILE = `</script><script>window.ran = 1</script><img src=x onerror="window.ran = 2"><svg onload="window.ran = 3"> \u202eabc\u2028 <!-- <script>
javascript:window.ran=4 &lt;script&gt;window.ran=5&lt;/script&gt; {{constructor}} \u0000`;

process.env.BATON_STATE_DIR = place;

function ask(...args) {
    return execFileSync(baton, args, { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

// ---- ledgers ----

function record(store, count, content, flags = () => []) {
    for (let from = 0; from < count; from += BATCH) {
        const names = [];
        for (let i = from; i < Math.min(from + BATCH, count); i++) {
            names.push(`raw-${i - from}.txt`);
            fs.writeFileSync(path.join(place, names.at(-1)), content(i));
        }
        ask("ledger", "append", "--store", store, ...names.flatMap((name) => ["--raw", name]), "--now", NOW, ...flags(from));
    }
}

const vkey = JSON.parse(ask("ledger", "init", "--store", "case.db", "--origin", "ledger.example/team", "--seed", "1", "--entries", "2", "-f", "json")).vkey;
fs.writeFileSync(path.join(place, "good.json"), fs.readFileSync("examples/universal/planner-to-builder.handoff.json"));
fs.writeFileSync(path.join(place, "bad.json"), fs.readFileSync("examples/universal/planner-to-builder.handoff.json", "utf8").replace('"summary"', '"sumary"'));
ask("ledger", "append", "--store", "case.db", "--no-refs", "good.json", "--now", NOW);
try {
    ask("ledger", "append", "--store", "case.db", "--no-refs", "bad.json", "--now", NOW);
} catch {
    // A refusal is recorded, and the command ends with 1.
}
record("case.db", 2, (i) => (i === 0 ? HOSTILE : `note ${i}\n`), () => ["--trace", "case-7", "--source", "intake-clerk", "--target", "tax-desk"]);
record("case.db", 1, () => "of another case\n", () => ["--trace", "case-8", "--source", "intake-clerk", "--target", "front-desk"]);
record("case.db", 1, () => "to be deleted\n", () => ["--trace", "case-7", "--source", "tax-desk", "--target", "intake-clerk"]);
ask("ledger", "redact", "5", "--store", "case.db", "--reason", "erasure 7", "--now", NOW);
ask("ledger", "bundle", "--store", "case.db", "-o", "case.html", "--title", `Case 7 ${HOSTILE.slice(0, 60)}`, "--now", NOW);
ask("ledger", "bundle", "--store", "case.db", "-o", "plain.html", "--title", "Case 7: the tax desk", "--now", NOW);
ask("ledger", "bundle", "--store", "case.db", "-o", "trace.html", "--trace", "case-7", "--now", NOW);

// ---- pages ----

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const wide = { width: 1200, height: 900 };

// A page with everything that it says: requests, messages of the console (a policy that is broken is one), errors.
async function open(name, options = {}) {
    const context = await browser.newContext({ viewport: wide, offline: true, ...options });
    const page = await context.newPage();
    const seen = { requests: [], messages: [] };
    page.on("request", (request) => seen.requests.push(request.url()));
    page.on("console", (message) => seen.messages.push(message.text()));
    page.on("pageerror", (error) => seen.messages.push(String(error)));
    const url = pathToFileURL(path.join(place, name)).href;
    await page.goto(url, { timeout: WAIT_MS });
    return { context, page, seen, url };
}

async function resultOf(page) {
    return (await page.locator("#result").textContent()).split(":")[0];
}

async function violationsOf(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run());
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
}

async function enter(page, text) {
    await page.locator("#trust").fill(text);
    await page.getByRole("button", { name: "Verify" }).click();
    return resultOf(page);
}

function changed(name, from, to) {
    const text = fs.readFileSync(path.join(place, name), "utf8");
    fs.writeFileSync(path.join(place, `changed-${name}`), text.replace(from, to));
    return `changed-${name}`;
}

const { context, page, seen, url } = await open("case.html");
equal("with the key inside the file it is consistent", await resultOf(page), "consistent");
equal("with the key of the log it is verified", await enter(page, vkey), "verified");
equal("with a policy it is verified", await enter(page, `log ${vkey}\nquorum none\n`), "verified");
equal("with another key it fails", await enter(page, "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik"), "failed");
await enter(page, "nonsense");
equal("what is not a key is refused in words", await page.locator("#fault").textContent(), "a key is NAME+ID+BASE64");
await enter(page, vkey);
equal("nothing is asked for but the file", seen.requests, [url]);
await page.locator("#entries details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
await page.waitForFunction(() => [...document.querySelectorAll("#entries details")].every((one) => one.childElementCount > 1));
equal("hostile documents run nothing", await page.evaluate(() => window.ran), undefined);
equal("hidden characters are marked", await page.locator("mark", { hasText: "right-to-left override" }).count() > 0, true);
equal("no policy was broken, and nothing failed", seen.messages, []);
equal("axe finds nothing", await violationsOf(page), []);
await context.close();

const dark = await open("plain.html", { colorScheme: "dark" });
equal("axe finds nothing in the dark", await violationsOf(dark.page), []);
await dark.context.close();

// Controls: the same page with a script, an image and a request is noticed, and so is a fault for axe.
const loose = await open(changed("case.html", "</body>", '<script>window.ran = 9</script><img src="http://127.0.0.1:9/x.png"></body>'));
equal("control: an added script does not run, and its policy report is seen", [await loose.page.evaluate(() => window.ran), loose.seen.messages.length > 0], [undefined, true]);
equal("control: axe sees an image without a text", (await violationsOf(loose.page)).some((text) => text.startsWith("image-alt")), true);
await loose.context.close();
const naked = await open(changed("case.html", /<meta http-equiv="Content-Security-Policy"[^>]*>/, '<script>window.ran = 9</script><img alt="" src="file:///nowhere.png">'));
equal("control: without its policy an added script runs, and a request is seen", [await naked.page.evaluate(() => window.ran), naked.seen.requests.length], [9, 2]);
await naked.context.close();
const flipped = await open(changed("case.html", "note 1", "note 2"));
equal("control: one byte of the data makes it fail", await resultOf(flipped.page), "failed");
await flipped.context.close();

const bare = await open("trace.html", { javaScriptEnabled: false });
const text = await bare.page.locator("body").innerText();
for (const wanted of ["ledger.example/team", "not checked: this needs the script", "intake-clerk \u2192 tax-desk", "entry not shown", "What this cannot prove", "Annex III"]) {
    equal(`without a script it says ${wanted}`, text.includes(wanted), true);
}
equal("of other entries it has nothing", text.includes("front-desk"), false);
await bare.context.close();

const printed = await open("case.html");
const pdf = path.join(place, "case.pdf");
await printed.page.pdf({ path: pdf, format: "A4" });
const pages = execFileSync("pdftotext", ["-layout", pdf, "-"], { encoding: "utf8" }).split("\f").filter((one) => one.trim() !== "");
equal("every printed page has the result and the root", pages.filter((one) => !/consistent; root [0-9a-f]{64}/.test(one)), []);
equal("every entry is printed", [...Array(7).keys()].filter((seq) => !pages.join("").includes(`"seq": ${seq}`)), []);
await printed.context.close();

fs.mkdirSync(pictures, { recursive: true });
const shot = await open("plain.html");
await enter(shot.page, vkey);
await shot.page.evaluate(() => scrollTo(0, 0));
await shot.page.screenshot({ path: path.join(pictures, "bundle.png") });
await shot.page.screenshot({ path: path.join(pictures, "whole.png"), fullPage: true });
await shot.context.close();

// ---- many entries, and changes of one byte ----

ask("ledger", "init", "--store", "large.db", "--origin", "ledger.example/large", "--seed", "1", "--entries", "2");
record("large.db", ENTRIES, (i) => `document ${i} of many\n`, (from) => ["--trace", `t-${from}`, "--source", "clerk", "--target", "desk"]);
ask("ledger", "bundle", "--store", "large.db", "-o", "large.html", "--now", NOW);
const large = await open("large.html");
const lines = await large.page.locator("#tests tbody tr").allInnerTexts();
equal(`a bundle of ${ENTRIES} entries is consistent`, await resultOf(large.page), "consistent");
equal("every entry of it is verified", lines.some((line) => line.includes(`${ENTRIES} entries lead to the signed root`)), true);
equal("every entry of it is shown", await large.page.locator("#entries details").count(), ENTRIES);
equal("a large bundle asks for nothing", [large.seen.requests.length, large.seen.messages], [1, []]);
const found = await large.page.evaluate((count) => {
    const json = document.getElementById("baton-bundle").textContent;
    const mark = (name) => json.indexOf(`"${name}":`);
    // What the log proves: the signed part and signature of the checkpoint, entries and proof, and the documents.
    const parts = [[mark("checkpoint") + 14, mark("selection") - 2], [mark("entries") + 11, mark("rules") - 2]];
    const total = parts.reduce((sum, [from, to]) => sum + to - from, 0);
    let state = 20260211;
    const next = (below) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below);
    const missed = [];
    for (let i = 0; i < count; i++) {
        let at = i % 20 === 0 ? next(parts[0][1] - parts[0][0]) : next(total);
        for (const [from, to] of parts) {
            if (at < to - from) {
                at += from;
                break;
            }
            at -= to - from;
        }
        let other = String.fromCharCode(33 + next(90));
        other = other === json[at] ? (other === "7" ? "8" : "7") : other;
        if (window.batonVerify(json.slice(0, at) + other + json.slice(at + 1), "").result !== "failed") {
            missed.push(`${at}: ${json.slice(at - 20, at + 20)} -> ${other}`);
        }
    }
    return { missed, whole: window.batonVerify(json, "").result };
}, CHANGES);
equal(`each of ${CHANGES} changes of one byte is found`, found.missed, []);
equal("control: without a change it is consistent", found.whole, "consistent");
await large.context.close();

await browser.close();
fs.rmSync(place, { recursive: true });
finish();
