/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the rules about senders, and about where a handoff goes. */
#include "deliver/rules.h"

#include <assert.h>

/* clang-format off */
#define TEXT BT_STR_INIT
#define BINDING(dialect_)                                                                          \
    {                                                                                              \
        .code = TEXT("AGENT_BINDING_MISMATCH"), .dialect = TEXT(dialect_), \
            .severity = BT_SEVERITY_HARD, \
        .stage = BT_STAGE_GOVERNANCE, .security = true,                                            \
        .meaning = TEXT("the caller speaks for other agents than the document's source"),          \
        .explanation = TEXT(                                                                       \
            "A token, or a server started with --agent, is bound to agents and speaks only for "   \
            "them. The attempt is recorded, and nothing else is done with the document. "          \
            "params.claimed names the source: use the sender's own token."),                       \
        .bad = TEXT(""), .good = TEXT(""),                                                         \
    }

#define UNADDRESSED(dialect_)                                                                      \
    {                                                                                              \
        .code = TEXT("DELIVERY_UNADDRESSED"), .dialect = TEXT(dialect_), \
            .severity = BT_SEVERITY_INFO, \
        .stage = BT_STAGE_DELIVER,                                                                 \
        .meaning = TEXT("recorded, but there is no target that an inbox could have"),              \
        .explanation = TEXT(                                                                       \
            "The target is absent, or its name is none that an entry of the ledger may hold, so "  \
            "nobody can take the handoff from an inbox. Name the target."),                        \
        .bad = TEXT(""), .good = TEXT(""),                                                         \
    }

#define ENVELOPE(dialect_)                                                                         \
    {                                                                                              \
        .code = TEXT("ENVELOPE_EXPIRED"), .dialect = TEXT(dialect_), .severity = BT_SEVERITY_HARD, \
        .stage = BT_STAGE_RECORD,                                                                  \
        .meaning = TEXT("the A2A envelope's validity is over"),                                    \
        .explanation = TEXT(                                                                       \
            "The message came with expires_at in its metadata governed-envelope:v1, and that "     \
            "time has passed. The attempt is recorded, and nothing else is done with the "         \
            "document. Send it again."),                                                           \
        .bad = TEXT(""), .good = TEXT(""),                                                         \
    }

const struct bt_rule bt_deliver_rules[] = {
    BINDING("contract"),
    BINDING("plan"),
    BINDING("universal"),
    BINDING("xml"),
    UNADDRESSED("governed"),
    UNADDRESSED("universal"),
    ENVELOPE("contract"),
    ENVELOPE("governed"),
    ENVELOPE("plan"),
    ENVELOPE("response"),
    ENVELOPE("universal"),
    ENVELOPE("xml"),
};
/* clang-format on */

const size_t bt_deliver_rules_count = sizeof(bt_deliver_rules) / sizeof(bt_deliver_rules[0]);

const struct bt_rule *bt_deliver_rule(const char *code, bt_str dialect)
{
    size_t i = 0;
    while (i < bt_deliver_rules_count && (!bt_str_eq(bt_deliver_rules[i].code, bt_str_of(code)) ||
                                          !bt_str_eq(bt_deliver_rules[i].dialect, dialect))) {
        i++;
    }
    assert(i < bt_deliver_rules_count);
    return &bt_deliver_rules[i];
}
