/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c - list results and instructions beside the lock. */
#include "wrap/pins.h"

#include <stdlib.h>
#include <string.h>

#include "json/emit.h"
#include "json/get.h"
#include "wrap/change.h"
#include "wrap/session_internal.h"

/* More items than this are not remembered, and so neither shown nor called. */
enum { KNOWN_MAX = 100000 };

void bt_wrap_pins_init(struct bt_wrap_session *session)
{
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        bt_map_init(&session->pins.kinds[i].known, &session->arena, session->env->hash_seed);
    }
}

void bt_wrap_pins_free(struct bt_wrap_session *session)
{
    bt_buf_destroy(session->pins.metadata);
}

/* Findings are made in the memory of the present message; the list copies them. */
static struct bt_wrap_compare compare_with(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    const enum bt_severity severity = settings->is_observing ? BT_SEVERITY_WARN : BT_SEVERITY_HARD;
    return (struct bt_wrap_compare){.memory = {&session->message, session->env},
                                    .plans = settings->plans,
                                    .findings = session->findings,
                                    .changed = severity,
                                    .added = severity,
                                    .removed = BT_SEVERITY_WARN};
}

enum bt_status bt_wrap_pins_begin(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    const struct bt_wrap_compare compare = compare_with(session);
    if (settings->is_unlocked) {
        return BT_OK;
    }
    if (!settings->entry) {
        return bt_add_wrap_unpinned(session->findings, bt_location_whole(), settings->name);
    }
    /* The name and the version are known later. */
    struct bt_wrap_entry started = *settings->started;
    started.server_name = settings->entry->server_name;
    started.server_version = settings->entry->server_version;
    return bt_wrap_compare_commands(&compare, settings->entry, &started);
}

const struct bt_wrap_known *bt_wrap_pins_find(const struct bt_wrap_session *session,
                                              enum bt_wrap_kind kind, bt_str key)
{
    const struct bt_map_entry *entry =
        bt_map_find(&session->pins.kinds[kind].known, bt_map_text(key));
    return entry ? entry->value.pointer : NULL;
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* The record of a key, made if there is none; NULL: there are too many. */
static enum bt_status remember_item(struct bt_wrap_session *session, enum bt_wrap_kind kind,
                                    bt_str key, struct bt_wrap_known **out)
{
    struct bt_map *known = &session->pins.kinds[kind].known;
    struct bt_map_entry *entry = bt_map_find(known, bt_map_text(key));
    bt_str copy;
    *out = entry ? entry->value.pointer : NULL;
    if (entry || known->count >= KNOWN_MAX) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(&session->arena, key, &copy));
    struct bt_wrap_known *made = BT_NEW(&session->arena, struct bt_wrap_known);
    BT_TRY(made ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_map_add(known, bt_map_text(copy), &entry));
    entry->value.pointer = made;
    *out = made;
    return BT_OK;
}

enum bt_status bt_wrap_pins_remember_tools(struct bt_wrap_session *session,
                                           const struct bt_wrap_message *message)
{
    const struct bt_wrap_memory memory = {&session->message, session->env};
    struct bt_wrap_items shown = {0};
    BT_TRY(bt_wrap_items_add(&memory, BT_WRAP_TOOL, message->document, message->result, &shown));
    for (size_t i = 0; i < shown.list.count; i++) {
        const struct bt_wrap_item *item = &shown.list.items[i];
        struct bt_wrap_known *known = NULL;
        BT_TRY(remember_item(session, BT_WRAP_TOOL, item->key, &known));
        if (known) {
            memcpy(known->sha256, item->sha256, sizeof(known->sha256));
            known->hints = bt_wrap_hints_read(item->document, bt_json_root(item->document));
        }
    }
    return BT_OK;
}

/* The items of a page while they are compared. */
struct wrap_page_comparison {
    struct bt_wrap_session *session;
    struct bt_wrap_compare compare;
    const struct bt_wrap_page *page;
    const struct bt_wrap_items *locked;
    struct bt_wrap_items shown;
    bool is_whole; /* the only page of its list */
    uint64_t walk;
};

