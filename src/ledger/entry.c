/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.c - the shape of an entry as a table, and its canonical text.
 *
 * The rows are in canonical order (RFC 8785: by name), so writing is one pass over them.
 */
#include "ledger/entry.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <baton/json.h>

#include "ledger/entry_shape.h"
#include "report/dialect_names.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define AT(member) offsetof(struct bt_entry, member)
#define ROW(name_, type_, required_)                                                               \
    .name = BT_STR_INIT(name_), .lead = BT_STR_INIT(",\"" name_ "\":"), .type = BT_ENTRY_##type_,  \
    .required = (required_)

/* clang-format off */
static const bt_str kind_words[] = {
    BT_STR_INIT("handoff"), BT_STR_INIT("approval"), BT_STR_INIT("block"), BT_STR_INIT("unblock"),
    BT_STR_INIT("context"), BT_STR_INIT("delivery"), BT_STR_INIT("redaction"), BT_STR_INIT("key"),
    BT_STR_INIT("raw"), BT_STR_INIT("heartbeat"), BT_STR_INIT("policy"), BT_STR_INIT("hold"),
    BT_STR_INIT(""),
};
static const bt_str *const new_kind_words = &kind_words[9];
static const bt_str verdict_words[] = {
    BT_STR_INIT("accepted"), BT_STR_INIT("rejected"), BT_STR_INIT("recorded"), BT_STR_INIT(""),
};
static const bt_str withheld_words[] = {
    BT_STR_INIT("codes"), BT_STR_INIT("handoff_id"), BT_STR_INIT("source"), BT_STR_INIT("target"),
    BT_STR_INIT("trace_id"), BT_STR_INIT(""),
};

static const struct bt_entry_row attest_rows[] = {
    {ROW("boundaries_respected", BOOL, true), .place = AT(attest.boundaries_respected)},
    {ROW("composition_valid", BOOL, true), .place = AT(attest.composition_valid)},
    {ROW("source_agent_verified", BOOL, true), .place = AT(attest.source_agent_verified)},
    {ROW("target_agent_verified", BOOL, true), .place = AT(attest.target_agent_verified)},
};
static const struct bt_entry_row document_rows[] = {
    {ROW("kept", BOOL, true), .place = AT(document.kept)},
    {ROW("sha256", SHA256, true), .place = AT(document.sha256)},
    {ROW("size", SEQ, true), .place = AT(document.size)},
    {ROW("truncated", TRULY, false), .place = AT(document.truncated)},
};
static const struct bt_entry_row judge_rows[] = {
    {ROW("rules", SHA256, true), .place = AT(judge.rules)},
    {ROW("version", NAME, true), .place = AT(judge.version)},
};
static const struct bt_entry_row count_rows[] = {
    {ROW("actor", COUNT, true), .place = AT(n.actor)},
    {ROW("client", COUNT, false), .place = AT(n.client)},
    {ROW("source", COUNT, false), .place = AT(n.source)},
    {ROW("trace", COUNT, false), .place = AT(n.trace)},
};
static const struct bt_entry_row refs_rows[] = {
    {ROW("after", SHA256, false), .place = AT(refs.after)},
    {ROW("agent", NAME, false), .place = AT(refs.agent)},
    {ROW("approval", NAME, false), .place = AT(refs.approval)},
    {ROW("attempts", SEQ, false), .place = AT(refs.attempts)},
    {ROW("before", SHA256, false), .place = AT(refs.before)},
    {ROW("context", NAME, false), .place = AT(refs.context)},
    {ROW("event", NAME, false), .place = AT(refs.event)},
    {ROW("fingerprint", SHA256, false), .place = AT(refs.fingerprint)},
    {ROW("grant", NAME, false), .place = AT(refs.grant)},
    {ROW("lock", SHA256, false), .place = AT(refs.lock)},
    {ROW("manifest", SHA256, false), .place = AT(refs.manifest)},
    {ROW("message", NAME, false), .place = AT(refs.message)},
    {ROW("new_key", NAME, false), .place = AT(refs.new_key)},
    {ROW("old_key", NAME, false), .place = AT(refs.old_key)},
    {ROW("parent", SEQ, false), .place = AT(refs.parent)},
    {ROW("pinned", TIME, false), .place = AT(refs.pinned)},
    {ROW("policy", SHA256, false), .place = AT(refs.policy)},
    {ROW("reason", TEXT, false), .place = AT(refs.reason)},
    {ROW("thread", NAME, false), .place = AT(refs.thread)},
};
static const struct bt_entry_shape attest_shape = {COUNT_OF(attest_rows), attest_rows};
static const struct bt_entry_shape document_shape = {COUNT_OF(document_rows), document_rows};
static const struct bt_entry_shape judge_shape = {COUNT_OF(judge_rows), judge_rows};
static const struct bt_entry_shape count_shape = {COUNT_OF(count_rows), count_rows};
static const struct bt_entry_shape refs_shape = {COUNT_OF(refs_rows), refs_rows};

