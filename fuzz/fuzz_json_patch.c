/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json_patch.c - two texts, parted by the record separator of RFC 7464.
 *
 * Promises: the difference of two documents, applied to the first, gives the second; the second
 * taken as a patch of the first is either applied or refused, and a refusal writes nothing.
 */
#include "fuzz.h"

#include "base/buf.h"

#define SEPARATOR 0x1e

static const struct bt_json_patch_options *options_of(struct bt_json_patch_options *options)
{
    *options = (struct bt_json_patch_options){.form = BT_JSON_FORM_COMPACT};
    return options;
}

static void difference_leads_there(const struct bt_json_doc *a, const struct bt_json_doc *b)
{
    struct bt_arena arena;
    struct bt_buf patch;
    struct bt_buf patched;
    struct bt_json_patch_options options;
    struct bt_json_patch_result result = {0};
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&patch, FUZZ_BUF_BYTES);
    bt_buf_init(&patched, FUZZ_BUF_BYTES);

    PROMISE(bt_json_diff(&patch, a, b, &arena) == BT_OK);
    const struct bt_json_doc *steps = fuzz_reread(&arena, bt_buf_str(&patch));
    const bool equal = fuzz_same(a, b);
    PROMISE(equal == (bt_json_count(bt_json_root(steps)) == 0));
    PROMISE(bt_json_patch(&patched, a, steps, options_of(&options), &arena, &result) == BT_OK);
    PROMISE(result.code == BT_JSON_PATCH_OK);
    const struct bt_json_doc *there = fuzz_reread(&arena, bt_buf_str(&patched));
    PROMISE(fuzz_same(there, b));

    bt_buf_free(&patched);
    bt_buf_free(&patch);
    bt_arena_free(&arena);
}

static void patch_is_all_or_nothing(const struct bt_json_doc *document,
                                    const struct bt_json_doc *patch)
{
    struct bt_arena arena;
    struct bt_buf buf;
    struct bt_json_patch_options options;
    struct bt_json_patch_result result = {0};
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    bt_buf_put_char(&buf, '!'); /* what stood there before stays */

    PROMISE(bt_json_patch(&buf, document, patch, options_of(&options), &arena, &result) == BT_OK);
    const bt_str written = bt_str_slice(bt_buf_str(&buf), 1, SIZE_MAX);
    PROMISE(bt_buf_str(&buf).ptr[0] == '!');
    PROMISE(result.detail);
    if (result.code == BT_JSON_PATCH_OK) {
        (void)fuzz_reread(&arena, written);
    } else {
        PROMISE(written.len == 0);
        PROMISE(result.operation <= bt_json_count(bt_json_root(patch)));
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    const size_t middle = bt_str_find_byte(text, SEPARATOR, 0);
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    struct bt_json_read_result a = {0};
    struct bt_json_read_result b = {0};
    PROMISE(bt_json_read(&arena, bt_str_slice(text, 0, middle), NULL, &a) == BT_OK);
    PROMISE(bt_json_read(&arena, bt_str_slice(text, middle + 1, size), NULL, &b) == BT_OK);
    if (a.document && b.document) {
        difference_leads_there(a.document, b.document);
        difference_leads_there(b.document, a.document);
        difference_leads_there(a.document, a.document);
        patch_is_all_or_nothing(a.document, b.document);
    }
    bt_arena_free(&arena);
    return 0;
}
