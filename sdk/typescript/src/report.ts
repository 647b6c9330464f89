// SPDX-License-Identifier: Apache-2.0
// report.ts - reports, findings and outcomes, made from the text of a reply.

import { BatonError, Rejected } from "./errors.js";

/** One statement about one document. */
export interface Finding {
  code: string;
  severity: "HARD" | "WARN" | "INFO";
  stage: "read" | "schema" | "budget" | "semantics" | "governance" | "record" | "deliver";
  pointer: string;
  message: string;
  line?: number;
  column?: number;
  hint?: string;
  security?: boolean;
  fix?: "safe" | "unsafe";
  params?: Record<string, unknown>;
}

/** What was found out about one document. */
export interface JudgedDocument {
  path: string;
  dialect: string;
  verdict: "accepted" | "rejected" | "recorded";
  findings: Finding[];
  facts: Record<string, unknown>;
  record?: Record<string, unknown> | null;
  [member: string]: unknown;
}

/** How a report is shown. */
export type Format = "full" | "concise" | "json" | "jsonl" | "github" | "junit" | "sarif" | "markdown";

/** The judgement of one or more documents. Read `accepted`. */
export class Report {
  readonly value: { documents: JudgedDocument[]; summary: Record<string, number>; [member: string]: unknown };
  readonly #render: ((format: Format) => string) | null;

  /** @internal `render` writes the text of this report. */
  constructor(readonly raw: string, render: ((format: Format) => string) | null = null) {
    this.value = JSON.parse(raw);
    this.#render = render;
  }

  /** The report as text, in a format of the program, with its bytes. A report of a server is given to `Baton.render()` instead. */
  render(format: Format = "concise"): string {
    if (!this.#render) throw new BatonError("this report was not made in this process; give it to render() of what load() gives");
    return this.#render(format);
  }

  get documents(): JudgedDocument[] {
    return this.value.documents;
  }

  get summary(): Record<string, number> {
    return this.value.summary;
  }

  get accepted(): boolean {
    return this.documents.length > 0 && this.documents.every((document) => document.verdict === "accepted" || document.verdict === "recorded");
  }

  get verdict(): "accepted" | "rejected" | "recorded" {
    const first = this.documents[0]?.verdict;
    return first !== undefined && this.documents.every((document) => document.verdict === first) ? first : this.accepted ? "accepted" : "rejected";
  }

  get findings(): Finding[] {
    return this.documents.flatMap((document) => document.findings);
  }

  get facts(): Record<string, unknown> {
    return this.documents.length === 1 ? this.documents[0]!.facts : {};
  }

  /** Throw Rejected unless every document is accepted. */
  raiseForVerdict(): this {
    if (!this.accepted) throw new Rejected(this);
    return this;
  }
}

/** Where the value that begins at `at` ends in a compact JSON text. */
function endOfValue(text: string, at: number): number {
  for (let depth = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    if (depth === 0 && ",:]}".includes(character)) return at;
    if ("[{".includes(character)) depth += 1;
    if ("]}".includes(character)) depth -= 1;
  }
  return at;
}

/** The text of a member of the object at `at` in a compact JSON text. */
function findMember(text: string, at: number, name: string): number {
  while (text[at] !== "}" && at < text.length) {
    const end = endOfValue(text, at + 1);
    if (JSON.parse(text.slice(at + 1, end)) === name) return end + 1;
    at = endOfValue(text, end + 1);
  }
  throw new BatonError(`the reply has no member ${name}`);
}

/** A report on a document that was changed or made. */
export class Outcome extends Report {
  private get only(): Record<string, unknown> {
    return this.documents.length === 1 ? this.documents[0]! : {};
  }

  get outcome(): unknown {
    return this.only["outcome"];
  }

  get document(): unknown {
    return this.only["document"];
  }

  get text(): string | null {
    const document = this.document;
    if (typeof document === "string" || document === undefined || document === null) return (document as string | undefined) ?? null;
    // The text as it stands in the reply: a number that is read and written again may be another one.
    const begin = findMember(this.raw, findMember(this.raw, 0, "documents") + 1, "document");
    return this.raw.slice(begin, endOfValue(this.raw, begin));
  }

  get changes(): unknown {
    return this.facts["changes"] ?? this.facts["fixed"] ?? [];
  }

  get spilled(): unknown {
    return this.only["spilled"];
  }

  get prompt(): unknown {
    return this.only["prompt"] ?? this.value["repair"];
  }
}
