// SPDX-License-Identifier: Apache-2.0
// trial.mjs BATON NAME - one adapter of sdk/typescript beside its real framework, with a stub model: what must hold for every one of them. It lies, with the
// examples, in the folder where the framework and the packages are installed. Prints TAP.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { load, Rejected, Unavailable } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { polled, waits } from "./approvals.mjs";
import { plain } from "./plain.mjs";

const [program, name] = [resolve(process.argv[2]), process.argv[3]];
const file = `./${name.replaceAll("-", "_")}_handoff.mjs`;
const example = await import(file);
const baton = await load();
const [BAD, GOOD] = [{ working: { release: "1.4" } }, { summary: "Build release 1.4.", working: { release: "1.4" } }];
const WAIT_MS = 30_000;

function expect(truth, what) {
  if (!truth) throw new Error(what);
}

function makeGate(options = {}) {
  return new example.Gate({ baton, ...options });
}

/** What an error came from, the error itself first. */
function* causes(why) {
  for (let depth = 0; why && depth < 20; depth += 1, why = why.cause) yield why;
}

/** A store with a server; `work` is given the clients and a function that stops the server. */
async function recording(work) {
  const folder = mkdtempSync(join(tmpdir(), "baton-adapter-"));
  const env = { ...process.env, HOME: folder, BATON_STATE_DIR: join(folder, "state") };
  const run = (...words) => execFileSync(program, words, { cwd: folder, env, encoding: "utf8" });
  run("ledger", "init", "--origin", "adapters.example/log", "--store", "s.db");
  const tokenOf = (who, scopes) => JSON.parse(run("token", "new", "--tokens", "t.json", "--name", who, "--scopes", scopes, "-f", "json")).token;
  const tokens = { agent: tokenOf("agent", "check,submit"), person: tokenOf("person", "check,submit,approve"), operator: tokenOf("operator", "check,submit,approve,operate") };
  const child = spawn(program, ["serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db", "--tokens", "t.json"], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => child.once("exit", done));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  try {
    const timer = setTimeout(() => child.kill("SIGKILL"), WAIT_MS);
    const { value: ready } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    clearTimeout(timer);
    const url = JSON.parse(ready).listen[0];
    const clientOf = (who) => new BatonClient({ url, token: tokens[who], retries: 0 });
    return await work({ clientOf, run, stop });
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const claims = {
  "a bad brief goes back and the corrected one is handed over": async () => {
    const gate = makeGate();
    const { report } = await gate.decide(BAD, "planner", "builder", gate.begin());
    const shown = baton.retryText(report, 1, 3);
    const { asked, given, result } = await example.play(makeGate(), [BAD, GOOD]);
    expect(asked.length >= 2 && shown !== "" && asked[1].includes(shown) && !asked[0].includes(shown), `the next request does not hold the text: ${JSON.stringify(asked)}`);
    expect(given.includes("Build release 1.4.") && given.includes("trace_id"), `the target was given ${given.slice(0, 500)}`);
    expect(!asked[2]?.includes("attempt 2 of"), "the corrected brief was refused");
    expect(String(result).includes("Built."), String(result));
  },
  "refusals end the run at the limit": async () => {
    const reports = [];
    const ended = await example.play(makeGate({ limit: 2, onReport: (report) => reports.push(report) }), Array(5).fill(BAD)).then(() => null, (why) => why);
    expect(ended !== null, "the run went on");
    expect([...causes(ended)].some((why) => why instanceof Rejected), `the run ended with ${ended.stack}`);
    expect(reports.length === 2, `${reports.length} attempts were judged`);
  },
  "the ledger has one entry for each attempt, and the receipt verifies": () => recording(async ({ clientOf, run }) => {
    await example.play(makeGate({ client: clientOf("agent") }), [BAD, GOOD]);
    const operator = clientOf("operator");
    const entries = (await operator.listHandoffs({ order: "asc" })).entries.map(({ entry }) => entry).filter(({ kind }) => kind === "handoff");
    expect(JSON.stringify(entries.map(({ verdict }) => verdict)) === '["rejected","accepted"]', `the ledger has ${JSON.stringify(entries)}`);
    const receipt = JSON.parse(run("ledger", "prove", "inclusion", String(entries[1].seq), "--store", "s.db", "-f", "json"));
    const verified = await baton.verifyReceipt(receipt, [(await operator.getLedger()).vkey]);
    expect(verified.accepted, verified.raw);
    run("ledger", "verify", "--store", "s.db");
  }),
  "nothing is handed over while the server is stopped": () => recording(async ({ clientOf, stop }) => {
    const told = [];
    await stop();
    const given = await example.play(makeGate({ client: clientOf("agent"), limit: 1, onReport: (report) => told.push(report) }), [GOOD]).then((run) => run.given, (why) => why.given ?? "");
    expect(given === "", `the target was given ${given.slice(0, 200)}`);
    expect(told[0] instanceof Unavailable, `the gate told ${told}`);
  }),
  "a person decides about a command": () => recording(async ({ clientOf }) => {
    const gate = makeGate({ client: clientOf("agent"), approver: clientOf("person") });
    const { ran, requests } = await (waits[name] ?? polled)(gate, clientOf("person"));
    expect(JSON.stringify(ran) === '{"approve":true,"deny":false}', `the command ran: ${JSON.stringify(ran)}`);
    const made = await clientOf("operator").approvals();
    expect(made.length === requests, `${made.length} requests were made for ${requests} commands`);
  }),
  ...(name === "langgraph" ? { "a jump of another tool is checked however it is written": async () => {
    const { Command, Send } = await import("@langchain/langgraph");
    const jumps = ["builder", ["builder"], ["tester", "builder"], new Send("builder", {}), [new Send("builder", {}), new Send("tester", {})]];
    const ask = (gate, args, result) => gate.wrapToolCall({ toolCall: { id: "call-0", name: "leave", args }, state: { messages: [], baton: [] } }, async () => result);
    for (const goto of jumps) {
      const command = new Command({ goto, graph: Command.PARENT, update: { left: true } });
      for (const result of [command, [command]]) {
        const refused = await ask(makeGate(), BAD, result);
        expect(refused.status === "error" && refused.content.startsWith("Baton refused this handoff (attempt 1 of 3)."), `${JSON.stringify(goto)}: ${JSON.stringify(refused)}`);
        const passed = [await ask(makeGate(), GOOD, result)].flat()[0];
        expect(passed.update.baton.length === [goto].flat().length && passed.update.left, JSON.stringify(passed));
        expect([await ask(makeGate({ mode: "observe" }), BAD, result)].flat()[0].goto.length > 0, "an observing gate stopped it");
      }
    }
    const other = new Command({ update: {} });
    expect((await ask(makeGate(), BAD, other)) === other, "a command that goes nowhere was checked");
  } } : {}),
  "two runs at once do not share counts": async () => {
    const gate = makeGate({ limit: 2 });
    const runs = await Promise.all([example.play(gate, [BAD, GOOD]), example.play(gate, [BAD, GOOD])]);
    expect(runs.every(({ result }) => String(result).includes("Built.")), "a run was ended by the refusal of the other");
    expect(String((await example.play(gate, [BAD, GOOD])).result).includes("Built."), "a later run was ended by an earlier one");
  },
  "a gate that observes hands the bad brief over": async () => {
    const told = [];
    const { given, result } = await example.play(makeGate({ mode: "observe", onReport: (report) => told.push(report) }), [BAD]);
    expect(given !== "" && String(result).includes("Built."), "nothing was handed over");
    expect(told.length === 1 && !told[0].accepted, "the report was not told");
  },
  "without the gate the bad brief is handed over": async () => {
    const { given, result } = await plain[name](example, BAD);
    expect(given.includes("1.4") && String(result).includes("Built."), `the control: nothing was handed over without the gate either: ${given}`);
  },
  "the example runs as a program": () => {
    const told = execFileSync(process.execPath, [file], { encoding: "utf8", timeout: 2 * WAIT_MS });
    expect(told.includes("Baton refused this handoff (attempt 1 of 3).") && told.includes("the builder said: Built."), told);
  },
};

console.log(`1..${Object.keys(claims).length}`);
let number = 0;
for (const [title, claim] of Object.entries(claims)) {
  number += 1;
  try {
    await claim();
    console.log(`ok ${number} - ${title}`);
  } catch (why) {
    process.exitCode = 1;
    console.log(`not ok ${number} - ${title}\n${String(why.stack ?? why).replace(/^/gm, "# ")}`);
  }
}
process.exit();
