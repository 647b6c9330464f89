// SPDX-License-Identifier: Apache-2.0
// errors.ts - what can go wrong. None of it is an acceptance.

import type { Finding, Report } from "./report.js";

export class BatonError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options as ErrorOptions);
    this.name = new.target.name;
  }
}

/** A request that cannot be used. */
export class Problem extends BatonError {
  constructor(readonly code: string, readonly status: number, readonly detail = "", readonly findings: Finding[] = []) {
    super(detail ? `${code}: ${detail}` : code);
  }
}

/** A document that was judged and refused. `record` is where the refusal is recorded. */
export class Rejected extends BatonError {
  constructor(readonly report: Report, readonly record: Record<string, unknown> | null = null) {
    super(report.findings.filter((finding) => finding.severity === "HARD").map((finding) => `${finding.code} at ${finding.pointer}: ${finding.message}`).join("\n") || "rejected");
  }
}

/** A value that JSON cannot hold. `pointer` is its place as a JSON Pointer. */
export class NotJSON extends BatonError {
  constructor(message: string, readonly pointer: string) {
    super(`${message}, at ${pointer || "the whole document"}`);
  }
}

/** No server, no store, or no answer in time. `outcome` is "none" when nothing was recorded, and "unknown" when that cannot be told. */
export class Unavailable extends BatonError {
  constructor(message: string, readonly outcome: "none" | "unknown" = "none", options?: { cause?: unknown }) {
    super(message, options);
  }
}

/** The package and a module or a server do not fit together. */
export class Incompatible extends BatonError {}
