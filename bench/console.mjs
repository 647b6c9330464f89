// SPDX-License-Identifier: Apache-2.0
// console.mjs BATON NODE_MODULES FOLDER - the console in a real browser on a large store: how long a person waits, and whether it keeps up.
//
// The store in FOLDER is filled over HTTP to BATON_BENCH_ENTRIES handoffs (1,000,000), one in nine rejected, and kept for the next run.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const [baton, modules, folder] = process.argv.slice(2, 5).map((name) => path.resolve(name));
const { chromium } = createRequire(path.join(modules, "x"))("playwright");
const entries = Number(process.env.BATON_BENCH_ENTRIES ?? 1000000);
const AGENTS = 60;
const CONNECTIONS = 32;
const ROUNDS = 7;
const BURST = 3000;
const BURST_S = 5;

const run = (...args) => execFileSync(baton, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

function prepare() {
    fs.mkdirSync(folder, { recursive: true });
    if (!fs.existsSync(path.join(folder, "store.db"))) {
        run("ledger", "init", "--origin", "ledger.example/bench", "--store", "store.db");
        fs.writeFileSync(path.join(folder, "token"), run("token", "new", "--tokens", "tokens.json", "--name", "bench", "--scopes", "admin"));
        fs.writeFileSync(path.join(folder, "baton.yaml"), "rate: {check: 0, submit: 0}\nlog: {level: error}\n");
    }
    return fs.readFileSync(path.join(folder, "token"), "utf8");
}

async function serve() {
    const child = spawn(baton, ["serve", "--store", "store.db", "--tokens", "tokens.json", "--listen", "127.0.0.1:0"], {
        cwd: folder,
        stdio: ["ignore", "pipe", "inherit"],
    });
    const line = await new Promise((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (piece) => (text += piece) && /ready (\S+)\n/.test(text) && resolve(/ready (\S+)\n/.exec(text)[1]));
        child.on("exit", (code) => reject(new Error(`baton serve ended with ${code}`)));
    });
    return { child, base: line };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function ask(base, token, method, name, body) {
    return new Promise((resolve, reject) => {
        const headers = { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) } : {}) };
        const request = http.request(base + name, { method, agent, headers }, (response) => {
            let text = "";
            response.on("data", (piece) => (text += piece));
            response.on("end", () => resolve({ status: response.statusCode, text }));
        });
        request.on("error", reject);
        request.end(body);
    });
}

function handoff(number) {
    return JSON.stringify({
        handoff: {
            version: "3.0",
            schema_type: "universal",
            timestamp: "2026-04-14T08:30:00Z",
            trace_id: `6a0f2c1d-8b3e-4c57-9d21-${Math.floor(number / 4).toString(16).padStart(12, "0")}`,
            source: { skill: `agent-${number % AGENTS}`, workflow_id: "run", session_path: "session", phase: "Build" },
            target: { skill: `agent-${(number * 7 + 1) % AGENTS}` },
            context: { summary: `Piece of work ${number}`, problem_type: number % 9 === 0 ? "Implementation" : "implementation" },
            payload: { working: { ticket: `DP-${number}` } },
            meta: { token_count: 180, confidence: "high" },
        },
    });
}

