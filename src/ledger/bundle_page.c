/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_page.c - the page around the data of a bundle.
 *
 * The template is console/bundle/page/page.html, which script/console builds. Its marks, comments
 * like <!--baton:timeline-->, are replaced by what can be read without a script. All of that
 * follows from the data, so a page can be compared with the one that this program would write.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/str.h"
#include "ledger/bundle_internal.h"

extern const char bt_ledger_bundle_page[]; /* the template */

static const char data_begin[] = "<script type=\"application/json\" id=\"baton-bundle\">";
static const char mark_begin[] = "<!--baton:";
static const char mark_end[] = "-->";

/* Put a text that may come from anybody: nothing in it is markup, reorders or hides text. */
static void put_text(struct bt_buf *buf, bt_str text)
{
    for (size_t at = 0; at < text.len;) {
        const char byte = text.ptr[at];
        const char *escape = byte == '<'   ? "&lt;"
                             : byte == '>' ? "&gt;"
                             : byte == '&' ? "&amp;"
                             : byte == '"' ? "&quot;"
                                           : NULL;
        if (escape) {
            bt_buf_put_text(buf, escape);
            at++;
        } else {
            at += bt_buf_put_visible_char(buf, text, at);
        }
    }
}

static void put_row(struct bt_buf *buf, const char *name, bt_str value)
{
    bt_buf_printf(buf, "<dt>%s</dt><dd>", name);
    put_text(buf, value);
    bt_buf_put_text(buf, "</dd>\n");
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void put_title(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    put_text(buf, bundle->title.len > 0 ? bundle->title : bundle->origin);
}

/* How many entries have one kind and verdict. */
struct ledger_bundle_tally {
    bt_str kind;
    bt_str verdict;
    uint64_t count;
};

enum { TALLIES_MAX = 64 };

static size_t add_to_tallies(struct ledger_bundle_tally *tallies, size_t count,
                             const struct bt_entry *entry)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(tallies[i].kind, entry->kind) &&
            bt_str_eq(tallies[i].verdict, entry->verdict)) {
            tallies[i].count++;
            return count;
        }
    }
    assert(count < TALLIES_MAX); /* the schema of entries has fewer pairs */
    tallies[count] = (struct ledger_bundle_tally){entry->kind, entry->verdict, 1};
    return count + 1;
}

static void put_tallies(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    struct ledger_bundle_tally tallies[TALLIES_MAX];
    struct bt_entry entry;
    size_t count = 0;
    for (size_t i = 0; i < bundle->counts.disclosed; i++) {
        if (bt_entry_read(bundle->entries[i].text, &entry)) {
            count = add_to_tallies(tallies, count, &entry);
        }
    }
    bt_buf_put_text(buf, "<table><caption>Entries by kind and verdict</caption>\n<thead><tr><th "
                         "scope=\"col\">kind</th><th scope=\"col\">verdict</th><th scope=\"col\">"
                         "entries</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(buf, "<tr><td>%.*s</td><td>%.*s</td><td>%" PRIu64 "</td></tr>\n",
                      BT_STR_ARG(tallies[i].kind), BT_STR_ARG(tallies[i].verdict),
                      tallies[i].count);
    }
    bt_buf_put_text(buf, "</tbody></table>\n");
}

static bt_str time_of(const struct bt_ledger_bundle_entry *shown, struct bt_entry *entry)
{
    return bt_entry_read(shown->text, entry) ? entry->time : BT_STR("unknown");
}

