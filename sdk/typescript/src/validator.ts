// SPDX-License-Identifier: Apache-2.0
// validator.ts - a JSON Schema as a Standard Schema, so that it stands wherever a schema of zod does.

import { toJSON } from "./json.js";
import type { Finding } from "./report.js";

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

/** A schema that judges JSON texts. */
export interface Compiled {
  /** Whether a text conforms; one that is not JSON does not. */
  isValid(text: string): boolean;
  /** What is wrong with a text; nothing for one that conforms. */
  findings(text: string): Finding[];
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
  private readonly compiled: Compiled;

  /** @internal Use validator() of what load() gives. */
  constructor(schema: object, compile: (schema: string) => Compiled) {
    this.schema = schemaOf(schema);
    this.compiled = compile(toJSON(this.schema));
    this["~standard"] = {
      version: 1,
      vendor: "baton",
      validate: (value) => {
        const issues = this.findings(value).map((finding) => ({ message: finding.message, path: pathOf(finding.pointer) }));
        return issues.length > 0 ? { issues } : { value: value as T };
      },
      jsonSchema: { input: () => this.schema, output: () => this.schema },
    };
  }

  /** What is wrong with a value; nothing for one that conforms. */
  findings(value: unknown): Finding[] {
    return this.compiled.findings(toJSON(value));
  }

  isValid(value: unknown): value is T {
    return this.compiled.isValid(toJSON(value));
  }

  /** Whether a JSON text conforms. A text that is not JSON does not. */
  isValidText(text: string): boolean {
    return this.compiled.isValid(text);
  }
}