static enum bt_status locate_item(const struct wrap_page_comparison *run, bt_str key,
                                  struct bt_location *out)
{
    bt_str pointer;
    BT_TRY(bt_wrap_item_pointer(&run->session->message, run->page->kind, key, &pointer));
    *out = bt_location_pointer(pointer, BT_OFFSET_NONE);
    return BT_OK;
}

static enum bt_status add_added(const struct wrap_page_comparison *run,
                                const struct bt_wrap_item *item)
{
    struct bt_location at;
    bt_str former = BT_STR_ABSENT;
    BT_TRY(locate_item(run, item->key, &at));
    if (run->is_whole) {
        BT_TRY(bt_wrap_find_former(&run->compare, run->page->kind, run->locked, &run->shown, item,
                                   &former));
    }
    return bt_add_wrap_pin_added(run->compare.findings, run->compare.added, at,
                                 bt_str_of(item->sha256), former, item->key);
}

/* Why an item is hidden, told when it was not told before. */
static enum bt_status judge_item(const struct wrap_page_comparison *run,
                                 const struct bt_wrap_item *item, struct bt_wrap_known *known)
{
    const struct bt_wrap_item *locked = bt_wrap_items_find(run->locked, item->key);
    const bool is_new = strcmp(known->sha256, item->sha256) != 0;
    const bool was_met = run->walk > 0 && known->walks[run->page->walker] == run->walk;
    const bool is_same = locked && strcmp(locked->sha256, item->sha256) == 0;
    struct bt_location at;
    known->walks[run->page->walker] = run->walk;
    if (!is_new) {
        return BT_OK;
    }
    BT_TRY(locate_item(run, item->key, &at));
    if (was_met) { /* two definitions under one name in one walk */
        known->hidden = known->hidden == BT_WRAP_VISIBLE ? BT_WRAP_HIDDEN_DUPLICATE : known->hidden;
        return bt_add_wrap_name_duplicate(run->compare.findings, run->compare.added, at, item->key);
    }
    memcpy(known->sha256, item->sha256, sizeof(known->sha256));
    if (is_same) {
        return BT_OK;
    }
    known->hidden = locked ? BT_WRAP_HIDDEN_CHANGED : BT_WRAP_HIDDEN_ADDED;
    return locked ? bt_wrap_add_change(&run->compare, at, locked, item) : add_added(run, item);
}

static enum bt_status judge_items(const struct wrap_page_comparison *run, bool *hidden,
                                  bool *out_any)
{
    *out_any = false;
    for (size_t i = 0; i < run->shown.list.count; i++) {
        const struct bt_wrap_item *item = &run->shown.list.items[i];
        struct bt_wrap_known *known = NULL;
        BT_TRY(remember_item(run->session, run->page->kind, item->key, &known));
        if (known) {
            BT_TRY(judge_item(run, item, known));
        }
        hidden[i] = !known || known->hidden != BT_WRAP_VISIBLE;
        /* The first of two definitions that share a name was reviewed, and may have been shown. */
        if (known && known->hidden == BT_WRAP_HIDDEN_DUPLICATE) {
            hidden[i] = strcmp(known->sha256, item->sha256) != 0;
        }
        *out_any = *out_any || hidden[i];
    }
    return BT_OK;
}

/* After a walk from the first page to the last: what the lock has and the server does not. */
static enum bt_status add_removed(const struct wrap_page_comparison *run)
{
    const struct bt_wrap_item **sorted = NULL;
    BT_TRY(bt_wrap_items_sorted(&run->session->message, run->locked, &sorted));
    for (size_t i = 0; i < run->locked->list.count; i++) {
        const struct bt_wrap_known *known =
            bt_wrap_pins_find(run->session, run->page->kind, sorted[i]->key);
        struct bt_location at;
        if (known && known->walks[run->page->walker] == run->walk) {
            continue;
        }
        BT_TRY(locate_item(run, sorted[i]->key, &at));
        BT_TRY(bt_add_wrap_pin_removed(run->compare.findings, run->compare.removed, at,
                                       bt_str_of(sorted[i]->sha256), sorted[i]->key));
    }
    return BT_OK;
}

