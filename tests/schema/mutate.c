/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate.c - one change somewhere in a document: the text is copied value by value, and one of the
 * values is written otherwise. Recursion is as deep as the document, which the reader bounds.
 */
#include "mutate.h"

#include "base/buf.h"
#include "base/str.h"
#include "json/json_test.h"

struct mutation {
    struct bt_buf *out;
    const struct bt_json_doc *document;
    struct rng rng;
    uint64_t target; /* the value that changes, counted in the order of the text ... */
    uint64_t next;   /* ... and the number of the next one to be written */
};

typedef void operation(struct mutation *mutation, const bt_json_value *value);

/* Values of all types, at and beyond the edges of what programs expect. */
static const char *const strangers[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "0.5",
    "1e400",
    "-1e-400",
    "9007199254740993",
    "18446744073709551616",
    "\"\"",
    "\"x\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "[]",
    "[null]",
    "[[],{}]",
    "{}",
    "{\"\":null}",
    "{\"a\":{\"b\":[1]}}",
};

static const char *const strange_texts[] = {
    "\\u00e9", "e\\u0301", "\\ud83d\\ude00", "\\ud800", "\\u0000", " ", "\\n", "\\u2028", "0", "A",
};

static bt_str source_of(const struct mutation *mutation, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(mutation->document, value);
    return bt_str_slice(bt_json_source(mutation->document), span.begin, span.end);
}

static void put_name(struct mutation *mutation, const struct bt_json_member *member)
{
    const struct bt_json_span span = bt_json_member_name_span(mutation->document, member);
    bt_buf_put(mutation->out,
               bt_str_slice(bt_json_source(mutation->document), span.begin, span.end));
    bt_buf_put_char(mutation->out, ':');
}

static void put_comma(struct mutation *mutation, size_t index)
{
    if (index > 0) {
        bt_buf_put_char(mutation->out, ',');
    }
}

static const char *pick(struct mutation *mutation, const char *const *texts, size_t count)
{
    return texts[rng_below(&mutation->rng, count)];
}

static const bt_json_value *child_at(const bt_json_value *value, size_t index)
{
    return bt_json_type(value) == BT_JSON_ARRAY ? &bt_json_items(value)[index]
                                                : &bt_json_members(value)[index].value;
}

/* The value that comes `*left` values after this one in the order of the text, or NULL. */
static const bt_json_value *find_value(const bt_json_value *value, uint64_t *left)
{
    if (*left == 0) {
        return value;
    }
    --*left;
    for (size_t i = 0; i < bt_json_count(value); i++) {
        const bt_json_value *found = find_value(child_at(value, i), left);
        if (found) {
            return found;
        }
    }
    return NULL;
}

static const bt_json_value *any_value(struct mutation *mutation)
{
    uint64_t left = rng_next(&mutation->rng) % (bt_json_node_count(mutation->document) + 1);
    return find_value(bt_json_root(mutation->document), &left);
}

static void put_stranger(struct mutation *mutation, const bt_json_value *value)
{
    (void)value;
    bt_buf_put_text(mutation->out, pick(mutation, strangers, COUNT_OF(strangers)));
}

static void put_another(struct mutation *mutation, const bt_json_value *value)
{
    (void)value;
    bt_buf_put(mutation->out, source_of(mutation, any_value(mutation)));
}

