// SPDX-License-Identifier: Apache-2.0
// pictures.mjs ADDRESS NODE_MODULES FOLDER - the pictures of docs/console.md, from a console that script/run has started: ADDRESS is what it
// prints, with the token. Wait some minutes, so that the story of the demo has been told. NODE_MODULES has playwright or playwright-core.
import { createRequire } from "node:module";
import path from "node:path";

const [address, modules, folder] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), "x"));
const { chromium } = ["playwright", "playwright-core"].map((name) => { try { return load(name); } catch { return null; } }).find(Boolean);
const base = new URL(address).origin;
const token = new URLSearchParams(new URL(address).hash.slice(1)).get("token");
const ask = async (where) => (await fetch(base + where, { headers: { Authorization: `Bearer ${token}` } })).json();

const rejected = (await ask("/v1/handoffs?verdict=rejected&dialect=universal&limit=50")).entries;
const shown = rejected.find(({ entry }) => entry.codes.length > 2) ?? rejected[0];
const traces = (await ask("/v1/traces")).traces;
const trace = [...traces].sort((a, b) => b.hops + b.rejected - a.hops - a.rejected)[0];
const accepted = (await ask("/v1/handoffs?verdict=accepted&dialect=universal&limit=1")).entries[0];
const pending = (await ask("/v1/approvals?status=pending")).approvals;
const request = pending.find((item) => item.risk_level === "CRITICAL") ?? pending[0];
const PAGES = {
    console: `handoff/${shown.entry.seq}`,
    "console-overview": "overview?range=15m",
    "console-feed": "feed",
    "console-agents": "agents",
    "console-map": "map?range=15m",
    "console-trace": `traces/${trace.trace_id}`,
    "console-approvals": `approvals/${request.id}`,
    "console-inboxes": "inboxes",
    "console-tools": "tools",
    "console-pump": "pump",
    "console-ledger": "ledger",
    "console-playground": "playground",
    "console-certificate": `certificate/${accepted.entry.seq}`,
};

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await (await browser.newContext({ viewport: { width: 1360, height: 860 }, colorScheme: "light" })).newPage();
await page.goto(address);
for (const [name, place] of Object.entries(PAGES)) {
    await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
    await page.locator("h1").waitFor();
    if (place === "playground") {
        await page.getByRole("button", { name: "mendable handoff" }).click();
        await page.locator("[role=status] .judge", { hasText: "by the server" }).waitFor();
    }
    await page.waitForFunction(() => !document.querySelector(".loading"));
    await page.waitForFunction(() => document.querySelector(".proof")?.dataset.state !== "busy");
    await page.waitForTimeout(1500); // charts and drawings come after their data
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    console.log(`${name}.png: ${await page.title()}`);
}
await browser.close();
