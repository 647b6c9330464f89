/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suite.c - the JSON parsing test suite: every y_ accepted, every n_ refused, every i_ as
 * docs/formats/json.md says.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "json/reading.h"

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

#include <baton/file.h>

/* The files on which RFC 8259 leaves the choice, and ours. */
static const struct choice {
    const char *name;
    enum bt_json_code code;
} choices[] = {
    {"i_number_double_huge_neg_exp.json", BT_JSON_FINE},
    {"i_number_huge_exp.json", BT_JSON_FINE},
    {"i_number_neg_int_huge_exp.json", BT_JSON_FINE},
    {"i_number_pos_double_huge_exp.json", BT_JSON_FINE},
    {"i_number_real_neg_overflow.json", BT_JSON_FINE},
    {"i_number_real_pos_overflow.json", BT_JSON_FINE},
    {"i_number_real_underflow.json", BT_JSON_FINE},
    {"i_number_too_big_neg_int.json", BT_JSON_FINE},
    {"i_number_too_big_pos_int.json", BT_JSON_FINE},
    {"i_number_very_big_negative_int.json", BT_JSON_FINE},
    {"i_object_key_lone_2nd_surrogate.json", BT_JSON_FINE},
    {"i_string_1st_surrogate_but_2nd_missing.json", BT_JSON_FINE},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", BT_JSON_FINE},
    {"i_string_incomplete_surrogate_and_escape_valid.json", BT_JSON_FINE},
    {"i_string_incomplete_surrogate_pair.json", BT_JSON_FINE},
    {"i_string_incomplete_surrogates_escape_valid.json", BT_JSON_FINE},
    {"i_string_invalid_lonely_surrogate.json", BT_JSON_FINE},
    {"i_string_invalid_surrogate.json", BT_JSON_FINE},
    {"i_string_inverted_surrogates_U+1D11E.json", BT_JSON_FINE},
    {"i_string_lone_second_surrogate.json", BT_JSON_FINE},
    {"i_string_UTF-16LE_with_BOM.json", BT_JSON_UTF8},
    {"i_string_UTF-8_invalid_sequence.json", BT_JSON_UTF8},
    {"i_string_UTF8_surrogate_U+D800.json", BT_JSON_UTF8},
    {"i_string_invalid_utf-8.json", BT_JSON_UTF8},
    {"i_string_iso_latin_1.json", BT_JSON_UTF8},
    {"i_string_lone_utf8_continuation_byte.json", BT_JSON_UTF8},
    {"i_string_not_in_unicode_range.json", BT_JSON_UTF8},
    {"i_string_overlong_sequence_2_bytes.json", BT_JSON_UTF8},
    {"i_string_overlong_sequence_6_bytes.json", BT_JSON_UTF8},
    {"i_string_overlong_sequence_6_bytes_null.json", BT_JSON_UTF8},
    {"i_string_truncated-utf-8.json", BT_JSON_UTF8},
    {"i_string_utf16BE_no_BOM.json", BT_JSON_UTF8},
    {"i_string_utf16LE_no_BOM.json", BT_JSON_UTF8},
    {"i_structure_500_nested_arrays.json", BT_JSON_TOO_DEEP},
    {"i_structure_UTF-8_BOM_empty_object.json", BT_JSON_SYNTAX},
};

/* Two of the y_ files repeat a name, which RFC 8259 allows. They are accepted when the reader is
 * told to allow it, and are the only ones that need it. */
static bool is_duplicate_file(const char *name)
{
    return strcmp(name, "y_object_duplicated_key.json") == 0 ||
           strcmp(name, "y_object_duplicated_key_and_value.json") == 0;
}

struct counts {
    size_t accepted;
    size_t refused;
    size_t chosen;
};

static enum bt_json_code chosen_code(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(choices); i++) {
        if (strcmp(choices[i].name, name) == 0) {
            return choices[i].code;
        }
    }
    fail_msg("%s is not in the table of choices", name);
    return BT_JSON_FINE;
}

static enum bt_json_code code_of(const struct bt_json_kernel *kernel, bt_str text, bool duplicates)
{
    struct bt_arena arena;
    struct bt_json_options options = bt_json_options_default();
    options.duplicates_allowed = duplicates;
    bt_arena_init(&arena, 64 << 20);
    const enum bt_json_code code = read_with(kernel, &arena, text, &options).code;
    bt_arena_free(&arena);
    return code;
}

static void judge(const char *name, bt_str text, struct counts *counts)
{
    FOR_EACH_KERNEL(kernel)
    {
        const enum bt_json_code as_rfc = code_of(kernel, text, true);
        const enum bt_json_code code = code_of(kernel, text, false);
        bool right = false;
        if (name[0] == 'i') {
            right = code == chosen_code(name);
        } else if (name[0] == 'y') {
            const bool repeats = is_duplicate_file(name);
            right =
                as_rfc == BT_JSON_FINE && code == (repeats ? BT_JSON_DUPLICATE_KEY : BT_JSON_FINE);
        } else {
            right = as_rfc != BT_JSON_FINE && code != BT_JSON_FINE;
        }
        if (!right) {
            fail_msg("%s, %s: code %d, as RFC 8259 %d", kernel->name, name, code, as_rfc);
        }
    }
    counts->accepted += name[0] == 'y';
    counts->refused += name[0] == 'n';
    counts->chosen += name[0] == 'i';
}

/* Judge the text with its end against a page that cannot be read. */
static void judge_guarded(const char *name, bt_str text, struct counts *counts)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (text.len / page + 1) * page;
    char *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
    char *at = pages + room - text.len;
    if (text.len > 0) {
        memcpy(at, text.ptr, text.len);
    }
    judge(name, (bt_str){at, text.len}, counts);
    assert_int_equal(munmap(pages, room + page), 0);
}

static void the_parsing_suite_is_met(void **state)
{
    (void)state;
    static const char folder[] = BATON_SHARED_DATA "/json-parsing";
    DIR *directory = opendir(folder);
    if (!directory) {
        fprintf(stderr, "skipped: %s is not there\n", folder);
        skip();
    }
    struct counts counts = {0};
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strstr(entry->d_name, ".json")) {
            continue;
        }
        char path[1024];
        struct bt_arena arena;
        bt_str text = {0};
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        bt_arena_init(&arena, 64 << 20);
        assert_int_equal(bt_file_read(&arena, bt_str_of(path), 8 << 20, &text, NULL), BT_OK);
        judge_guarded(entry->d_name, text, &counts);
        bt_arena_free(&arena);
    }
    assert_int_equal(closedir(directory), 0);
    fprintf(stderr, "%zu accepted, %zu refused, %zu decided\n", counts.accepted, counts.refused,
            counts.chosen);
    assert_int_equal(counts.accepted, 95);
    assert_int_equal(counts.refused, 188);
    assert_int_equal(counts.chosen, COUNT_OF(choices));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parsing_suite_is_met),
    };
    return RUN_TESTS(tests);
}
