// SPDX-License-Identifier: Apache-2.0
/** The parts of `@langchain/langgraph` and `langchain` that the adapter uses. */
export declare const langgraph: {
  Command: { new (parameters: object): any; PARENT: string };
  isCommand(value: unknown): boolean;
  Send: new (node: string, given: unknown) => { node: string };
  interrupt(value: unknown): any;
  StateSchema: new (fields: object) => any;
  ReducedValue: new (schema: object, options: object) => any;
  MessagesValue: unknown;
};
export declare const langchain: {
  tool(run: (input: any, config: any) => unknown, fields: object): any;
  createMiddleware(fields: object): any;
  ToolMessage: { new (fields: object): any; isInstance(value: unknown): boolean };
  AIMessage: { isInstance(value: unknown): boolean };
  HumanMessage: { isInstance(value: unknown): boolean };
};
