/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_notes.c - the shapes of bodies and answers, one row per operation that has its own.
 */
#include "gateway/openapi_notes.h"

#include <string.h>

/* clang-format off */
#define REPORT OPENAPI_REF("Report")
#define OBJECT(required, properties) \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "],\"properties\":{" properties "}}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define ANY(name) "\"" name "\":{}"
#define COUNT(name, low, high) \
    "\"" name "\":{\"type\":\"integer\",\"minimum\":" low ",\"maximum\":" high "}"
#define LIST(name, items) "\"" name "\":{\"type\":\"array\",\"items\":" items "}"

static const struct openapi_note notes[] = {
    {"check", NULL, REPORT, NULL, NULL,
     "200 whatever the verdict, which the header Baton-Verdict repeats."},
    {"repair", NULL, REPORT, NULL, NULL, NULL},
    {"compress", NULL, REPORT, NULL, NULL, NULL},
    {"convert", NULL, REPORT, NULL, NULL, NULL},
    {"planAudit", NULL, REPORT, NULL, NULL, NULL},
    {"planWaves", NULL, REPORT, NULL, NULL, NULL},
    {"planTrajectory", OBJECT("\"run\"", ANY("run") "," TEXT("plan") "," LIST("chains", "{\"type\":\"string\"}") "," TEXT("returns_to") "," TEXT("root")),
     REPORT, NULL, NULL, NULL},
    {"planValidate", OBJECT("\"schema\",\"payload\"", ANY("schema") "," ANY("payload") "," TEXT("root")), REPORT, NULL, NULL, NULL},
    {"schemaValidate", OBJECT("\"schema\",\"instance\"", ANY("schema") "," ANY("instance")), REPORT, NULL, NULL, NULL},
    {"schemaCompat", OBJECT("\"old\",\"new\"", ANY("old") "," ANY("new") "," "\"mode\":{\"enum\":[\"backward\",\"forward\",\"full\"]}," TEXT("root")),
     REPORT, NULL, NULL, NULL},
    {"contractCheck", NULL, REPORT, NULL, NULL, NULL},
    {"contractRepairPrompt", NULL, REPORT, NULL, NULL, NULL},
    {"contractMerge", OBJECT("\"stored\",\"payload\"", "\"stored\":{\"type\":\"object\"}," ANY("payload")), REPORT, NULL, NULL, NULL},
    {"verifyReceipt", NULL, REPORT, NULL, NULL,
     "The body is a receipt, or {\"receipt\", \"vkey\": [], \"document\": TEXT}."},
    {"submitHandoff", NULL, REPORT, "201", "409 410 422",
     "Judged, recorded and queued for the inbox of its target in one transaction. A refusal is recorded, too."},
    {"dispatch", NULL, "{\"type\":\"object\"}", NULL, "409 422", NULL},
    {"governSubmit", NULL, REPORT, "201", "409 410 422", NULL},
    {"governRespond", NULL, REPORT, "201", "409 410 422", NULL},
    {"takeHandoffs", OBJECT("", COUNT("max", "1", "100") "," COUNT("lease_s", "10", "3600") "," COUNT("wait_s", "0", "30")),
     OPENAPI_REF("Inbox"), NULL, NULL,
     "With wait_s the answer is delayed until something is there, or the time is over."},
    {"finishHandoffs",
     OBJECT("\"items\"", LIST("items", OBJECT("\"message\",\"lease\",\"outcome\"", TEXT("message") "," TEXT("lease") ",\"outcome\":{\"enum\":[\"delivered\",\"failed\"]}"))),
     NULL, NULL, "422", NULL},
    {"listHandoffs", NULL, OPENAPI_REF("Entries"), NULL, NULL, NULL},
    {"streamHandoffs", NULL, NULL, NULL, NULL,
     "Server-sent events `entry`, each with an Entry; the id is its number. Last-Event-ID or after resumes without loss."},
    {"getHandoff", NULL, OPENAPI_REF("ShownEntry"), NULL, NULL, "The id is the number of an entry, or a handoff id that is not all digits."},
    {"getDocument", NULL, NULL, NULL, "410", NULL},
    {"getReport", NULL, REPORT, NULL, "410", NULL},
    {"getReceipt", NULL, OPENAPI_REF("Receipt"), NULL, NULL, NULL},
    {"unblock", OBJECT("\"agent\",\"reason\"", TEXT("agent") "," TEXT("reason")), NULL, NULL, "422", NULL},
    {"verifyRoot", NULL, REPORT, NULL, NULL, NULL},
    {"listApprovals", NULL, "{\"type\":\"object\",\"required\":[\"baton\",\"approvals\"],\"properties\":{\"baton\":{\"const\":1}," LIST("approvals", OPENAPI_REF("Approval")) "}}",
     NULL, NULL, NULL},
    {"getApproval", NULL, OPENAPI_REF("Approval"), NULL, NULL, NULL},
    {"useApproval", OBJECT("", TEXT("command") "," TEXT("command_base64") "," TEXT("id") "," TEXT("agent") "," TEXT("workspace")),
     OPENAPI_REF("ApprovalAnswer"), NULL, "409 422", NULL},
    {"showApproval", OBJECT("", ""), OPENAPI_REF("ApprovalAnswer"), NULL, "409 422", NULL},
    {"grantApproval", OBJECT("\"fingerprint\"", TEXT("fingerprint") "," TEXT("ttl")), OPENAPI_REF("ApprovalAnswer"), NULL, "409 422", NULL},
    {"denyApproval", OBJECT("", TEXT("reason")), OPENAPI_REF("ApprovalAnswer"), NULL, "409 422", NULL},
    {"revokeApproval", OBJECT("", TEXT("reason")), OPENAPI_REF("ApprovalAnswer"), NULL, "409 422", NULL},
    {"getTrace", NULL, OPENAPI_REF("Trace"), NULL, NULL, NULL},
    {"getLedger", NULL, OPENAPI_REF("Checkpoint"), NULL, NULL, NULL},
    {"proveInclusion", NULL, OPENAPI_REF("Receipt"), NULL, NULL, NULL},
    {"listEntries", NULL, OPENAPI_REF("Entries"), NULL, NULL, NULL},
    {"getEntry", NULL, OPENAPI_REF("ShownEntry"), NULL, NULL, NULL},
    {"addCosignatures", NULL, OPENAPI_REF("Checkpoint"), NULL, "422", NULL},
    {"redactDocument", OBJECT("\"reason\"", "\"seq\":{\"type\":\"integer\",\"minimum\":0}," TEXT("sha256") "," TEXT("reason")), NULL, NULL, "422", NULL},
    {"hook", "{\"type\":\"object\"}", "{\"type\":\"object\"}", NULL, NULL,
     "The answer in the words of the host, also when nothing could be judged."},
    {"adminReload", NULL, NULL, NULL, "409", NULL},
    {"openapi", NULL, "{\"type\":\"object\"}", NULL, NULL, NULL},
    {"healthz", NULL, "{\"type\":\"object\"}", NULL, NULL, NULL},
    {"readyz", NULL, "{\"type\":\"object\"}", NULL, NULL, NULL},
    {"getSchema", NULL, "{\"type\":\"object\"}", NULL, NULL, NULL},
    {"getTraceGraph", NULL, "{\"type\":\"object\"}", NULL, NULL, NULL},
    {"pumpSend", NULL, NULL, "202", "409 422", NULL},
    {"witnessAddCheckpoint", NULL, NULL, NULL, "409 422", NULL},
};

