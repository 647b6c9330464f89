/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_sample.c - values that a schema accepts, and values near the limits of another schema.
 *
 * Nothing here needs to be right: every value is validated before it is used.
 */
#include <assert.h>
#include <string.h>

#include "dialect/plan/compat.h"

enum {
    VALUE_BYTES_MAX = 64 * 1024,
    LENGTH_MAX = 20000, /* of a string that is made */
    ITEMS_MAX = 1000,
    VARIANTS_MAX = 64,
    PARTS_MAX = 6,
};

static bool find_bound(const struct bt_payload_side *side, size_t node, const char *keyword,
                       double *out)
{
    const bt_json_value *value = bt_payload_side_get(side, node, keyword);
    if (!value || !bt_json_is_number(value)) {
        return false;
    }
    *out = bt_json_to_double(value);
    return *out > -1e300 && *out < 1e300;
}

static size_t count_bound(const struct bt_payload_side *side, size_t node, const char *keyword,
                          size_t max)
{
    double number = 0;
    const bool has = find_bound(side, node, keyword, &number) && number > 0;
    return has ? (number < (double)max ? (size_t)number : max) : 0;
}

static void put_member(struct bt_buf *buf, bt_str name, bt_str value, bool *is_first)
{
    bt_buf_put_text(buf, *is_first ? "" : ",");
    bt_json_put_string(buf, name);
    bt_buf_put_char(buf, ':');
    bt_buf_put(buf, value.len > 0 ? value : BT_STR("null"));
    *is_first = false;
}

/* Put members that no schema names, each with the same value. */
static void put_others(struct bt_buf *buf, bt_str value, size_t count, bool *is_first)
{
    for (size_t i = 0; value.len > 0 && i < count; i++) {
        bt_buf_printf(buf, "%s\"zz%02zu\":", *is_first ? "" : ",", i);
        bt_buf_put(buf, value);
        *is_first = false;
    }
}

static bool is_member(const struct bt_payload_sample_member *member, bt_str name)
{
    return member->name.ptr && bt_str_eq(member->name, name);
}

void bt_payload_put_object(const struct bt_payload_side *side, const bt_str *samples, size_t node,
                           const struct bt_payload_sample_member *member, struct bt_buf *buf)
{
    const bt_json_value *required = bt_payload_side_get(side, node, "required");
    const bt_json_value *names = required ? bt_json_items(required) : NULL;
    const bt_json_value *properties = bt_payload_side_get(side, node, "properties");
    const size_t wanted = count_bound(side, node, "minProperties", ITEMS_MAX);
    size_t count = 0;
    bool is_first = true;
    bt_buf_put_char(buf, '{');
    for (size_t i = 0; names && i < bt_json_count(required); i++, count++) {
        const bt_str name = bt_json_text(&names[i]);
        put_member(buf, name,
                   is_member(member, name) ? member->value
                                           : samples[bt_payload_side_property(side, node, name)],
                   &is_first);
    }
    if (member->name.ptr && !bt_payload_side_requires(side, node, member->name)) {
        put_member(buf, member->name, member->value, &is_first);
        count++;
    }
    for (size_t i = 0; properties && count < wanted && i < bt_json_count(properties); i++) {
        const bt_str name = bt_json_name(&bt_json_members(properties)[i]);
        const bt_str value = samples[bt_payload_side_property(side, node, name)];
        if (!bt_payload_side_requires(side, node, name) && !is_member(member, name) &&
            value.len > 0) {
            put_member(buf, name, value, &is_first);
            count++;
        }
    }
    put_others(buf, samples[bt_payload_side_property(side, node, (bt_str){NULL, 0})],
               wanted > count ? wanted - count : 0, &is_first);
    bt_buf_put_char(buf, '}');
}

void bt_payload_put_array(const struct bt_payload_side *side, const bt_str *samples, size_t node,
                          size_t at, bt_str value, struct bt_buf *buf)
{
    const size_t least = count_bound(side, node, "minItems", ITEMS_MAX);
    const size_t count = value.ptr && at + 1 > least ? at + 1 : least;
    bt_buf_put_char(buf, '[');
    for (size_t i = 0; i < count; i++) {
        const bt_str sample = samples[bt_payload_side_item(side, node, i)];
        bt_buf_put_text(buf, i > 0 ? "," : "");
        bt_buf_put(buf, value.ptr && i == at ? value : sample.len > 0 ? sample : BT_STR("null"));
    }
    bt_buf_put_char(buf, ']');
}