static const struct bt_entry_row entry_rows[] = {
    {ROW("actor", NAME, true), .place = AT(actor)},
    {ROW("attest", OBJECT, false), .shape = &attest_shape},
    {ROW("codes", CODES, true), .place = AT(codes)},
    {ROW("deliver", DELIVER, false), .place = AT(deliver)},
    {ROW("dialect", WORD, true), .place = AT(dialect), .words = bt_dialect_recordable_names},
    {ROW("document", OBJECT, false), .shape = &document_shape},
    {ROW("handoff_id", NAME, false), .place = AT(handoff_id)},
    {ROW("judge", OBJECT, false), .shape = &judge_shape},
    {ROW("kind", WORD, true), .place = AT(kind), .words = kind_words},
    {ROW("n", OBJECT, false), .shape = &count_shape},
    {ROW("refs", OBJECT, false), .shape = &refs_shape},
    {ROW("seq", SEQ, true), .place = AT(seq)},
    {ROW("source", NAME, false), .place = AT(source)},
    {ROW("target", NAME, false), .place = AT(target)},
    {ROW("time", TIME, true), .place = AT(time)},
    {ROW("trace_id", NAME, false), .place = AT(trace_id)},
    {ROW("v", VERSION, true), .place = AT(v)},
    {ROW("verdict", WORD, true), .place = AT(verdict), .words = verdict_words},
    {ROW("withheld", WORDS, false), .place = AT(withheld), .words = withheld_words},
};
/* clang-format on */

const struct bt_entry_shape bt_entry_shape = {COUNT_OF(entry_rows), entry_rows};

bool bt_entry_is_one_of(bt_str word, const bt_str *words)
{
    for (; words->len > 0; words++) {
        if (words->len == word.len && bt_entry_same_bytes(words->ptr, word.ptr, word.len)) {
            return true;
        }
    }
    return false;
}

bool bt_entry_kind_is_valid(bt_str text)
{
    return bt_entry_is_one_of(text, kind_words);
}

bool bt_entry_kind_is_new(bt_str kind)
{
    return bt_entry_is_one_of(kind, new_kind_words);
}

bool bt_entry_verdict_is_valid(bt_str text)
{
    return bt_entry_is_one_of(text, verdict_words);
}

bool bt_entry_dialect_is_valid(bt_str text)
{
    return bt_entry_is_one_of(text, bt_dialect_recordable_names);
}

bool bt_entry_withheld_is_valid(bt_str text)
{
    return bt_entry_is_one_of(text, withheld_words);
}

void bt_entry_init(struct bt_entry *entry)
{
    assert(entry);
    memset(entry, 0, offsetof(struct bt_entry, codes));
    entry->codes.count = 0;
    entry->withheld.count = 0;
    entry->v = 1;
    entry->seq = BT_SEQ_ABSENT;
    entry->document.size = BT_SEQ_ABSENT;
    entry->n = (struct bt_entry_counts){BT_SEQ_ABSENT, BT_SEQ_ABSENT, BT_SEQ_ABSENT, BT_SEQ_ABSENT};
    entry->refs.attempts = BT_SEQ_ABSENT;
    entry->refs.parent = BT_SEQ_ABSENT;
}

