/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <baton/json.h>

#include "report/render.h"
#include "report/version.h"
#include "sample.h"

static struct bt_buf render_with(const struct bt_report *report, enum bt_report_format format,
                                 bool colour)
{
    const struct bt_report_render_options options = {
        .format = format, .colour = colour, .extra_members = SAMPLE_MEMBERS};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    assert_int_equal(bt_report_render(report, &options, &buf), BT_OK);
    return buf;
}

static struct bt_buf render_sample(enum bt_report_format format, bool colour)
{
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    const struct bt_report *report = sample_report(&arena);
    assert_non_null(report);
    const struct bt_buf buf = render_with(report, format, colour);
    bt_arena_free(&arena);
    return buf;
}

/* A golden file, with the version put in where it says @VERSION@. */
static struct bt_buf read_golden(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bt_buf text;
    bt_buf_init(&text, 1 << 20);
    char *room = bt_buf_reserve(&text, 1 << 16);
    assert_non_null(room);
    text.len = fread(room, 1, 1 << 16, file);
    assert_int_equal(fclose(file), 0);
    struct bt_buf golden;
    bt_buf_init(&golden, 1 << 20);
    const bt_str mark = BT_STR("@VERSION@");
    for (size_t i = 0; i < text.len;) {
        const bool here = bt_str_eq(bt_str_slice(bt_buf_str(&text), i, i + mark.len), mark);
        bt_buf_put(&golden, here ? BT_STR(BATON_VERSION) : (bt_str){text.ptr + i, 1});
        i += here ? mark.len : 1;
    }
    bt_buf_free(&text);
    return golden;
}

static void every_format_renders_the_sample_as_its_golden_file_shows(void **state)
{
    (void)state;
    static const struct {
        enum bt_report_format format;
        bool colour;
        const char *name;
    } rows[] = {
        {BT_REPORT_FORMAT_FULL, false, "full.txt"},
        {BT_REPORT_FORMAT_FULL, true, "full-colour.txt"},
        {BT_REPORT_FORMAT_CONCISE, true, "concise.txt"},
        {BT_REPORT_FORMAT_JSON, true, "report.json"},
        {BT_REPORT_FORMAT_JSONL, true, "report.jsonl"},
        {BT_REPORT_FORMAT_GITHUB, true, "github.txt"},
        {BT_REPORT_FORMAT_JUNIT, true, "junit.xml"},
        {BT_REPORT_FORMAT_SARIF, true, "report.sarif"},
        {BT_REPORT_FORMAT_MARKDOWN, true, "report.md"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf = render_sample(rows[i].format, rows[i].colour);
        struct bt_buf golden = read_golden(rows[i].name);
        size_t same = 0;
        while (same < buf.len && same < golden.len && buf.ptr[same] == golden.ptr[same]) {
            same++;
        }
        if (same < buf.len || same < golden.len) {
            const struct bt_position place = bt_position_at(bt_buf_str(&buf), same);
            fail_msg("%s differs from line %u, column %u on", rows[i].name, place.line,
                     place.column);
        }
        bt_buf_free(&golden);
        bt_buf_free(&buf);
    }
}

/* Characters that a terminal obeys or that reorder text; the sample's paths and messages are full
 * of them. Colour is off, so not one may come through. */
static void no_format_lets_a_document_command_the_terminal(void **state)
{
    (void)state;
    for (size_t format = 0; format < BT_REPORT_FORMAT__MAX; format++) {
        struct bt_buf buf = render_sample((enum bt_report_format)format, false);
        const bt_str text = bt_buf_str(&buf);
        assert_int_equal(bt_utf8_check(text), text.len);
        for (size_t i = 0; i < text.len;) {
            uint32_t code_point = 0;
            i += bt_utf8_decode(text, i, &code_point);
            assert_true(code_point >= 0x20 || code_point == '\n');
            assert_false(code_point == 0x7f || bt_code_point_is_hidden(code_point));
        }
        bt_buf_free(&buf);
    }
}

static void formats_for_people_let_no_document_reorder_text(void **state)
{
    (void)state;
    static const enum bt_report_format formats[] = {BT_REPORT_FORMAT_FULL, BT_REPORT_FORMAT_CONCISE,
                                                    BT_REPORT_FORMAT_GITHUB, BT_REPORT_FORMAT_JUNIT,
                                                    BT_REPORT_FORMAT_MARKDOWN};
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        struct bt_buf buf = render_sample(formats[i], false);
        bt_buf_put_char(&buf, '\0');
        assert_non_null(buf.ptr);
        assert_null(strstr(buf.ptr, "\xe2\x80\xae"));
        assert_non_null(strstr(buf.ptr, "u{202e}"));
        bt_buf_free(&buf);
    }
}

