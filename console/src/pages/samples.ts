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

const PLAN = `step,agent,action,inputs,outputs,status,notes,depends_on,payload_schema_in,payload_schema_out
1,@scout,collect the changes,src/,notes/changes.md,done,,,,change-list/v1.schema.json
2,@writer,write release notes,notes/changes.md,docs/release.md,in_progress,"for users, not for us",1,change-list/v1.schema.json,release-notes/v1.schema.json
3,@reviewer,check the wording,docs/release.md,notes/review.md,pending,,2,schemas/handoff-payloads/release-notes.v1.schema.json,
`;

// As in examples/governed: the checks that need a catalogue of agents are made where the server has one.
const GOVERNED = `${JSON.stringify(
    {
        handoff_id: "8d3f1c52-7a60-4b1e-9c1d-2f5b7e9a0c11",
        timestamp: "2026-03-04T10:00:00Z",
        protocol_version: "1.0.0",
        source_agent: {
            agent_type: "domain",
            agent_id: "domain-01-research",
            agent_version: "1.0.0",
            prompt_hash: "4caf7b6eee59b488209f8f587fd18ec2cc08e2e2ac3cb7e4a7ddac7fddc239db",
        },
        target_agent: {
            agent_type: "domain",
            agent_id: "domain-02-writing",
            agent_version: "1.0.0",
            prompt_hash: "6305f17a51eb81049e148370426705efd37a3ca8884b9367d299b17e810abd74",
        },
        context: {
            request: {
                type: "task",
                description: "Write the story about the tides",
                input_data: {
                    notes: "notes.md",
                },
                constraints: ["at most 800 words"],
                expected_output: "A text in Markdown",
            },
            state: {
                conversation_history: [],
                accumulated_context: {
                    topic: "tides",
                },
                decisions_made: [],
            },
        },
        governance: {
            source_agent_verified: true,
            target_agent_verified: true,
            composition_valid: true,
            boundaries_respected: true,
            audit_trail: "newsroom-2026-03-04-001",
        },
    },
    null,
    2,
)}\n`;

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
    { name: "governed handoff", text: GOVERNED },
    { name: "plan", text: PLAN },
    { name: "pump message", text: MESSAGE },
];
