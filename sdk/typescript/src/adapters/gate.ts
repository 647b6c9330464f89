// SPDX-License-Identifier: Apache-2.0
// gate.ts - the gate that all adapters share: a brief becomes a handoff, is judged, recorded, and handed over or sent back. Nothing here knows a
// framework: an adapter keeps one Run in the context of each run of its framework and calls decide().

import type { Baton } from "../baton.js";
import type { BatonClient } from "../client.js";
import { BatonError, Problem, Rejected, Unavailable } from "../errors.js";
import { toJSON } from "../json.js";
import { newKey, webCrypto } from "../platform.js";
import { Report } from "../report.js";
import type { Outcome } from "../report.js";

/** What a model is told when a handoff could not be judged. */
export const FAILED_TEXT = "Baton could not judge this handoff; nothing was handed over. Try again later.";
const SUMMARY_CHARACTERS_MAX = 500;
const NAME_BYTES_MAX = 64;
const POLL_MS = 1000;
const BUDGET = 2000;
// Findings that no model can correct: a person decides at once.
const FOR_PEOPLE = new Set(["CHAIN_NEEDS_APPROVAL", "PAYLOAD_HASH_MISMATCH"]);
const STAGES_FOR_PEOPLE = new Set(["governance", "record"]);
// Members of a brief -> members of newHandoff.
const MEMBERS: Record<string, string> = { summary: "summary", problem_type: "problem_type", working: "working", known_gaps: "gap", success_criteria: "criterion", reason: "reason" };

type JSONObject = Record<string, unknown>;

/** The name of an agent as a skill: lower case, other characters as one hyphen, at most 64 bytes; `agent` when nothing is left. */
export function skillOf(name: string): string {
  const lower = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, NAME_BYTES_MAX).replace(/-$/, "") || "agent";
}

/** What a gate remembers of one run of a framework. */
export class Run {
  attempts = 0;
  /** The last handoff that was accepted. */
  last: JSONObject | null = null;
  /** How often a handoff of a source to a target was refused. */
  readonly refusals = new Map<string, number>();
  /** A person has approved the next handoff. */
  isApproved = false;
  /** @internal Ends when the decision before this one is made: the decisions of one run are made one after the other. */
  turn: Promise<unknown> = Promise.resolve();

  constructor(readonly runId: string) {}
}

/** What a gate decided. `accepted`: the framework hands over; otherwise `text` goes back to the model. */
export interface Decision {
  accepted: boolean;
  text: string;
  /** Null: nothing could be judged. */
  report: Report | null;
  document: JSONObject | null;
  ref: string | null;
  seq: number | null;
  /** The run ends with it. */
  stop: BatonError | null;
}

/** The decision; an escalation that ends the run is thrown. */
export function orStop(decision: Decision): Decision {
  if (decision.stop) throw decision.stop;
  return decision;
}

/** What the target is given: the handoff, or the brief itself when an observing gate lets it pass. */
export function handed(decision: Decision, brief: unknown): string {
  return toJSON(decision.document ?? brief ?? {});
}

/** What the context of the framework is told under `baton`. */
export function factsOf(decision: Decision): { ref: string | null; seq: number | null; document: JSONObject | null } {
  return { ref: decision.ref, seq: decision.seq, document: decision.document };
}

/** The brief that a text holds: a JSON object, or the beginning of the text as its summary. */
export function briefOf(text: string): JSONObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JSONObject;
  } catch {
    // it is a text
  }
  return { summary: Array.from(text).slice(0, SUMMARY_CHARACTERS_MAX).join("") };
}

export interface ApprovalQuestion {
  scope: string;
  risk_level?: string;
  rollback: string;
  verification: string;
  /** The name of the agent that asks; default "agent". */
  agent?: string;
  /** Requests with the same key are one request. */
  key?: string;
}

export interface ApprovalRequest {
  id: string;
  fingerprint: string;
  [member: string]: unknown;
}

/** What a person decided, given from outside the run. Null: the decision is made elsewhere. */
export type ApprovalDecision = { decision: "approve" | "deny"; fingerprint: string } | null;

