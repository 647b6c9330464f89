/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_form.c - the form of a bundle: a closed object, alone or in a page, that lists everything
 * that its entries name.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/map.h"
#include "json/options.h"
#include "ledger/bundle_check.h"
#include "report/json_rules.h"
#include "schema/builtin.h"

enum {
    NODES_MAX = 4000000,
    STRING_BYTES_MAX = 8 << 20, /* a document of 1 MiB, every byte of it escaped */
};

enum bt_status bt_bundle_add_syntax(struct bt_bundle_check *check, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return bt_add_bundle_syntax(check->findings, bt_location_whole(), bt_str_of(text));
}

/* Find the JSON. */
static enum bt_status find_data(struct bt_bundle_check *check)
{
    const char *reason = NULL;
    size_t at = 0;
    while (at < check->bytes.len && bt_ascii_is_space(check->bytes.ptr[at])) {
        at++;
    }
    check->is_page = at < check->bytes.len && check->bytes.ptr[at] == '<';
    check->data = check->bytes;
    if (check->bytes.len > BT_LEDGER_BUNDLE_BYTES_MAX) {
        reason = "it is longer than 64 MiB";
    } else if (check->is_page) {
        reason = bt_ledger_bundle_find_data(check->bytes, &check->data);
    }
    return reason ? bt_bundle_add_syntax(check, "%s", reason) : BT_OK;
}

static enum bt_status read_data(struct bt_bundle_check *check)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    options.document_bytes_max = BT_LEDGER_BUNDLE_BYTES_MAX;
    options.string_bytes_max = STRING_BYTES_MAX;
    options.nodes_max = NODES_MAX;
    BT_TRY(bt_env_make_seed(options.hash_seed));
    /* from: caller */
    BT_TRY(bt_json_read(check->arena, check->data, &options, &read));
    if (!read.document) {
        return bt_findings_add_json(check->findings, &read, check->data);
    }
    check->document = read.document;
    check->root = bt_json_root(read.document);
    return BT_OK;
}

static enum bt_status run_schema(struct bt_bundle_check *check, const struct bt_json_doc *text,
                                 struct bt_findings *findings)
{
    struct bt_schema *schema = NULL;
    struct bt_schema_runner *runner = NULL;
    enum bt_status status = bt_schema_compile(text, NULL, NULL, &schema);
    assert(status != BT_OK || schema);
    if (status == BT_OK) {
        status = bt_schema_runner_create(NULL, &runner);
    }
    if (status == BT_OK) {
        status = bt_schema_validate(schema, runner, check->document, findings, NULL);
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    return status;
}

static enum bt_status check_schema(struct bt_bundle_check *check)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_findings *findings = bt_findings_new(check->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    /* from: a file of the build */
    BT_TRY(bt_json_read(check->arena, bt_schema_builtin_of("bundle"), NULL, &read));
    assert(read.document);
    BT_TRY(run_schema(check, read.document, findings));
    if (bt_findings_count(findings) == 0) {
        return BT_OK;
    }
    const struct bt_finding *first = bt_findings_at(findings, 0);
    return bt_bundle_add_syntax(check, "%.*s%s%.*s", BT_STR_ARG(first->pointer),
                                first->pointer.len > 0 ? ": " : "", BT_STR_ARG(first->message));
}

static enum bt_status take_entries(struct bt_bundle_check *check)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, "entries");
    const size_t count = bt_json_count(list);
    const struct bt_ledger_bundle_counts *counts = &check->shown.counts;
    check->entries = BT_NEW_ARRAY(check->arena, struct bt_ledger_bundle_entry, count + 1);
    check->entry = BT_NEW(check->arena, struct bt_entry);
    BT_TRY(check->entries && check->entry ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        const uint64_t seq = bt_bundle_number(check, item, "seq");
        check->entries[i] =
            (struct bt_ledger_bundle_entry){seq, bt_bundle_text(check, item, "entry")};
        if (counts->is_empty || seq < counts->from || seq > counts->to) {
            return bt_bundle_add_syntax(
                check, "/entries/%zu: entry %" PRIu64 " is not within the range", i, seq);
        }
        if (i > 0 && check->entries[i - 1].seq >= seq) {
            return bt_bundle_add_syntax(check,
                                        "/entries/%zu: the entries are not in ascending order", i);
        }
    }
    check->shown.counts.disclosed = count;
    check->shown.entries = check->entries;
    return BT_OK;
}