// Numbers of which several connections take the next one.
async function submit(base, token, from, to) {
    let next = from;
    const work = async () => {
        while (next < to) {
            const { status } = await ask(base, token, "POST", "/v1/handoffs?as=universal", handoff(next++));
            if (![200, 201, 422].includes(status)) {
                throw new Error(`a submission was answered with ${status}`);
            }
        }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

const sorted = (times) => [...times].sort((a, b) => a - b);
function tell(what, times, wanted) {
    const all = sorted(times);
    console.log(`${what.padEnd(58)} ${all[all.length >> 1].toFixed(0).padStart(6)} ms   worst ${all.at(-1).toFixed(0)} (wanted ${wanted})`);
}

async function timed(act) {
    const begin = performance.now();
    await act();
    return performance.now() - begin;
}

const isReady = () => !document.querySelector(".loading") && document.querySelector("h1");

async function overview(browser, base, token) {
    const times = [];
    for (let i = 0; i < ROUNDS; i++) {
        const page = await (await browser.newContext({ viewport: { width: 1360, height: 860 } })).newPage();
        times.push(
            await timed(async () => {
                await page.goto(`${base}/#token=${token}&to=/overview`);
                await page.locator("canvas").first().waitFor();
                await page.waitForFunction(isReady);
            }),
        );
        await page.context().close();
    }
    tell("overview ready, in a new tab", times, "1000");
}

async function filters(page) {
    await page.evaluate(() => (location.hash = "#/feed"));
    await page.locator(".row").first().waitFor();
    for (const filter of ["verdict=rejected", "agent=agent-7", "dialect=universal&verdict=rejected", "agent=agent-13&verdict=accepted"]) {
        const times = [];
        for (let i = 0; i < ROUNDS; i++) {
            await page.evaluate(() => (location.hash = "#/feed"));
            await page.waitForTimeout(300);
            const answered = page.waitForResponse((response) => response.url().includes("/v1/handoffs?") && response.url().includes(filter.split(/[=&]/)[1]));
            times.push(
                await timed(async () => {
                    await page.evaluate((hash) => (location.hash = hash), `#/feed?${filter}`);
                    await answered;
                    await page.waitForFunction(isReady);
                    await page.locator(".row").first().waitFor();
                }),
            );
        }
        tell(`feed filter ${filter}`, times, "200");
    }
}

// Frames that the browser drew while entries came; the machine also submits them.
async function frames(page, base, token) {
    await page.evaluate(() => (location.hash = "#/feed"));
    await page.locator(".row").first().waitFor();
    const counted = page.evaluate(
        (ms) =>
            new Promise((resolve) => {
                const begin = performance.now();
                const times = [];
                const step = (now) => (times.push(now), now - begin < ms ? requestAnimationFrame(step) : resolve(times));
                requestAnimationFrame(step);
            }),
        BURST_S * 1000,
    );
    const taken = await timed(async () => {
        for (let part = 0; part < BURST_S * 2; part++) {
            const size = BURST / BURST_S / 2;
            const used = await timed(() => submit(base, token, entries + part * size, entries + (part + 1) * size));
            await new Promise((resolve) => setTimeout(resolve, Math.max(0, 500 - used)));
        }
    });
    const times = await counted;
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    console.log(`${BURST} entries in ${(taken / 1000).toFixed(1)} s`.padEnd(58), `${(times.length / BURST_S).toFixed(0).padStart(6)} fps  longest frame ${Math.max(...gaps).toFixed(0)} ms (wanted 30 fps)`);
}

// 4G as Lighthouse has it, and a processor a quarter as fast.
async function firstPaint(browser, base, token) {
    const times = [];
    let scripts = 0;
    for (let i = 0; i < ROUNDS; i++) {
        const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
        const page = await context.newPage();
        const client = await context.newCDPSession(page);
        await client.send("Network.enable");
        await client.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 204800, uploadThroughput: 96000 });
        await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
        await page.goto(`${base}/#token=${token}&to=/overview`, { waitUntil: "load" });
        await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
        times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
        scripts = await page.evaluate(() =>
            performance
                .getEntriesByType("resource")
                .filter((found) => found.name.endsWith(".js") && found.startTime < performance.getEntriesByName("first-contentful-paint")[0].startTime)
                .reduce((sum, found) => sum + found.encodedBodySize, 0),
        );
        await context.close();
    }
    tell("first contentful paint, 4G and a quarter of the processor", times, "1200");
    console.log("scripts before it, compressed".padEnd(58), `${(scripts / 1024).toFixed(1).padStart(6)} KB (wanted 60)`);
}

async function stats(base, token) {
    for (const by of ["verdict", "code", "agent", "dialect", "edge"]) {
        const times = [];
        for (let i = 0; i < ROUNDS; i++) {
            const since = new Date(Date.now() - 86400e3).toISOString();
            times.push(await timed(() => ask(base, token, "GET", `/v1/stats?since=${since}&bucket=3600&by=${by}`)));
        }
        tell(`GET /v1/stats by ${by}, a day`, times, "50");
    }
}

const token = prepare();
const { child, base } = await serve();
try {
    const { size } = JSON.parse((await ask(base, token, "GET", "/v1/ledger")).text);
    const taken = await timed(() => submit(base, token, size, entries));
    console.log(`${Math.max(size, entries)} entries; ${Math.max(0, entries - size)} were submitted in ${(taken / 1000).toFixed(0)} s`);
    await stats(base, token);
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    await overview(browser, base, token);
    await firstPaint(browser, base, token);
    const page = await (await browser.newContext({ viewport: { width: 1360, height: 860 } })).newPage();
    await page.goto(`${base}/#token=${token}`);
    await page.locator("h1").waitFor();
    await filters(page);
    await frames(page, base, token);
    await browser.close();
} finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    agent.destroy();
}
