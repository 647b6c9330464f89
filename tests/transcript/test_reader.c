/* SPDX-License-Identifier: Apache-2.0 */
/* test_reader.c - transcripts of both hosts, whole, broken, growing and compressed. */
#include "test.h"

#include <sys/stat.h>
#include <zstd.h>

#include "transcript/reader.h"
#include "transcript/scan.h"

static char path[256];

static void write_file(const char *name, const char *bytes, size_t size)
{
    (void)snprintf(path, sizeof(path), "%s/test-transcript-%d%s", test_place(), (int)getpid(),
                   name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct bt_transcript_reader *open_file(void)
{
    const struct bt_transcript_options options = {.owned_only = true};
    struct bt_transcript_reader *reader = NULL;
    assert_int_equal(bt_transcript_open(bt_str_of(path), &options, &reader, NULL), BT_OK);
    return reader;
}

/* Read to the end and count the events of a kind. */
static size_t count_events(struct bt_transcript_reader *reader, enum bt_transcript_event_kind kind)
{
    struct bt_transcript_event event;
    size_t count = 0;
    do {
        assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
        count += event.kind == kind ? 1 : 0;
    } while (event.kind != BT_TRANSCRIPT_END);
    return count;
}

#define USER "{\"type\":\"user\",\"isSidechain\":false,\"message\":{\"content\":\"go\"}}\n"
#define CALL                                                                                       \
    "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"model\":\"x\",\"usage\":{\"input_"       \
    "tokens\":3,\"output_tokens\":-1},"                                                            \
    "\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":"  \
    "\"ls\"}},"                                                                                    \
    "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"mcp__x\",\"input\":{\"a\":[\"b\",{\"c\":"     \
    "\"d\"}]}}]}}\n"
#define FAILED                                                                                     \
    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"      \
    "\"t1\","                                                                                      \
    "\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"Exit code 2\\nno\"}]}]}}\n"

static void calls_results_and_usage_come_in_order(void **state)
{
    (void)state;
    struct bt_transcript_event event;
    write_file(".jsonl", USER CALL FAILED, strlen(USER CALL FAILED));
    struct bt_transcript_reader *reader = open_file();
    assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
    assert_int_equal(event.kind, BT_TRANSCRIPT_USAGE);
    assert_int_equal(event.as.usage.count.input, 3);
    assert_int_equal(event.as.usage.count.output, 0);
    assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
    assert_int_equal(event.kind, BT_TRANSCRIPT_CALL);
    assert_int_equal(event.as.call.kind, BT_CALL_COMMAND);
    assert_int_equal(event.line, 2);
    assert_str(event.as.call.command, "ls");
    assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
    assert_int_equal(event.as.call.kind, BT_CALL_OPAQUE);
    assert_str(event.as.call.input, "b\nd\n");
    assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
    assert_int_equal(event.kind, BT_TRANSCRIPT_RESULT);
    assert_int_equal(event.as.result.reason, BT_CALL_EXIT_KNOWN);
    assert_int_equal(event.as.result.exit, 2);
    assert_str(event.id, "t1");
    assert_int_equal(bt_transcript_next(reader, &event), BT_OK);
    assert_int_equal(event.kind, BT_TRANSCRIPT_END);
    const struct bt_transcript_state *read = bt_transcript_state(reader);
    assert_int_equal(read->format, BT_TRANSCRIPT_CLAUDE);
    assert_int_equal(read->lines, 3);
    assert_int_equal(read->to, strlen(USER CALL FAILED));
    assert_false(read->is_partial);
    assert_int_equal(bt_transcript_rewind(reader, NULL), BT_OK);
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 2);
    bt_transcript_close(reader);
}

static void a_last_line_without_its_end_is_left_for_later(void **state)
{
    (void)state;
    const char *text = USER CALL "{\"type\":\"user\",\"mess";
    write_file(".jsonl", text, strlen(text));
    struct bt_transcript_reader *reader = open_file();
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 2);
    assert_false(bt_transcript_state(reader)->is_partial);
    assert_int_equal(bt_transcript_state(reader)->to, strlen(USER CALL));
    bt_transcript_close(reader);
}

static void a_broken_line_makes_it_partial(void **state)
{
    (void)state;
    static const char *const broken[] = {"{\"type\":\n", "[1]\n", "nul\n", "{\"a\":\"\xff\"}\n"};
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        char text[4096];
        (void)snprintf(text, sizeof(text), "%s%s%s", USER, broken[i], CALL);
        write_file(".jsonl", text, strlen(text));
        struct bt_transcript_reader *reader = open_file();
        assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 2);
        assert_true(bt_transcript_state(reader)->is_partial);
        bt_transcript_close(reader);
    }
}

static void a_format_that_is_not_known_gives_nothing(void **state)
{
    (void)state;
    enum { HEAD = BT_TRANSCRIPT_HEAD_LINES_MAX * 3 };
    char text[HEAD + sizeof(CALL)];
    for (size_t i = 0; i < HEAD; i++) {
        text[i] = "{}\n"[i % 3];
    }
    memcpy(text + HEAD, CALL, sizeof(CALL));
    write_file(".jsonl", text, strlen(text));
    struct bt_transcript_reader *reader = open_file();
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 0);
    assert_int_equal(bt_transcript_state(reader)->format, BT_TRANSCRIPT_FORMAT_NONE);
    bt_transcript_close(reader);
    /* The control: one line fewer, and it is known. */
    write_file(".jsonl", text + 3, strlen(text) - 3);
    reader = open_file();
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 2);
    bt_transcript_close(reader);
}