static void put_head(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    const struct bt_ledger_bundle_counts *counts = &bundle->counts;
    const uint64_t all = counts->is_empty ? 0 : counts->to - counts->from + 1;
    struct bt_entry entry;
    bt_buf_put_text(buf, "<dl>\n");
    put_row(buf, "Log", bundle->origin);
    if (counts->disclosed > 0) {
        bt_buf_printf(buf, "<dt>Period</dt><dd>%.*s to ",
                      BT_STR_ARG(time_of(&bundle->entries[0], &entry)));
        bt_buf_printf(buf, "%.*s</dd>\n",
                      BT_STR_ARG(time_of(&bundle->entries[counts->disclosed - 1], &entry)));
        bt_buf_printf(buf,
                      "<dt>Range</dt><dd>entries %" PRIu64 " to %" PRIu64 " of %" PRIu64 "</dd>\n",
                      counts->from, counts->to, bundle->size);
    }
    if (bundle->value.ptr) {
        bt_buf_printf(buf, "<dt>Selection</dt><dd>by %.*s: ", BT_STR_ARG(bundle->by));
        put_text(buf, bundle->value);
        bt_buf_put_text(buf, "</dd>\n");
    }
    bt_buf_printf(buf, "<dt>Shown</dt><dd>%" PRIu64 " entries, and %" PRIu64 " not shown</dd>\n",
                  counts->disclosed, all - counts->disclosed);
    bt_buf_printf(buf, "<dt>Made</dt><dd>%.*s by Baton ", BT_STR_ARG(bundle->time));
    put_text(buf, bundle->program);
    bt_buf_put_text(buf, "</dd>\n</dl>\n");
    put_tallies(buf, bundle);
}

static void put_gap(struct bt_buf *buf, uint64_t count)
{
    if (count > 0) {
        bt_buf_printf(buf,
                      "<tr class=\"gap\"><td colspan=\"6\">%" PRIu64 " %s not shown</td></tr>\n",
                      count, count == 1 ? "entry" : "entries");
    }
}

static void put_entry(struct bt_buf *buf, uint64_t seq, const struct bt_entry *entry)
{
    const bool has_both = entry->source.len > 0 && entry->target.len > 0;
    bt_buf_printf(buf,
                  "<tr><th scope=\"row\">%" PRIu64 "</th><td>%.*s</td><td>%.*s</td><td>%.*s%s%.*s"
                  "</td><td>%.*s</td><td>",
                  seq, BT_STR_ARG(entry->time), BT_STR_ARG(entry->kind), BT_STR_ARG(entry->source),
                  has_both ? " \xe2\x86\x92 " : "", BT_STR_ARG(entry->target),
                  BT_STR_ARG(entry->verdict));
    for (size_t i = 0; i < entry->codes.count; i++) {
        bt_buf_printf(buf, "%s%.*s", i > 0 ? " " : "", BT_STR_ARG(entry->codes.items[i]));
    }
    bt_buf_put_text(buf, "</td></tr>\n");
}

static void put_timeline(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    uint64_t next = bundle->counts.from;
    struct bt_entry entry;
    for (size_t i = 0; i < bundle->counts.disclosed; i++) {
        const struct bt_ledger_bundle_entry *shown = &bundle->entries[i];
        put_gap(buf, shown->seq - next);
        next = shown->seq + 1;
        if (bt_entry_read(shown->text, &entry)) {
            put_entry(buf, shown->seq, &entry);
        } else {
            bt_buf_printf(buf,
                          "<tr><th scope=\"row\">%" PRIu64 "</th><td colspan=\"5\">an entry of a "
                          "later version</td></tr>\n",
                          shown->seq);
        }
    }
    if (!bundle->counts.is_empty) {
        put_gap(buf, bundle->counts.to + 1 - next);
    }
}

static void put_rules(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    for (size_t i = 0; i < bundle->rule_count; i++) {
        bt_buf_put_text(buf, "<tr><th scope=\"row\">");
        put_text(buf, bundle->rules[i].code);
        bt_buf_put_text(buf, "</th><td>");
        put_text(buf, bundle->rules[i].severity);
        bt_buf_put_text(buf, "</td><td>");
        put_text(buf, bundle->rules[i].meaning);
        bt_buf_put_text(buf, "</td></tr>\n");
    }
    if (bundle->rule_count == 0) {
        bt_buf_put_text(buf, "<tr><td colspan=\"3\">no code occurs</td></tr>\n");
    }
}

