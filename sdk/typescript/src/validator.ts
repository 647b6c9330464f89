// SPDX-License-Identifier: Apache-2.0
// validator.ts - a JSON Schema as a Standard Schema, so that it stands wherever a schema of zod does.

import { BatonError } from "./errors.js";
import { toJSON } from "./json.js";
import type { Finding, Report } from "./report.js";

export interface StandardIssue {
  message: string;
  path: string[];
}

export type StandardResult<T> = { value: T; issues?: undefined } | { issues: StandardIssue[] };

/** What has a JSON Schema of itself, as Standard JSON Schema says. */
export interface StandardJSONSchemaV1 {
  "~standard": { jsonSchema: { input(options: { target: string }): Record<string, unknown> } };
}

const TARGET = "draft-2020-12";

function schemaOf(schema: object): object {
  const standard = (schema as Partial<StandardJSONSchemaV1>)["~standard"];
  return standard?.jsonSchema ? standard.jsonSchema.input({ target: TARGET }) : schema;
}

function pathOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
}

/** A compiled JSON Schema. */
export class Validator<T = unknown> {
  readonly schema: object;
  readonly "~standard": {
    version: 1;
    vendor: string;
    validate(value: unknown): StandardResult<T>;
    jsonSchema: { input(options?: object): object; output(options?: object): object };
    types?: { input: T; output: T };
  };
  private readonly compiled: string;

  /** @internal Use Baton.validator(). */
  constructor(schema: object, private readonly judge: (schema: string, instance: string) => Report) {
    this.schema = schemaOf(schema);
    this.compiled = toJSON(this.schema);
    this["~standard"] = {
      version: 1,
      vendor: "baton",
      validate: (value) => {
        const issues = this.findings(value).map((finding) => ({ message: finding.message, path: pathOf(finding.pointer) }));
        return issues.length > 0 ? { issues } : { value: value as T };
      },
      jsonSchema: { input: () => this.schema, output: () => this.schema },
    };
    const report = this.judge(this.compiled, "null");
    const refused = report.documents.filter((document) => document.path === "schema" && document.verdict === "rejected");
    if (refused.length > 0) throw new BatonError(refused[0]!.findings.map((finding) => `${finding.code} at ${finding.pointer}: ${finding.message}`).join("\n"));
  }

  /** What is wrong with a value; nothing for one that conforms. */
  findings(value: unknown): Finding[] {
    return this.findingsOfText(toJSON(value));
  }

  private findingsOfText(text: string): Finding[] {
    const report = this.judge(this.compiled, text);
    if (report.accepted) return [];
    const found = report.findings.filter((finding) => finding.severity === "HARD");
    if (found.length === 0) throw new BatonError("the value was refused without a finding");
    return found;
  }

  isValid(value: unknown): value is T {
    return this.findings(value).length === 0;
  }

  /** Whether a JSON text conforms. A text that is not JSON does not. */
  isValidText(text: string): boolean {
    try {
      JSON.parse(text);
    } catch {
      return false;
    }
    return this.findingsOfText(text).length === 0;
  }
}
