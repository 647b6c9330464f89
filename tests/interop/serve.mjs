// SPDX-License-Identifier: Apache-2.0
// serve.mjs - a live `baton serve` on a store of its own, for clients that others wrote.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";

const REPORT = {
  agent_status: { plan_status: "APPROVAL_REQUEST", agent_id: "a80177b959c721da1", pending_steps: [], next_action: "wait" },
  evidence_report: {
    patterns_checked: [], files_checked: [], commands_run: [], key_outputs: [], verbatim_outputs: [], cross_layer_impacts: [], open_gaps: [],
  },
  consolidation_report: null,
  approval_request: {
    operation: "drop the table", exact_content: "psql -c 'drop table t'", scope: "staging", risk_level: "HIGH", rollback: "restore", verification: "list",
  },
};

// A contract block in which an agent asks for consent.
export const requestText = `Report.\n\n\`\`\`agent_contract_handoff\n${JSON.stringify(REPORT)}\n\`\`\`\n`;

// A folder with a store in which one request for consent waits for a person.
export function makeStore(baton) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "baton-interop-"));
  const store = path.join(folder, "s.db");
  execFileSync(baton, ["contract", "submit", "-", "--store", store, "--workspace", "w"], { input: requestText, stdio: ["pipe", "ignore", "ignore"] });
  return { folder, store };
}

// Start a server; `tokens` are names and scopes. It ends, and its folder goes, with stop().
export async function serve(baton, tokens = {}, flags = []) {
  const { folder, store } = makeStore(baton);
  const file = path.join(folder, "tokens.json");
  const made = {};
  for (const [name, scopes] of Object.entries(tokens)) {
    made[name] = execFileSync(baton, ["token", "new", "--tokens", file, "--name", name, "--scopes", scopes]).toString().trim();
  }
  const words = ["serve", "--store", store, "--listen", "127.0.0.1:0", "-f", "json", ...(Object.keys(made).length > 0 ? ["--tokens", file] : []), ...flags];
  const child = spawn(baton, words, { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await Promise.race([
    new Promise((resolve) => readline.createInterface({ input: child.stdout }).once("line", (text) => resolve([text]))),
    new Promise((_, reject) => child.once("exit", (code) => reject(new Error(`baton serve ended with ${code}`)))),
  ]);
  return {
    url: JSON.parse(line).listen[0],
    tokens: made,
    vkey: fs.readFileSync(`${store}.vkey`, "utf8").trim(),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const code = await ended;
      fs.rmSync(folder, { recursive: true });
      return code;
    },
  };
}
