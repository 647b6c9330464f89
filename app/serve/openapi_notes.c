/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_notes.c - the schemas of bodies and responses, one row per operation that has its own. */
#include "serve/openapi_notes.h"

#include <string.h>

/* clang-format off */
#define REPORT OPENAPI_REF("Report")
#define ANSWER OPENAPI_REF("ApprovalAnswer")
#define OBJECT(required, properties)                                                               \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "]," \
    "\"properties\":{" properties "}}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define ANY(name) "\"" name "\":{}"
#define WORDS(name, words) "\"" name "\":{\"enum\":[" words "]}"
#define COUNT(name, low, high)                                                                     \
    "\"" name "\":{\"type\":\"integer\",\"minimum\":" low ",\"maximum\":" high "}"
#define LIST(name, items) "\"" name "\":{\"type\":\"array\",\"items\":" items "}"

#define RUN                                                                                        \
    OBJECT("\"run\"", ANY("run") "," TEXT("plan") "," LIST("chains", "{\"type\":\"string\"}") ","  \
           TEXT("returns_to") "," TEXT("root"))
#define PAYLOAD                                                                                    \
    OBJECT("\"schema\",\"payload\"", ANY("schema") "," ANY("payload") "," TEXT("root"))
#define INSTANCE OBJECT("\"schema\",\"instance\"", ANY("schema") "," ANY("instance"))
#define VERSIONS                                                                                   \
    OBJECT("\"old\",\"new\"", ANY("old") "," ANY("new") ","                                        \
           WORDS("mode", "\"backward\",\"forward\",\"full\"") "," TEXT("root"))
#define MERGE                                                                                      \
    OBJECT("\"stored\",\"payload\"", "\"stored\":{\"type\":\"object\"}," ANY("payload"))
#define TAKE                                                                                       \
    OBJECT("", COUNT("max", "1", "100") "," COUNT("lease_s", "10", "3600") ","                     \
           COUNT("wait_s", "0", "30"))
#define END                                                                                        \
    OBJECT("\"message\",\"lease\",\"outcome\"", TEXT("message") "," TEXT("lease") ","              \
           WORDS("outcome", "\"delivered\",\"failed\""))
#define USE                                                                                        \
    OBJECT("", TEXT("command") "," TEXT("command_base64") "," TEXT("id") "," TEXT("agent") ","     \
           TEXT("workspace"))
#define APPROVALS                                                                                  \
    "{\"type\":\"object\",\"required\":[\"baton\",\"approvals\"],\"properties\":{" \
    "\"baton\":{\"const\":1}," LIST("approvals", OPENAPI_REF("Approval")) "}}"
#define REDACTION                                                                                  \
    OBJECT("\"reason\"", "\"seq\":{\"type\":\"integer\",\"minimum\":0}," TEXT("sha256") ","        \
           TEXT("reason"))
#define PLAIN "{\"type\":\"object\"}"