static enum bt_status add_sample(struct bt_payload_samples *out, bt_str text)
{
    if (out->count == BT_CANDIDATES_MAX) {
        return BT_OK;
    }
    return bt_arena_copy(out->arena, text, &out->items[out->count++]);
}

/* Add what a buffer holds, unless it grew too large, and free it. */
static enum bt_status add_buf(struct bt_payload_samples *out, struct bt_buf *buf)
{
    enum bt_status status = buf->status == BT_ELIMIT ? BT_OK : buf->status;
    if (buf->status == BT_OK) {
        status = add_sample(out, bt_buf_str(buf));
    }
    bt_buf_free(buf);
    return status;
}

static enum bt_status add_number(struct bt_payload_samples *out, double number)
{
    char text[BT_DOUBLE_TEXT_BYTES];
    const size_t length = bt_double_format(number, text);
    return add_sample(out, (bt_str){text, length});
}

static bt_str source_of(const struct bt_payload_side *side, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(side->payload->document, value);
    return bt_str_slice(bt_json_source(side->payload->document), span.begin, span.end);
}

static enum bt_status add_listed(struct bt_payload_samples *out, const struct bt_payload_side *side,
                                 size_t node)
{
    const bt_json_value *constant = bt_payload_side_get(side, node, "const");
    const bt_json_value *list = bt_payload_side_get(side, node, "enum");
    const bt_json_value *items = list ? bt_json_items(list) : NULL;
    if (constant) {
        BT_TRY(add_sample(out, source_of(side, constant)));
    }
    for (size_t i = 0; items && i < bt_json_count(list); i++) {
        BT_TRY(add_sample(out, source_of(side, &items[i])));
    }
    return BT_OK;
}

/* A string of `length` letters, the last of which is chosen by `variant`. */
static enum bt_status add_string(struct bt_payload_samples *out, size_t length, size_t variant)
{
    struct bt_buf buf;
    if (length > LENGTH_MAX) {
        return BT_OK;
    }
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    bt_buf_put_char(&buf, '"');
    bt_buf_put_repeat(&buf, 'a', length > 0 ? length - 1 : 0);
    if (length > 0) {
        char point[4];
        const size_t bytes = bt_utf8_encode(
            variant < 26 ? 'a' + (uint32_t)variant : 0x100 + (uint32_t)variant, point);
        bt_buf_put(&buf, (bt_str){point, bytes});
    }
    bt_buf_put_char(&buf, '"');
    return add_buf(out, &buf);
}

/* Skip what follows a `|` up to the end of its group. */
static size_t skip_branches(bt_str pattern, size_t at)
{
    for (size_t depth = 0; at < pattern.len; at++) {
        const char byte = pattern.ptr[at];
        if (byte == '\\') {
            at++;
        } else if (byte == '(') {
            depth++;
        } else if (byte == ')' && depth-- == 0) {
            break;
        }
    }
    return at;
}

/* Put one character for the atom at `at`, which moves behind it. */
static void put_atom(bt_str pattern, size_t *at, struct bt_buf *buf)
{
    const char byte = pattern.ptr[(*at)++];
    const char next = *at < pattern.len ? pattern.ptr[*at] : 'a';
    if (byte == '\\') {
        (*at)++;
        bt_buf_put_char(buf, next == 'd' ? '0' : next == 'w' ? 'a' : next == 's' ? ' ' : next);
    } else if (byte == '[') {
        bt_buf_put_char(buf, next == '^' ? '~' : next);
        while (*at < pattern.len && pattern.ptr[*at] != ']') {
            *at += pattern.ptr[*at] == '\\' ? 2 : 1;
        }
        (*at)++;
    } else {
        bt_buf_put_char(buf, byte == '.' ? 'a' : byte);
    }
}

/* Put a text that simple patterns match: each atom once, or as often as its least count says; the
 * first branch of each choice. Others it misses, and then another candidate may do. */