/* The digits and something that makes more, less or the same of them. */
static void change_number(struct mutation *mutation, const bt_json_value *value)
{
    static const char *const endings[] = {"e1", "e-1", "E+0", "e400", "e-400", ".00e0"};
    const bt_str text = source_of(mutation, value);
    const bool is_plain = bt_json_type(value) == BT_JSON_INTEGER;
    const double number = bt_json_to_double(value);
    const bool is_huge = number < -1e300 || number > 1e300;
    switch (rng_below(&mutation->rng, is_plain ? 5 : 2)) {
    case 0:
        bt_buf_printf(mutation->out, "%.17g", is_huge ? 0.0 : number + 1);
        return;
    case 1:
        if (bt_str_starts_with(text, BT_STR("-"))) {
            bt_buf_put(mutation->out, bt_str_slice(text, 1, text.len));
        } else {
            bt_buf_put_char(mutation->out, '-');
            bt_buf_put(mutation->out, text);
        }
        return;
    case 2:
        bt_buf_put(mutation->out, text);
        bt_buf_put_text(mutation->out, ".0");
        return;
    case 3:
        bt_buf_put(mutation->out, text);
        bt_buf_put_text(mutation->out, ".5");
        return;
    default:
        bt_buf_put(mutation->out, text);
        bt_buf_put_text(mutation->out, pick(mutation, endings, COUNT_OF(endings)));
        return;
    }
}

/* A text with one character more at either end, twice the text, or less of it. */
static void change_text(struct mutation *mutation, const bt_json_value *value)
{
    const bt_str quoted = source_of(mutation, value);
    const bt_str text = bt_str_slice(quoted, 1, quoted.len - 1);
    const char *strange = pick(mutation, strange_texts, COUNT_OF(strange_texts));
    size_t cut = 0;
    uint32_t first = 0;
    bt_buf_put_char(mutation->out, '"');
    switch (rng_below(&mutation->rng, 4)) {
    case 0:
        bt_buf_put_text(mutation->out, strange);
        bt_buf_put(mutation->out, text);
        break;
    case 1:
        bt_buf_put(mutation->out, text);
        bt_buf_put_text(mutation->out, strange);
        break;
    case 2:
        bt_buf_put(mutation->out, text);
        bt_buf_put(mutation->out, text);
        break;
    default:
        /* An escape at the beginning would not survive the loss of its first character. */
        if (text.len > 0 && text.ptr[0] != '\\') {
            cut = bt_utf8_decode(text, 0, &first);
        }
        bt_buf_put(mutation->out, bt_str_slice(text, cut, text.len));
        break;
    }
    bt_buf_put_char(mutation->out, '"');
}

/* Items by the numbers in `order`. */
static void put_items(struct mutation *mutation, const bt_json_value *array, const size_t *order,
                      size_t count)
{
    bt_buf_put_char(mutation->out, '[');
    for (size_t i = 0; i < count; i++) {
        put_comma(mutation, i);
        bt_buf_put(mutation->out, source_of(mutation, child_at(array, order[i])));
    }
    bt_buf_put_char(mutation->out, ']');
}

static void change_array(struct mutation *mutation, const bt_json_value *array)
{
    const size_t count = bt_json_count(array);
    if (count == 0) {
        bt_buf_printf(mutation->out, "[%s]", pick(mutation, strangers, COUNT_OF(strangers)));
        return;
    }
    size_t *order = test_calloc(count + 1, sizeof(*order));
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    const size_t one = rng_below(&mutation->rng, count);
    const size_t other = rng_below(&mutation->rng, count);
    switch (rng_below(&mutation->rng, 4)) {
    case 0: /* drop one */
        memmove(order + one, order + one + 1, (count - one) * sizeof(*order));
        put_items(mutation, array, order, count - 1);
        break;
    case 1: /* repeat one */
        order[count] = one;
        put_items(mutation, array, order, count + 1);
        break;
    case 2: /* exchange two */
        order[one] = other;
        order[other] = one;
        put_items(mutation, array, order, count);
        break;
    default: /* cut */
        put_items(mutation, array, order, one);
        break;
    }
    test_free(order);
}

static void put_new_name(struct mutation *mutation)
{
    static const char *const names[] = {"\"\"",        "\"a\"",         "\"b\"",
                                        "\"foo\"",     "\"x-new\"",     "\"$ref\"",
                                        "\"\\u00e9\"", "\"__proto__\"", "\"0\""};
    bt_buf_put_text(mutation->out, pick(mutation, names, COUNT_OF(names)));
    bt_buf_put_char(mutation->out, ':');
}