static size_t count_lines(bt_str text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    return lines;
}

static void one_finding_or_failure_is_one_line_whatever_it_says(void **state)
{
    (void)state;
    struct bt_buf concise = render_sample(BT_REPORT_FORMAT_CONCISE, false);
    struct bt_buf github = render_sample(BT_REPORT_FORMAT_GITHUB, false);
    assert_int_equal(count_lines(bt_buf_str(&concise)), 8 + 3);
    assert_int_equal(count_lines(bt_buf_str(&github)), 8 + 3);
    for (size_t at = 0; at < github.len; at++) {
        const bt_str rest = bt_str_slice(bt_buf_str(&github), at, github.len);
        assert_true(bt_str_starts_with(rest, BT_STR("::error file=")) ||
                    bt_str_starts_with(rest, BT_STR("::warning file=")) ||
                    bt_str_starts_with(rest, BT_STR("::notice file=")));
        at = bt_str_find_byte(bt_buf_str(&github), '\n', at);
    }
    bt_buf_free(&github);
    bt_buf_free(&concise);
}

static void a_table_row_of_markdown_has_its_cells_whatever_it_says(void **state)
{
    (void)state;
    struct bt_buf buf = render_sample(BT_REPORT_FORMAT_MARKDOWN, false);
    size_t rows = 0;
    size_t failures = 0;
    size_t bars = 0;
    for (size_t i = 0; i < buf.len; i++) {
        bars += buf.ptr[i] == '|';
        if (buf.ptr[i] == '\n') {
            assert_true(bars == 0 || bars == 4 || bars == 5);
            rows += bars == 5;
            failures += bars == 4;
            bars = 0;
        }
    }
    assert_int_equal(rows, 8 + 3 * 2);
    assert_int_equal(failures, 3 + 2);
    bt_buf_put_char(&buf, '\0');
    assert_non_null(buf.ptr);
    assert_null(strstr(buf.ptr, "<script"));
    assert_null(strstr(buf.ptr, "](")); /* no link */
    assert_null(strstr(buf.ptr, "http:"));
    assert_null(strstr(buf.ptr, "www."));
    assert_null(strstr(buf.ptr, "@e")); /* no mention */
    bt_buf_free(&buf);
}

static void a_sarif_message_holds_no_link(void **state)
{
    (void)state;
    struct bt_buf buf = render_sample(BT_REPORT_FORMAT_SARIF, false);
    bt_buf_put_char(&buf, '\0');
    assert_non_null(buf.ptr);
    const char *message = strstr(buf.ptr, "\"text\":\"no evil");
    assert_non_null(message);
    const char *link = strstr(message, "[c\\\\](http");
    assert_non_null(link);
    bt_buf_free(&buf);
}

static void a_report_without_documents_can_be_rendered(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    const struct bt_report *report = bt_report_new(&arena);
    assert_non_null(report);
    for (size_t format = 0; format < BT_REPORT_FORMAT__MAX; format++) {
        struct bt_buf buf = render_with(report, (enum bt_report_format)format, false);
        assert_true(buf.len == 0 || buf.ptr[buf.len - 1] == '\n');
        bt_buf_free(&buf);
    }
    struct bt_buf full = render_with(report, BT_REPORT_FORMAT_FULL, false);
    assert_str(bt_buf_str(&full), "0 documents: 0 accepted, 0 rejected (0 errors, 0 warnings)\n");
    bt_buf_free(&full);
    bt_arena_free(&arena);
}

static void an_unknown_format_is_refused(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    const struct bt_report *report = bt_report_new(&arena);
    assert_non_null(report);
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const struct bt_report_render_options options = {.format = BT_REPORT_FORMAT__MAX};
    assert_int_equal(bt_report_render(report, &options, &buf), BT_EINVAL);
    assert_int_equal(buf.len, 0);
    bt_arena_free(&arena);
}

static void a_recorded_document_counts_as_accepted(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    const struct bt_report *report = sample_report(&arena);
    assert_non_null(report);
    assert_int_equal(bt_report_count(report), 5);
    assert_int_equal(bt_report_at(report, 4)->verdict, BT_VERDICT_RECORDED);
    const struct bt_report_totals summary = bt_report_get_totals(report);
    assert_int_equal(summary.documents, 5);
    assert_int_equal(summary.accepted, 3);
    assert_int_equal(summary.rejected, 2);
    assert_int_equal(summary.hard, 4);
    assert_int_equal(summary.warn, 2);
    assert_int_equal(summary.info, 2);
    assert_int_equal(summary.failures, 3);
    bt_arena_free(&arena);
}