enum bt_status bt_wrap_pins_compare(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message,
                                    const struct bt_wrap_page *page, const bool **out_hidden)
{
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[page->kind];
    const bt_json_value *next =
        bt_json_get(message->document, message->result, BT_STR("nextCursor"));
    const bool is_last = !next || bt_json_type(next) != BT_JSON_STRING;
    bool has_hidden = false;
    if (page->is_first) {
        catalogue->walks[page->walker] = ++session->pins.walks;
    }
    struct wrap_page_comparison run = {.session = session,
                                       .compare = compare_with(session),
                                       .page = page,
                                       .locked = &session->settings->entry->items[page->kind],
                                       .is_whole = page->is_first && is_last,
                                       .walk = catalogue->walks[page->walker]};
    *out_hidden = NULL;
    BT_TRY(bt_wrap_items_add(&run.compare.memory, page->kind, message->document, message->result,
                             &run.shown));
    bool *hidden = BT_NEW_ARRAY(&session->message, bool, run.shown.list.count + 1);
    BT_TRY(hidden ? BT_OK : BT_ENOMEM);
    BT_TRY(judge_items(&run, hidden, &has_hidden));
    if (is_last && run.walk > 0 && !catalogue->removed_are_reported) {
        catalogue->removed_are_reported = true;
        BT_TRY(add_removed(&run));
    }
    *out_hidden = has_hidden && !session->settings->is_observing ? hidden : NULL;
    return BT_OK;
}

/* ---- Changed messages ------------------------------------------------------------------------ */

/* What is left out of a result. */
struct wrap_result_edit {
    bt_str list;        /* the member with items, or "" */
    const bool *hidden; /* of its items */
    bt_str left_out;    /* a whole member, or "" */
};

static enum bt_status put_raw(struct bt_wrap_session *session, struct bt_emit *emit,
                              const struct bt_json_doc *document, const bt_json_value *value)
{
    bt_emit_value(emit);
    return bt_json_write(emit->buf, document, value, BT_JSON_FORM_COMPACT, &session->message, NULL);
}

