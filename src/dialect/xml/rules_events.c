/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_events.c - the rows of what a running pump tells: about handlers, after a message was
 * accepted, and about its doors. What breaks them is not a document, so they have no examples.
 */
#include "dialect/xml/message_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("xml"), .severity = (severity_), .stage = (stage_),       \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_pump_rules[] = {
    {
        ROW("PUMP_BLOCKED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler called somebody who is not its peer"),
        .security = true,
        .explanation = TEXT(
            "The tag is neither its own nor a peer's. The handler is told the same as about "
            "a malformed payload, so that it learns nothing. Extend peers, or look at this "
            "handler."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_CALL_ABANDONED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a host died on every attempt at a call"),
        .explanation = TEXT(
            "After params.attempts tries the message is kept as dead, and the caller is "
            "told. Inspect the message."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_CALL_INVALID", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler's call does not fit the type of its target"),
        .explanation = TEXT(
            "params.codes lists what is wrong, params.tag what was called. Correct the "
            "payload."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_FORGED_ENVELOPE", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler emitted an envelope"),
        .security = true,
        .explanation = TEXT(
            "Sender, target and thread are the pump's to write; the envelope was dropped. "
            "Emit payloads only."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_HANDLER_CRASHED", BT_SEVERITY_WARN, BT_STAGE_DELIVER,
            "a host died during a call, which is repeated"),
        .explanation = TEXT(
            "The call keeps its id, by which a handler with side effects tells a repetition. "
            "params.detail says how the host died (signal 9, exit 3). Read the operator's log."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_HANDLER_FAILED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler raised an exception, or could not take its payload"),
        .explanation = TEXT(
            "params.kind and params.detail say why, and where in the handler's code; they and the "
            "operator's log are for operators alone and never reach anybody on the bus."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_HANDLER_TIMEOUT", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler gave no answer in time"),
        .explanation = TEXT(
            "The call is cancelled and not repeated, since it may have had effects. Raise "
            "timeout_seconds if params.seconds is too short."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_LATE_RESULT", BT_SEVERITY_INFO, BT_STAGE_DELIVER,
            "a result came for a call that was cancelled"),
        .explanation = TEXT(
            "It was dropped. A handler that obeys CANCEL does not cause this."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_LIMIT", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a limit of the organism was reached"),
        .explanation = TEXT(
            "params.limit is depth, self_iterations, fragments or result_bytes; what went "
            "beyond it was not done. Correct the loop, or raise the limit."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_OOB_DENIED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "somebody who may not do so connected to the control socket"),
        .security = true,
        .explanation = TEXT(
            "The connection was closed without a word; params.uid says whose it was. If it was "
            "meant to be an operator's, name the uid in oob.admin_uids."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_PRIVILEGED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler emitted a privileged element"),
        .security = true,
        .explanation = TEXT(
            "It was dropped; nothing on the bus reaches the control channel. Look at this "
            "handler."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_PROTOCOL", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a host broke the protocol"),
        .security = true,
        .explanation = TEXT(
            "It was killed and is treated as crashed; params.reason says what it sent. "
            "Correct the host."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_PRUNED", BT_SEVERITY_INFO, BT_STAGE_DELIVER,
            "a cut dropped messages or cancelled calls"),
        .explanation = TEXT(
            "return, halt, a spent budget or an idle root ended threads that still had "
            "something to do; params.count says how much. Nothing is to be done."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_REPLY_INVALID", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler's reply is undeclared or does not fit its type"),
        .explanation = TEXT(
            "params.codes is empty for an undeclared tag. Declare or correct the reply."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_RESERVED", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler emitted an element of the pump itself"),
        .security = true,
        .explanation = TEXT(
            "System elements in any case are the pump's own; it was dropped. Use another tag."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_RESULT_EMPTY", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler's result has no element"),
        .explanation = TEXT(
            "Nothing, blanks or prose without an element cannot be delivered to anybody. "
            "Return a fragment."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_RESULT_NOT_BYTES", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler returned no bytes"),
        .explanation = TEXT(
            "None, text and every other type are programming errors; params.kind and params.detail "
            "say which it was. Return bytes."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_RESULT_REPAIRED", BT_SEVERITY_INFO, BT_STAGE_DELIVER,
            "a handler's result was repaired"),
        .explanation = TEXT(
            "params.repairs lists what was done, by the names of the fixed rules. Return "
            "clean XML."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_RESULT_SYNTAX", BT_SEVERITY_HARD, BT_STAGE_DELIVER,
            "a handler's result is beyond repair"),
        .explanation = TEXT(
            "params.reason is encoding, dtd, markup, namespace, cut, depth or attributes. "
            "The whole result is refused, because half of a plan must not run. Return "
            "well-formed XML."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
};
/* clang-format on */

const size_t bt_pump_rules_count = sizeof(bt_pump_rules) / sizeof(bt_pump_rules[0]);
