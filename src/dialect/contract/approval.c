/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c - approval_request: what a person is asked to approve, and its fingerprint. */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/uninitialized.h"
#include "dialect/contract/contract_check.h"
#include "json/get.h"
#include "json/walk.h"

static enum bt_status check_required(struct bt_contract_check *check,
                                     enum bt_contract_missing missing_part, const char *name,
                                     unsigned code, bt_contract_add_member_fn *add)
{
    if (bt_json_is_non_empty(bt_contract_check_get(check, check->parts.approval, name))) {
        return BT_OK;
    }
    check->absent.parts |= (unsigned)missing_part;
    bt_contract_words_add_code(&check->tokens.missing, code);
    return bt_contract_check_add_member(check, add, check->parts.approval, name);
}

static enum bt_status check_advised(struct bt_contract_check *check)
{
    static const char *const names[] = {"operation", "exact_content", "scope", "risk_level"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_json_value *value = bt_contract_check_get(check, check->parts.approval, names[i]);
        if (bt_json_is_non_empty(value)) {
            continue;
        }
        const bt_str name = bt_str_of(names[i]);
        BT_TRY(bt_add_approval_request_field_missing(
            check->findings, bt_contract_locate(check, value ? value : check->parts.approval),
            value ? BT_STR_ABSENT : name, name));
        BT_TRY(bt_contract_check_add_token(check, &check->tokens.warnings,
                                           BT_CODE_APPROVAL_REQUEST_FIELD_MISSING, name));
    }
    return BT_OK;
}

static const bt_str risk_levels[] = {BT_STR_INIT("LOW"), BT_STR_INIT("MEDIUM"), BT_STR_INIT("HIGH"),
                                     BT_STR_INIT("CRITICAL")};

enum { RISK_LEVELS = sizeof(risk_levels) / sizeof(risk_levels[0]) };

static enum bt_status check_risk(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->parts.approval, "risk_level");
    if (!bt_json_is_non_empty(value)) {
        return BT_OK;
    }
    bt_str word = BT_STR("");
    BT_TRY(bt_contract_check_text(check, value, &word));
    BT_TRY(bt_ascii_upper_copy(check->arena, bt_str_trim(word), &word));
    if (bt_json_type(value) == BT_JSON_STRING && bt_str_is_one_of(word, risk_levels)) {
        return bt_contract_check_canonical_spelling(check, value, word);
    }
    BT_TRY(bt_add_approval_request_invalid_risk_level(
        check->findings, bt_contract_locate(check, value), word,
        (struct bt_str_list){risk_levels, RISK_LEVELS}));
    return bt_contract_check_add_token(check, &check->tokens.warnings,
                                       BT_CODE_APPROVAL_REQUEST_INVALID_RISK_LEVEL, word);
}

bool bt_approval_id_is_valid(bt_str id)
{
    enum { ID_BYTES = 34 };
    return id.len == ID_BYTES && bt_str_starts_with(id, BT_STR("P-")) &&
           bt_ascii_all(bt_str_slice(id, 2, id.len), bt_ascii_is_lower_hex);
}

static enum bt_status check_id(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->parts.approval, "approval_id");
    if (bt_json_is_absent_or_null(value) ||
        (bt_json_type(value) == BT_JSON_STRING && bt_approval_id_is_valid(bt_json_text(value)))) {
        return BT_OK;
    }
    bt_str id = BT_STR("");
    BT_TRY(bt_contract_check_text(check, value, &id));
    BT_TRY(bt_add_approval_id_format(check->findings, bt_contract_locate(check, value), id));
    return bt_contract_check_add_token(check, &check->tokens.invalid, BT_CODE_APPROVAL_ID_FORMAT,
                                       id);
}

/* Whether a text is the items of a list, joined by a separator. */
static bool is_joined(bt_str text, const bt_json_value *set, bt_str separator)
{
    size_t at = 0;
    for (size_t i = 0; i < bt_json_count(set); i++) {
        const bt_str item = bt_json_text(&bt_json_items(set)[i]);
        const bt_str before = i > 0 ? separator : BT_STR("");
        if (!bt_str_starts_with(bt_str_slice(text, at, text.len), before)) {
            return false;
        }
        at += before.len;
        if (!bt_str_starts_with(bt_str_slice(text, at, text.len), item)) {
            return false;
        }
        at += item.len;
    }
    return at == text.len;
}

/* Whether exact_content shows what command_set grants: one of its items, or all of them. */
static bool shows_set(bt_str exact, const bt_json_value *set)
{
    return bt_json_lists_text(set, exact) || is_joined(exact, set, BT_STR("\n")) ||
           is_joined(exact, set, BT_STR("; ")) || is_joined(exact, set, BT_STR(" && "));
}

