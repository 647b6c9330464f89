/* SPDX-License-Identifier: Apache-2.0 */
/* dsse_write.c - statements of in-toto and their envelopes written. */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "json/emit.h"
#include "ledger/dsse.h"
#include "ledger/dsse_names.h"

bool bt_dsse_can_be_svr(const struct bt_entry *entry)
{
    return bt_str_eq(entry->kind, BT_STR("handoff")) &&
           bt_str_eq(entry->verdict, BT_STR("accepted"));
}

/* Put the names of what the entry says has passed, sorted. */
static void put_properties(struct bt_emit *emit, const struct bt_entry *entry)
{
    struct bt_buf name;
    bt_buf_init(&name, 256);
    bt_buf_put_text(&name, "BATON_DIALECT_");
    for (size_t i = 0; i < entry->dialect.len; i++) {
        bt_buf_put_char(&name, bt_ascii_upper(entry->dialect.ptr[i]));
    }
    const struct {
        bool passed;
        bt_str name;
    } rows[] = {
        {true, BT_STR("BATON_ACCEPTED")},
        {entry->attest.boundaries_respected == BT_TRUE, BT_STR("BATON_BOUNDARIES_RESPECTED")},
        {entry->attest.composition_valid == BT_TRUE, BT_STR("BATON_COMPOSITION_VALID")},
        {true, bt_buf_str(&name)},
        {entry->attest.source_agent_verified == BT_TRUE, BT_STR("BATON_SOURCE_AGENT_VERIFIED")},
        {entry->attest.target_agent_verified == BT_TRUE, BT_STR("BATON_TARGET_AGENT_VERIFIED")},
    };
    bt_emit_name(emit, "properties");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].passed) {
            bt_emit_string(emit, rows[i].name);
        }
    }
    bt_emit_end(emit);
    bt_buf_free(&name);
}

static void put_digest(struct bt_emit *emit, bt_str sha256)
{
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "digest");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "sha256", sha256);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_receipt(struct bt_emit *emit, const char *name, const struct bt_receipt *receipt)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, BT_STR(""));
    bt_receipt_put_json(emit->buf, receipt, true);
}

/* Put the predicate of a Simple Verification Result. */
static void put_svr(struct bt_emit *emit, const struct bt_dsse_content *content)
{
    bt_emit_name(emit, "predicate");
    bt_emit_begin_object(emit);
    put_properties(emit, content->entry);
    bt_emit_member_string(emit, "timeCreated", content->entry->time);
    put_receipt(emit, BT_DSSE_RECEIPT_TYPE, content->receipt);
    bt_emit_name(emit, "verifier");
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "id");
    bt_emit_raw(emit, BT_STR("\"urn:baton:log:"));
    bt_buf_put(emit->buf, content->origin); /* a key's name, so without escapes */
    bt_buf_put_char(emit->buf, '"');
    bt_emit_name(emit, "policies");
    bt_emit_begin_array(emit);
    if (content->entry->refs.policy.len > 0) {
        put_digest(emit, content->entry->refs.policy);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void bt_dsse_put_statement(struct bt_buf *buf, const struct bt_dsse_content *content)
{
    assert(buf);
    assert(content);
    const bool is_svr = content->predicate == BT_PREDICATE_SVR;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "_type", BT_STR(BT_DSSE_STATEMENT_TYPE));
    if (is_svr) {
        put_svr(&emit, content);
    } else {
        put_receipt(&emit, "predicate", content->receipt);
    }
    bt_emit_member_string(&emit, "predicateType",
                          is_svr ? BT_STR(BT_DSSE_SVR_TYPE) : BT_STR(BT_DSSE_RECEIPT_TYPE));
    bt_emit_name(&emit, "subject");
    bt_emit_begin_array(&emit);
    put_digest(&emit, content->entry->document.sha256);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}
