/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - the tokens of the whole document and of its sections.
 *
 * A section is counted as a text of its own. In a minified document that text stands in the
 * document as it is, and most of it is counted once for both: before a quote that follows a letter
 * every encoding cuts, whatever stands around it, so the tokens between two such places are the
 * same in the section and in the whole.
 */
#include "dialect/universal/universal_check.h"

#include "base/ascii.h"

/* What a section is made of: members of the handoff, or one value below it. */
struct universal_count_section {
    bt_str members[6]; /* in no particular order; an empty one ends them */
    bool in_payload;   /* members of payload instead */
    bool one;          /* the value itself, not an object made of members */
};

static const struct universal_count_section sections[BT_UNIVERSAL_SECTION__MAX] = {
    [BT_UNIVERSAL_SECTION_METADATA] = {{BT_STR_INIT("version"), BT_STR_INIT("schema_type"),
                                        BT_STR_INIT("timestamp"), BT_STR_INIT("expires_at"),
                                        BT_STR_INIT("trace_id")},
                                       false,
                                       false},
    [BT_UNIVERSAL_SECTION_ENDPOINTS] = {{BT_STR_INIT("source"), BT_STR_INIT("target")},
                                        false,
                                        false},
    [BT_UNIVERSAL_SECTION_CONTEXT] = {{BT_STR_INIT("context")}, false, true},
    [BT_UNIVERSAL_SECTION_WORKING] = {{BT_STR_INIT("working")}, true, true},
    [BT_UNIVERSAL_SECTION_SESSION] = {{BT_STR_INIT("session")}, true, true},
    [BT_UNIVERSAL_SECTION_REFERENCES] = {{BT_STR_INIT("references")}, true, true},
    [BT_UNIVERSAL_SECTION_META] = {{BT_STR_INIT("meta"), BT_STR_INIT("tracing")}, false, false},
};

/* The value that a section of one value is, or NULL. */
static const bt_json_value *value_of(const struct bt_universal_check *handoff,
                                     const struct universal_count_section *section)
{
    const bt_json_value *object =
        section->in_payload ? handoff->parts.payload : handoff->parts.handoff;
    return bt_json_get(handoff->document, object, section->members[0]);
}

const bt_json_value *bt_universal_section_value(const struct bt_universal_check *handoff,
                                                enum bt_universal_section section)
{
    if (sections[section].one) {
        return value_of(handoff, &sections[section]);
    }
    const bt_json_value *meta =
        bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("meta"));
    return section == BT_UNIVERSAL_SECTION_META && meta ? meta : handoff->parts.handoff;
}

static bool is_listed(const struct universal_count_section *section, bt_str name)
{
    for (const bt_str *member = section->members; member->len > 0; member++) {
        if (bt_str_eq(*member, name)) {
            return true;
        }
    }
    return false;
}

/* Put a value, minified: as it stands in the document, if it stands there so. */
static enum bt_status put_value(struct bt_universal_check *handoff, const bt_json_value *value,
                                struct bt_buf *buf)
{
    bt_str text;
    if (bt_json_source_has_form(handoff->document, value, BT_JSON_FORM_COMPACT, &text)) {
        bt_buf_put(buf, text);
        return buf->status;
    }
    return bt_json_write(buf, handoff->document, value, BT_JSON_FORM_COMPACT, handoff->arena, NULL);
}

/* Put the minified object made of the listed members that are present, in document order. */
static enum bt_status put_members(struct bt_universal_check *handoff,
                                  const struct universal_count_section *section, struct bt_buf *buf)
{
    const struct bt_json_member *members = bt_json_members(handoff->parts.handoff);
    for (size_t i = 0; i < bt_json_count(handoff->parts.handoff); i++) {
        if (!is_listed(section, bt_json_name(&members[i]))) {
            continue;
        }
        bt_buf_put_char(buf, buf->len == 0 ? '{' : ',');
        bt_json_put_string(buf, bt_json_name(&members[i]));
        bt_buf_put_char(buf, ':');
        BT_TRY(put_value(handoff, &members[i].value, buf));
    }
    if (buf->len > 0) {
        bt_buf_put_char(buf, '}');
    }
    return buf->status;
}

/* Write a section, unless it stands in the document as it would be written. */
static enum bt_status write_section(struct bt_universal_check *handoff,
                                    const struct universal_count_section *section,
                                    struct bt_buf *buf, bt_str *out)
{
    const bt_json_value *value = section->one ? value_of(handoff, section) : NULL;
    if (value && bt_json_source_has_form(handoff->document, value, BT_JSON_FORM_COMPACT, out)) {
        return BT_OK;
    }
    bt_buf_clear(buf);
    if (!section->one) {
        BT_TRY(put_members(handoff, section, buf));
    } else if (value) {
        BT_TRY(bt_json_write(buf, handoff->document, value, BT_JSON_FORM_COMPACT, handoff->arena,
                             NULL));
    }
    *out = bt_buf_str(buf);
    return BT_OK;
}

