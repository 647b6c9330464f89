// SPDX-License-Identifier: Apache-2.0
// node_client.mjs CLIENT - reads commands, one JSON object a line, and uses the client in the module CLIENT as they say; prints one object for each.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { BatonClient, Incompatible, Problem, Rejected, Unavailable } = await import(pathToFileURL(process.argv[2]).href);
let client;

const codes = (report) => [...new Set(report.findings.map((finding) => finding.code))].sort();
const status = (answer) => ({ status: answer.approval.status });
const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");

async function inbox({ agent, acts, ...options }) {
  const items = [];
  for await (const delivery of client.inbox(agent, options)) {
    const act = acts[items.length];
    const item = { seq: delivery.seq, attempt: delivery.attempt, source: delivery.source, result: null, document: new TextDecoder().decode(delivery.document) };
    items.push(item);
    if (act === "ack") item.result = await delivery.ack();
    else if (act === "nack") item.result = await delivery.nack();
    else {
      await delivery.handle(() => {
        if (act === "raise") throw new RangeError("of the handler");
      }).catch((why) => {
        if (!(why instanceof RangeError)) throw why;
      });
    }
    if (items.length === acts.length) return { items };
  }
}

async function feed({ count, after, ...filters }) {
  const seqs = [];
  for await (const entry of client.feed(after, filters)) {
    seqs.push(entry.seq);
    if (seqs.length === 1) say({ event: entry.seq });
    if (seqs.length === count) return { seqs };
  }
}

const commands = {
  new(options) {
    client = new BatonClient(options);
    return {};
  },
  async check({ document, ...options }) {
    const report = await client.check(document, options);
    return { verdict: report.verdict, codes: codes(report) };
  },
  async make({ source, target, summary, ...options }) {
    const made = await client.newHandoff(source, target, summary, options);
    return { verdict: made.verdict, codes: codes(made), document: made.text };
  },
  async submit({ document, ...options }) {
    const done = await client.submit(document, options);
    return { seq: done.record.seq, receipt: done.receipt.index, inbox: done.delivery.inbox, verdict: done.report.verdict };
  },
  async get({ seq }) {
    const entry = await client.getHandoff(String(seq));
    return { verdict: entry.entry.verdict, document: new TextDecoder().decode(await client.getDocument(String(seq))) };
  },
  version: () => client.version(),
  inbox,
  feed,
  approvals: async ({ status }) => ({ approvals: (await client.approvals(status)).map(({ id, status, fingerprint }) => ({ id, status, fingerprint })) }),
  show: async ({ id }) => status(await client.showApproval(id)),
  grant: async ({ id, fingerprint }) => status(await client.grantApproval(id, fingerprint)),
  deny: async ({ id, reason }) => status(await client.denyApproval(id, { reason })),
  revoke: async ({ id, reason }) => status(await client.revokeApproval(id, { reason })),
  use: async ({ command }) => ({ granted: (await client.useApproval(command)).granted }),
};

function describe(why) {
  if (why instanceof Rejected) return { error: "Rejected", seq: why.record.seq, codes: codes(why.report) };
  if (why instanceof Problem) return { error: "Problem", code: why.code, status: why.status };
  if (why instanceof Unavailable) return { error: "Unavailable", outcome: why.outcome, text: why.message };
  if (why instanceof Incompatible) return { error: "Incompatible", text: why.message };
  if (why instanceof TypeError) return { error: "Invalid", text: why.message };
  throw why;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...command } = JSON.parse(line);
  try {
    say({ ok: await commands[name](command) });
  } catch (why) {
    say(describe(why));
  }
}
process.exit(0);