static enum bt_status take_selection(struct bt_bundle_check *check)
{
    const bt_json_value *selection = bt_bundle_member(check, check->root, "selection");
    const bt_json_value *from = bt_bundle_member(check, selection, "from");
    const bt_json_value *to = bt_bundle_member(check, selection, "to");
    const bt_json_value *value = bt_bundle_member(check, selection, "value");
    struct bt_ledger_bundle *shown = &check->shown;
    const bool has_value = bt_json_type(value) == BT_JSON_STRING;
    shown->by = bt_bundle_text(check, selection, "by");
    shown->value = has_value ? bt_json_text(value) : BT_STR_ABSENT;
    shown->counts.is_empty = bt_json_type(from) == BT_JSON_NULL;
    if (has_value == bt_str_eq(shown->by, bt_ledger_bundle_by_names[BT_LEDGER_BUNDLE_ALL])) {
        return bt_bundle_add_syntax(check, "/selection/value: it is null for all, and else a name");
    }
    if (shown->counts.is_empty != (bt_json_type(to) == BT_JSON_NULL)) {
        return bt_bundle_add_syntax(check, "/selection: only one end of the range is there");
    }
    if (!shown->counts.is_empty) {
        shown->counts.from = (uint64_t)from->as.integer;
        shown->counts.to = (uint64_t)to->as.integer;
    }
    return shown->counts.from > shown->counts.to
               ? bt_bundle_add_syntax(check, "/selection: the range ends before it begins")
               : BT_OK;
}

/* Note the digests of a sorted list, each of which must come once. */
static enum bt_status note_digests(struct bt_bundle_check *check, struct bt_map *map,
                                   const char *name)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, name);
    bt_str last = BT_STR("");
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const bt_str sha256 = bt_bundle_text(check, &bt_json_items(list)[i], "sha256");
        struct bt_map_entry *added = NULL;
        if (bt_str_compare(last, sha256) >= 0) {
            return bt_bundle_add_syntax(check, "/%s/%zu: the digests are not in ascending order",
                                        name, i);
        }
        BT_TRY(bt_map_add(map, bt_map_text(sha256), &added));
        last = sha256;
    }
    return BT_OK;
}

/* Count the use of a digest. *out is its index, or that after the last when it is not listed. */
static void use_digest(const struct bt_map *map, bt_str sha256, size_t *out)
{
    struct bt_map_entry *entry = bt_map_find(map, bt_map_text(sha256));
    *out = entry ? bt_map_index(map, entry) : map->count;
    if (entry) {
        entry->value.number = 1;
    }
}

static enum bt_status check_names(struct bt_bundle_check *check, size_t index,
                                  const struct bt_map *documents, const struct bt_map *policies)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, "documents");
    const struct bt_entry *entry = check->entry;
    size_t at = 0;
    if (entry->document.sha256.len > 0) {
        use_digest(documents, entry->document.sha256, &at);
        if (at == documents->count) {
            return bt_bundle_add_syntax(check, "/entries/%zu: its document is not listed", index);
        }
        if (bt_bundle_number(check, &bt_json_items(list)[at], "size") != entry->document.size) {
            return bt_bundle_add_syntax(check,
                                        "/documents/%zu: its size is not that of entry %" PRIu64,
                                        at, check->entries[index].seq);
        }
    }
    if (entry->refs.policy.len > 0) {
        use_digest(policies, entry->refs.policy, &at);
        if (at == policies->count) {
            return bt_bundle_add_syntax(check, "/entries/%zu: its policy is not listed", index);
        }
    }
    return BT_OK;
}

static enum bt_status check_all_used(struct bt_bundle_check *check, const struct bt_map *map,
                                     const char *name)
{
    for (size_t i = 0; i < map->count; i++) {
        if (map->entries[i].value.number == 0) {
            return bt_bundle_add_syntax(check, "/%s/%zu: no entry names it", name, i);
        }
    }
    return BT_OK;
}