/* A name with a change that an eye may miss. */
static void put_changed_name(struct mutation *mutation, const struct bt_json_member *member)
{
    const struct bt_json_span span = bt_json_member_name_span(mutation->document, member);
    const bt_str quoted =
        bt_str_slice(bt_json_source(mutation->document), span.begin, span.end - 1);
    bt_buf_put(mutation->out, quoted);
    bt_buf_put_text(mutation->out, pick(mutation, strange_texts, COUNT_OF(strange_texts)));
    bt_buf_put_text(mutation->out, "\":");
}

enum object_change { DROP, RENAME, RENAME_ANEW, TAKE_OTHER, ADD, OBJECT_CHANGE__MAX };

static void put_changed_member(struct mutation *mutation, const struct bt_json_member *member,
                               enum object_change change)
{
    if (change == RENAME) {
        put_changed_name(mutation, member);
    } else if (change == RENAME_ANEW) {
        put_new_name(mutation);
    } else {
        put_name(mutation, member);
    }
    bt_buf_put(mutation->out,
               source_of(mutation, change == TAKE_OTHER ? any_value(mutation) : &member->value));
}

static void change_object(struct mutation *mutation, const bt_json_value *object)
{
    const size_t count = bt_json_count(object);
    enum object_change change = (enum object_change)rng_below(&mutation->rng, OBJECT_CHANGE__MAX);
    change = count == 0 ? ADD : change;
    const size_t one = change == ADD ? count : rng_below(&mutation->rng, count);
    size_t written = 0;
    bt_buf_put_char(mutation->out, '{');
    for (size_t i = 0; i < count; i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        if (i == one && change == DROP) {
            continue;
        }
        put_comma(mutation, written++);
        if (i == one) {
            put_changed_member(mutation, member, change);
        } else {
            put_name(mutation, member);
            bt_buf_put(mutation->out, source_of(mutation, &member->value));
        }
    }
    if (change == ADD) {
        put_comma(mutation, written);
        put_new_name(mutation);
        bt_buf_put_text(mutation->out, pick(mutation, strangers, COUNT_OF(strangers)));
    }
    bt_buf_put_char(mutation->out, '}');
}

static void change_value(struct mutation *mutation, const bt_json_value *value)
{
    static operation *const by_type[] = {
        [BT_JSON_INTEGER] = change_number, [BT_JSON_NUMBER] = change_number,
        [BT_JSON_STRING] = change_text,    [BT_JSON_ARRAY] = change_array,
        [BT_JSON_OBJECT] = change_object,
    };
    operation *own = by_type[bt_json_type(value)];
    const size_t choice = rng_below(&mutation->rng, 10);
    if (choice < 2 || !own) {
        put_stranger(mutation, value);
    } else if (choice == 2) {
        put_another(mutation, value);
    } else {
        own(mutation, value);
    }
}

static void put_value(struct mutation *mutation, const bt_json_value *value)
{
    const bool is_object = bt_json_type(value) == BT_JSON_OBJECT;
    if (mutation->next++ == mutation->target) {
        change_value(mutation, value);
        return;
    }
    if (!is_object && bt_json_type(value) != BT_JSON_ARRAY) {
        bt_buf_put(mutation->out, source_of(mutation, value));
        return;
    }
    bt_buf_put_char(mutation->out, is_object ? '{' : '[');
    for (size_t i = 0; i < bt_json_count(value); i++) {
        put_comma(mutation, i);
        if (is_object) {
            put_name(mutation, &bt_json_members(value)[i]);
        }
        put_value(mutation, child_at(value, i));
    }
    bt_buf_put_char(mutation->out, is_object ? '}' : ']');
}

void mutate(struct bt_buf *out, const struct bt_json_doc *document, uint64_t seed)
{
    struct mutation mutation = {.out = out, .document = document, .rng = {seed}};
    mutation.target = rng_next(&mutation.rng) % (bt_json_node_count(document) + 1);
    put_value(&mutation, bt_json_root(document));
}
