// SPDX-License-Identifier: Apache-2.0
/** The part of `ai` that the adapter uses. */
export declare const ai: { tool(fields: object): any; jsonSchema(schema: object): unknown };
