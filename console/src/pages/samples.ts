// SPDX-License-Identifier: Apache-2.0
// samples.ts - documents to try in the playground: one good, others broken on purpose.

export interface Sample {
    name: string;
    text: string;
}

const handoff = (change: (body: Record<string, unknown>) => void): string => {
    const body: Record<string, unknown> = {
        version: "3.0",
        schema_type: "universal",
        timestamp: "2026-04-14T08:30:00Z",
        trace_id: "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4",
        source: { skill: "release-planner", workflow_id: "run-0412", session_path: "session", phase: "Triage" },
        target: { skill: "patch-builder" },
        context: {
            summary: "Build the fix for the date parser; three customers are blocked.",
            problem_type: "implementation",
        },
        payload: { working: { ticket: "DP-118", files: ["parse.c", "date.c"] } },
        meta: { token_count: 218, confidence: "high" },
    };
    change(body);
    return `${JSON.stringify({ handoff: body }, null, 2)}\n`;
};

const CONTRACT = `Done, I think.

\`\`\`agent_contract_handoff
{
  "agent_status": {
    "plan_status": "COMPLETE",
    "agent_id": "worker-1",
    "pending_steps": ["write the tests"],
    "next_action": "close the ticket"
  },
  "evidence_report": {
    "patterns_checked": [], "files_checked": ["src/date.c"], "commands_run": [], "key_outputs": [],
    "verbatim_outputs": [], "cross_layer_impacts": [], "open_gaps": []
  }
}
\`\`\`
`;

const MESSAGE = `<message xmlns="https://xml-pipeline.org/ns/envelope/v1">
  <meta>
    <from>client1</from>
    <thread>550e8400-e29b-41d4-a716-446655440000</thread>
  </meta>
  <calculator.add.addpayload xmlns="">
    <a>7</a>
    <b>35</b>
  </calculator.add.addpayload>
</message>
`;

export const SAMPLES: Sample[] = [
    { name: "good handoff", text: handoff(() => undefined) },
    {
        name: "mendable handoff",
        text: handoff((body) => {
            delete body["trace_id"];
            body["version"] = 3;
            body["context"] = { summary: "Build the fix.", problem_type: "Implementation" };
        }),
    },
    {
        name: "broken handoff",
        text: handoff((body) => {
            delete body["trace_id"];
            body["version"] = 3;
            body["target"] = { skill: "release-planner" };
        }),
    },
    { name: "contract block", text: CONTRACT },
    { name: "pump message", text: MESSAGE },
];