static const struct serve_openapi_notes_note notes[] = {
    {.operation = "check", .answer = REPORT,
     .text = "200 whatever the verdict, which the header Baton-Verdict repeats."},
    {.operation = "repair", .answer = REPORT},
    {.operation = "compress", .answer = REPORT},
    {.operation = "convert", .answer = REPORT},
    {.operation = "planAudit", .answer = REPORT},
    {.operation = "planWaves", .answer = REPORT},
    {.operation = "planTrajectory", .body = RUN, .answer = REPORT},
    {.operation = "planValidate", .body = PAYLOAD, .answer = REPORT},
    {.operation = "schemaValidate", .body = INSTANCE, .answer = REPORT},
    {.operation = "schemaCompat", .body = VERSIONS, .answer = REPORT},
    {.operation = "contractCheck", .answer = REPORT},
    {.operation = "contractRepairPrompt", .answer = REPORT},
    {.operation = "contractMerge", .body = MERGE, .answer = REPORT},
    {.operation = "verifyReceipt", .answer = REPORT,
     .text = "The body is a receipt, or {\"receipt\", \"vkey\": [], \"document\": TEXT}."},
    {.operation = "submitHandoff", .answer = REPORT, .status = "201", .also = "409 410 422",
     .text = "Judged, recorded and queued for the inbox of its target in one transaction. A "
             "refusal is recorded, too."},
    {.operation = "dispatch", .answer = PLAIN, .also = "409 422"},
    {.operation = "governSubmit", .answer = REPORT, .status = "201", .also = "409 410 422"},
    {.operation = "governRespond", .answer = REPORT, .status = "201", .also = "409 410 422"},
    {.operation = "takeHandoffs", .body = TAKE, .answer = OPENAPI_REF("Inbox"),
     .text = "With wait_s the answer is delayed until something is there, or the time is over."},
    {.operation = "finishHandoffs", .body = OBJECT("\"items\"", LIST("items", END)),
     .also = "422"},
    {.operation = "listHandoffs", .answer = OPENAPI_REF("Entries")},
    {.operation = "streamHandoffs",
     .text = "Server-sent events `entry`, each with an Entry; the id is its number. Last-Event-ID "
             "or after resumes without loss."},
    {.operation = "getHandoff", .answer = OPENAPI_REF("ShownEntry"),
     .text = "The id is the number of an entry, or a handoff id that is not all digits."},
    {.operation = "getDocument", .also = "410"},
    {.operation = "getReport", .answer = REPORT, .also = "410"},
    {.operation = "getReceipt", .answer = OPENAPI_REF("Receipt")},
    {.operation = "unblock", .also = "422",
     .body = OBJECT("\"agent\",\"reason\"", TEXT("agent") "," TEXT("reason"))},
    {.operation = "verifyRoot", .answer = REPORT},
    {.operation = "listApprovals", .answer = APPROVALS},
    {.operation = "getApproval", .answer = OPENAPI_REF("Approval")},
    {.operation = "useApproval", .body = USE, .answer = ANSWER, .also = "409 422"},
    {.operation = "showApproval", .body = OBJECT("", ""), .answer = ANSWER, .also = "409 422"},
    {.operation = "grantApproval", .answer = ANSWER, .also = "409 422",
     .body = OBJECT("\"fingerprint\"", TEXT("fingerprint") "," TEXT("ttl"))},
    {.operation = "denyApproval", .body = OBJECT("", TEXT("reason")), .answer = ANSWER,
     .also = "409 422"},
    {.operation = "revokeApproval", .body = OBJECT("", TEXT("reason")), .answer = ANSWER,
     .also = "409 422"},
    {.operation = "getTrace", .answer = OPENAPI_REF("Trace")},
    {.operation = "getLedger", .answer = OPENAPI_REF("Checkpoint")},
    {.operation = "proveInclusion", .answer = OPENAPI_REF("Receipt")},
    {.operation = "listEntries", .answer = OPENAPI_REF("Entries")},
    {.operation = "getEntry", .answer = OPENAPI_REF("ShownEntry")},
    {.operation = "addCosignatures", .answer = OPENAPI_REF("Checkpoint"), .also = "422"},
    {.operation = "redactDocument", .body = REDACTION, .also = "422"},
    {.operation = "hook", .body = PLAIN, .answer = PLAIN,
     .text = "The answer in the words of the host, also when nothing could be judged."},
    {.operation = "adminReload", .also = "409"},
    {.operation = "openapi", .answer = PLAIN},
    {.operation = "healthz", .answer = PLAIN},
    {.operation = "readyz", .answer = PLAIN},
    {.operation = "getSchema", .answer = PLAIN},
    {.operation = "getTraceGraph", .answer = PLAIN},
    {.operation = "pumpSend", .status = "202", .also = "409 422"},
    {.operation = "witnessAddCheckpoint", .also = "409 422"},
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

const struct serve_openapi_notes_note *openapi_note_of(const char *operation)
{
    static const struct serve_openapi_notes_note plain = {0};
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        if (strcmp(notes[i].operation, operation) == 0) {
            return &notes[i];
        }
    }
    return &plain;
}

bt_str serve_openapi_tag_text(bt_str tag)
{
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        if (bt_str_eq(bt_str_of(tags[i].tag), tag)) {
            return bt_str_of(tags[i].text);
        }
    }
    return tag;
}