static void put_match(bt_str pattern, struct bt_buf *buf)
{
    size_t last = 0; /* where the last atom begins in the text */
    for (size_t at = 0; at < pattern.len;) {
        const char byte = pattern.ptr[at];
        const bt_str rest = bt_str_slice(pattern, at, pattern.len);
        if (byte == '|') {
            at = skip_branches(pattern, at + 1);
        } else if (byte == '{') {
            const size_t end = bt_str_find_byte(pattern, '}', at);
            const size_t comma = bt_str_find_byte(pattern, ',', at);
            uint64_t count = 1;
            const bt_str least = bt_str_slice(pattern, at + 1, comma < end ? comma : end);
            count = bt_str_to_u64(least, &count) == BT_OK ? count : 1;
            const bt_str atom = bt_str_slice(bt_buf_str(buf), last, buf->len);
            char one[8];
            const size_t length = atom.len < sizeof(one) ? atom.len : sizeof(one);
            memcpy(one, atom.ptr, length);
            for (uint64_t i = 1; i < count && i < LENGTH_MAX; i++) {
                bt_buf_put(buf, (bt_str){one, length});
            }
            at = end + 1;
        } else if (strchr("^$()*+?", byte)) {
            at += bt_str_starts_with(rest, BT_STR("(?:")) ? 3 : 1;
        } else {
            last = buf->len;
            put_atom(pattern, &at, buf);
        }
    }
}

static enum bt_status add_match(struct bt_payload_samples *out, const struct bt_payload_side *side,
                                size_t node)
{
    const bt_json_value *pattern = bt_payload_side_get(side, node, "pattern");
    struct bt_buf text;
    struct bt_buf json;
    if (!pattern) {
        return BT_OK;
    }
    bt_buf_init(&text, VALUE_BYTES_MAX);
    bt_buf_init(&json, VALUE_BYTES_MAX);
    put_match(bt_json_text(pattern), &text);
    bt_json_put_string(&json, bt_buf_str(&text));
    json.status = json.status == BT_OK ? text.status : json.status;
    bt_buf_free(&text);
    return add_buf(out, &json);
}

static enum bt_status add_strings(struct bt_payload_samples *out,
                                  const struct bt_payload_compat *compat, size_t a, size_t b)
{
    static const char *const keywords[] = {"minLength", "maxLength"};
    const size_t least = count_bound(compat->a, a, "minLength", LENGTH_MAX + 1);
    BT_TRY(add_match(out, compat->a, a));
    for (size_t i = 0; i < 2; i++) {
        double limit = 0;
        if (find_bound(compat->a, a, keywords[i], &limit) && limit < LENGTH_MAX) {
            BT_TRY(add_string(out, (size_t)limit, 0));
        }
        if (find_bound(compat->b, b, keywords[i], &limit) && limit < LENGTH_MAX) {
            BT_TRY(limit >= 1 ? add_string(out, (size_t)limit - 1, 0) : BT_OK);
            BT_TRY(add_string(out, (size_t)limit + 1, 0));
        }
    }
    BT_TRY(add_string(out, least, 0));
    for (size_t i = 0; i < VARIANTS_MAX; i++) {
        BT_TRY(add_string(out, least > 0 ? least : 1, i));
    }
    return BT_OK;
}

/* Bounds as they are written, and what lies beside them. */
static enum bt_status add_around(struct bt_payload_samples *out, const struct bt_payload_side *side,
                                 size_t node, double step)
{
    static const char *const keywords[] = {"minimum", "maximum", "exclusiveMinimum",
                                           "exclusiveMaximum"};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        double limit = 0;
        if (!find_bound(side, node, keywords[i], &limit)) {
            continue;
        }
        BT_TRY(add_sample(out, source_of(side, bt_payload_side_get(side, node, keywords[i]))));
        BT_TRY(add_number(out, limit - step));
        BT_TRY(add_number(out, limit + step));
        BT_TRY(add_number(out, limit - 1));
        BT_TRY(add_number(out, limit + 1));
        BT_TRY(add_number(out, limit - 0.5));
        BT_TRY(add_number(out, limit + 0.5));
    }
    return BT_OK;
}

static enum bt_status add_numbers(struct bt_payload_samples *out,
                                  const struct bt_payload_compat *compat, size_t a, size_t b)
{
    double step = 1;
    double least = 0;
    double most = 0;
    if (!find_bound(compat->a, a, "multipleOf", &step) || step <= 0) {
        step = 1;
    }
    const bool has_least = find_bound(compat->a, a, "minimum", &least) ||
                           find_bound(compat->a, a, "exclusiveMinimum", &least);
    const bool has_most = find_bound(compat->a, a, "maximum", &most) ||
                          find_bound(compat->a, a, "exclusiveMaximum", &most);
    BT_TRY(add_around(out, compat->a, a, step));
    BT_TRY(add_around(out, compat->b, b, step));
    const double from = has_least ? least : has_most ? most : 0;
    double first = 0;
    if (from / step > -1e15 && from / step < 1e15) {
        first = (double)(int64_t)(from / step) * step;
    }
    for (int i = -3; i < VARIANTS_MAX; i++) {
        BT_TRY(add_number(out, first + i * (has_least || !has_most ? step : -step)));
    }
    return add_sample(out, BT_STR("0.5"));
}

