/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c - approval_request: what a person is asked to approve, and its fingerprint. */
#include <assert.h>

#include "dialect/contract/stages.h"

static enum bt_status check_required(struct bt_contract_check *turn,
                                     enum bt_contract_missing missing_part, const char *name,
                                     const char *code, const char *hint)
{
    if (bt_json_is_non_empty(bt_contract_check_get(turn, turn->approval, name))) {
        return BT_OK;
    }
    turn->missing_parts |= (unsigned)missing_part;
    bt_contract_words_add(&turn->missing, bt_str_of(code));
    return bt_contract_check_add_member_finding(turn, code, turn->approval, name, hint);
}

static enum bt_status check_advised(struct bt_contract_check *turn)
{
    static const char *const names[] = {"operation", "exact_content", "scope", "risk_level"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (bt_json_is_non_empty(bt_contract_check_get(turn, turn->approval, names[i]))) {
            continue;
        }
        struct bt_finding_builder remark;
        bt_contract_check_remark_member(turn, &remark, "APPROVAL_REQUEST_FIELD_MISSING",
                                        turn->approval, names[i]);
        bt_buf_printf(&remark.message, "the request does not say its %s", names[i]);
        remark.finding.hint = BT_STR("add it, so that the person knows what is asked");
        BT_TRY(bt_contract_check_add_finding(turn, &remark));
        BT_TRY(bt_contract_check_add_token(turn, &turn->warnings, "APPROVAL_REQUEST_FIELD_MISSING",
                                           bt_str_of(names[i])));
    }
    return BT_OK;
}

static bool is_risk(bt_str word)
{
    return bt_str_eq(word, BT_STR("LOW")) || bt_str_eq(word, BT_STR("MEDIUM")) ||
           bt_str_eq(word, BT_STR("HIGH")) || bt_str_eq(word, BT_STR("CRITICAL"));
}

static enum bt_status check_risk(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->approval, "risk_level");
    if (!bt_json_is_non_empty(value)) {
        return BT_OK;
    }
    bt_str word = BT_STR("");
    BT_TRY(bt_contract_check_text(turn, value, &word));
    BT_TRY(bt_ascii_upper_copy(turn->arena, bt_str_trim(word), &word));
    if (bt_json_type(value) == BT_JSON_STRING && is_risk(word)) {
        return bt_contract_check_canonical_spelling(turn, value, word);
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "APPROVAL_REQUEST_INVALID_RISK_LEVEL", value);
    bt_buf_put_quoted(&remark.message, word);
    bt_buf_put_text(&remark.message, " is no level of risk");
    bt_emit_member_string(&remark.emit, "actual", bt_str_truncate_80(word));
    bt_emit_name(&remark.emit, "allowed");
    bt_emit_raw(&remark.emit, BT_STR("[\"LOW\",\"MEDIUM\",\"HIGH\",\"CRITICAL\"]"));
    remark.finding.hint = BT_STR("write LOW, MEDIUM, HIGH or CRITICAL");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_token(turn, &turn->warnings, "APPROVAL_REQUEST_INVALID_RISK_LEVEL",
                                       word);
}

bool bt_approval_id_is_valid(bt_str id)
{
    enum { ID_BYTES = 34 };
    if (id.len != ID_BYTES || !bt_str_starts_with(id, BT_STR("P-"))) {
        return false;
    }
    for (size_t i = 2; i < id.len; i++) {
        const char byte = id.ptr[i];
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
    }
    return true;
}