static void a_report_keeps_copies_of_more_failures_than_it_first_had_room_for(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_report *report = bt_report_new(&arena);
    assert_non_null(report);
    for (size_t i = 0; i < 100; i++) {
        char path[24];
        (void)snprintf(path, sizeof(path), "p%zu", i);
        const struct bt_failure failure = {bt_str_of(path), BT_FAILURE_IO, BT_STR("m")};
        bt_report_fail(report, &failure);
    }
    assert_int_equal(bt_report_failure_count(report), 100);
    assert_str(bt_report_failure_at(report, 99)->path, "p99");
    bt_arena_free(&arena);
}

/* A failure that cannot be kept still makes the run fail. */
static void a_failure_without_memory_is_still_counted(void **state)
{
    (void)state;
    static const struct bt_failure failure = {BT_STR_INIT("p"), BT_FAILURE_IO, BT_STR_INIT("m")};
    struct bt_arena arena;
    bt_arena_init(&arena, 512);
    struct bt_report *report = bt_report_new(&arena);
    assert_non_null(report);
    for (size_t i = 1; i < 100; i++) {
        const size_t before = bt_report_failure_count(report);
        bt_report_fail(report, &failure);
        assert_true(bt_report_failure_count(report) >= before);
        assert_true(bt_report_failure_count(report) > 0);
    }
    const size_t count = bt_report_failure_count(report);
    assert_true(count < 99);
    assert_int_equal(bt_report_failure_at(report, count - 1)->reason, BT_FAILURE_MEMORY);
    assert_int_equal(bt_report_get_totals(report).failures, count);
    bt_arena_free(&arena);
}

static void a_report_keeps_more_documents_than_it_first_had_room_for(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_report *report = bt_report_new(&arena);
    const struct bt_findings *none = bt_findings_new(&arena);
    assert_non_null(report);
    assert_non_null(none);
    static const char digits[] = "0123456789";
    for (size_t i = 0; i < 100; i++) {
        const struct bt_judgement judged = {
            .path = {digits + i % 10, 1}, .verdict = BT_VERDICT_ACCEPTED, .findings = none};
        assert_int_equal(bt_report_add(report, &judged), BT_OK);
    }
    assert_int_equal(bt_report_count(report), 100);
    for (size_t i = 0; i < 100; i++) {
        assert_ptr_equal(bt_report_at(report, i)->path.ptr, digits + i % 10);
    }
    bt_arena_free(&arena);
}

static void only_the_findings_that_decided_make_a_junit_failure(void **state)
{
    (void)state;
    static const struct bt_rule warn = {
        .code = BT_STR_INIT("W"), .severity = BT_SEVERITY_WARN, .stage = BT_STAGE_READ};
    static const struct bt_rule info = {
        .code = BT_STR_INIT("I"), .severity = BT_SEVERITY_INFO, .stage = BT_STAGE_READ};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_report *report = bt_report_new(&arena);
    struct bt_findings *findings = bt_findings_new(&arena);
    assert_non_null(report);
    assert_non_null(findings);
    const struct bt_finding both[] = {bt_finding_from_rule(&warn), bt_finding_from_rule(&info)};
    assert_int_equal(bt_findings_add(findings, &both[0]), BT_OK);
    assert_int_equal(bt_findings_add(findings, &both[1]), BT_OK);
    assert_int_equal(bt_findings_finish(findings, BT_STR("")), BT_OK);
    const struct bt_judgement judged = {.path = BT_STR("p"),
                                        .dialect = BT_DIALECT_JSON,
                                        .verdict = bt_verdict_of(findings, BT_SEVERITY_WARN),
                                        .findings = findings};
    assert_int_equal(bt_report_add(report, &judged), BT_OK);
    struct bt_buf buf = render_with(report, BT_REPORT_FORMAT_JUNIT, false);
    bt_buf_put_char(&buf, '\0');
    assert_non_null(buf.ptr);
    assert_non_null(strstr(buf.ptr, "<failure type=\"W\" message=\"\">p: warning: W \n</failure>"));
    assert_non_null(strstr(buf.ptr, "<system-out>p: info: I \n</system-out>"));
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void many_findings_on_one_line_are_rendered(void **state)
{
    (void)state;
    enum {
        COUNT = 20000,
    };
    static const struct bt_rule rule = {
        .code = BT_STR_INIT("A"), .severity = BT_SEVERITY_HARD, .stage = BT_STAGE_READ};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    struct bt_report *report = bt_report_new(&arena);
    struct bt_findings *findings = bt_findings_new(&arena);
    char *line = bt_arena_alloc(&arena, COUNT * 4);
    assert_non_null(report);
    assert_non_null(findings);
    assert_non_null(line);
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(line + i * 4, "\xf0\x9f\x98\x80", 4);
        struct bt_finding finding = bt_finding_from_rule(&rule);
        char pointer[24];
        (void)snprintf(pointer, sizeof(pointer), "/%zu", i);
        finding.pointer = bt_str_of(pointer);
        finding.offset = i * 4;
        assert_int_equal(bt_findings_add(findings, &finding), BT_OK);
    }
    const bt_str source = {line, COUNT * 4};
    assert_int_equal(bt_findings_finish(findings, source), BT_OK);
    const struct bt_judgement judged = {.path = BT_STR("p"),
                                        .dialect = BT_DIALECT_JSON,
                                        .source = source,
                                        .verdict = BT_VERDICT_REJECTED,
                                        .findings = findings};
    assert_int_equal(bt_report_add(report, &judged), BT_OK);
    static const size_t lines[BT_REPORT_FORMAT__MAX] = {
        [BT_REPORT_FORMAT_FULL] = COUNT * 6 + 1,
        [BT_REPORT_FORMAT_CONCISE] = COUNT,
        [BT_REPORT_FORMAT_JSON] = 1,
        [BT_REPORT_FORMAT_JSONL] = 2,
        [BT_REPORT_FORMAT_GITHUB] = COUNT,
        [BT_REPORT_FORMAT_JUNIT] = COUNT + 8,
        [BT_REPORT_FORMAT_SARIF] = 1,
        [BT_REPORT_FORMAT_MARKDOWN] = COUNT + 8,
    };
    for (size_t format = 0; format < BT_REPORT_FORMAT__MAX; format++) {
        struct bt_buf buf = render_with(report, (enum bt_report_format)format, false);
        assert_int_equal(count_lines(bt_buf_str(&buf)), lines[format]);
        if (format == BT_REPORT_FORMAT_SARIF) {
            bt_buf_put_char(&buf, '\0');
            assert_non_null(buf.ptr);
            assert_non_null(strstr(buf.ptr, "\"startColumn\":39999}")); /* two units each */
        }
        bt_buf_free(&buf);
    }
    bt_arena_free(&arena);
}

