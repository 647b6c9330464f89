/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - findings about a block, located in the message, and the changes that would resolve
 * them.
 */
#include "base/buf.h"
#include "base/vec.h"
#include "dialect/contract/contract_check.h"
#include "json/value_pointer.h"

struct bt_location bt_contract_locate(const struct bt_contract_check *check,
                                      const bt_json_value *value)
{
    struct bt_location at = bt_location_value(check->document, value);
    at.offset += value ? check->block.base : 0;
    return at;
}

bt_str bt_contract_shown_value(const struct bt_contract_check *check, const bt_json_value *value)
{
    const bt_str text = bt_json_is_number(value) ? bt_json_number_text(check->document, value)
                                                 : bt_json_text(value);
    return bt_str_is_blank(text) ? BT_STR_ABSENT : text;
}

enum bt_status bt_contract_check_add_member(struct bt_contract_check *check,
                                            bt_contract_add_member_fn *add,
                                            const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_contract_check_get(check, object, name);
    return value ? add(check->findings, bt_contract_locate(check, value), BT_STR_ABSENT,
                       bt_contract_shown_value(check, value))
                 : add(check->findings, bt_contract_locate(check, object), bt_str_of(name),
                       BT_STR_ABSENT);
}

enum bt_status bt_contract_check_add_edit(struct bt_contract_check *check, unsigned code,
                                          const bt_json_value *value, struct bt_contract_edit edit)
{
    if (!check->wants_edits) {
        return BT_OK;
    }
    edit.begin += check->block.base;
    edit.end += check->block.base;
    edit.code = code;
    edit.pointer = BT_STR("");
    if (value) {
        BT_TRY(bt_json_value_pointer(check->document, value, check->arena, &edit.pointer));
    }
    return bt_vec_push(check->arena, &check->edits, edit);
}

enum bt_status bt_contract_check_redact(struct bt_contract_check *check, size_t begin, size_t end)
{
    return bt_vec_push(check->arena, &check->secrets,
                       (struct bt_contract_edit){.begin = check->block.base + begin,
                                                 .end = check->block.base + end});
}

enum bt_status bt_contract_check_add_string_edit(struct bt_contract_check *check, unsigned code,
                                                 const bt_json_value *value, bt_str text)
{
    if (!check->wants_edits) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(check->document, value);
    struct bt_contract_edit edit = {.begin = span.begin, .end = span.end, .kind = BT_FIX_SAFE};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_string(&buf, text);
    BT_TRY(bt_buf_finish(&buf, check->arena, &edit.text));
    BT_TRY(bt_arena_copy(check->arena, text, &edit.string));
    return bt_contract_check_add_edit(check, code, value, edit);
}

enum bt_status bt_contract_check_canonical_spelling(struct bt_contract_check *check,
                                                    const bt_json_value *value, bt_str canonical)
{
    const bt_str written = bt_json_text(value);
    if (bt_str_eq(written, canonical)) {
        return BT_OK;
    }
    BT_TRY(bt_add_contract_spelling(check->findings, bt_contract_locate(check, value), canonical,
                                    written));
    return bt_contract_check_add_string_edit(check, BT_CODE_CONTRACT_SPELLING, value, canonical);
}
