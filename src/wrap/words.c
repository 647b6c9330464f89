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
#include "base/map.h"
#include "base/vec.h"

enum { TABLE_CELLS_MAX = 4 << 20 };

/* Equal words have equal numbers, which are compared faster. */
struct wrap_word {
    bt_str text;
    uint32_t number;
};

struct wrap_word_list {
    BT_VEC(struct wrap_word) words;
};

struct wrap_word_diff {
    struct bt_arena *arena;   /* of the result */
    struct bt_arena *scratch; /* of the table, which is large: many texts may change at once */
    const struct wrap_word *a;
    const struct wrap_word *b;
    size_t a_count;
    size_t b_count;
    uint32_t *lengths; /* by a, then b: of the common subsequence behind both; NULL: not known */
    struct bt_wrap_word_changes *out;
};

static enum bt_status add_word(struct bt_map *numbers, bt_str text, struct wrap_word_list *out)
{
    struct bt_map_entry *entry = NULL;
    BT_TRY(bt_map_add(numbers, bt_map_text(text), &entry));
    const struct wrap_word word = {text, (uint32_t)(entry - numbers->entries)};
    return bt_vec_push(numbers->arena, &out->words, word);
}

static enum bt_status split_words(struct bt_map *numbers, bt_str text, struct wrap_word_list *out)
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
            BT_TRY(add_word(numbers, bt_str_slice(text, from, at), out));
        }
    }
    return BT_OK;
}

/* Without what both begin and end with. */
static void trim_common(struct wrap_word_diff *diff)
{
    while (diff->a_count > 0 && diff->b_count > 0 && diff->a[0].number == diff->b[0].number) {
        diff->a++;
        diff->b++;
        diff->a_count--;
        diff->b_count--;
    }
    while (diff->a_count > 0 && diff->b_count > 0 &&
           diff->a[diff->a_count - 1].number == diff->b[diff->b_count - 1].number) {
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
    diff->lengths = BT_NEW_ARRAY(diff->scratch, uint32_t, (diff->a_count + 1) * width);
    BT_TRY(diff->lengths ? BT_OK : BT_ENOMEM);
    for (size_t i = diff->a_count; i-- > 0;) {
        for (size_t j = diff->b_count; j-- > 0;) {
            const uint32_t down = diff->lengths[(i + 1) * width + j];
            const uint32_t right = diff->lengths[i * width + j + 1];
            diff->lengths[i * width + j] = diff->a[i].number == diff->b[j].number
                                               ? diff->lengths[(i + 1) * width + j + 1] + 1
                                           : down > right ? down
                                                          : right;
        }
    }
    return BT_OK;
}

static enum bt_status join_run(struct bt_arena *arena, const struct wrap_word *words, size_t count,
                               bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BT_WRAP_RUN_BYTES_MAX + 16);
    for (size_t i = 0; i < count && buf.len < BT_WRAP_RUN_BYTES_MAX; i++) {
        if (i > 0) {
            bt_buf_put_char(&buf, ' ');
        }
        for (size_t at = 0; at < words[i].text.len && buf.len < BT_WRAP_RUN_BYTES_MAX;) {
            const size_t before = buf.len;
            at += bt_buf_put_visible_char(&buf, words[i].text, at);
            if (buf.len > BT_WRAP_RUN_BYTES_MAX) {
                buf.len = before; /* no part of a character */
                return bt_buf_finish(&buf, arena, out);
            }
        }
    }
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status add_run(const struct wrap_word_diff *diff, const struct wrap_word *words,
                              size_t count, bool is_removed)
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
                                 diff->a[i].number == diff->b[j].number;
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
        while (i < diff->a_count && j < diff->b_count && diff->a[i].number == diff->b[j].number) {
            i++;
            j++;
        }
    }
    return BT_OK;
}

static enum bt_status compare_words(const struct bt_wrap_memory *memory, struct bt_arena *scratch,
                                    bt_str before, bt_str after, struct bt_wrap_word_changes *out)
{
    struct wrap_word_list a;
    struct wrap_word_list b;
    struct bt_map numbers;
    bt_map_init(&numbers, scratch, memory->env->hash_seed);
    BT_TRY(split_words(&numbers, before, &a));
    BT_TRY(split_words(&numbers, after, &b));
    struct wrap_word_diff diff = {.arena = memory->arena,
                                  .scratch = scratch,
                                  .a = a.words.items,
                                  .b = b.words.items,
                                  .a_count = a.words.count,
                                  .b_count = b.words.count,
                                  .out = out};
    trim_common(&diff);
    BT_TRY(fill_table(&diff));
    return add_runs(&diff);
}

enum bt_status bt_wrap_words_compare(const struct bt_wrap_memory *memory, bt_str before,
                                     bt_str after, struct bt_wrap_word_changes *out)
{
    struct bt_arena scratch;
    *out = (struct bt_wrap_word_changes){0};
    bt_arena_init(&scratch, SIZE_MAX);
    const enum bt_status status = compare_words(memory, &scratch, before, after, out);
    bt_arena_free(&scratch);
    return status;
}
