/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_evidence.c - any bytes at all as a command, in the form in which claims are compared.
 *
 * Promises: a text that is not understood has no segments, and a segment has words; the same text
 * has the same form; a claim finds its command behind cd, a prompt and a variable; and a key begins
 * with the program.
 */
#include "base/buf.h"
#include "base/str.h"
#include "evidence/command.h"
#include "fuzz.h"

static struct bt_command_form read_form(struct bt_arena *arena, bt_str text)
{
    struct bt_command_form form;
    PROMISE(bt_command_form_read(arena, text, &form) == BT_OK);
    PROMISE(form.is_understood || (form.segment_count == 0 && !form.is_reading));
    for (size_t i = 0; i < form.segment_count; i++) {
        PROMISE(form.segments[i].word_count > 0);
        PROMISE(form.segments[i].place <= BT_SEGMENT_LAST);
    }
    return form;
}

static bool has_same_words(const struct bt_segment *a, const struct bt_segment *b)
{
    bool equal = a->word_count == b->word_count;
    for (size_t word = 0; equal && word < a->word_count; word++) {
        equal = bt_str_eq(a->words[word], b->words[word]);
    }
    return equal;
}

static bool are_equal(const struct bt_command_form *a, const struct bt_command_form *b)
{
    bool equal = a->segment_count == b->segment_count;
    for (size_t i = 0; equal && i < a->segment_count; i++) {
        equal = a->segments[i].place == b->segments[i].place &&
                has_same_words(&a->segments[i], &b->segments[i]);
    }
    return equal;
}

/* Whether the segments of a claim stand in those of a call, in their order. */
static bool is_found(const struct bt_command_form *claim, const struct bt_command_form *call)
{
    size_t found = 0;
    for (size_t i = 0; i < call->segment_count && found < claim->segment_count; i++) {
        found += has_same_words(&claim->segments[found], &call->segments[i]) ? 1 : 0;
    }
    return found == claim->segment_count;
}

/* One simple command that may be put behind others, but not another shell: the text of a shell
 * counts only when it stands alone. */
static bool is_simple(bt_str text)
{
    if (bt_str_find(text, BT_STR("sh")) < text.len) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == ' ' ||
              byte == '-' || byte == '.' || byte == '/')) {
            return false;
        }
    }
    return true;
}

static void prefixes_change_nothing(struct bt_arena *arena, bt_str text,
                                    const struct bt_command_form *form)
{
    struct bt_buf buf;
    if (!is_simple(text) || form->segment_count != 1) {
        return;
    }
    static const char *const fronts[] = {"cd /repo && ", "CI=1 ", "$ ", "cd a; B=c "};
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++) {
        bt_buf_init(&buf, FUZZ_BUF_BYTES);
        bt_buf_put_text(&buf, fronts[i]);
        bt_buf_put(&buf, text);
        const struct bt_command_form longer = read_form(arena, bt_buf_str(&buf));
        PROMISE(is_found(form, &longer));
        bt_buf_free(&buf);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_command_form form = read_form(&arena, text);
    const struct bt_command_form again = read_form(&arena, text);
    PROMISE(form.is_understood == again.is_understood && form.is_reading == again.is_reading);
    PROMISE(are_equal(&form, &again));
    prefixes_change_nothing(&arena, text, &form);
    if (form.segment_count > 0) {
        const struct bt_command_key key = bt_command_key_of(&form);
        PROMISE(key.count >= 1 && key.count <= 2);
        PROMISE(bt_str_eq(key.words[0], form.segments[0].words[0]));
    }
    bt_arena_free(&arena);
    return 0;
}