static enum bt_status check_id(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->approval, "approval_id");
    if (bt_json_is_absent_or_null(value) ||
        (bt_json_type(value) == BT_JSON_STRING && bt_approval_id_is_valid(bt_json_text(value)))) {
        return BT_OK;
    }
    bt_str id = BT_STR("");
    BT_TRY(bt_contract_check_text(turn, value, &id));
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "APPROVAL_ID_FORMAT", value);
    bt_buf_put_quoted(&remark.message, id);
    bt_buf_put_text(&remark.message, " is no id of a request");
    bt_emit_member_string(&remark.emit, "actual", bt_str_truncate_80(id));
    remark.finding.hint =
        BT_STR("copy the issued id, P- and 32 hexadecimal digits, or leave it out");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return bt_contract_check_add_token(turn, &turn->invalid, "APPROVAL_ID_FORMAT", id);
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
    for (size_t i = 0; i < bt_json_count(set); i++) {
        if (bt_str_eq(exact, bt_json_text(&bt_json_items(set)[i]))) {
            return true;
        }
    }
    return is_joined(exact, set, BT_STR("\n")) || is_joined(exact, set, BT_STR("; ")) ||
           is_joined(exact, set, BT_STR(" && "));
}

static enum bt_status check_content(struct bt_contract_check *turn)
{
    const bt_json_value *exact = bt_contract_check_get(turn, turn->approval, "exact_content");
    const bt_json_value *set = bt_contract_check_get(turn, turn->approval, "command_set");
    struct bt_finding_builder remark;
    if (bt_json_is_absent_or_null(exact) || bt_json_is_absent_or_null(set) ||
        bt_json_type(set) != BT_JSON_ARRAY || shows_set(bt_json_text(exact), set)) {
        return BT_OK;
    }
    bt_contract_check_remark(turn, &remark, "APPROVAL_CONTENT_DIFFERS", exact);
    bt_buf_put_text(&remark.message, "exact_content is not what command_set asks consent for");
    remark.finding.hint =
        BT_STR("make exact_content one item of command_set or all of them, or leave one out");
    return bt_contract_check_add_finding(turn, &remark);
}