static enum bt_status check_content(struct bt_contract_check *check)
{
    const bt_json_value *exact =
        bt_contract_check_get(check, check->parts.approval, "exact_content");
    const bt_json_value *set = bt_contract_check_get(check, check->parts.approval, "command_set");
    if (bt_json_is_absent_or_null(exact) || bt_json_is_absent_or_null(set) ||
        bt_json_type(set) != BT_JSON_ARRAY || shows_set(bt_json_text(exact), set)) {
        return BT_OK;
    }
    return bt_add_approval_content_differs(check->findings, bt_contract_locate(check, exact));
}

/* True when the number is not an integer, or is an integer that every JSON reader represents
 * exactly. */
static bool is_portable(const struct bt_json_doc *document, const bt_json_value *number)
{
    const bt_str text = bt_json_number_text(document, number);
    return !bt_json_decimal_is_integer(text) ||
           (bt_json_decimal_compare(text, BT_STR("9007199254740991")) <= 0 &&
            bt_json_decimal_compare(text, BT_STR("-9007199254740991")) >= 0);
}

static bool has_wide_integer(const struct bt_json_doc *document, const bt_json_value *value)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &walked)) {
        if (bt_json_is_number(walked.value) && !is_portable(document, walked.value)) {
            return true;
        }
    }
    return false;
}

/* Put the canonical form of the request without its approval_id; *out_possible is false when there
 * is none. */
static enum bt_status put_canonical(const struct bt_contract_check *check, struct bt_buf *canonical,
                                    bool *out_possible)
{
    bt_json_value sealed = *check->parts.approval;
    const struct bt_json_member *all = bt_json_members(check->parts.approval);
    struct bt_json_member *members = BT_NEW_ARRAY(check->arena, struct bt_json_member, sealed.size);
    BT_TRY(members ? BT_OK : BT_ENOMEM);
    assert(all);
    sealed.size = 0;
    sealed.as.members = members;
    for (size_t i = 0; i < bt_json_count(check->parts.approval); i++) {
        if (!bt_str_eq(bt_json_name(&all[i]), BT_STR("approval_id"))) {
            members[sealed.size++] = all[i];
        }
    }
    const enum bt_status status = bt_json_write(canonical, check->document, &sealed,
                                                BT_JSON_FORM_CANONICAL, check->arena, NULL);
    *out_possible = status == BT_OK && !has_wide_integer(check->document, &sealed);
    return status == BT_EINVAL ? BT_OK : status;
}

static enum bt_status take_fingerprint(struct bt_contract_check *check)
{
    const struct bt_arena_mark before = bt_arena_mark(check->arena);
    struct bt_buf canonical;
    bool possible = false;
    bt_buf_init(&canonical, SIZE_MAX);
    const enum bt_status status = put_canonical(check, &canonical, &possible);
    bt_arena_rewind(check->arena, before);
    if (status != BT_OK || !possible) {
        bt_buf_free(&canonical);
        BT_TRY(status);
        return bt_add_approval_not_canonical(check->findings,
                                             bt_contract_locate(check, check->parts.approval));
    }
    BT_TRY(bt_buf_finish(&canonical, check->arena, &check->request.canonical));
    return bt_sha256_hex(check->request.canonical, check->request.fingerprint);
}

static enum bt_status add_missing_request_finding(struct bt_contract_check *check, bool is_required)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "approval_request");
    check->absent.parts |= BT_CONTRACT_MISSING_APPROVAL;
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_APPROVAL_REQUEST);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_APPROVAL_REQUEST_ROLLBACK);
    bt_contract_words_add_code(&check->tokens.missing, BT_CODE_APPROVAL_REQUEST_VERIFICATION);
    return bt_add_approval_request(
        check->findings, bt_contract_locate(check, value ? value : check->root),
        value ? BT_STR_ABSENT : BT_STR("approval_request"),
        value ? bt_contract_shown_value(check, value) : BT_STR_ABSENT, is_required);
}

enum bt_status bt_contract_check_approval(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "approval_request");
    check->parts.approval = bt_contract_non_empty_object(value);
    if (!check->parts.approval) {
        const bool is_object = value && bt_json_type(value) == BT_JSON_OBJECT;
        const bool unusable = !bt_json_is_absent_or_null(value) && !is_object;
        const bool demanded = check->plan_status == BT_CONTRACT_STATUS_APPROVAL_REQUEST;
        return unusable || demanded ? add_missing_request_finding(check, demanded) : BT_OK;
    }
    BT_TRY(check_required(check, BT_CONTRACT_MISSING_ROLLBACK, "rollback",
                          BT_CODE_APPROVAL_REQUEST_ROLLBACK, bt_add_approval_request_rollback));
    BT_TRY(check_required(check, BT_CONTRACT_MISSING_APPROVAL_VERIFICATION, "verification",
                          BT_CODE_APPROVAL_REQUEST_VERIFICATION,
                          bt_add_approval_request_verification));
    BT_TRY(check_advised(check));
    BT_TRY(check_risk(check));
    BT_TRY(check_content(check));
    BT_TRY(check_id(check));
    return take_fingerprint(check);
}