static void put_policies(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    for (size_t i = 0; i < bundle->policy_count; i++) {
        const struct bt_ledger_bundle_policy *policy = &bundle->policies[i];
        bt_buf_printf(buf, "<h3>%.*s</h3>\n", BT_STR_ARG(policy->sha256));
        if (policy->text.ptr) {
            bt_buf_put_text(buf, "<pre tabindex=\"0\">");
            put_text(buf, policy->text);
            bt_buf_put_text(buf, "</pre>\n");
        } else {
            bt_buf_put_text(buf, "<p>The log does not hold its text.</p>\n");
        }
    }
    if (bundle->policy_count == 0) {
        bt_buf_put_text(buf, "<p>No entry names a policy.</p>\n");
    }
}

static void put_limits(struct bt_buf *buf, const struct bt_ledger_bundle *bundle)
{
    for (size_t i = 0; i < BT_LEDGER_AUDIT_LIMIT__MAX; i++) {
        if (bundle->limits >> i & 1) {
            bt_buf_printf(buf, "<li>%s</li>\n", bt_ledger_audit_limits[i].sentence);
        }
    }
}

/* ---- The page -------------------------------------------------------------------------------- */

static const struct ledger_bundle_part {
    bt_str name;
    void (*put)(struct bt_buf *buf, const struct bt_ledger_bundle *bundle);
} parts[] = {
    {BT_STR_INIT("title"), put_title},
    {BT_STR_INIT("head"), put_head},
    {BT_STR_INIT("timeline"), put_timeline},
    {BT_STR_INIT("rules"), put_rules},
    {BT_STR_INIT("policies"), put_policies},
    {BT_STR_INIT("limits"), put_limits},
    {BT_STR_INIT("data"), NULL},
};

void bt_ledger_bundle_put_page(struct bt_buf *buf, const struct bt_ledger_bundle *bundle,
                               bt_str json)
{
    bt_str rest = bt_str_of(bt_ledger_bundle_page);
    for (;;) { /* ends, because each turn takes a mark from the rest */
        const size_t at = bt_str_find(rest, bt_str_of(mark_begin));
        bt_buf_put(buf, bt_str_slice(rest, 0, at));
        if (at == rest.len) {
            return;
        }
        rest = bt_str_slice(rest, at + sizeof(mark_begin) - 1, rest.len);
        const size_t end = bt_str_find(rest, bt_str_of(mark_end));
        const bt_str name = bt_str_slice(rest, 0, end);
        size_t part = 0;
        while (part + 1 < BT_COUNT_OF(parts) && !bt_str_eq(parts[part].name, name)) {
            part++;
        }
        assert(bt_str_eq(parts[part].name, name));
        if (parts[part].put) {
            parts[part].put(buf, bundle);
        } else {
            bt_buf_put_text(buf, data_begin);
            bt_buf_put(buf, json);
            bt_buf_put_text(buf, "</script>");
        }
        rest = bt_str_slice(rest, end + sizeof(mark_end) - 1, rest.len);
    }
}

const char *bt_ledger_bundle_find_data(bt_str page, bt_str *out)
{
    const bt_str begin = bt_str_of(data_begin);
    const size_t at = bt_str_find(page, begin);
    if (at == page.len) {
        return "the page has no element for the data of a bundle";
    }
    const bt_str rest = bt_str_slice(page, at + begin.len, page.len);
    if (bt_str_find(rest, begin) < rest.len) {
        return "the page has data of two bundles";
    }
    const size_t end = bt_str_find_byte(rest, '<', 0);
    if (!bt_str_starts_with(bt_str_slice(rest, end, rest.len), BT_STR("</script>"))) {
        return "the data of the page does not end with its element";
    }
    *out = bt_str_slice(rest, 0, end);
    return NULL;
}