static void bytes_that_are_not_utf_8_are_a_broken_line(void **state)
{
    (void)state;
    static const char binary[] = USER "\xff\0\xf0\n" CALL "\xff";
    write_file(".jsonl", binary, sizeof(binary) - 1);
    struct bt_transcript_reader *reader = open_file();
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), 2);
    assert_true(bt_transcript_state(reader)->is_partial);
    bt_transcript_close(reader);
}

/* The word in any letter case, wherever it stands; a part of it says nothing. */
static void a_result_that_says_so_is_cut(void **state)
{
    (void)state;
    static const char word[] = "tRuNcAtEd";
    static const char others[] = "tr nca";
    for (size_t before = 0; before < 40; before++) {
        for (size_t missing = 0; missing <= sizeof(word) - 1; missing++) {
            char text[64] = "";
            for (size_t i = 0; i < before; i++) {
                text[i] = others[i % (sizeof(others) - 1)];
            }
            memcpy(text + before, word, sizeof(word));
            text[before + missing] = missing < sizeof(word) - 1 ? 'x' : text[before + missing];
            assert_int_equal(bt_transcript_is_truncated(bt_str_of(text)),
                             missing == sizeof(word) - 1);
        }
    }
}

/* With a filter exactly the lines that cannot matter are left out. */
static void a_filter_leaves_out_only_lines_without_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is_read;
    } rows[] = {
        {CALL, false},
        {"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"n\","
         "\"name\":\"X\",\"input\":{\"a\":\"the needle\"}}]}}\n",
         true},
        {"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"n\","
         "\"name\":\"X\",\"input\":{\"a\":\"the \\u006eeedle\"}}]}}\n",
         true},
        {"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"n\","
         "\"name\":\"X\",\"input\":{\"a\":\"the nee\\rdle\"}}]}}\n",
         true}};
    const bt_str needle = BT_STR("the needle");
    const uint64_t offset = strlen(USER);
    const struct bt_transcript_filter by_text = {.texts = &needle, .text_count = 1};
    const struct bt_transcript_filter by_offset = {.offsets = &offset, .offset_count = 1};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[2048];
        (void)snprintf(text, sizeof(text), "%s%s", USER, rows[i].line);
        write_file(".jsonl", text, strlen(text));
        struct bt_transcript_reader *reader = open_file();
        const size_t all = count_events(reader, BT_TRANSCRIPT_CALL);
        assert_int_equal(bt_transcript_rewind(reader, &by_text), BT_OK);
        assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), rows[i].is_read ? all : 0);
        assert_int_equal(bt_transcript_rewind(reader, &by_offset), BT_OK);
        assert_int_equal(count_events(reader, BT_TRANSCRIPT_CALL), all);
        bt_transcript_close(reader);
    }
}

static void a_compressed_file_is_read_like_a_plain_one(void **state)
{
    (void)state;
    char packed[4096];
    const char *text = USER CALL FAILED;
    const size_t size = ZSTD_compress(packed, sizeof(packed), text, strlen(text), 3);
    assert_false(ZSTD_isError(size));
    write_file(".zst", packed, size);
    struct bt_transcript_reader *reader = open_file();
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_RESULT), 1);
    assert_int_equal(bt_transcript_state(reader)->to, strlen(text));
    assert_int_equal(bt_transcript_rewind(reader, NULL), BT_OK);
    assert_int_equal(count_events(reader, BT_TRANSCRIPT_RESULT), 1);
    bt_transcript_close(reader);
    packed[size / 2] ^= 0x55;
    write_file(".zst", packed, size);
    reader = open_file();
    struct bt_transcript_event event;
    enum bt_status status = BT_OK;
    do {
        status = bt_transcript_next(reader, &event);
    } while (status == BT_OK && event.kind != BT_TRANSCRIPT_END);
    assert_true(status == BT_EIO || bt_transcript_state(reader)->is_partial ||
                bt_transcript_state(reader)->to != strlen(text));
    bt_transcript_close(reader);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    const struct bt_transcript_options options = {.owned_only = true};
    struct bt_transcript_reader *reader = NULL;
    assert_int_equal(bt_transcript_open(BT_STR("/nonexistent"), &options, &reader, NULL),
                     BT_ENOENT);
    assert_int_equal(bt_transcript_open(BT_STR("/dev/null"), &options, &reader, NULL), BT_EDENIED);
    assert_int_equal(bt_transcript_open(BT_STR("/tmp"), &options, &reader, NULL), BT_EDENIED);
    assert_int_equal(bt_transcript_open(BT_STR("a\0b"), &options, &reader, NULL), BT_ENOENT);
    (void)snprintf(path, sizeof(path), "%s/test-transcript-%d.fifo", test_place(), (int)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(bt_transcript_open(bt_str_of(path), &options, &reader, NULL), BT_EDENIED);
    assert_int_equal(unlink(path), 0);
}

static int remove_file(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(calls_results_and_usage_come_in_order, remove_file),
        cmocka_unit_test_teardown(a_last_line_without_its_end_is_left_for_later, remove_file),
        cmocka_unit_test_teardown(a_broken_line_makes_it_partial, remove_file),
        cmocka_unit_test_teardown(a_format_that_is_not_known_gives_nothing, remove_file),
        cmocka_unit_test_teardown(bytes_that_are_not_utf_8_are_a_broken_line, remove_file),
        cmocka_unit_test(a_result_that_says_so_is_cut),
        cmocka_unit_test_teardown(a_filter_leaves_out_only_lines_without_the_text, remove_file),
        cmocka_unit_test_teardown(a_compressed_file_is_read_like_a_plain_one, remove_file),
        cmocka_unit_test_teardown(only_regular_files_are_opened, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
