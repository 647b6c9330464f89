/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_split.c - where texts are cut, at the places where it is easy to be wrong.
 */
#include "token/split.h"

#include "test.h"
#include "token/memo.h"

/* Pieces with a bar between them; "" for cl100k means the same as for o200k. */
static const struct row {
    const char *o200k;
    const char *cl100k;
} rows[] = {
    {"hello| world", ""},
    {"Hello|World", "HelloWorld"},
    {"XMLHttp|Request", "XMLHttpRequest"},
    {"ABC| DEF", ""},
    {"IT's| x", "IT|'s| x"},
    {"don't", "don|'t"},
    {"we'RE| here", "we|'RE| here"},
    {"a'll|b", "a|'ll|b"},
    {"x\'\xc5\xbf|y", "x|\'\xc5\xbf|y"},
    {"x|''|s", "x|''|s"},
    {"12|'s", ""},
    {"'sabc", "'s|abc"},
    {"it|\xe2\x80\x99s", ""},
    {"123|456|7", ""},
    {" |12", ""},
    {"\xc2\xb2\xc2\xbd\xe2\x85\xa7|\xe3\x80\x87", ""},
    {"a| !!\n\n|b", ""},
    {"//\n//", "//\n|//"},
    {"a|\t|!", ""},
    {"a| !", ""},
    {"a|  | b", ""},
    {"a|   ", ""},
    {"a| \n|  | b", ""},
    {"a|\n\n|  | b", ""},
    {"a|\r\n|b", ""},
    {"a|\xc2\xa0|\xe3\x80\x80z", ""},
    {"a|\xc2\x85|\xe3\x80\x80z", ""},
    {"\xef\xbb\xbfz", ""},
    {"\xe4\xb8\xad|XY", "\xe4\xb8\xadXY"},
    {"\xcc\x81|X", "\xcc\x81X"},
    {"e\xcc\x81z", "e|\xcc\x81z"},
    {"!\xcc\x81", ""},
    {"!!\xcc\x81", ""},
    {"!\xcc\x81|A", "!\xcc\x81|A"},
    {"<,|endoftext|,>", ""},
    {"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", ""},
    {"abcdefghijklmnopqrstuvwxyz| z", ""},
    {"caf\xc3\xa9| x", ""},
};

/* The text without its bars. */
static size_t unbarred(const char *barred, uint8_t *out)
{
    size_t length = 0;
    for (; *barred; barred++) {
        if (*barred != '|') {
            out[length++] = (uint8_t)*barred;
        }
    }
    return length;
}

/* Where each piece of a block ends. Returns how many there are. */
static size_t ends_of(const struct bt_token_block *block, const uint8_t *out[BT_BLOCK_BYTES])
{
    size_t count = 0;
    for (unsigned i = 1; i < BT_BLOCK_BYTES; i++) {
        if (block->bounds >> i & 1) {
            out[count++] = block->from + i;
        }
    }
    assert_ptr_equal(count > 0 ? out[count - 1] : block->from, block->end);
    if (block->next > block->end) {
        assert_true(block->next - block->from >= BT_BLOCK_BYTES);
        out[count++] = block->next;
    }
    assert_ptr_equal(out[0], block->from + bt_token_block_first(block));
    assert_int_equal(count, bt_token_block_count(block));
    return count;
}

static void check(const char *barred, bt_token_split_fn *split)
{
    uint8_t text[128];
    struct bt_token_block block;
    const uint8_t *ends[BT_BLOCK_BYTES];
    char made[256];
    size_t length = 0;
    const uint8_t *at = text;
    const uint8_t *end = text + unbarred(barred, text);
    while (at < end) {
        split(at, end, &block);
        const size_t count = ends_of(&block, ends);
        for (size_t i = 0; i < count; i++) {
            if (at > text) {
                made[length++] = '|';
            }
            memcpy(made + length, at, (size_t)(ends[i] - at));
            length += (size_t)(ends[i] - at);
            at = ends[i];
        }
    }
    made[length] = '\0';
    assert_string_equal(made, barred);
}

/* With every instruction set that this processor has. */
#define FOR_EACH_SPLITTER(splitter)                                                                \
    for (const struct bt_token_splitter *splitter = bt_token_splitters;                            \
         splitter < bt_token_splitters + bt_token_splitters_count; splitter++)                     \
        if (splitter->is_supported())

static void texts_are_cut_where_the_patterns_say(void **state)
{
    (void)state;
    FOR_EACH_SPLITTER(splitter)
    {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            check(rows[i].o200k, splitter->o200k);
            check(rows[i].cl100k[0] ? rows[i].cl100k : rows[i].o200k, splitter->cl100k);
        }
    }
}