static void a_full_buffer_is_reported_by_every_format(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    const struct bt_report *report = sample_report(&arena);
    assert_non_null(report);
    for (size_t format = 0; format < BT_REPORT_FORMAT__MAX; format++) {
        const struct bt_report_render_options options = {.format = (enum bt_report_format)format,
                                                         .colour = true};
        enum bt_status status = BT_ELIMIT;
        size_t refused = 0;
        for (size_t max = 0; status != BT_OK && max < 1 << 16; max += 61) {
            struct bt_buf buf;
            bt_buf_init(&buf, max);
            status = bt_report_render(report, &options, &buf);
            assert_true(status == BT_OK || status == BT_ELIMIT);
            assert_int_equal(status, buf.status);
            refused += status == BT_ELIMIT;
            bt_buf_free(&buf);
        }
        assert_int_equal(status, BT_OK);
        assert_true(refused > 10);
    }
    bt_arena_free(&arena);
}

static void running_out_of_memory_gives_no_report(void **state)
{
    (void)state;
    bool done = false;
    size_t refused = 0;
    for (size_t limit = 16; !done && limit < 1 << 20; limit += 16) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        done = sample_report(&arena) != NULL;
        refused += !done;
        bt_arena_free(&arena);
    }
    assert_true(done);
    assert_true(refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_renders_the_sample_as_its_golden_file_shows),
        cmocka_unit_test(no_format_lets_a_document_command_the_terminal),
        cmocka_unit_test(formats_for_people_let_no_document_reorder_text),
        cmocka_unit_test(one_finding_or_failure_is_one_line_whatever_it_says),
        cmocka_unit_test(a_table_row_of_markdown_has_its_cells_whatever_it_says),
        cmocka_unit_test(a_sarif_message_holds_no_link),
        cmocka_unit_test(a_report_without_documents_can_be_rendered),
        cmocka_unit_test(an_unknown_format_is_refused),
        cmocka_unit_test(a_recorded_document_counts_as_accepted),
        cmocka_unit_test(a_report_keeps_more_documents_than_it_first_had_room_for),
        cmocka_unit_test(a_report_keeps_copies_of_more_failures_than_it_first_had_room_for),
        cmocka_unit_test(a_failure_without_memory_is_still_counted),
        cmocka_unit_test(only_the_findings_that_decided_make_a_junit_failure),
        cmocka_unit_test(many_findings_on_one_line_are_rendered),
        cmocka_unit_test(a_full_buffer_is_reported_by_every_format),
        cmocka_unit_test(running_out_of_memory_gives_no_report),
    };
    return RUN_TESTS(tests);
}
