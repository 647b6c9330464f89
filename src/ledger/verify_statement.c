/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_statement.c - a Simple Verification Result must be exactly the one that its entry gives:
 * the same bytes, because policy engines read the statement and not the entry.
 */
#include <assert.h>

#include <baton/json.h>

#include "ledger/dsse.h"
#include "ledger/verify_receipt.h"

/* The members of a statement that follow from the entry. */
static const struct verify_statement_member {
    bt_str pointer;
    bt_str outer; /* "": the statement itself */
    bt_str name;
} members[] = {
    {BT_STR_INIT("/predicate/properties"), BT_STR_INIT("predicate"), BT_STR_INIT("properties")},
    {BT_STR_INIT("/predicate/timeCreated"), BT_STR_INIT("predicate"), BT_STR_INIT("timeCreated")},
    {BT_STR_INIT("/predicate/verifier"), BT_STR_INIT("predicate"), BT_STR_INIT("verifier")},
    {BT_STR_INIT("/subject"), BT_STR_INIT(""), BT_STR_INIT("subject")},
};

/* The text of a member, or absent. */
static bt_str find_member(const struct bt_json_doc *document, bt_str text,
                          const struct verify_statement_member *member)
{
    const bt_json_value *outer = bt_json_root(document);
    if (member->outer.len > 0) {
        outer = bt_json_get(document, outer, member->outer);
    }
    const bt_json_value *value = bt_json_get(document, outer, member->name);
    if (!value) {
        return BT_STR_ABSENT;
    }
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(text, span.begin, span.end);
}

/* Name the first member that differs; "" when the difference is elsewhere. */
static enum bt_status add_difference(struct bt_receipt_check *in, bt_str expected)
{
    struct bt_json_read_result wanted = {0};
    struct bt_json_read_result found = {0};
    /* from: own statement */
    BT_TRY(bt_json_read(in->arena, expected, NULL, &wanted));
    /* from: caller */
    BT_TRY(bt_json_read(in->arena, in->statement, NULL, &found));
    for (size_t i = 0;
         wanted.document && found.document && i < sizeof(members) / sizeof(members[0]); i++) {
        const bt_str should = find_member(wanted.document, expected, &members[i]);
        const bt_str is = find_member(found.document, in->statement, &members[i]);
        if (!bt_str_eq(should, is)) {
            return bt_add_receipt_statement_mismatch(
                in->findings, bt_ledger_part(members[i].pointer), should, is);
        }
    }
    return bt_add_receipt_statement_mismatch(in->findings, bt_location_whole(), expected,
                                             in->statement);
}

enum bt_status bt_receipt_check_statement(struct bt_receipt_check *in)
{
    assert(in);
    if (in->receipt.form != BT_RECEIPT_DSSE || in->predicate != BT_PREDICATE_SVR) {
        return BT_OK;
    }
    if (in->is_newer || !bt_dsse_can_be_svr(&in->entry)) {
        return bt_add_receipt_statement_mismatch(in->findings, bt_location_whole(), BT_STR_ABSENT,
                                                 in->statement);
    }
    const struct bt_dsse_content content = {BT_PREDICATE_SVR, &in->receipt, &in->entry,
                                            in->checkpoint.origin};
    struct bt_buf buf;
    bt_str expected;
    bt_buf_init(&buf, (size_t)4 * BT_RECEIPT_BYTES_MAX);
    bt_dsse_put_statement(&buf, &content);
    BT_TRY(bt_buf_finish(&buf, in->arena, &expected));
    return bt_str_eq(expected, in->statement) ? BT_OK : add_difference(in, expected);
}
