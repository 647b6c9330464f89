/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c - list results and instructions: compared with the lock, and their texts looked at. */
#include "wrap/pins.h"

#include <stdlib.h>
#include <string.h>

#include "json/emit.h"
#include "json/get.h"
#include "report/findings.h"
#include "wrap/change.h"
#include "wrap/policy.h"
#include "wrap/session_internal.h"

/* More items than this are not remembered, and so neither shown nor called. */
enum {
    KNOWN_MAX = 100000,
    LIST_BYTES_MAX = 8 << 20,         /* longer ones are compared item by item each time */
    DEFINITIONS_BYTES_MAX = 64 << 20, /* those beyond are not kept, and calls not judged by them */
};

void bt_wrap_pins_init(struct bt_wrap_session *session)
{
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        bt_map_init(&session->pins.kinds[i].known, &session->arena, session->env->hash_seed);
    }
}

void bt_wrap_pins_free(struct bt_wrap_session *session)
{
    struct bt_wrap_pins *pins = &session->pins;
    const struct bt_map *tools = &pins->kinds[BT_WRAP_TOOL].known;
    for (size_t i = 0; i < tools->count; i++) {
        const struct bt_wrap_known *known = tools->entries[i].value.pointer;
        bt_buf_destroy(known->definition);
    }
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        bt_buf_destroy(pins->kinds[i].unchanged);
    }
    if (pins->texts_are_ready) {
        bt_wrap_texts_free(&pins->texts);
    }
    bt_buf_destroy(pins->metadata);
    bt_wrap_first_use_free(&pins->first_use);
}

/* What is gone, or is run by another command, is hidden by nothing: only `block` makes it grave. */
static enum bt_severity severity_of_rest(enum bt_wrap_pinning pinning)
{
    return pinning == BT_WRAP_PINNING_BLOCK ? BT_SEVERITY_HARD : BT_SEVERITY_WARN;
}

/* Findings are made in the memory of the present message; the list copies them. */
static struct bt_wrap_compare compare_with(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    const struct bt_wrap_pin_policy *pin = &settings->policy.pin;
    return (struct bt_wrap_compare){.memory = {&session->message, session->env},
                                    .plans = settings->plans,
                                    .findings = session->findings,
                                    .policy = &settings->policy,
                                    .changed = bt_wrap_pinning_severity(pin->changed),
                                    .added = bt_wrap_pinning_severity(pin->added),
                                    .removed = severity_of_rest(pin->removed),
                                    .command = severity_of_rest(pin->command)};
}

/* Block the session when findings were added and the policy says so. */
static void note_pinning(struct bt_wrap_session *session, enum bt_wrap_pinning pinning,
                         bool is_different)
{
    session->pins.must_block =
        session->pins.must_block || (is_different && pinning == BT_WRAP_PINNING_BLOCK);
}

static enum bt_status compare_commands(struct bt_wrap_session *session,
                                       const struct bt_wrap_entry *shown)
{
    const struct bt_wrap_compare compare = compare_with(session);
    const size_t before = bt_findings_count(session->findings);
    BT_TRY(bt_wrap_compare_commands(&compare, session->entry, shown));
    note_pinning(session, session->settings->policy.pin.command,
                 bt_findings_count(session->findings) > before);
    return BT_OK;
}