export interface GateOptions {
  /** Judges in this process: `await load()`. */
  baton: Baton;
  /** Records; without it nothing is recorded. */
  client?: BatonClient | null;
  /** Makes the brief from the context of the framework, instead of the model. */
  build?: ((context: any) => unknown) | null;
  /** A payload schema for `working`, or a reference to one below `root`. */
  schema?: object | string | null;
  /** The name of a root that was added with `baton.root()`. */
  root?: string | null;
  /** Tokens that a handoff may have; default 2000. */
  budget?: number;
  /** For a brief that names none; default "implementation". */
  problemType?: string;
  /** Refusals of one handoff in a run before it is escalated; default 3. */
  limit?: number;
  /** "observe" checks and records, and always goes on. */
  mode?: "enforce" | "observe";
  record?: "all" | "accepted" | "none";
  sessionPath?: string;
  /** Is given every report, and every failure to judge. */
  onReport?: ((report: Report | Error) => void) | null;
  /** Is given the report of the last refusal; default: the run stops. */
  onEscalate?: ((report: Report) => "stop" | "approve" | Promise<"stop" | "approve">) | null;
  /** A client with the scope `approve`, which the tools of the model never see. */
  approver?: BatonClient | null;
  /** Names of agents: two that have the same skill form are refused when the gate is made. */
  agents?: string[];
}