/* Every digest that an entry names is listed, and no other. */
static enum bt_status check_lists(struct bt_bundle_check *check)
{
    struct bt_map documents;
    struct bt_map policies;
    uint64_t seed[2];
    bool is_readable = true;
    BT_TRY(bt_env_make_seed(seed));
    bt_map_init(&documents, check->arena, seed);
    bt_map_init(&policies, check->arena, seed);
    BT_TRY(note_digests(check, &documents, "documents"));
    BT_TRY(note_digests(check, &policies, "policies"));
    for (size_t i = 0; i < check->shown.counts.disclosed && !bt_bundle_is_blocked(check); i++) {
        if (bt_entry_read(check->entries[i].text, check->entry)) {
            BT_TRY(check_names(check, i, &documents, &policies));
        } else {
            is_readable = false; /* it names what cannot be seen here */
        }
    }
    if (bt_bundle_is_blocked(check) || !is_readable) {
        return BT_OK;
    }
    BT_TRY(check_all_used(check, &documents, "documents"));
    return bt_bundle_is_blocked(check) ? BT_OK : check_all_used(check, &policies, "policies");
}

static enum bt_status take_rules(struct bt_bundle_check *check)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, "rules");
    struct bt_ledger_bundle_rule *rules =
        BT_NEW_ARRAY(check->arena, struct bt_ledger_bundle_rule, bt_json_count(list) + 1);
    BT_TRY(rules ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        rules[i] = (struct bt_ledger_bundle_rule){bt_bundle_text(check, item, "code"),
                                                  bt_bundle_text(check, item, "severity"),
                                                  bt_bundle_text(check, item, "meaning")};
    }
    check->shown.rules = rules;
    check->shown.rule_count = bt_json_count(list);
    return BT_OK;
}

static enum bt_status take_policies(struct bt_bundle_check *check)
{
    const bt_json_value *list = bt_bundle_member(check, check->root, "policies");
    struct bt_ledger_bundle_policy *policies =
        BT_NEW_ARRAY(check->arena, struct bt_ledger_bundle_policy, bt_json_count(list) + 1);
    BT_TRY(policies ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        const bt_json_value *text = bt_bundle_member(check, item, "text");
        policies[i] = (struct bt_ledger_bundle_policy){bt_bundle_text(check, item, "sha256"),
                                                       text ? bt_json_text(text) : BT_STR_ABSENT};
    }
    check->shown.policies = policies;
    check->shown.policy_count = bt_json_count(list);
    return BT_OK;
}

static void take_limits(struct bt_bundle_check *check)
{
    const bt_json_value *audit = bt_bundle_member(check, check->root, "audit");
    if (bt_json_type(audit) == BT_JSON_NULL) {
        check->shown.limits = bt_ledger_bundle_limits(check->shown.value.ptr != NULL);
        return;
    }
    for (size_t i = 0; i < BT_LEDGER_AUDIT_LIMIT__MAX; i++) {
        const bool applies = bt_json_lists_text(bt_bundle_member(check, audit, "unproven"),
                                                bt_str_of(bt_ledger_audit_limits[i].word));
        check->shown.limits |= (uint32_t)applies << i;
    }
}

enum bt_status bt_bundle_check_form(struct bt_bundle_check *check)
{
    BT_TRY(find_data(check));
    if (!bt_bundle_is_blocked(check)) {
        BT_TRY(read_data(check));
    }
    if (!bt_bundle_is_blocked(check)) {
        BT_TRY(check_schema(check));
    }
    if (bt_bundle_is_blocked(check)) {
        return BT_OK;
    }
    const bt_json_value *made = bt_bundle_member(check, check->root, "made");
    check->shown.time = bt_bundle_text(check, made, "time");
    check->shown.program = bt_bundle_text(check, made, "program");
    check->shown.title = bt_bundle_text(check, made, "title");
    check->shown.origin =
        bt_bundle_text(check, bt_bundle_member(check, check->root, "log"), "origin");
    BT_TRY(take_selection(check));
    BT_TRY(take_rules(check));
    BT_TRY(take_policies(check));
    take_limits(check);
    if (!bt_bundle_is_blocked(check)) {
        BT_TRY(take_entries(check));
    }
    return bt_bundle_is_blocked(check) ? BT_OK : check_lists(check);
}