bool bt_entry_type_is_number(enum bt_entry_type type)
{
    return type == BT_ENTRY_SEQ || type == BT_ENTRY_COUNT || type == BT_ENTRY_VERSION;
}

static bool is_bool(enum bt_entry_type type)
{
    return type == BT_ENTRY_BOOL || type == BT_ENTRY_TRULY;
}

/* True when a member that is not an object is present. Lists that must be present may be empty. */
static bool has_plain(const struct bt_entry *entry, const struct bt_entry_row *row)
{
    const void *place = (const char *)entry + row->place;
    if (bt_entry_type_is_number(row->type)) {
        return *(const uint64_t *)place != BT_SEQ_ABSENT;
    }
    if (is_bool(row->type)) {
        return *(const enum bt_entry_optional_bool *)place != BT_ABSENT;
    }
    if (row->type == BT_ENTRY_CODES || row->type == BT_ENTRY_WORDS) {
        return row->required || ((const struct bt_entry_words *)place)->count > 0;
    }
    return ((const bt_str *)place)->len > 0;
}

static void put_words(struct bt_buf *buf, const struct bt_entry_words *words)
{
    bt_buf_put_char(buf, '[');
    for (size_t i = 0; i < words->count; i++) {
        bt_buf_put(buf, i > 0 ? BT_STR(",") : BT_STR(""));
        bt_json_put_string(buf, words->items[i]);
    }
    bt_buf_put_char(buf, ']');
}

static void put_deliver(struct bt_buf *buf, const bt_str deliver[2])
{
    bt_buf_put_char(buf, '[');
    bt_json_put_string(buf, deliver[0]);
    if (deliver[1].len > 0) {
        bt_buf_put_char(buf, ',');
        bt_json_put_string(buf, deliver[1]);
    }
    bt_buf_put_char(buf, ']');
}

/* Put a member that is not an object, if it is present. Returns whether it is. */
static bool put_plain(struct bt_buf *buf, const struct bt_entry *entry,
                      const struct bt_entry_row *row, bool is_first)
{
    const void *place = (const char *)entry + row->place;
    if (!has_plain(entry, row)) {
        return false;
    }
    bt_buf_put(buf, bt_entry_lead(row, is_first));
    if (bt_entry_type_is_number(row->type)) {
        bt_buf_put_u64(buf, *(const uint64_t *)place);
    } else if (is_bool(row->type)) {
        bt_buf_put(buf, *(const enum bt_entry_optional_bool *)place == BT_TRUE ? BT_STR("true")
                                                                               : BT_STR("false"));
    } else if (row->type == BT_ENTRY_CODES || row->type == BT_ENTRY_WORDS) {
        put_words(buf, place);
    } else if (row->type == BT_ENTRY_DELIVER) {
        put_deliver(buf, place);
    } else {
        bt_json_put_string(buf, *(const bt_str *)place);
    }
    return true;
}

/* Put an object, unless all of its members are absent. */
static bool put_object(struct bt_buf *buf, const struct bt_entry *entry,
                       const struct bt_entry_row *row, bool is_first)
{
    const size_t before = buf->len;
    size_t count = 0;
    bt_buf_put(buf, bt_entry_lead(row, is_first));
    bt_buf_put_char(buf, '{');
    for (size_t i = 0; i < row->shape->count; i++) {
        count += put_plain(buf, entry, &row->shape->rows[i], count == 0);
    }
    bt_buf_put_char(buf, '}');
    if (count == 0) {
        buf->len = before;
    }
    return count > 0;
}

