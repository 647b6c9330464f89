/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - a text read, and what came of it as one line of text.
 */
#ifndef BATON_TESTS_XML_READING_H
#define BATON_TESTS_XML_READING_H

#include "base/arena.h"
#include "base/buf.h"
#include "test.h"
#include "xml/xml.h"

enum { READING_ARENA_BYTES = 256 << 20, READING_BYTES_MAX = 1 << 20 };

static struct bt_arena reading_arena;

static inline int reading_begin(void **state)
{
    (void)state;
    bt_arena_init(&reading_arena, READING_ARENA_BYTES);
    return 0;
}

static inline int reading_end(void **state)
{
    (void)state;
    bt_arena_free(&reading_arena);
    return 0;
}

static inline struct bt_xml_result reading_of(bt_str text, enum bt_xml_mode temper)
{
    const struct bt_xml_options options = {
        .mode = temper, .bytes_max = READING_BYTES_MAX, .depth_max = BT_XML_DEPTH_MAX};
    struct bt_xml_result result;
    assert_int_equal(bt_xml_read(&reading_arena, text, &options, &result), BT_OK);
    assert_true((result.document != NULL) == (result.code == BT_XML_FINE));
    return result;
}

static inline const char *reading_code(enum bt_xml_error code)
{
    static const char *const names[] = {"fine", "large",      "encoding", "dtd", "pi",  "namespace",
                                        "deep", "attributes", "syntax",   "cut", "leaf"};
    return names[code];
}

/* The canonical form of every root, or "!code@offset"; then the repairs in braces. */
static inline const char *reading_line(bt_str text, enum bt_xml_mode temper)
{
    const struct bt_xml_result result = reading_of(text, temper);
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 22);
    if (result.document) {
        for (const struct bt_xml_node *root = result.document->root; root; root = root->next) {
            assert_int_equal(bt_xml_put_canonical(&buf, &reading_arena, result.document, root),
                             BT_OK);
        }
    } else {
        bt_buf_printf(&buf, "!%s@%zu", reading_code(result.code), result.offset);
    }
    bt_str names[BT_XML_REPAIRS_MAX];
    const size_t count = bt_xml_repair_names(result.repairs, names);
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(&buf, "{%.*s}", BT_STR_ARG(names[i]));
    }
    bt_str line;
    assert_int_equal(bt_buf_copy(&buf, &reading_arena, &line), BT_OK);
    bt_buf_free(&buf);
    return line.ptr;
}

struct reading_row {
    bt_str text;
    const char *expected;
};

static inline void reading_rows(const struct reading_row *rows, size_t count,
                                enum bt_xml_mode temper)
{
    for (size_t i = 0; i < count; i++) {
        const char *line = reading_line(rows[i].text, temper);
        if (strcmp(line, rows[i].expected) != 0) {
            fail_msg("%.*s: got %s, expected %s", BT_STR_ARG(rows[i].text), line, rows[i].expected);
        }
    }
}

#endif
