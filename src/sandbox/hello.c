/* SPDX-License-Identifier: Apache-2.0 */
/* hello.c - JSON bodies of frames -> the messages of a host. Everything in them is untrusted. */
#include "sandbox/hello.h"

#include <assert.h>

#include "base/error.h"
#include "json/options.h"

enum { DEPTH_MAX = 80, NAME_BYTES_MAX = 64 };

static const bt_str problem_names[] = {
    [BT_HELLO_FINE] = BT_STR_INIT(""),
    [BT_HELLO_IMPORT] = BT_STR_INIT("import"),
    [BT_HELLO_MISSING] = BT_STR_INIT("missing"),
    [BT_HELLO_SYNC] = BT_STR_INIT("sync"),
    [BT_HELLO_SIGNATURE] = BT_STR_INIT("signature"),
    [BT_HELLO_PAYLOAD] = BT_STR_INIT("payload"),
    [BT_HELLO_RESULT] = BT_STR_INIT("result"),
};

static const bt_str fail_names[] = {
    [BT_FAIL_UNKNOWN] = BT_STR_INIT(""),
    [BT_FAIL_NONE] = BT_STR_INIT("none"),
    [BT_FAIL_NOT_BYTES] = BT_STR_INIT("not-bytes"),
    [BT_FAIL_EXCEPTION] = BT_STR_INIT("exception"),
    [BT_FAIL_PAYLOAD] = BT_STR_INIT("payload"),
    [BT_FAIL_CANCELLED] = BT_STR_INIT("cancelled"),
};

bt_str bt_error_set_name(enum bt_host_failure_kind kind)
{
    assert(kind <= BT_FAIL_CANCELLED);
    return fail_names[kind];
}

bt_str bt_host_hello_error_name(enum bt_host_hello_error problem)
{
    assert(problem <= BT_HELLO_RESULT);
    return problem_names[problem];
}

/* The index of a word in a table; 0: it is not in it. */
static size_t word_index(const bt_str *words, size_t count, bt_str word)
{
    for (size_t i = 1; i < count; i++) {
        if (bt_str_eq(words[i], word)) {
            return i;
        }
    }
    return 0;
}

/* Read an object; *out is NULL when the text is not an object. */
static enum bt_status read_object(struct bt_arena *arena, bt_str body, size_t bytes_max,
                                  const struct bt_json_doc **out)
{
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = bytes_max;
    options.string_bytes_max = bytes_max;
    options.depth_max = DEPTH_MAX;
    struct bt_json_read_result read = {0};
    /* from: handler */
    BT_TRY(bt_json_read(arena, body, &options, &read));
    const bool is_object =
        read.document && bt_json_type(bt_json_root(read.document)) == BT_JSON_OBJECT;
    *out = is_object ? read.document : NULL;
    return BT_OK;
}

static const bt_json_value *member_of(const struct bt_json_doc *document, bt_str name)
{
    return bt_json_get(document, bt_json_root(document), name);
}

static bool is_string(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_STRING;
}

static bool is_type(const bt_json_value *value)
{
    return bt_json_type(value) == BT_JSON_STRING || bt_json_type(value) == BT_JSON_OBJECT;
}

/* Absent is fine; anything else is {"name":TEXT,"fields":[[TEXT,TYPE]...]}. */
static bool read_class(const struct bt_json_doc *document, bt_str member,
                       struct bt_host_hello_class *out)
{
    const bt_json_value *described = member_of(document, member);
    *out = (struct bt_host_hello_class){0};
    if (!described) {
        return true;
    }
    const bt_json_value *name = bt_json_get(document, described, BT_STR("name"));
    const bt_json_value *fields = bt_json_get(document, described, BT_STR("fields"));
    if (!is_string(name) || name->size == 0 || name->size > NAME_BYTES_MAX || !fields ||
        bt_json_type(fields) != BT_JSON_ARRAY) {
        return false;
    }
    for (size_t i = 0; i < bt_json_count(fields); i++) {
        const bt_json_value *pair = bt_json_items(fields) + i;
        if (bt_json_type(pair) != BT_JSON_ARRAY || bt_json_count(pair) != 2 ||
            !is_string(bt_json_items(pair)) || !is_type(bt_json_items(pair) + 1)) {
            return false;
        }
    }
    *out = (struct bt_host_hello_class){.name = bt_json_text(name), .fields = fields};
    return true;
}