/* A section that stands in the document as it is counted, and the run of it that both share. */
struct universal_count_shared {
    enum bt_universal_section section;
    struct bt_json_span span;
    struct bt_json_span middle;
};

/* Whether every encoding cuts at this offset, which is not 0. */
static bool is_cut(bt_str text, size_t at)
{
    return text.ptr[at] == '"' && bt_ascii_is_alpha(text.ptr[at - 1]);
}

static bool find_shared(const struct bt_universal_check *handoff, enum bt_universal_section section,
                        bt_str written, struct universal_count_shared *out)
{
    if (!sections[section].one || written.len == 0) {
        return false;
    }
    const bt_str text = handoff->text;
    const struct bt_json_span span =
        bt_json_span(handoff->document, value_of(handoff, &sections[section]));
    struct bt_json_span middle = {span.begin + 1, span.end - 1};
    while (middle.begin < middle.end && !is_cut(text, middle.begin)) {
        middle.begin++;
    }
    while (middle.end > middle.begin && !is_cut(text, middle.end)) {
        middle.end--;
    }
    *out = (struct universal_count_shared){section, span, middle};
    const bt_str source = bt_str_slice(text, span.begin, span.end);
    return middle.begin < middle.end && (written.ptr == source.ptr || bt_str_eq(source, written));
}

/* Keep a short list in the order of the document. */
static void insert_shared(struct universal_count_shared list[], size_t count,
                          const struct universal_count_shared *item)
{
    size_t at = count;
    for (; at > 0 && list[at - 1].span.begin > item->span.begin; at--) {
        list[at] = list[at - 1];
    }
    list[at] = *item;
}

static enum bt_status add_count(struct bt_tokens *counter, bt_str text, uint64_t *sum)
{
    uint64_t count = 0;
    BT_TRY(bt_tokens_count(counter, text, &count));
    *sum += count;
    return BT_OK;
}

/* Count the document, and with it the sections whose middle it shares. */
static enum bt_status count_whole(struct bt_universal_check *handoff, struct bt_tokens *counter,
                                  const struct universal_count_shared list[], size_t count)
{
    const bt_str text = handoff->text;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct universal_count_shared *item = &list[i];
        uint64_t middle = 0;
        uint64_t edges = 0;
        BT_TRY(
            add_count(counter, bt_str_slice(text, at, item->middle.begin), &handoff->tokens.count));
        BT_TRY(
            add_count(counter, bt_str_slice(text, item->middle.begin, item->middle.end), &middle));
        BT_TRY(
            add_count(counter, bt_str_slice(text, item->span.begin, item->middle.begin), &edges));
        BT_TRY(add_count(counter, bt_str_slice(text, item->middle.end, item->span.end), &edges));
        handoff->tokens.count += middle;
        handoff->tokens.sections[item->section] = edges + middle;
        at = item->middle.end;
    }
    return add_count(counter, bt_str_slice(text, at, text.len), &handoff->tokens.count);
}

/* Whether a section has a limit; the counts of the others are facts, and name the largest section
 * of a document that is over budget. */
static bool is_limited(const struct bt_universal_check *handoff, size_t section)
{
    return handoff->options->section_limits[section] != BT_UNIVERSAL_SECTION_UNLIMITED;
}

static enum bt_status count_all(struct bt_universal_check *handoff, struct bt_tokens *counter,
                                struct bt_buf *buf, bool only_limited)
{
    struct universal_count_shared list[BT_UNIVERSAL_SECTION__MAX];
    size_t count = 0;
    /* The chars4 count of a text is not the sum of the counts of its parts, because each is
     * rounded. */
    const bool may_share = counter->encoding != BT_ENCODING_CHARS4;
    for (size_t i = 0; handoff->parts.handoff && i < BT_UNIVERSAL_SECTION__MAX; i++) {
        struct universal_count_shared item;
        bt_str written;
        if (only_limited && !is_limited(handoff, i)) {
            continue;
        }
        BT_TRY(write_section(handoff, &sections[i], buf, &written));
        if (may_share && find_shared(handoff, (enum bt_universal_section)i, written, &item)) {
            insert_shared(list, count++, &item);
        } else {
            BT_TRY(bt_tokens_count(counter, written, &handoff->tokens.sections[i]));
        }
    }
    handoff->tokens.count = 0;
    if (!may_share) {
        return bt_tokens_count(counter, handoff->text, &handoff->tokens.count);
    }
    return count_whole(handoff, counter, list, count);
}

enum bt_status bt_universal_count_tokens(struct bt_universal_check *handoff)
{
    struct bt_tokens *counter = &handoff->universal->counters[handoff->tokens.encoding];
    const bool only_limited = handoff->options->no_facts;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    handoff->tokens.estimate = bt_tokens_estimate(handoff->text);
    enum bt_status status = count_all(handoff, counter, &buf, only_limited);
    if (status == BT_OK && only_limited && handoff->tokens.count > handoff->options->budget) {
        status = count_all(handoff, counter, &buf, false);
    }
    bt_buf_free(&buf);
    return status;
}