static enum bt_status put_result(struct bt_wrap_session *session, struct bt_emit *emit,
                                 const struct bt_wrap_message *message,
                                 const struct wrap_result_edit *edit)
{
    const struct bt_json_doc *document = message->document;
    const struct bt_json_member *members = bt_json_members(message->result);
    bt_emit_begin_object(emit);
    for (size_t i = 0; members && i < bt_json_count(message->result); i++) {
        const bt_str name = bt_json_name(&members[i]);
        const bt_json_value *items = bt_json_items(&members[i].value);
        if (edit->left_out.len > 0 && bt_str_eq(name, edit->left_out)) {
            continue;
        }
        bt_emit_name_str(emit, name);
        if (!edit->hidden || !items || !bt_str_eq(name, edit->list)) {
            BT_TRY(put_raw(session, emit, document, &members[i].value));
            continue;
        }
        bt_emit_begin_array(emit);
        for (size_t j = 0; j < bt_json_count(&members[i].value); j++) {
            if (!edit->hidden[j]) {
                BT_TRY(put_raw(session, emit, document, &items[j]));
            }
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return BT_OK;
}

/* Pass a response on with its result changed: compact, in the order of the members. */
static enum bt_status pass_edited(struct bt_wrap_session *session,
                                  const struct bt_wrap_message *message,
                                  const struct wrap_result_edit *edit)
{
    const struct bt_json_doc *document = message->document;
    const bt_json_value *root = bt_json_root(document);
    const struct bt_json_member *members = bt_json_members(root);
    struct bt_buf *out = bt_wrap_output(session, BT_WRAP_CLIENT);
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < bt_json_count(root); i++) {
        bt_emit_name_str(&emit, bt_json_name(&members[i]));
        BT_TRY(&members[i].value == message->result
                   ? put_result(session, &emit, message, edit)
                   : put_raw(session, &emit, document, &members[i].value));
    }
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
    return BT_OK;
}

enum bt_status bt_wrap_pins_pass_list(struct bt_wrap_session *session,
                                      const struct bt_wrap_message *message,
                                      const struct bt_wrap_request *request, bt_str line)
{
    const struct bt_wrap_page page = {
        .kind = request->kind, .walker = BT_WRAP_WALKER_CLIENT, .is_first = request->is_first_page};
    const bool is_compared =
        request->kind != BT_WRAP_RESOURCE || session->settings->entry->has_resources;
    struct wrap_result_edit edit = {.list = bt_wrap_kind_names(request->kind)->member,
                                    .left_out = BT_STR("")};
    if (message->result && is_compared) {
        BT_TRY(bt_wrap_pins_compare(session, message, &page, &edit.hidden));
    }
    if (edit.hidden) {
        return pass_edited(session, message, &edit);
    }
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return BT_OK;
}

/* ---- Who the server is ----------------------------------------------------------------------- */

/* The version that the answer named, once. */
static enum bt_status check_version(struct bt_wrap_session *session)
{
    const struct bt_wrap_entry *entry = session->settings->entry;
    const struct bt_wrap_text *name = &session->facts.server_name;
    const struct bt_wrap_text *version = &session->facts.server_version;
    struct bt_wrap_entry shown = *entry; /* all the rest was compared at the start */
    const struct bt_wrap_compare compare = compare_with(session);
    if (session->pins.version_is_reported || (name->size == 0 && version->size == 0)) {
        return BT_OK;
    }
    session->pins.version_is_reported = true;
    shown.server_name = (bt_str){name->bytes, name->size};
    shown.server_version = (bt_str){version->bytes, version->size};
    return bt_wrap_compare_commands(&compare, entry, &shown);
}

enum bt_status bt_wrap_pins_pass_identity(struct bt_wrap_session *session,
                                          const struct bt_wrap_message *message, bt_str line)
{
    const struct bt_wrap_entry *entry = session->settings->entry;
    const bt_json_value *value =
        bt_json_get(message->document, message->result, BT_STR("instructions"));
    const bool has_text = value && bt_json_type(value) == BT_JSON_STRING;
    const bt_str shown = has_text ? bt_json_text(value) : BT_STR_ABSENT;
    const bool is_same = entry->instructions.ptr && shown.ptr
                             ? bt_str_eq(entry->instructions, shown)
                             : !entry->instructions.ptr && !value;
    const struct wrap_result_edit edit = {.list = BT_STR(""), .left_out = BT_STR("instructions")};
    const struct bt_wrap_compare compare = compare_with(session);
    if (!message->result) {
        bt_wrap_pass(session, BT_WRAP_CLIENT, line);
        return BT_OK;
    }
    BT_TRY(check_version(session));
    if (!is_same) {
        BT_TRY(bt_wrap_add_instructions_change(&compare, entry->instructions, shown));
    }
    if (!is_same && value && !session->settings->is_observing) {
        return pass_edited(session, message, &edit);
    }
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return BT_OK;
}

/* ---- The report ------------------------------------------------------------------------------ */

static int compare_texts(const void *a, const void *b)
{
    const bt_str *first = a;
    const bt_str *second = b;
    return bt_str_compare(*first, *second);
}

enum bt_status bt_wrap_pins_hidden_tools(struct bt_wrap_session *session, struct bt_str_list *out)
{
    const struct bt_map *known = &session->pins.kinds[BT_WRAP_TOOL].known;
    bt_str *names = BT_NEW_ARRAY(&session->arena, bt_str, known->count + 1);
    size_t count = 0;
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; !session->settings->is_observing && i < known->count; i++) {
        const struct bt_wrap_known *item = known->entries[i].value.pointer;
        if (item->hidden != BT_WRAP_VISIBLE) {
            names[count++] = known->entries[i].key.text;
        }
    }
    if (count > 1) {
        qsort(names, count, sizeof(names[0]), compare_texts);
    }
    *out = (struct bt_str_list){names, count};
    return BT_OK;
}