static enum bt_status add_arrays(struct bt_payload_samples *out,
                                 const struct bt_payload_compat *compat, const bt_str *samples,
                                 size_t a, size_t b)
{
    static const char *const keywords[] = {"minItems", "maxItems"};
    struct bt_buf buf;
    const struct bt_payload_side *sides[] = {compat->a, compat->b};
    const size_t nodes[] = {a, b};
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    bt_payload_put_array(compat->a, samples, a, 0, (bt_str){NULL, 0}, &buf);
    BT_TRY(add_buf(out, &buf));
    for (size_t i = 0; i < 4; i++) {
        double limit = 0;
        const bool has = find_bound(sides[i / 2], nodes[i / 2], keywords[i % 2], &limit);
        for (int by = -1; has && by <= 1; by++) {
            const double count = limit + by;
            if (count >= 1 && count <= ITEMS_MAX) {
                const size_t at = (size_t)count - 1;
                const bt_str sample = samples[bt_payload_side_item(compat->a, a, at)];
                bt_buf_init(&buf, VALUE_BYTES_MAX);
                bt_payload_put_array(compat->a, samples, a, at,
                                     sample.len > 0 ? sample : BT_STR("null"), &buf);
                BT_TRY(add_buf(out, &buf));
            }
        }
    }
    return BT_OK;
}

/* An object with everything that is named, for bounds on the number of members. */
static enum bt_status add_full_object(struct bt_payload_samples *out,
                                      const struct bt_payload_compat *compat, const bt_str *samples,
                                      size_t a, size_t extra)
{
    const bt_json_value *properties = bt_payload_side_get(compat->a, a, "properties");
    const bt_str other = samples[bt_payload_side_property(compat->a, a, (bt_str){NULL, 0})];
    struct bt_buf buf;
    bool is_first = true;
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    bt_buf_put_char(&buf, '{');
    for (size_t i = 0; properties && i < bt_json_count(properties); i++) {
        const bt_str name = bt_json_name(&bt_json_members(properties)[i]);
        const bt_str value = samples[bt_payload_side_property(compat->a, a, name)];
        if (value.len > 0) {
            put_member(&buf, name, value, &is_first);
        }
    }
    put_others(&buf, other, extra, &is_first);
    bt_buf_put_char(&buf, '}');
    return add_buf(out, &buf);
}

static enum bt_status add_objects(struct bt_payload_samples *out,
                                  const struct bt_payload_compat *compat, const bt_str *samples,
                                  size_t a, size_t b)
{
    const struct bt_payload_sample_member none = {{NULL, 0}, {NULL, 0}};
    const bt_json_value *properties = bt_payload_side_get(compat->a, a, "properties");
    struct bt_buf buf;
    bt_buf_init(&buf, VALUE_BYTES_MAX);
    bt_payload_put_object(compat->a, samples, a, &none, &buf);
    BT_TRY(add_buf(out, &buf));
    for (size_t i = 0; properties && i < bt_json_count(properties) && i < VARIANTS_MAX; i++) {
        const bt_str name = bt_json_name(&bt_json_members(properties)[i]);
        const struct bt_payload_sample_member member = {
            name, samples[bt_payload_side_property(compat->a, a, name)]};
        bt_buf_init(&buf, VALUE_BYTES_MAX);
        bt_payload_put_object(compat->a, samples, a, &member, &buf);
        BT_TRY(add_buf(out, &buf));
    }
    const size_t most = count_bound(compat->b, b, "maxProperties", 90);
    BT_TRY(add_full_object(out, compat, samples, a, 0));
    return add_full_object(out, compat, samples, a, most + 1);
}

