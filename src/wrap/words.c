/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - the longest common subsequence of the words of two texts.
 *
 * What both begin and end with is left aside. When the rest is too long for the table, all of it
 * counts as removed and added.
 */
#include "wrap/words.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/vec.h"

enum { TABLE_CELLS_MAX = 4 << 20 };

struct wrap_word_list {
    BT_VEC(bt_str) words;
};

struct wrap_word_diff {
    struct bt_arena *arena;
    const bt_str *a;
    const bt_str *b;
    size_t a_count;
    size_t b_count;
    uint32_t *lengths; /* by a, then b: of the common subsequence behind both; NULL: not known */
    struct bt_wrap_word_changes *out;
};

static enum bt_status split_words(struct bt_arena *arena, bt_str text, struct wrap_word_list *out)
{
    size_t at = 0;
    *out = (struct wrap_word_list){0};
    while (at < text.len) {
        while (at < text.len && bt_ascii_is_space(text.ptr[at])) {
            at++;
        }
        const size_t from = at;
        while (at < text.len && !bt_ascii_is_space(text.ptr[at])) {
            at++;
        }
        if (at > from) {
            BT_TRY(bt_vec_push(arena, &out->words, bt_str_slice(text, from, at)));
        }
    }
    return BT_OK;
}

/* Without what both begin and end with. */
static void trim_common(struct wrap_word_diff *diff)
{
    while (diff->a_count > 0 && diff->b_count > 0 && bt_str_eq(diff->a[0], diff->b[0])) {
        diff->a++;
        diff->b++;
        diff->a_count--;
        diff->b_count--;
    }
    while (diff->a_count > 0 && diff->b_count > 0 &&
           bt_str_eq(diff->a[diff->a_count - 1], diff->b[diff->b_count - 1])) {
        diff->a_count--;
        diff->b_count--;
    }
}

static enum bt_status fill_table(struct wrap_word_diff *diff)
{
    const size_t width = diff->b_count + 1;
    if (width > TABLE_CELLS_MAX / (diff->a_count + 1)) {
        return BT_OK;
    }
    diff->lengths = BT_NEW_ARRAY(diff->arena, uint32_t, (diff->a_count + 1) * width);
    BT_TRY(diff->lengths ? BT_OK : BT_ENOMEM);
    for (size_t i = diff->a_count; i-- > 0;) {
        for (size_t j = diff->b_count; j-- > 0;) {
            const uint32_t down = diff->lengths[(i + 1) * width + j];
            const uint32_t right = diff->lengths[i * width + j + 1];
            diff->lengths[i * width + j] = bt_str_eq(diff->a[i], diff->b[j])
                                               ? diff->lengths[(i + 1) * width + j + 1] + 1
                                           : down > right ? down
                                                          : right;
        }
    }
    return BT_OK;
}

static enum bt_status join_run(struct bt_arena *arena, const bt_str *words, size_t count,
                               bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BT_WRAP_RUN_BYTES_MAX + 16);
    for (size_t i = 0; i < count && buf.len < BT_WRAP_RUN_BYTES_MAX; i++) {
        if (i > 0) {
            bt_buf_put_char(&buf, ' ');
        }
        for (size_t at = 0; at < words[i].len && buf.len < BT_WRAP_RUN_BYTES_MAX;) {
            const size_t before = buf.len;
            at += bt_buf_put_visible_char(&buf, words[i], at);
            if (buf.len > BT_WRAP_RUN_BYTES_MAX) {
                buf.len = before; /* no part of a character */
                return bt_buf_finish(&buf, arena, out);
            }
        }
    }
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status add_run(const struct wrap_word_diff *diff, const bt_str *words, size_t count,
                              bool is_removed)
{
    struct bt_wrap_word_changes *out = diff->out;
    size_t *number = is_removed ? &out->removed_count : &out->added_count;
    bt_str *runs = is_removed ? out->removed : out->added;
    if (count == 0 || *number == BT_WRAP_RUNS_MAX) {
        return BT_OK;
    }
    BT_TRY(join_run(diff->arena, words, count, &runs[*number]));
    (*number)++;
    return BT_OK;
}

/* Follow the table; a run ends where both texts have the same word. */
static enum bt_status add_runs(const struct wrap_word_diff *diff)
{
    const size_t width = diff->b_count + 1;
    size_t i = 0;
    size_t j = 0;
    while (i < diff->a_count || j < diff->b_count) {
        const size_t a_from = i;
        const size_t b_from = j;
        while (i < diff->a_count || j < diff->b_count) {
            const bool is_same = i < diff->a_count && j < diff->b_count && diff->lengths &&
                                 bt_str_eq(diff->a[i], diff->b[j]);
            if (is_same) {
                break;
            }
            const bool takes_a = j == diff->b_count || !diff->lengths
                                     ? i < diff->a_count
                                     : i < diff->a_count && diff->lengths[(i + 1) * width + j] >=
                                                                diff->lengths[i * width + j + 1];
            i += takes_a;
            j += !takes_a;
        }
        BT_TRY(add_run(diff, diff->a + a_from, i - a_from, true));
        BT_TRY(add_run(diff, diff->b + b_from, j - b_from, false));
        while (i < diff->a_count && j < diff->b_count && bt_str_eq(diff->a[i], diff->b[j])) {
            i++;
            j++;
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_words_compare(struct bt_arena *arena, bt_str before, bt_str after,
                                     struct bt_wrap_word_changes *out)
{
    struct wrap_word_list a;
    struct wrap_word_list b;
    *out = (struct bt_wrap_word_changes){0};
    BT_TRY(split_words(arena, before, &a));
    BT_TRY(split_words(arena, after, &b));
    struct wrap_word_diff diff = {.arena = arena,
                                  .a = a.words.items,
                                  .b = b.words.items,
                                  .a_count = a.words.count,
                                  .b_count = b.words.count,
                                  .out = out};
    trim_common(&diff);
    BT_TRY(fill_table(&diff));
    return add_runs(&diff);
}