async function sha256(text: string): Promise<string> {
  const { subtle } = await webCrypto();
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** An agent id as contract blocks have it: one that has their form, hexadecimal digits with an `a` before them, else a digest. */
export async function agentId(name: string): Promise<string> {
  const digits = name.replace(/-/g, "").replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (/^a[0-9a-f]{5,127}$/.test(name)) return name;
  return "a" + (/^[0-9a-f]{5,127}$/.test(digits) ? digits : (await sha256(name)).slice(0, 32));
}

function refusedWith(report: Report | null): Decision {
  return { accepted: false, text: report ? "" : FAILED_TEXT, report, document: null, ref: null, seq: null, stop: null };
}

function isForPeople(report: Report): boolean {
  return report.findings.some((finding) => finding.severity === "HARD" && (FOR_PEOPLE.has(finding.code) || STAGES_FOR_PEOPLE.has(finding.stage)));
}

/** Checks, records and sends back handoffs. Made once. */
export class Gate {
  readonly baton: Baton;
  readonly client: BatonClient | null;
  readonly limit: number;
  protected readonly options: GateOptions;
  private readonly skills = new Map<string, string>();
  private readonly brief: JSONObject;

  constructor(options: GateOptions) {
    const { mode = "enforce", record = "all", limit = 3 } = options;
    if (!options.baton || typeof options.baton.call !== "function") throw new TypeError("baton is what load() gives: new Gate({ baton: await load() })");
    if (mode !== "enforce" && mode !== "observe") throw new TypeError("mode is enforce or observe");
    if (!["all", "accepted", "none"].includes(record)) throw new TypeError("record is all, accepted or none");
    if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw new TypeError("limit is a number from 1 to 100");
    this.baton = options.baton;
    this.client = options.client ?? null;
    this.limit = limit;
    this.options = { ...options, mode, record };
    this.brief = this.makeBrief();
    for (const name of options.agents ?? []) this.skill(name);
  }

  // ---- Names and briefs ----

  /** The skill of an agent's name. TypeError: another agent of this gate has the same. */
  skill(name: string): string {
    const skill = skillOf(String(name));
    const other = this.skills.get(skill);
    if (other !== undefined && other !== name) {
      throw new TypeError(`the agents ${JSON.stringify(other)} and ${JSON.stringify(name)} are both called ${skill} in handoffs; give one another name`);
    }
    this.skills.set(skill, name);
    return skill;
  }

  private makeBrief(): JSONObject {
    const reply = this.baton.call("getSchema", { name: "brief" });
    if (!reply.done) throw new BatonError("the schema of briefs cannot be read");
    const schema = reply.value as { properties: JSONObject; required: string[] } & JSONObject;
    if (typeof this.options.schema === "object" && this.options.schema !== null) {
      const { $schema: _schema, $id: _id, ...payload } = this.options.schema as JSONObject;
      schema.properties["working"] = payload;
      schema.required = ["summary", "working"];
    }
    return schema;
  }

  /** The JSON Schema of what a model fills in, without members that tools of models do not take. */
  briefSchema(): JSONObject {
    const { $schema: _schema, $id: _id, ...rest } = this.brief;
    return rest;
  }

  /** What to keep in the context of a run. */
  begin(runId?: string | null): Run {
    return new Run(runId || newKey());
  }

  // ---- Deciding ----

  /** Decide about one handoff of a run; `context` is for `build`. Never throws for what a model wrote. */
  decide(brief: unknown, source: string, target: string, run: Run, context?: unknown): Promise<Decision> {
    const decision = run.turn.then(() => this.decideNext(brief, source, target, run, context));
    run.turn = decision.catch(() => undefined);
    return decision;
  }

  private async decideNext(brief: unknown, source: string, target: string, run: Run, context: unknown): Promise<Decision> {
    let decision: Decision;
    run.attempts += 1;
    try {
      decision = await this.judge(brief, this.skill(source), this.skill(target), run, context);
    } catch (why) {
      // Whatever failed, nothing is handed over.
      try {
        this.tell(why instanceof Error ? why : new BatonError(String(why)));
      } catch {
        // it is onReport that failed
      }
      decision = refusedWith(null);
    }
    if (this.options.mode === "observe") return { ...decision, accepted: true, text: "", stop: null };
    return decision.accepted ? decision : this.sendBack(decision, `${skillOf(source)} ${skillOf(target)}`, run);
  }

  private tell(report: Report | Error): void {
    this.options.onReport?.(report);
  }

  private async judge(given: unknown, source: string, target: string, run: Run, context: unknown): Promise<Decision> {
    const made = this.options.build ? await this.options.build(context) : given;
    const brief = (typeof made === "object" && made !== null && !Array.isArray(made) ? made : made === undefined || made === null ? {} : briefOf(String(made))) as JSONObject;
    const valid = this.report("schemaValidate", { schema: this.brief, instance: brief });
    if (!valid.accepted) return this.refuse(valid, toJSON(brief), run);
    const outcome = this.make(brief, source, target, run);
    if (!outcome.accepted) return this.refuse(outcome, outcome.text ?? toJSON(brief), run);
    if (this.options.schema) {
      const { handoff } = outcome.document as { handoff: { payload: { working?: unknown } } };
      const root = this.options.root ? { root: this.options.root } : {};
      const payload = this.report("planValidate", { schema: this.options.schema, payload: handoff.payload.working ?? {}, ...root });
      if (!payload.accepted) return this.refuse(payload, toJSON(brief), run); // a server does not know the schema, and would accept the handoff
    }
    return this.accept(outcome, run);
  }

  private report(operation: string, request: object): Report {
    const reply = this.baton.call(operation, request);
    if (!reply.done) throw new BatonError(`${operation}: ${reply.json}`);
    return new Report(reply.json);
  }

  private make(brief: JSONObject, source: string, target: string, run: Run): Outcome {
    const parts = Object.fromEntries(Object.entries(brief).map(([name, value]) => [MEMBERS[name]!, value]));
    return this.baton.newHandoff({
      problem_type: this.options.problemType ?? "implementation",
      ...(parts as { summary: string }),
      source,
      target,
      session_path: this.options.sessionPath ?? ".",
      workflow_id: run.runId,
      ...(run.isApproved ? { approved: true } : {}),
      ...(run.last ? { continue: run.last } : {}),
      options: { budget: this.options.budget ?? BUDGET },
    });
  }

  // ---- Recording ----

  private async submit(client: BatonClient, text: string, run: Run, options: { budget?: number } = {}): ReturnType<BatonClient["submit"]> {
    const key = (await sha256(`${run.runId}-${run.attempts}`)).slice(0, 32);
    return client.submit(text, { key, as: "universal", ...options });
  }

  /** Submit what is over the budget of this gate with that budget, so that a server with a larger one refuses it, too. */
  private async submitRefused(client: BatonClient, text: string, run: Run): Promise<unknown> {
    try {
      return await this.submit(client, text, run, { budget: this.options.budget ?? BUDGET });
    } catch (why) {
      if (!(why instanceof Problem && why.code === "PARAMETER_INVALID")) throw why;
      return this.submit(client, text, run); // the server's budget is the smaller one
    }
  }

  private async accept(outcome: Outcome, run: Run): Promise<Decision> {
    let record: { ref: string; seq: number } | null = null;
    if (this.client && this.options.record !== "none") {
      try {
        record = (await this.submit(this.client, outcome.text!, run)).record;
      } catch (why) {
        if (!(why instanceof Rejected)) throw why;
        this.tell(why.report);
        return refusedWith(why.report);
      }
      if (!record) throw new BatonError("the server recorded nothing");
    }
    this.tell(outcome);
    run.last = outcome.document as JSONObject;
    run.isApproved = false;
    return { accepted: true, text: "", report: outcome, document: run.last, ref: record?.ref ?? null, seq: record?.seq ?? null, stop: null };
  }

  /** What this process refused; with record "all" the refusal goes into the ledger, too. */
  private async refuse(report: Report, text: string, run: Run): Promise<Decision> {
    if (this.client && this.options.record === "all") {
      const isAccepted = await this.submitRefused(this.client, text, run).then(
        () => true,
        (why: unknown) => {
          if (!(why instanceof Rejected)) throw why;
          return false;
        },
      );
      if (isAccepted) throw new BatonError("the server accepted what was refused here");
    }
    this.tell(report);
    return refusedWith(report);
  }

  // ---- Sending back ----

  private async sendBack(decision: Decision, pair: string, run: Run): Promise<Decision> {
    const count = (run.refusals.get(pair) ?? 0) + 1;
    run.refusals.set(pair, count);
    const report = decision.report;
    if (!report) return { ...decision, stop: count >= this.limit ? new Unavailable(FAILED_TEXT) : null };
    const text = this.baton.retryText(report, Math.min(count, this.limit), this.limit);
    if (count < this.limit && !isForPeople(report)) return { ...decision, text };
    if ((await this.options.onEscalate?.(report)) === "approve") {
      run.isApproved = await this.isGranted(report, run);
      if (run.isApproved) {
        run.refusals.set(pair, 0);
        return { ...decision, text };
      }
    }
    return { ...decision, text, stop: new Rejected(report) };
  }

  // ---- Approvals ----

  private recorder(): BatonClient {
    if (!this.client) throw new BatonError("an approval needs a client: new Gate({ baton, client: new BatonClient({}) })");
    return this.client;
  }

  /** Ask a person, by a contract block of status APPROVAL_REQUEST. */
  async requestApproval(operation: string, exactContent: string, question: ApprovalQuestion): Promise<ApprovalRequest> {
    const { agent = "agent", key, risk_level = "HIGH", scope, rollback, verification } = question;
    const lists = ["patterns_checked", "files_checked", "commands_run", "key_outputs", "verbatim_outputs", "cross_layer_impacts", "open_gaps"];
    const block = {
      agent_status: { plan_status: "APPROVAL_REQUEST", agent_id: await agentId(agent), pending_steps: [operation], next_action: "wait" },
      evidence_report: Object.fromEntries(lists.map((name) => [name, []])),
      consolidation_report: null,
      approval_request: { operation, exact_content: exactContent, scope, risk_level, rollback, verification },
    };
    const submission = await this.recorder().submit(`\`\`\`agent_contract_handoff\n${toJSON(block)}\n\`\`\`\n`, { as: "contract", ...(key === undefined ? {} : { key }) });
    return (submission.answer as { submit: { approval: ApprovalRequest } }).submit.approval;
  }

  /** Ask a person and wait. True: the grant was used up for exactly these bytes, and the command may run once. `wait` is the framework's own way to
   * wait; without it the server is asked until the request is decided or expires. */
  async approval(operation: string, exactContent: string, question: ApprovalQuestion,
    wait?: (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>): Promise<boolean> {
    const request = await this.requestApproval(operation, exactContent, question);
    const answer = wait ? await wait(request) : null;
    if (answer && !(await this.carryOut(request, answer))) return false;
    if (!(await this.isDecidedFor(request))) return false;
    await this.useGrant(exactContent, request.id);
    return true;
  }

  /** Carry a person's decision out with the approver. False: it cannot be carried out, and the command must not run. */
  async carryOut(request: ApprovalRequest, answer: NonNullable<ApprovalDecision>): Promise<boolean> {
    const approver = this.options.approver;
    if (!approver || answer.fingerprint !== request.fingerprint) return false;
    if (answer.decision === "approve") await approver.grantApproval(request.id, request.fingerprint);
    else await approver.denyApproval(request.id);
    return true;
  }

  /** Use a grant up for exactly these bytes. Problem: there is none, or it is about others, and the command must not run. */
  async useGrant(exactContent: string, id: string): Promise<void> {
    const answer = await this.recorder().useApproval({ command: exactContent, id });
    if (answer.granted !== true) throw new BatonError("the grant cannot be used; nothing was run");
  }

  private async isDecidedFor(request: ApprovalRequest): Promise<boolean> {
    for (;;) {
      const { status, expires_at } = (await this.recorder().getApproval(request.id)) as { status: string; expires_at: string };
      if (status !== "pending" || !(Date.now() <= Date.parse(expires_at))) return status === "approved";
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Whether a person grants what was refused; adapters replace the way of waiting. */
  protected async isGranted(report: Report, run: Run): Promise<boolean> {
    if (!this.client) return false;
    const codes = [...new Set(report.findings.map((finding) => finding.code))].sort();
    return this.approval("hand over", `run ${run.runId}: ${codes.join(" ")}`, { agent: "-", scope: run.runId, rollback: "none", verification: "the next handoff is judged again" });
  }
}