static const struct {
    const char *tag;
    const char *text;
} tags[] = {
    {"judge", "Judge, repair, shorten and convert documents; nothing is stored."},
    {"plan", "Plans and the payloads between their steps."},
    {"rules", "Rules and schemas: what Baton knows."},
    {"contract", "Contract blocks of agents, and what is kept about them."},
    {"handoffs", "Handoffs that are recorded: submitted, listed, followed, proven."},
    {"inbox", "Accepted handoffs, waiting for their targets."},
    {"govern", "Governed handoffs and the agents of their catalogue."},
    {"approvals", "Requests for the consent of a person."},
    {"traces", "Pieces of work, from agent to agent."},
    {"ledger", "The log: checkpoints, proofs, entries, tiles."},
    {"witness", "This server as the witness of other logs."},
    {"hooks", "Hooks of agent hosts."},
    {"pump", "The pump of XML messages."},
    {"server", "The server itself."},
};
/* clang-format on */

const struct openapi_note *openapi_note_of(const char *operation)
{
    static const struct openapi_note plain = {0};
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        if (strcmp(notes[i].operation, operation) == 0) {
            return &notes[i];
        }
    }
    return &plain;
}

bt_str openapi_tag_text(bt_str tag)
{
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (bt_str_eq(bt_str_of(tags[i].tag), tag)) {
            return bt_str_of(tags[i].text);
        }
    }
    return tag;
}