/* Cuts do not depend on what came before a cut. */
static void cuts_are_the_same_one_by_one(void **state)
{
    (void)state;
    bt_token_split_fn *const splits[] = {bt_token_split_o200k, bt_token_split_cl100k};
    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        bt_token_split_fn *split = splits[i % 2];
        uint8_t text[128];
        struct bt_token_block all;
        const uint8_t *ends[BT_BLOCK_BYTES];
        const uint8_t *end = text + unbarred(rows[i / 2].o200k, text);
        const uint8_t *at = text;
        split(text, end, &all);
        const size_t count = ends_of(&all, ends);
        for (size_t j = 0; j < count; j++) {
            struct bt_token_block block;
            split(at, end, &block);
            at += bt_token_block_first(&block);
            assert_ptr_equal(at, ends[j]);
        }
        assert_ptr_equal(at, all.next);
    }
}

/* ---- Against the patterns, read one byte at a time ------------------------------------------- */

static bool is_upper(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool is_letter(uint8_t byte)
{
    return is_upper(byte) || (byte >= 'a' && byte <= 'z');
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_line(uint8_t byte)
{
    return byte == '\r' || byte == '\n';
}

static bool is_white(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_symbol(uint8_t byte)
{
    return !is_letter(byte) && !is_digit(byte) && !is_white(byte);
}

/* How long the contraction is at the beginning of a text, in ASCII. */
static size_t short_form(const char *text)
{
    static const char *const forms[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        size_t at = 0;
        while (forms[i][at] && (text[at] | 0x20) == (forms[i][at] | 0x20) &&
               (at > 0 || text[0] == '\'')) {
            at++;
        }
        if (!forms[i][at]) {
            return at;
        }
    }
    return 0;
}

/* The length of a word without its prefix and contraction; 0: there is none. */
static size_t word_length(const char *text, bool is_cased)
{
    size_t at = 0;
    while (is_cased ? is_upper((uint8_t)text[at]) : is_letter((uint8_t)text[at])) {
        at++;
    }
    while (is_letter((uint8_t)text[at]) && !is_upper((uint8_t)text[at])) {
        at++;
    }
    return at;
}

static size_t white_length(const char *text)
{
    size_t to = 0;
    size_t line = 0;
    for (; is_white((uint8_t)text[to]); to++) {
        line = is_line((uint8_t)text[to]) ? to + 1 : line;
    }
    return line > 0 ? line : text[to] && to > 1 ? to - 1 : to;
}

/* The length of the first piece of a text in ASCII that ends with a zero. */
static size_t piece_length(const char *text, bool is_cased)
{
    const uint8_t first = (uint8_t)text[0];
    const size_t form = is_cased ? 0 : short_form(text);
    const size_t prefix = is_letter(first) || is_digit(first) || is_line(first) ? 0 : 1;
    const size_t word =
        is_digit(first) || is_line(first) ? 0 : word_length(text + prefix, is_cased);
    size_t at = first == ' ' ? 1 : 0;
    if (form > 0) {
        return form;
    }
    if (word > 0) {
        return prefix + word + (is_cased ? short_form(text + prefix + word) : 0);
    }
    if (is_digit(first)) {
        return !is_digit((uint8_t)text[1]) ? 1 : is_digit((uint8_t)text[2]) ? 3 : 2;
    }
    const size_t symbols = at;
    while (text[at] && is_symbol((uint8_t)text[at])) {
        at++;
    }
    if (at == symbols) {
        return white_length(text);
    }
    while (is_line((uint8_t)text[at]) || (is_cased && text[at] == '/')) {
        at++;
    }
    return at;
}

/* Some bytes are frequent, so that there are long runs of each kind, and plain text is long. */
static uint8_t some_byte(uint32_t *seed, uint32_t kinds)
{
    static const char rare[] = "'\n\r\t\v /'";
    *seed = *seed * 1664525 + 1013904223;
    const uint32_t draw = *seed >> 8;
    switch (draw % kinds) {
    case 0:
        return (uint8_t)('a' + draw / kinds % 26);
    case 1:
        return (uint8_t)('0' + draw / kinds % 10);
    case 2:
        return (uint8_t) "\":,{}"[draw / kinds % 5];
    case 3:
        return (uint8_t)('A' + draw / kinds % 26);
    case 4:
        return ' ';
    case 5:
        return (uint8_t)(1 + draw / kinds % 127);
    default:
        return draw / kinds % 8 == 0 ? (uint8_t)rare[draw / 64 % (sizeof(rare) - 1)] : 's';
    }
}

/* The pieces of a text, and which of them are told to be tokens for sure. */
static void check_cuts(bt_token_split_fn *split, const char *text, size_t length, bool is_cased)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;
    while (at < length) {
        struct bt_token_block block;
        const uint8_t *ends[BT_BLOCK_BYTES];
        const size_t from = at;
        size_t easy_count = 0;
        split(bytes + at, bytes + length, &block);
        const size_t count = ends_of(&block, ends);
        for (size_t i = 0; i < count; i++) {
            const size_t size = piece_length(text + at, is_cased);
            const bool is_easy = block.easy >> (at - from) & 1;
            assert_ptr_equal(ends[i], bytes + at + size);
            assert_true(!is_easy || size == 1 || is_digit(bytes[at]));
            easy_count += is_easy;
            at += size;
        }
        assert_int_equal(block.easy_count, easy_count);
    }
}

/* What is added for a piece: 1 if it is a token for sure, else what is remembered, or 0. */
static uint64_t known_count(const struct bt_token_word *memos, const uint8_t *piece, size_t size)
{
    if (size == 1 || is_digit(piece[0])) {
        return 1;
    }
    return size > BT_MEMO_BYTES_MAX ? 0 : bt_token_memo_find(memos, bt_token_word(piece, size));
}

/* All pieces are counted but those that are told to be missed, or are in a block that is left. */
static void check_known(bt_token_count_known_fn *count_known, const struct bt_token_word *memos,
                        const char *text, size_t length, bool is_cased)
{
    const uint8_t *bytes = (const uint8_t *)text;
    const uint8_t *end = bytes + length;
    for (const uint8_t *at = bytes; at < end;) {
        struct bt_token_block block;
        uint64_t expected = 0;
        const uint64_t count = count_known(at, end, memos, UINT64_MAX, &block);
        assert_true(block.next > at && block.next <= end);
        while (at < block.next) {
            const size_t size = piece_length((const char *)at, is_cased);
            const uint64_t known = known_count(memos, at, size);
            if (at < block.from) {
                assert_true(known > 0);
                expected += known;
            } else if (block.missed) {
                assert_int_equal(block.missed >> (at - block.from) & 1, known == 0);
                expected += known;
            }
            at += size;
        }
        assert_ptr_equal(at, block.next);
        assert_int_equal(count, expected);
    }
}

/* Remember many words of a text, and the first bytes of those that are too long. */
static void remember(struct bt_token_word *memos, const char *text, size_t length, bool is_cased)
{
    for (size_t at = 0, size = 0; at < length; at += size) {
        size = piece_length(text + at, is_cased);
        const size_t kept = size < BT_MEMO_BYTES_MAX ? size : BT_MEMO_BYTES_MAX;
        if ((text[at] + text[at + kept / 2]) % 8 != 0) {
            const struct bt_token_word word = bt_token_word((const uint8_t *)text + at, kept);
            bt_token_memo_save(memos, word, 1 + (kept + at) % BT_MEMO_BYTES_MAX);
        }
    }
}

static void texts_in_ascii_are_cut_as_one_byte_at_a_time(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        char text[300 + BT_WORD_BYTES + 1] = "";
        const bool is_cased = i % 2 == 0;
        const size_t length = i % 300;
        for (size_t j = 0; j < length; j++) {
            text[j] = (char)some_byte(&seed, 2 + i / 2 % 6);
        }
        FOR_EACH_SPLITTER(splitter)
        {
            check_cuts(is_cased ? splitter->o200k : splitter->cl100k, text, length, is_cased);
        }
    }
}

static void remembered_pieces_are_counted_in_blocks(void **state)
{
    (void)state;
    static struct bt_token_word memos[2][BT_MEMO_COUNT];
    uint32_t seed = 1;
    for (uint32_t i = 0; i < 20000; i++) {
        char text[300 + BT_WORD_BYTES + 1] = "";
        const bool is_cased = i % 2 == 0;
        const size_t length = i % 300;
        for (size_t j = 0; j < length; j++) {
            text[j] = (char)(j % 23 == 0 ? ' ' : some_byte(&seed, 1 + i / 2 % 7));
        }
        remember(memos[is_cased], text, length, is_cased);
        FOR_EACH_SPLITTER(splitter)
        {
            check_known(is_cased ? splitter->o200k_known : splitter->cl100k_known, memos[is_cased],
                        text, length, is_cased);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_cut_where_the_patterns_say),
        cmocka_unit_test(cuts_are_the_same_one_by_one),
        cmocka_unit_test(texts_in_ascii_are_cut_as_one_byte_at_a_time),
        cmocka_unit_test(remembered_pieces_are_counted_in_blocks),
    };
    return RUN_TESTS(tests);
}
