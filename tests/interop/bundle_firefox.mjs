// SPDX-License-Identifier: Apache-2.0
// bundle_firefox.mjs BATON NODE_MODULES - Debian's Firefox opens bundles of a ledger from files: puppeteer-core speaks WebDriver BiDi with it, since
// Playwright only drives a Firefox of its own. Every check of an absence has a control that shows that the thing would be seen.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const load = createRequire(path.join(modules, "x"));
const puppeteer = load("puppeteer-core");
const axe = fs.readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const place = fs.mkdtempSync(path.join(os.tmpdir(), "baton-firefox-"));
const WAIT_MS = 120000;
const OTHER_KEY = "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik";
// Whoever asks for anything is heard here.
const asked = [];
const listener = http.createServer((request, response) => {
    asked.push(request.url);
    response.end();
});
await new Promise((done) => listener.listen(0, "127.0.0.1", done));
const PICTURE = `http://127.0.0.1:${listener.address().port}/x.png`;
const HOSTILE = `<img src="${PICTURE}"></script><script>window.ran = 1</script><img src=x onerror="window.ran = 2"><svg onload="window.ran = 3"> \u202eabc\u2028 <!-- <script>\u0000`;

process.env.BATON_STATE_DIR = place;

function ask(...args) {
    return execFileSync(baton, [...args, "--now", "2026-02-11T00:45:02Z"], { cwd: place, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

const vkey = JSON.parse(ask("ledger", "init", "--origin", "ledger.example/team", "--seed", "1", "--entries", "2", "-f", "json")).vkey;
for (const content of [HOSTILE, "note 1\n", "note 3\n"]) {
    fs.writeFileSync(path.join(place, "a.txt"), content);
    ask("ledger", "append", "--raw", "a.txt", "--trace", "case-7", "--source", "intake-clerk", "--target", "tax-desk");
}
ask("ledger", "bundle", "-o", "case.html", "--title", `Case 7 ${HOSTILE.slice(0, 60)}`);

function launch(prefs = {}) {
    return puppeteer.launch({
        browser: "firefox",
        executablePath: process.env.FIREFOX || "/usr/bin/firefox-esr",
        headless: true,
        timeout: WAIT_MS,
        protocolTimeout: WAIT_MS,
        extraPrefsFirefox: prefs,
    });
}

// A page with everything that it says, and what its policy refused.
async function open(browser, name) {
    const page = await browser.newPage();
    const messages = [];
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(String(error)));
    await page.evaluateOnNewDocument(() => {
        window.refused = [];
        document.addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective));
    });
    await page.goto(pathToFileURL(path.join(place, name)).href, { timeout: WAIT_MS });
    return { page, messages };
}

async function resultOf(page) {
    return (await page.$eval("#result", (one) => one.textContent)).split(":")[0];
}

async function enter(page, text) {
    await page.$eval("#trust", (field, value) => {
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
    await page.evaluate(() => [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === "Verify").click());
    return resultOf(page);
}

function changed(from, to) {
    const text = fs.readFileSync(path.join(place, "case.html"), "utf8");
    fs.writeFileSync(path.join(place, "changed.html"), text.replace(from, to));
    return "changed.html";
}

async function violationsOf(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run());
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
}

const browser = await launch();
console.log(`# ${await browser.version()}, puppeteer-core ${load("puppeteer-core/package.json").version}`);
const { page, messages } = await open(browser, "case.html");
equal("with the key inside the file it is consistent", await resultOf(page), "consistent");
equal("with the key of the log it is verified", await enter(page, vkey), "verified");
equal("with a policy it is verified", await enter(page, `log ${vkey}\nquorum none\n`), "verified");
equal("with another key it fails", await enter(page, OTHER_KEY), "failed");
await page.$$eval("#entries details", (all) => all.forEach((one) => (one.open = true)));
await page.waitForFunction(() => [...document.querySelectorAll("#entries details")].every((one) => one.childElementCount > 1));
equal("hostile documents run nothing", await page.evaluate(() => String(window.ran)), "undefined");
equal("nothing is asked for", asked, []);
equal("no policy was broken, and nothing failed", [await page.evaluate(() => window.refused), messages], [[], []]);
equal("axe finds nothing", await violationsOf(page), []);

const naked = await open(browser, changed(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '<script>window.ran = 9; console.log("seen")</script>' + `<img src="${PICTURE}">`));
equal("control: without its policy an added script runs, and is heard", [await naked.page.evaluate(() => window.ran), naked.messages], [9, ["seen"]]);
equal("control: a request is seen", asked, ["/x.png"]);
equal("control: axe sees an image without a text", (await violationsOf(naked.page)).some((text) => text.startsWith("image-alt")), true);
const held = await open(browser, changed("</body>", "<script>window.ran = 9</script></body>"));
equal("control: with its policy it does not, and that is seen", await held.page.evaluate(() => [String(window.ran), window.refused.length > 0]), ["undefined", true]);
const flipped = await open(browser, changed("note 1", "note 2"));
equal("control: one byte of the data makes it fail", await resultOf(flipped.page), "failed");

const printed = await open(browser, "case.html");
fs.writeFileSync(path.join(place, "case.pdf"), await printed.page.pdf({ format: "A4" }));
const text = execFileSync("pdftotext", ["-layout", path.join(place, "case.pdf"), "-"], { encoding: "utf8" });
equal("every entry is printed", [0, 1, 2].filter((seq) => !text.includes(`"seq": ${seq}`)), []);
await browser.close();

// Without a script the page is read through the browser's own tree, which scripts of the test cannot enter; so it is printed.
const plain = await launch({ "javascript.enabled": false });
const bare = await open(plain, "case.html");
fs.writeFileSync(path.join(place, "bare.pdf"), await bare.page.pdf({ format: "A4" }));
const shown = execFileSync("pdftotext", ["-layout", path.join(place, "bare.pdf"), "-"], { encoding: "utf8" });
for (const wanted of ["ledger.example/team", "not checked: this needs the script", "intake-clerk", "What this cannot prove", "Annex III"]) {
    equal(`without a script it says ${wanted}`, shown.includes(wanted), true);
}
await plain.close();
listener.close();
fs.rmSync(place, { recursive: true });
finish();
