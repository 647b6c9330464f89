/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json_write.c - any document, written in every form and read back.
 *
 * Promises: what is written is a document in UTF-8; the compact and the pretty form keep the value;
 * writing what was read back gives the same bytes, in every form; the canonical form refuses only
 * with a culprit; a source that is said to be written already is; a whole value is written as its
 * pieces are.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "json/write.h"

/* The form's text of a document, or "" when the form has none for it. */
static bt_str write_form(struct bt_buf *buf, const struct bt_json_doc *document,
                         enum bt_json_form form, struct bt_arena *arena)
{
    const bt_json_value *culprit = NULL;
    const bt_json_value *root = bt_json_root(document);
    const enum bt_status status = bt_json_write(buf, document, root, form, arena, &culprit);
    if (status == BT_EINVAL) {
        PROMISE(form == BT_JSON_FORM_CANONICAL);
        PROMISE(culprit);
        return BT_STR("");
    }
    PROMISE(status == BT_OK);
    const bt_str text = bt_buf_str(buf);
    PROMISE(text.len > 0);
    PROMISE(bt_utf8_check(text) == text.len);
    return text;
}

static void form_is_stable(const struct bt_json_doc *document, enum bt_json_form form)
{
    struct bt_arena arena;
    struct bt_buf once;
    struct bt_buf twice;
    struct bt_buf pieces;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&once, FUZZ_BUF_BYTES);
    bt_buf_init(&twice, FUZZ_BUF_BYTES);
    bt_buf_init(&pieces, FUZZ_BUF_BYTES);

    const bt_str text = write_form(&once, document, form, &arena);
    bt_str source;
    if ((form == BT_JSON_FORM_COMPACT || form == BT_JSON_FORM_STRINGIFY) &&
        bt_json_source_has_form(document, bt_json_root(document), form, &source)) {
        PROMISE(bt_str_eq(source, text));
    }
    if (text.len > 0) {
        struct bt_json_writer writer;
        bt_json_writer_init(&writer, &pieces, form, NULL, &arena);
        PROMISE(bt_json_writer_put(&writer, (bt_ref){document, bt_json_root(document)}) == BT_OK);
        PROMISE(bt_str_eq(text, bt_buf_str(&pieces)) || form == BT_JSON_FORM_PRETTY);
    }
    if (text.len > 0) {
        const struct bt_json_doc *again = fuzz_reread(&arena, text);
        if (form == BT_JSON_FORM_COMPACT || form == BT_JSON_FORM_PRETTY) {
            PROMISE(fuzz_same(document, again));
        }
        PROMISE(bt_str_eq(text, write_form(&twice, again, form, &arena)));
    }

    bt_buf_free(&pieces);
    bt_buf_free(&twice);
    bt_buf_free(&once);
    bt_arena_free(&arena);
}

/* White space is all that the pretty form adds. */
static void pretty_is_compact_with_white_space(const struct bt_json_doc *document)
{
    struct bt_arena arena;
    struct bt_buf compact;
    struct bt_buf pretty;
    struct bt_buf back;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&compact, FUZZ_BUF_BYTES);
    bt_buf_init(&pretty, FUZZ_BUF_BYTES);
    bt_buf_init(&back, FUZZ_BUF_BYTES);

    const bt_str direct = write_form(&compact, document, BT_JSON_FORM_COMPACT, &arena);
    const bt_str spaced = write_form(&pretty, document, BT_JSON_FORM_PRETTY, &arena);
    PROMISE(bt_str_ends_with(spaced, BT_STR("\n")));
    PROMISE(bt_str_find_byte(direct, '\n', 0) == direct.len);
    const struct bt_json_doc *again = fuzz_reread(&arena, spaced);
    PROMISE(bt_str_eq(direct, write_form(&back, again, BT_JSON_FORM_COMPACT, &arena)));

    bt_buf_free(&back);
    bt_buf_free(&pretty);
    bt_buf_free(&compact);
    bt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    struct bt_json_read_result result = {0};
    PROMISE(bt_json_read(&arena, fuzz_text(data, size), NULL, &result) == BT_OK);
    if (result.document) {
        form_is_stable(result.document, BT_JSON_FORM_COMPACT);
        form_is_stable(result.document, BT_JSON_FORM_PRETTY);
        form_is_stable(result.document, BT_JSON_FORM_CANONICAL);
        form_is_stable(result.document, BT_JSON_FORM_STRINGIFY);
        pretty_is_compact_with_white_space(result.document);
    }
    bt_arena_free(&arena);
    return 0;
}