/* The fault of a HELLO with ok:false and no valid reason; NULL: the reason is valid. */
static const char *read_problem(const struct bt_json_doc *document, struct bt_host_hello *hello)
{
    const bt_json_value *problem = member_of(document, BT_STR("problem"));
    const bt_json_value *detail = member_of(document, BT_STR("detail"));
    if (!is_string(problem) || !is_string(detail)) {
        return "HELLO names no problem and detail";
    }
    const size_t count = sizeof(problem_names) / sizeof(problem_names[0]);
    hello->problem =
        (enum bt_host_hello_error)word_index(problem_names, count, bt_json_text(problem));
    hello->detail = bt_json_text(detail);
    return hello->problem == BT_HELLO_FINE ? "HELLO names an unknown problem" : NULL;
}

static const char *read_hello(const struct bt_json_doc *document, struct bt_host_hello *hello)
{
    const bt_json_value *protocol = member_of(document, BT_STR("protocol"));
    if (!protocol || bt_json_type(protocol) != BT_JSON_INTEGER || protocol->as.integer != 1) {
        return "HELLO is not of protocol 1";
    }
    const bt_json_value *host = member_of(document, BT_STR("host"));
    if (!is_string(host)) {
        return "HELLO names no host";
    }
    hello->host = bt_json_text(host);
    const bt_json_value *ok = member_of(document, BT_STR("ok"));
    if (ok && bt_json_type(ok) == BT_JSON_FALSE) {
        return read_problem(document, hello);
    }
    if (!ok || bt_json_type(ok) != BT_JSON_TRUE) {
        return "HELLO does not say whether it is ok";
    }
    if (!read_class(document, BT_STR("payload"), &hello->payload) ||
        !read_class(document, BT_STR("result"), &hello->result)) {
        return "HELLO describes a class in another form";
    }
    return NULL;
}

enum bt_status bt_host_hello_read(struct bt_arena *arena, bt_str body, struct bt_host_hello *out,
                                  const char **out_reason)
{
    struct bt_host_hello hello = {0};
    BT_TRY(read_object(arena, body, BT_HELLO_BYTES_MAX, &hello.document));
    const char *reason =
        hello.document ? read_hello(hello.document, &hello) : "HELLO is not a JSON object";
    if (reason) {
        *out_reason = reason;
        return BT_EINVAL;
    }
    *out = hello;
    return BT_OK;
}

enum bt_status bt_error_set_read(struct bt_arena *arena, bt_str body, struct bt_host_failure *out)
{
    const struct bt_json_doc *document = NULL;
    BT_TRY(read_object(arena, body, BT_FAIL_BYTES_MAX, &document));
    if (!document || bt_json_count(bt_json_root(document)) != 2) {
        return BT_EINVAL;
    }
    const bt_json_value *kind = member_of(document, BT_STR("kind"));
    const bt_json_value *detail = member_of(document, BT_STR("detail"));
    if (!is_string(kind) || !is_string(detail)) {
        return BT_EINVAL;
    }
    const size_t count = sizeof(fail_names) / sizeof(fail_names[0]);
    const struct bt_host_failure fail = {
        .kind = (enum bt_host_failure_kind)word_index(fail_names, count, bt_json_text(kind)),
        .detail = bt_json_text(detail),
    };
    if (fail.kind == BT_FAIL_UNKNOWN) {
        return BT_EINVAL;
    }
    *out = fail;
    return BT_OK;
}

enum bt_status bt_host_bye_read(struct bt_arena *arena, bt_str body, bt_str *out_reason)
{
    if (body.len == 0) {
        *out_reason = (bt_str){"", 0};
        return BT_OK;
    }
    const struct bt_json_doc *document = NULL;
    BT_TRY(read_object(arena, body, BT_FAIL_BYTES_MAX, &document));
    const bt_json_value *reason = document ? member_of(document, BT_STR("reason")) : NULL;
    if (!document || bt_json_count(bt_json_root(document)) != 1 || !is_string(reason)) {
        return BT_EINVAL;
    }
    *out_reason = bt_json_text(reason);
    return BT_OK;
}