void bt_entry_put(struct bt_buf *buf, const struct bt_entry *entry)
{
    assert(buf);
    assert(entry);
    size_t count = 0;
    bt_buf_put_char(buf, '{');
    for (size_t i = 0; i < bt_entry_shape.count; i++) {
        const struct bt_entry_row *row = &bt_entry_shape.rows[i];
        count += row->type == BT_ENTRY_OBJECT ? put_object(buf, entry, row, count == 0)
                                              : put_plain(buf, entry, row, count == 0);
    }
    bt_buf_put_char(buf, '}');
}

static void copy_words(struct bt_entry_words *to, const struct bt_entry_words *from)
{
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++) {
        to->items[i] = from->items[i];
    }
}

void bt_entry_copy(struct bt_entry *to, const struct bt_entry *from)
{
    assert(to);
    assert(from);
    memcpy(to, from, offsetof(struct bt_entry, codes));
    copy_words(&to->codes, &from->codes);
    copy_words(&to->withheld, &from->withheld);
}

bool bt_entry_is_about_document(const struct bt_entry *entry)
{
    assert(entry);
    return !bt_str_eq(entry->kind, BT_STR("redaction")) && !bt_str_eq(entry->kind, BT_STR("hold"));
}

static bool is_valid_ref(const struct bt_entry_row *row, bt_str value, uint64_t *out_number)
{
    switch (row->type) {
    case BT_ENTRY_NAME:
        return bt_entry_name_is_valid(value);
    case BT_ENTRY_TEXT:
        return bt_entry_text_is_valid(value);
    case BT_ENTRY_SHA256:
        return bt_entry_sha256_is_valid(value);
    case BT_ENTRY_SEQ:
        return bt_str_to_u64(value, out_number) == BT_OK && *out_number <= BT_SEQ_MAX &&
               (value.len == 1 || value.ptr[0] != '0');
    case BT_ENTRY_TIME:
    case BT_ENTRY_WORD:
    case BT_ENTRY_COUNT:
    case BT_ENTRY_VERSION:
    case BT_ENTRY_BOOL:
    case BT_ENTRY_TRULY:
    case BT_ENTRY_CODES:
    case BT_ENTRY_WORDS:
    case BT_ENTRY_DELIVER:
    case BT_ENTRY_OBJECT:
        break;
    }
    return false;
}

enum bt_status bt_entry_ref_set(struct bt_entry *entry, bt_str name, bt_str value,
                                struct bt_error *error)
{
    assert(entry);
    for (size_t i = 0; i < COUNT_OF(refs_rows); i++) {
        uint64_t number = 0;
        void *place = (char *)entry + refs_rows[i].place;
        if (!bt_str_eq(refs_rows[i].name, name)) {
            continue;
        }
        if (!is_valid_ref(&refs_rows[i], value, &number)) {
            return bt_error_set(error, BT_EINVAL, "%.*s is not a value for the reference %.*s",
                                BT_STR_ARG(bt_str_slice(value, 0, 60)), BT_STR_ARG(name));
        }
        if (refs_rows[i].type == BT_ENTRY_SEQ) {
            *(uint64_t *)place = number;
        } else {
            *(bt_str *)place = value;
        }
        return BT_OK;
    }
    return bt_error_set(error, BT_EINVAL, "unknown reference %.*s",
                        BT_STR_ARG(bt_str_slice(name, 0, 60)));
}

void bt_entry_time_put(bt_instant instant, char out[BT_ENTRY_TIME_BYTES + 1])
{
    char text[BT_INSTANT_TEXT_BYTES];
    const bt_instant whole = {instant.seconds, 0};
    const size_t size = bt_instant_format(whole, text);
    assert(size == sizeof("YYYY-MM-DDThh:mm:ssZ") - 1);
    const int millis = instant.nanos / 1000000;
    memcpy(out, text, size - 1);
    out[size - 1] = '.';
    out[size] = (char)('0' + millis / 100);
    out[size + 1] = (char)('0' + millis / 10 % 10);
    out[size + 2] = (char)('0' + millis % 10);
    out[size + 3] = 'Z';
    out[size + 4] = '\0';
}