/* The request without its approval_id, compact. */
static enum bt_status put_sealed(const struct bt_contract_check *turn, struct bt_buf *buf)
{
    bool first = true;
    bt_buf_put_char(buf, '{');
    const struct bt_json_member *members = bt_json_members(turn->approval);
    assert(members);
    for (size_t i = 0; i < bt_json_count(turn->approval); i++) {
        const struct bt_json_member *member = &members[i];
        if (bt_str_eq(bt_json_name(member), BT_STR("approval_id"))) {
            continue;
        }
        bt_buf_put_text(buf, first ? "" : ",");
        bt_json_put_string(buf, bt_json_name(member));
        bt_buf_put_char(buf, ':');
        BT_TRY(bt_json_write(buf, turn->document, &member->value, BT_JSON_FORM_COMPACT, turn->arena,
                             NULL));
        first = false;
    }
    bt_buf_put_char(buf, '}');
    return buf->status;
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

/* Walk a document without recursion: the numbers are found among the children of each container,
 * and containers wait in a list. */
static enum bt_status has_wide_integer(const struct bt_json_doc *document, struct bt_arena *arena,
                                       bool *out)
{
    const size_t room = (size_t)bt_json_node_count(document) + 1;
    const bt_json_value **waiting = BT_NEW_ARRAY(arena, const bt_json_value *, room);
    if (!waiting) {
        return BT_ENOMEM;
    }
    size_t count = 0;
    waiting[count++] = bt_json_root(document);
    *out = false;
    while (count > 0 && !*out) {
        const bt_json_value *value = waiting[--count];
        *out = bt_json_is_number(value) && !is_portable(document, value);
        for (size_t i = 0; i < bt_json_count(value); i++) {
            waiting[count++] =
                bt_json_items(value) ? &bt_json_items(value)[i] : &bt_json_members(value)[i].value;
        }
    }
    return BT_OK;
}

/* The canonical form in `canonical`; *out_possible is false when there is none. */
static enum bt_status write_canonical(const struct bt_contract_check *turn, bt_str sealed,
                                      struct bt_buf *canonical, bool *out_possible)
{
    struct bt_json_options options = bt_json_options_from_env(turn->contract->env);
    options.document_bytes_max = sealed.len > 0 ? sealed.len : 1;
    options.string_bytes_max = options.document_bytes_max;
    struct bt_json_read_result read;
    bool wide = false;
    *out_possible = false;
    BT_TRY(bt_json_read(turn->arena, sealed, &options, &read));
    if (!read.document) {
        return BT_OK;
    }
    BT_TRY(has_wide_integer(read.document, turn->arena, &wide));
    const enum bt_status status =
        bt_json_write(canonical, read.document, bt_json_root(read.document), BT_JSON_FORM_CANONICAL,
                      turn->arena, NULL);
    *out_possible = status == BT_OK && !wide;
    return status == BT_EINVAL ? BT_OK : status;
}

static enum bt_status build_fingerprint(struct bt_contract_check *turn, struct bt_buf *sealed,
                                        struct bt_buf *canonical)
{
    const struct bt_arena_mark before = bt_arena_mark(turn->arena);
    bool possible = false;
    BT_TRY(put_sealed(turn, sealed));
    const enum bt_status status = write_canonical(turn, bt_buf_str(sealed), canonical, &possible);
    bt_arena_rewind(turn->arena, before);
    BT_TRY(status);
    if (possible) {
        BT_TRY(bt_buf_copy(canonical, turn->arena, &turn->canonical_request));
        return bt_sha256_hex(turn->canonical_request, turn->fingerprint);
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "APPROVAL_NOT_CANONICAL", turn->approval);
    remark.finding.hint =
        BT_STR("write numbers beyond 2^53-1 as text, and whole characters instead of halves");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status take_fingerprint(struct bt_contract_check *turn)
{
    struct bt_buf sealed;
    struct bt_buf canonical;
    bt_buf_init(&sealed, SIZE_MAX);
    bt_buf_init(&canonical, SIZE_MAX);
    const enum bt_status status = build_fingerprint(turn, &sealed, &canonical);
    bt_buf_free(&canonical);
    bt_buf_free(&sealed);
    return status;
}

static enum bt_status add_missing_request_finding(struct bt_contract_check *turn)
{
    turn->missing_parts |= BT_CONTRACT_MISSING_APPROVAL;
    bt_contract_words_add(&turn->missing, BT_STR("APPROVAL_REQUEST"));
    bt_contract_words_add(&turn->missing, BT_STR("APPROVAL_REQUEST_ROLLBACK"));
    bt_contract_words_add(&turn->missing, BT_STR("APPROVAL_REQUEST_VERIFICATION"));
    return bt_contract_check_add_member_finding(
        turn, "APPROVAL_REQUEST", turn->root, "approval_request",
        "say what is to be done, exactly, how to undo it and how success is "
        "seen");
}

enum bt_status bt_contract_check_approval(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, "approval_request");
    turn->approval = bt_contract_non_empty_object(value);
    if (!turn->approval) {
        const bool is_object = value && bt_json_type(value) == BT_JSON_OBJECT;
        const bool unusable = !bt_json_is_absent_or_null(value) && !is_object;
        const bool demanded = turn->plan_status == BT_CONTRACT_STATUS_APPROVAL_REQUEST;
        return unusable || demanded ? add_missing_request_finding(turn) : BT_OK;
    }
    BT_TRY(check_required(turn, BT_CONTRACT_MISSING_ROLLBACK, "rollback",
                          "APPROVAL_REQUEST_ROLLBACK", "say how to undo it"));
    BT_TRY(check_required(turn, BT_CONTRACT_MISSING_APPROVAL_VERIFICATION, "verification",
                          "APPROVAL_REQUEST_VERIFICATION", "say how success is seen"));
    BT_TRY(check_advised(turn));
    BT_TRY(check_risk(turn));
    BT_TRY(check_content(turn));
    BT_TRY(check_id(turn));
    return take_fingerprint(turn);
}