/* Candidates by the keywords of two nodes themselves. */
static enum bt_status add_own(struct bt_payload_samples *out,
                              const struct bt_payload_compat *compat, const bt_str *samples,
                              size_t a, size_t b)
{
    const unsigned types = bt_payload_side_types(compat->a, a);
    const unsigned number = BT_TYPE_INTEGER | BT_TYPE_FRACTION;
    BT_TRY(add_listed(out, compat->a, a));
    BT_TRY((types & BT_TYPE_OBJECT) != 0 ? add_objects(out, compat, samples, a, b) : BT_OK);
    BT_TRY((types & BT_TYPE_ARRAY) != 0 ? add_arrays(out, compat, samples, a, b) : BT_OK);
    BT_TRY((types & BT_TYPE_NULL) != 0 ? add_sample(out, BT_STR("null")) : BT_OK);
    if ((types & BT_TYPE_BOOLEAN) != 0) {
        BT_TRY(add_sample(out, BT_STR("false")));
        BT_TRY(add_sample(out, BT_STR("true")));
    }
    BT_TRY((types & BT_TYPE_STRING) != 0 ? add_strings(out, compat, a, b) : BT_OK);
    return (types & number) != 0 ? add_numbers(out, compat, a, b) : BT_OK;
}

/* A node and what it is made of in place: the branches of allOf, anyOf and oneOf, and its $ref. */
struct plan_compat_sample_parts {
    size_t nodes[PARTS_MAX];
    size_t count;
};

static struct plan_compat_sample_parts parts_of(const struct bt_payload_side *side, size_t node)
{
    static const char *const keywords[] = {"allOf", "anyOf", "oneOf"};
    struct plan_compat_sample_parts parts = {.nodes = {node}, .count = 1};
    if (side->targets[node] != BT_ABSENT) {
        parts.nodes[parts.count++] = bt_payload_side_resolve(side, side->targets[node]);
    }
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        const bt_json_value *list = bt_payload_side_get(side, node, keywords[i]);
        const bt_json_value *items = list ? bt_json_items(list) : NULL;
        for (size_t j = 0; items && j < bt_json_count(list) && parts.count < PARTS_MAX; j++) {
            parts.nodes[parts.count++] =
                bt_payload_side_resolve(side, bt_payload_side_node(side, &items[j]));
        }
    }
    return parts;
}

enum bt_status bt_payload_samples_find(struct bt_payload_compat *compat, const bt_str *samples,
                                       size_t a, size_t b, struct bt_payload_samples *out)
{
    const struct plan_compat_sample_parts of_a = parts_of(compat->a, a);
    const struct plan_compat_sample_parts of_b = parts_of(compat->b, b);
    for (size_t i = 0; i < of_a.count; i++) {
        for (size_t j = 0; j < of_b.count; j++) {
            BT_TRY(add_own(out, compat, samples, of_a.nodes[i], of_b.nodes[j]));
        }
    }
    return BT_OK;
}

/* The first candidate that the node itself accepts. */
static enum bt_status find_sample(struct bt_payload_compat *compat, struct bt_payload_side *side,
                                  bt_str *samples, size_t node)
{
    struct bt_payload_compat alone = *compat;
    alone.a = side;
    alone.b = side;
    struct bt_payload_samples found = {.arena = compat->arena};
    found.items = BT_NEW_ARRAY(compat->arena, bt_str, BT_CANDIDATES_MAX);
    BT_TRY(found.items ? BT_OK : BT_ENOMEM);
    const size_t resolved = bt_payload_side_resolve(side, node);
    if (resolved != node) {
        samples[node] = samples[resolved];
        return BT_OK;
    }
    BT_TRY(bt_payload_samples_find(&alone, samples, node, node, &found));
    for (size_t i = 0; i < found.count && samples[node].len == 0; i++) {
        enum bt_schema_result answer = BT_SCHEMA_UNDECIDED;
        const struct bt_arena_mark mark = bt_arena_mark(compat->arena);
        const struct bt_json_doc *value = NULL;
        BT_TRY(bt_payload_sample_read(compat, found.items[i], &value));
        BT_TRY(bt_payload_side_validate(compat, side, node, value, &answer));
        bt_arena_rewind(compat->arena, mark);
        if (answer == BT_SCHEMA_VALID) {
            samples[node] = found.items[i];
        }
    }
    return BT_OK;
}

enum bt_status bt_payload_samples_make(struct bt_payload_compat *compat,
                                       struct bt_payload_side *side, bt_str *samples)
{
    samples[BT_ANYTHING] = BT_STR("\"\"");
    samples[BT_NOTHING] = BT_STR("");
    for (size_t i = 0; i < side->count; i++) {
        const size_t node = side->order[i];
        if (node >= BT_NODES_BEFORE) {
            samples[node] = BT_STR("");
            BT_TRY(find_sample(compat, side, samples, node));
        }
    }
    return BT_OK;
}