enum bt_status bt_wrap_pins_begin(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    if (settings->is_unlocked) {
        return BT_OK;
    }
    if (!session->entry) {
        return bt_add_wrap_unpinned(session->findings, bt_location_whole(), settings->name);
    }
    /* The name and the version are known later. */
    struct bt_wrap_entry started = *settings->started;
    started.server_name = session->entry->server_name;
    started.server_version = session->entry->server_version;
    return compare_commands(session, &started);
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

/* The items of a page while they are compared. */
struct wrap_page_comparison {
    struct bt_wrap_session *session;
    struct bt_wrap_compare compare;
    const struct bt_wrap_page *page;
    const struct bt_wrap_items *locked; /* NULL: they are not compared */
    struct bt_wrap_items shown;
    bool is_whole; /* the only page of its list */
    uint64_t walk;
    struct bt_wrap_former *former;
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
        BT_TRY(bt_wrap_former_find(run->former, item, &former));
    }
    return bt_add_wrap_pin_added(run->compare.findings, run->compare.added, at,
                                 bt_str_of(item->sha256), former, item->key);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static enum bt_status prepare_texts(struct bt_wrap_session *session)
{
    struct bt_wrap_pins *pins = &session->pins;
    const struct bt_wrap_memory memory = {&session->arena, session->env};
    if (pins->texts_are_ready) {
        return BT_OK;
    }
    pins->texts_are_ready = true; /* they are freed in any case */
    BT_TRY(bt_wrap_texts_init(&pins->texts));
    BT_TRY(bt_wrap_other_tools_find(&memory, session->settings->lock, session->settings->name,
                                    &pins->others));
    pins->others.shared = session->settings->shared_tools;
    return BT_OK;
}

/* How texts are checked; those of a definition that was reviewed only warn. */
static struct bt_wrap_text_check check_with(struct bt_wrap_session *session, bool is_reviewed)
{
    const bool hides = session->settings->policy.texts == BT_WRAP_READING_HIDE && !is_reviewed;
    return (struct bt_wrap_text_check){.texts = &session->pins.texts,
                                       .memory = {&session->message, session->env},
                                       .findings = session->findings,
                                       .severity = hides ? BT_SEVERITY_HARD : BT_SEVERITY_WARN};
}

/* Findings of rules about texts are counted even when the list has no room for them. */
static size_t count_suspicious(const struct bt_findings *findings)
{
    static const unsigned codes[] = {BT_CODE_WRAP_TEXT_HIDDEN, BT_CODE_WRAP_TEXT_INJECTION,
                                     BT_CODE_WRAP_NAME_SHADOWED, BT_CODE_WRAP_TOOL_REFERENCE};
    size_t count = 0;
    for (size_t i = 0; i < BT_COUNT_OF(codes); i++) {
        count += bt_findings_count_of_code(findings, codes[i]);
    }
    return count;
}

/* Look at the texts of an item that was not shown before. */
static enum bt_status check_texts(const struct wrap_page_comparison *run,
                                  const struct bt_wrap_item *item, bool is_reviewed,
                                  struct bt_wrap_known *known)
{
    struct bt_wrap_session *session = run->session;
    const size_t before = count_suspicious(session->findings);
    if (session->settings->policy.texts == BT_WRAP_READING_OFF) {
        return BT_OK;
    }
    BT_TRY(prepare_texts(session));
    const struct bt_wrap_text_check check = check_with(session, is_reviewed);
    BT_TRY(bt_wrap_check_item_texts(&check, run->page->kind, item));
    if (run->page->kind == BT_WRAP_TOOL) {
        BT_TRY(bt_wrap_check_tool_names(&session->message, &session->pins.others, item,
                                        session->findings));
    }
    if (count_suspicious(session->findings) > before && check.severity == BT_SEVERITY_HARD &&
        known->hidden == BT_WRAP_VISIBLE) {
        known->hidden = BT_WRAP_HIDDEN_TEXTS;
        session->pins.texts_have_hidden = true;
    }
    return BT_OK;
}

/* ---- One item -------------------------------------------------------------------------------- */

/* Keep the definition of a tool for its calls, in place of the last one. */
static enum bt_status keep_definition(const struct wrap_page_comparison *run,
                                      const struct bt_wrap_item *item, struct bt_wrap_known *known)
{
    struct bt_wrap_pins *pins = &run->session->pins;
    if (run->page->kind != BT_WRAP_TOOL) {
        return BT_OK;
    }
    pins->definition_bytes -= known->definition ? known->definition->len : 0;
    bt_buf_destroy(known->definition);
    known->definition = bt_buf_create(DEFINITIONS_BYTES_MAX);
    BT_TRY(known->definition ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_json_write(known->definition, item->document, bt_json_root(item->document),
                         BT_JSON_FORM_COMPACT, &run->session->message, NULL));
    if (bt_buf_status(known->definition) != BT_OK ||
        known->definition->len > DEFINITIONS_BYTES_MAX - pins->definition_bytes) {
        bt_buf_destroy(known->definition);
        known->definition = NULL;
    }
    pins->definition_bytes += known->definition ? known->definition->len : 0;
    return BT_OK;
}

/* Hide an item that is not the reviewed one, as far as the policy says. */
static void apply_pinning(const struct wrap_page_comparison *run, struct bt_wrap_known *known,
                          enum bt_wrap_pinning pinning, enum bt_wrap_hidden hidden)
{
    /* The reviewed one of two definitions may be shown; a changed one may not. */
    const bool is_visible =
        known->hidden == BT_WRAP_VISIBLE ||
        (known->hidden == BT_WRAP_HIDDEN_DUPLICATE && hidden == BT_WRAP_HIDDEN_CHANGED);
    note_pinning(run->session, pinning, true);
    if (pinning != BT_WRAP_PINNING_WARN && is_visible) {
        known->hidden = hidden;
    }
}

static enum bt_status compare_item(const struct wrap_page_comparison *run,
                                   const struct bt_wrap_item *item, struct bt_wrap_known *known,
                                   const struct bt_wrap_item *locked)
{
    const struct bt_wrap_pin_policy *pin = &run->session->settings->policy.pin;
    struct bt_location at;
    bool is_same = false;
    BT_TRY(locate_item(run, item->key, &at));
    if (!locked) {
        apply_pinning(run, known, pin->added, BT_WRAP_HIDDEN_ADDED);
        return add_added(run, item);
    }
    BT_TRY(bt_wrap_compare_item(&run->compare, run->page->kind, at, locked, item, &is_same));
    if (!is_same) {
        apply_pinning(run, known, pin->changed, BT_WRAP_HIDDEN_CHANGED);
    }
    return BT_OK;
}

/* Why an item is hidden, told when it was not told before. */
static enum bt_status judge_item(const struct wrap_page_comparison *run,
                                 const struct bt_wrap_item *item, struct bt_wrap_known *known)
{
    const struct bt_wrap_item *locked =
        run->locked ? bt_wrap_items_find(run->locked, item->key) : NULL;
    const bool is_new = strcmp(known->sha256, item->sha256) != 0;
    const bool was_met = run->walk > 0 && known->walks[run->page->walker] == run->walk;
    const bool is_same = locked && strcmp(locked->sha256, item->sha256) == 0;
    known->walks[run->page->walker] = run->walk;
    if (!is_new) {
        return BT_OK;
    }
    if (was_met && run->locked) { /* two definitions under one name in one walk */
        struct bt_location at;
        BT_TRY(check_texts(run, item, is_same, known));
        BT_TRY(locate_item(run, item->key, &at));
        apply_pinning(run, known, run->session->settings->policy.pin.added,
                      BT_WRAP_HIDDEN_DUPLICATE);
        return bt_add_wrap_name_duplicate(run->compare.findings, run->compare.added, at, item->key);
    }
    memcpy(known->sha256, item->sha256, sizeof(known->sha256));
    if (!locked) {
        BT_TRY(keep_definition(run, item, known));
    }
    BT_TRY(check_texts(run, item, is_same, known));
    return run->locked && !is_same ? compare_item(run, item, known, locked) : BT_OK;
}

static enum bt_status judge_items(const struct wrap_page_comparison *run, bool *hidden,
                                  bool *out_any)
{
    const struct bt_wrap_policy *policy = &run->session->settings->policy;
    *out_any = false;
    for (size_t i = 0; i < run->shown.list.count; i++) {
        const struct bt_wrap_item *item = &run->shown.list.items[i];
        struct bt_wrap_known *known = NULL;
        BT_TRY(remember_item(run->session, run->page->kind, item->key, &known));
        if (known) {
            BT_TRY(judge_item(run, item, known));
        }
        hidden[i] = known ? known->hidden != BT_WRAP_VISIBLE
                          : run->locked || policy->texts == BT_WRAP_READING_HIDE;
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
        note_pinning(run->session, run->session->settings->policy.pin.removed, true);
        BT_TRY(bt_add_wrap_pin_removed(run->compare.findings, run->compare.removed, at,
                                       bt_str_of(sorted[i]->sha256), sorted[i]->key));
    }
    return BT_OK;
}

/* The reviewed items of a kind; NULL: it is not compared. */
static const struct bt_wrap_items *find_locked(const struct bt_wrap_session *session,
                                               enum bt_wrap_kind kind)
{
    const struct bt_wrap_entry *entry = session->entry;
    return entry && (kind != BT_WRAP_RESOURCE || entry->has_resources) ? &entry->items[kind] : NULL;
}

/* Keep the text of a result whose items are all shown; it is not compared when it comes again. */
static enum bt_status keep_list(const struct wrap_page_comparison *run, bt_str text,
                                bool has_hidden)
{
    struct bt_wrap_catalogue *catalogue = &run->session->pins.kinds[run->page->kind];
    bt_buf_destroy(catalogue->unchanged);
    catalogue->unchanged = NULL;
    if (has_hidden || !run->is_whole || text.len > LIST_BYTES_MAX) {
        return BT_OK;
    }
    catalogue->unchanged = bt_buf_create(text.len);
    BT_TRY(catalogue->unchanged ? BT_OK : BT_ENOMEM);
    bt_buf_put(catalogue->unchanged, text);
    return bt_buf_status(catalogue->unchanged);
}

/* Whether a result is the last one again, byte by byte, and everything about it was said. */
static bool is_unchanged(const struct wrap_page_comparison *run, bt_str text)
{
    const struct bt_wrap_catalogue *catalogue = &run->session->pins.kinds[run->page->kind];
    return catalogue->unchanged && run->is_whole &&
           (!run->locked || catalogue->removed_are_reported) &&
           bt_str_eq(text, bt_buf_str(catalogue->unchanged));
}

/* ---- Who the server is ----------------------------------------------------------------------- */

static bt_str info_text(const struct bt_wrap_message *message, const bt_json_value *info,
                        const char *name)
{
    const bt_json_value *value = bt_json_get(message->document, info, bt_str_of(name));
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
}

/* Compare the name and the version of the first answer that has them, or keep them to be pinned. */
static enum bt_status check_version(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message, bool is_handshake)
{
    struct bt_wrap_first_use *first_use = &session->pins.first_use;
    const bt_json_value *info = bt_wrap_server_info(message, is_handshake);
    const bt_str name = info_text(message, info, "name");
    const bt_str version = info_text(message, info, "version");
    if (session->pins.version_is_known || (name.len == 0 && version.len == 0)) {
        return BT_OK;
    }
    session->pins.version_is_known = true;
    if (first_use->phase != BT_WRAP_FIRST_USE_OFF) {
        BT_TRY(bt_arena_copy(&session->arena, name, &first_use->entry.server_name));
        BT_TRY(bt_arena_copy(&session->arena, version, &first_use->entry.server_version));
    }
    if (!session->entry) {
        return BT_OK;
    }
    struct bt_wrap_entry shown = *session->entry; /* all the rest was compared at the start */
    shown.server_name = name;
    shown.server_version = version;
    return compare_commands(session, &shown);
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
    BT_TRY(check_version(session, message, false));
    if (page->is_first) {
        catalogue->walks[page->walker] = ++session->pins.walks;
    }
    struct wrap_page_comparison run = {.session = session,
                                       .compare = compare_with(session),
                                       .page = page,
                                       .locked = find_locked(session, page->kind),
                                       .is_whole = page->is_first && is_last,
                                       .walk = catalogue->walks[page->walker]};
    const struct bt_json_span span = bt_json_span(message->document, message->result);
    const bt_str text = bt_str_slice(bt_json_source(message->document), span.begin, span.end);
    *out_hidden = NULL;
    if (is_unchanged(&run, text)) {
        return bt_wrap_first_use_take_page(session, message, page, is_last);
    }
    BT_TRY(bt_wrap_items_add(&run.compare.memory, page->kind, message->document, message->result,
                             &run.shown));
    struct bt_wrap_former former = {.memory = &run.compare.memory,
                                    .kind = page->kind,
                                    .locked = run.locked,
                                    .shown = &run.shown};
    run.former = &former;
    bool *hidden = BT_NEW_ARRAY(&session->message, bool, run.shown.list.count + 1);
    BT_TRY(hidden ? BT_OK : BT_ENOMEM);
    BT_TRY(judge_items(&run, hidden, &has_hidden));
    if (is_last && run.walk > 0 && run.locked && !catalogue->removed_are_reported) {
        catalogue->removed_are_reported = true;
        BT_TRY(add_removed(&run));
    }
    *out_hidden = has_hidden ? hidden : NULL;
    BT_TRY(keep_list(&run, text, has_hidden));
    return bt_wrap_first_use_take_page(session, message, page, is_last);
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

/*
 * What is not a list cannot be compared: it counts as added. *out_left_out is the member that has
 * it, if it is hidden.
 */
static enum bt_status check_form(struct bt_wrap_session *session,
                                 const struct bt_wrap_message *message, enum bt_wrap_kind kind,
                                 bt_str *out_left_out)
{
    const struct bt_wrap_kind_names *names = bt_wrap_kind_names(kind);
    const bt_json_value *list = bt_json_get(message->document, message->result, names->member);
    const struct bt_wrap_compare compare = compare_with(session);
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[kind];
    const enum bt_wrap_pinning pinning = session->settings->policy.pin.added;
    bt_str pointer;
    if (!list || bt_json_type(list) == BT_JSON_ARRAY || !find_locked(session, kind)) {
        return BT_OK;
    }
    note_pinning(session, pinning, true);
    *out_left_out = pinning != BT_WRAP_PINNING_WARN ? names->member : BT_STR("");
    if (catalogue->form_is_reported) {
        return BT_OK;
    }
    catalogue->form_is_reported = true;
    BT_TRY(bt_arena_printf(&session->message, &pointer, "/%.*s", BT_STR_ARG(names->pointer)));
    return bt_add_wrap_pin_added(session->findings, compare.added,
                                 bt_location_pointer(pointer, BT_OFFSET_NONE), BT_STR_ABSENT,
                                 BT_STR_ABSENT, names->member);
}

enum bt_status bt_wrap_pins_pass_list(struct bt_wrap_session *session,
                                      const struct bt_wrap_message *message,
                                      const struct bt_wrap_request *request, bt_str line)
{
    const struct bt_wrap_page page = {
        .kind = request->kind, .walker = BT_WRAP_WALKER_CLIENT, .is_first = request->is_first_page};
    struct wrap_result_edit edit = {.list = bt_wrap_kind_names(request->kind)->member,
                                    .left_out = BT_STR("")};
    if (message->result) {
        BT_TRY(bt_wrap_pins_compare(session, message, &page, &edit.hidden));
        BT_TRY(check_form(session, message, request->kind, &edit.left_out));
    }
    if (session->pins.must_block) {
        bt_wrap_answer_blocked(session, &request->id);
        return BT_OK;
    }
    if (edit.hidden || edit.left_out.len > 0) {
        return pass_edited(session, message, &edit);
    }
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return BT_OK;
}

/* ---- Instructions ---------------------------------------------------------------------------- */

/* Compare the instructions, absent ones with a NULL pointer. What is not a text cannot be reviewed,
 * and is the same as nothing that was. */
static enum bt_status check_instructions(struct bt_wrap_session *session, bt_str shown,
                                         bool is_text, bool *out_is_hidden)
{
    const struct bt_wrap_entry *entry = session->entry;
    const struct bt_wrap_policy *policy = &session->settings->policy;
    const bool is_same = entry && !entry->instructions.ptr == !shown.ptr &&
                         (!shown.ptr || (is_text && bt_str_eq(entry->instructions, shown)));
    const struct bt_wrap_compare compare = compare_with(session);
    const size_t before = count_suspicious(session->findings);
    *out_is_hidden = false;
    if (shown.ptr && policy->texts != BT_WRAP_READING_OFF) {
        BT_TRY(prepare_texts(session));
        const struct bt_wrap_text_check check = check_with(session, is_same);
        BT_TRY(bt_wrap_check_text(&check, BT_STR("/instructions"), shown));
        *out_is_hidden =
            check.severity == BT_SEVERITY_HARD && count_suspicious(session->findings) > before;
        session->pins.texts_have_hidden = *out_is_hidden;
    }
    if (!entry || is_same) {
        return BT_OK;
    }
    note_pinning(session, policy->pin.changed, true);
    *out_is_hidden = *out_is_hidden || policy->pin.changed != BT_WRAP_PINNING_WARN;
    return bt_wrap_add_instructions_change(&compare, entry->instructions, shown);
}

enum bt_status bt_wrap_pins_pass_identity(struct bt_wrap_session *session,
                                          const struct bt_wrap_message *message,
                                          const struct bt_wrap_request *request, bt_str line)
{
    const bt_json_value *value =
        bt_json_get(message->document, message->result, BT_STR("instructions"));
    const bool has_text = value && bt_json_type(value) == BT_JSON_STRING;
    const struct wrap_result_edit edit = {.list = BT_STR(""), .left_out = BT_STR("instructions")};
    bool is_hidden = false;
    if (message->result) {
        const bt_str shown = has_text ? bt_json_text(value) : value ? BT_STR("") : BT_STR_ABSENT;
        BT_TRY(check_version(session, message, request->method == BT_WRAP_METHOD_INITIALIZE));
        BT_TRY(check_instructions(session, shown, has_text, &is_hidden));
        BT_TRY(bt_wrap_first_use_take_identity(session, shown));
    }
    if (session->pins.must_block) {
        bt_wrap_answer_blocked(session, &request->id);
        return BT_OK;
    }
    if (is_hidden && value) {
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

size_t bt_wrap_pins_hidden_count(const struct bt_wrap_session *session)
{
    const struct bt_map *known = &session->pins.kinds[BT_WRAP_TOOL].known;
    size_t count = 0;
    for (size_t i = 0; i < known->count; i++) {
        const struct bt_wrap_known *item = known->entries[i].value.pointer;
        count += item->hidden != BT_WRAP_VISIBLE;
    }
    return count;
}

enum bt_status bt_wrap_pins_hidden_tools(struct bt_wrap_session *session, struct bt_str_list *out)
{
    const struct bt_map *known = &session->pins.kinds[BT_WRAP_TOOL].known;
    bt_str *names = BT_NEW_ARRAY(&session->arena, bt_str, known->count + 1);
    size_t count = 0;
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < known->count; i++) {
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
