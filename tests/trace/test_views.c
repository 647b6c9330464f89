/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_views.c - views of traces: what they show, and that no name speaks in their voice.
 */
#include "log.h"

#include "trace/views.h"

#define SENT(time, workflow, details)                                                              \
    LINE(AT(time), "transmitted", workflow, ",\"details\":" details)

static const char planner_log[] = LINE(AT("00:00"), "workflow_started", "planner", "")
    LINE(AT("00:01.500"), "phase_started", "planner", ",\"phase\":\"Triage\"")
        LINE(AT("10:00"), "error", "planner", "")
            LINE(AT("20:01.500"), "phase_completed", "planner", ",\"phase\":\"Triage\"")
                LINE(AT("25:00"), "phase_started", "planner", ",\"phase\":\"Wait\"")
                    SENT("30:00", "planner",
                         "{\"target\":\"builder\",\"schema_version\":\"3.0\",\"token_count\":145,"
                         "\"validation\":\"passed\"}")
                        LINE(AT("30:00.342"), "received", "builder", "") "junk\n";

static void expect_view(const char *log_text, enum bt_trace_view view, enum bt_trace_format form,
                        const char *expected)
{
    struct log log;
    log_read_text(&log, bt_str_of(log_text));
    char *text = log_render(&log, view, form);
    assert_string_equal(text, expected);
    free(text);
    log_free(&log);
}

static void the_timeline_has_a_line_for_each_workflow_and_phase(void **state)
{
    (void)state;
    expect_view(
        planner_log, BT_TRACE_VIEW_TIMELINE, BT_TRACE_FORMAT_TEXT,
        "trace t\n"
        "from 2026-04-14T08:00:00.000Z, 30 min, 7 events, 1 error\n"
        "\n"
        "planner            30 min  |=================!=================================|\n"
        "  Triage           20 min  |----------------------------------                 |\n"
        "  Wait         unfinished  |                                          -------->|\n"
        "builder              0 ms  |                                                  ||\n");
}

static void the_chain_has_a_line_for_each_hop(void **state)
{
    (void)state;
    expect_view(planner_log, BT_TRACE_VIEW_CHAIN, BT_TRACE_FORMAT_TEXT,
                "trace t\n"
                "from 2026-04-14T08:00:00.000Z, 30 min, 7 events, 1 error\n"
                "\n"
                "planner -> builder  2026-04-14T08:30:00.000Z   3.0, 145 tokens, passed, 342 ms\n");
    expect_view(SENT("00:00", "a", "{\"validation\":\"failed\"}"), BT_TRACE_VIEW_CHAIN,
                BT_TRACE_FORMAT_TEXT,
                "trace t\n"
                "from 2026-04-14T08:00:00.000Z, 0 ms, 1 event\n"
                "\n"
                "a -> (nobody)  2026-04-14T08:00:00.000Z ! failed, not received\n");
    expect_view(LINE(AT("00:00"), "error", "a", ""), BT_TRACE_VIEW_CHAIN, BT_TRACE_FORMAT_TEXT,
                "trace t\n"
                "from 2026-04-14T08:00:00.000Z, 0 ms, 1 event, 1 error\n"
                "\n"
                "no handoff was transmitted\n");
}

static void json_has_everything(void **state)
{
    (void)state;
    expect_view(
        planner_log, BT_TRACE_VIEW_TIMELINE, BT_TRACE_FORMAT_JSON,
        "{\"baton\":1,\"traces\":[{\"trace_id\":\"t\",\"started\":\"2026-04-14T08:00:00.000Z\","
        "\"ended\":\"2026-04-14T08:30:00.342Z\",\"duration_ms\":1800342,\"events\":7,\"errors\":1,"
        "\"workflows\":[{\"workflow\":\"planner\",\"started\":\"2026-04-14T08:00:00.000Z\","
        "\"ended\":\"2026-04-14T08:30:00.000Z\",\"duration_ms\":1800000,\"phases\":[{\"phase\":"
        "\"Triage\",\"duration_ms\":1200000},{\"phase\":\"Wait\",\"duration_ms\":null}]},"
        "{\"workflow\":\"builder\",\"started\":\"2026-04-14T08:30:00.342Z\",\"ended\":"
        "\"2026-04-14T08:30:00.342Z\",\"duration_ms\":0,\"phases\":[]}],\"hops\":[{\"source\":"
        "\"planner\",\"target\":\"builder\",\"schema_version\":\"3.0\",\"token_count\":145,"
        "\"validation\":\"passed\",\"transmitted\":\"2026-04-14T08:30:00.000Z\",\"latency_ms\":342"
        "}]}],\"findings\":[{\"code\":\"TRACE_LINE_INVALID\",\"severity\":\"WARN\",\"stage\":"
        "\"read\",\"pointer\":\"\",\"line\":8,\"column\":1,\"message\":\"line 8 is skipped: it is "
        "not JSON\",\"params\":{\"reason\":\"syntax\",\"line\":8,\"path\":\"log\"}}]}\n");
    expect_view(SENT("00:00", "a", "null"), BT_TRACE_VIEW_CHAIN, BT_TRACE_FORMAT_JSON,
                "{\"baton\":1,\"traces\":[{\"trace_id\":\"t\",\"started\":"
                "\"2026-04-14T08:00:00.000Z\",\"ended\":\"2026-04-14T08:00:00.000Z\","
                "\"duration_ms\":0,\"events\":1,\"errors\":0,\"workflows\":[{\"workflow\":\"a\","
                "\"started\":\"2026-04-14T08:00:00.000Z\",\"ended\":\"2026-04-14T08:00:00.000Z\","
                "\"duration_ms\":0,\"phases\":[]}],\"hops\":[{\"source\":\"a\",\"target\":null,"
                "\"schema_version\":null,\"token_count\":null,\"validation\":null,\"transmitted\":"
                "\"2026-04-14T08:00:00.000Z\",\"latency_ms\":null}]}],\"findings\":[]}\n");
    expect_view("", BT_TRACE_VIEW_TIMELINE, BT_TRACE_FORMAT_JSON,
                "{\"baton\":1,\"traces\":[],\"findings\":[]}\n");
}

static void mermaid_draws_both_views(void **state)
{
    (void)state;
    expect_view(planner_log, BT_TRACE_VIEW_TIMELINE, BT_TRACE_FORMAT_MERMAID,
                "gantt\n"
                "    title trace t\n"
                "    dateFormat YYYY-MM-DDTHH:mm:ss.SSSZ\n"
                "    axisFormat %H:%M:%S\n"
                "    section planner\n"
                "    all :2026-04-14T08:00:00.000Z, 1800000ms\n"
                "    - Triage :done, 2026-04-14T08:00:01.500Z, 1200000ms\n"
                "    - Wait :active, 2026-04-14T08:25:00.000Z, 300000ms\n"
                "    error :crit, milestone, 2026-04-14T08:10:00.000Z, 0ms\n"
                "    section builder\n"
                "    all :milestone, 2026-04-14T08:30:00.342Z, 0ms\n");
    expect_view(planner_log, BT_TRACE_VIEW_CHAIN, BT_TRACE_FORMAT_MERMAID,
                "flowchart LR\n"
                "    subgraph t0 [\"trace t\"]\n"
                "        t0n0[\"planner\"]\n"
                "        t0n1[\"builder\"]\n"
                "        t0n0 -->|\"3.0, 145 tokens, passed, 342 ms\"| t0n1\n"
                "    end\n");
}

static void dot_draws_both_views(void **state)
{
    (void)state;
    static const char head[] = "digraph traces {\n"
                               "    graph [rankdir=LR, fontname=\"sans-serif\"];\n"
                               "    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                               "    edge [fontname=\"sans-serif\", fontsize=10];\n";
    char expected[2000];
    (void)snprintf(expected, sizeof(expected),
                   "%s"
                   "    subgraph cluster_0 {\n"
                   "        label=\"trace t\";\n"
                   "        t0n0 [label=\"planner\"];\n"
                   "        t0n1 [label=\"builder\"];\n"
                   "        t0n0 -> t0n1 [label=\"3.0, 145 tokens, passed, 342 ms\"];\n"
                   "    }\n"
                   "}\n",
                   head);
    expect_view(planner_log, BT_TRACE_VIEW_CHAIN, BT_TRACE_FORMAT_DOT, expected);
    (void)snprintf(expected, sizeof(expected),
                   "%s"
                   "    subgraph cluster_0 {\n"
                   "        label=\"trace t\";\n"
                   "        t0w0 [label=\"a\\n1 s\"];\n"
                   "        t0w0p0 [shape=plain, label=\"(no phase)\\n1 s\"];\n"
                   "        t0w0 -> t0w0p0 [style=dashed, arrowhead=none];\n"
                   "    }\n"
                   "}\n",
                   head);
    expect_view(LINE(AT("00:00"), "phase_started", "a", "")
                    LINE(AT("00:01"), "phase_completed", "a", ""),
                BT_TRACE_VIEW_TIMELINE, BT_TRACE_FORMAT_DOT, expected);
}

/* Names that would do something if they could: a terminal, XML, Mermaid, Graphviz. Where a name may
 * stand, all of them stand in turn. */
static const struct {
    const char *name;      /* as JSON writes it */
    const char *forbidden; /* must not be in any form */
} attacks[] = {
    {"\\u001b[31mred", "\x1b"},
    {"\\u009b31m", "\xc2\x9b"},
    {"a\\nb", "a\nb"},
    {"a\\r\\nb", "\r"},
    {"</svg><script>alert(1)</script>", "<script"},
    {"<a href='x'>", "<a "},
    {"a\\\" onload=\\\"b", "\" onload="},
    {"\\\"];evil->node;x[\\\"", "\"];evil"},
    {"x\\\\", NULL},
    {"a-->b", NULL},
    {"title x", "\n    title x"},
    {"section x", NULL},
    {"#quot;]", NULL},
    {"%%{init: {}}%%", NULL},
    {"click a call b()", NULL},
    {"\\u202egnp.exe", "\xe2\x80\xae"},
    {"&lt;", NULL},
    {"\\ud800", "\xed\xa0\x80"},
    {"\\uffff]]>", "\xef\xbf\xbf]]>"},
    {"\\u0000", NULL},
};

static void put_attack(struct bt_buf *buf, const char *name)
{
    static const char *const events[] = {"phase_started", "error", "transmitted", "received"};
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        bt_buf_printf(buf,
                      "{\"trace_id\":\"%s\",\"timestamp\":\"2026-04-14T08:00:0%zuZ\",\"event\":"
                      "\"%s\",\"workflow\":\"%s\",\"phase\":\"%s\",\"details\":{\"target\":\"%s\","
                      "\"schema_version\":\"%s\",\"validation\":\"%s\"}}\n",
                      name, i, events[i], name, name, name, name, name);
    }
}

/* Whether quotes come in pairs on each line, which they do not when a name broke out of them. */
static bool quotes_are_paired(const char *text)
{
    size_t quotes = 0;
    for (const char *at = text; *at; at++) {
        quotes += *at == '"' && (at == text || at[-1] != '\\' || (at > text + 1 && at[-2] == '\\'));
        if (*at == '\n' && quotes % 2 != 0) {
            return false;
        }
    }
    return quotes % 2 == 0;
}

static void expect_harmless(const struct log *log, size_t attack, enum bt_trace_view view,
                            enum bt_trace_format form)
{
    char *text = log_render(log, view, form);
    const char *forbidden = attacks[attack].forbidden;
    /* Text and JSON show < and > as they are, and so does Graphviz, between quotes; that quotes do
     * not end too early is asked below. Only SVG has markup to fear, and characters that it may not
     * hold. JSON escapes what a terminal obeys and nothing more. */
    const unsigned char first = forbidden ? (unsigned char)forbidden[0] : 0;
    const bool is_markup = first == '<' || first == '"' || first == 0xef;
    const bool is_raw = form == BT_TRACE_FORMAT_JSON && first >= 0xe0;
    const bool applies = forbidden && !is_raw && (!is_markup || form == BT_TRACE_FORMAT_SVG);
    if (applies && strstr(text, forbidden)) {
        fail_msg("view %d, form %d, name %s: %s", (int)view, (int)form, attacks[attack].name, text);
    }
    if (form != BT_TRACE_FORMAT_TEXT && !quotes_are_paired(text)) {
        fail_msg("view %d, form %d, name %s: %s", (int)view, (int)form, attacks[attack].name, text);
    }
    for (const char *at = text; *at; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        assert_true(*at != 0x7f);
    }
    free(text);
}

static void no_name_speaks_in_the_voice_of_a_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(attacks); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        put_attack(&buf, attacks[i].name);
        struct log log;
        log_read_text(&log, bt_buf_str(&buf));
        assert_int_equal(bt_trace_set_event_count(log.traces), 4);
        for (int view = 0; view < BT_TRACE_VIEW__MAX; view++) {
            for (int form = 0; form < BT_TRACE_FORMAT__MAX; form++) {
                expect_harmless(&log, i, (enum bt_trace_view)view, (enum bt_trace_format)form);
            }
        }
        log_free(&log);
        bt_buf_free(&buf);
    }
}

static void the_escapes_of_each_form_are_its_own(void **state)
{
    (void)state;
    static const struct {
        enum bt_trace_format form;
        const char *shown;
    } rows[] = {
        {BT_TRACE_FORMAT_TEXT, "<\"\\x1b&#>;: -> (nobody)"},
        {BT_TRACE_FORMAT_MERMAID, "[\"#60;#34;#92;x1b#38;#35;#62;#59;#58;\"]"},
        {BT_TRACE_FORMAT_DOT, "[label=\"<\\\"\\\\x1b&amp;#>;:\"]"},
        {BT_TRACE_FORMAT_SVG, ">&lt;&quot;\\x1b&amp;#&gt;;:</text>"},
        {BT_TRACE_FORMAT_JSON, "\"<\\\"\\u001b&#>;:\""},
    };
    struct log log;
    log_read_text(&log, BT_STR(SENT("00:00", "<\\\"\\u001b&#>;:", "{}")));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = log_render(&log, BT_TRACE_VIEW_CHAIN, rows[i].form);
        if (!strstr(text, rows[i].shown)) {
            fail_msg("no %s in %s", rows[i].shown, text);
        }
        free(text);
    }
    log_free(&log);
}

static void a_picture_has_neither_scripts_nor_links(void **state)
{
    (void)state;
    static const char *const forbidden[] = {"<script", "href",          "xlink",  "url(",
                                            "@import", "<a ",           "<image", "<use",
                                            "onload",  "<foreignObject"};
    struct log log;
    log_read_text(&log, bt_str_of(planner_log));
    for (int view = 0; view < BT_TRACE_VIEW__MAX; view++) {
        char *text = log_render(&log, (enum bt_trace_view)view, BT_TRACE_FORMAT_SVG);
        for (size_t i = 0; i < COUNT_OF(forbidden); i++) {
            assert_null(strstr(text, forbidden[i]));
        }
        assert_non_null(strstr(text, "</svg>\n"));
        free(text);
    }
    log_free(&log);
}

static void text_keeps_within_the_columns_it_is_given(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log,
                  BT_STR(LINE(AT("00:00"), "phase_started",
                              "a-very-long-workflow-name-that-goes-on-and-on-for-ever",
                              ",\"phase\":\"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"
                              "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\"")
                             LINE(AT("00:01"), "error", "b", "")));
    static const size_t widths[] = {0, 1, 40, 41, 79, 80, 132, 400, 100000};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        const struct bt_trace_render_options options = {.columns = widths[i]};
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        assert_int_equal(bt_trace_set_render(log.traces, &options, &buf), BT_OK);
        const size_t asked = widths[i] == 0 ? 80 : widths[i];
        const size_t width = asked < 40 ? 40 : asked > 400 ? 400 : asked;
        const bt_str text = bt_buf_str(&buf);
        size_t line = 0;
        for (size_t from = 0; from < text.len;) {
            const size_t end = bt_str_find_byte(text, '\n', from);
            const size_t columns = bt_trace_name_columns(bt_str_slice(text, from, end));
            assert_true(line < 3 || columns == width ||
                        width > 190); /* longer ones are cut there */
            from = end + 1;
            line++;
        }
        assert_int_equal(line, 6);
        bt_buf_free(&buf);
    }
    log_free(&log);
}

static void colours_are_only_there_when_asked_for(void **state)
{
    (void)state;
    struct log log;
    log_read_text(&log, bt_str_of(planner_log));
    for (int colour = 0; colour < 2; colour++) {
        const struct bt_trace_render_options options = {.colour = colour == 1};
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        assert_int_equal(bt_trace_set_render(log.traces, &options, &buf), BT_OK);
        assert_int_equal(bt_str_find_byte(bt_buf_str(&buf), '\x1b', 0) < buf.len, colour == 1);
        bt_buf_free(&buf);
    }
    log_free(&log);
}

static void durations_are_readable(void **state)
{
    (void)state;
    static const struct {
        double ms;
        const char *text;
    } rows[] = {
        {0, "0 ms"},
        {0.9, "0 ms"},
        {999.9, "999 ms"},
        {1000, "1 s"},
        {1234, "1.2 s"},
        {59999, "59.9 s"},
        {60000, "1 min"},
        {61000, "1 min 1 s"},
        {3599999, "59 min 59 s"},
        {3600000, "1 h"},
        {3660000, "1 h 1 min"},
        {86400000, "1 d"},
        {187200000, "2 d 4 h"},
        {1e300, "11574074 d 1 h"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_buf buf;
        bt_buf_init(&buf, 100);
        bt_trace_put_duration(&buf, rows[i].ms);
        bt_buf_put_char(&buf, '\0');
        assert_string_equal(buf.ptr, rows[i].text);
        bt_buf_free(&buf);
    }
}

static void forms_and_views_have_names(void **state)
{
    (void)state;
    assert_str(bt_trace_view_name(BT_TRACE_VIEW_CHAIN), "chain");
    assert_str(bt_trace_view_name(BT_TRACE_VIEW__MAX), "");
    assert_str(bt_trace_format_name(BT_TRACE_FORMAT_SVG), "svg");
    assert_str(bt_trace_format_name(BT_TRACE_FORMAT__MAX), "");
    struct log log;
    struct bt_buf buf;
    log_read_text(&log, BT_STR(""));
    bt_buf_init(&buf, 100);
    const struct bt_trace_render_options bad = {.form = BT_TRACE_FORMAT__MAX};
    assert_int_equal(bt_trace_set_render(log.traces, &bad, &buf), BT_EINVAL);
    assert_int_equal(buf.len, 0);
    bt_buf_free(&buf);
    log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_timeline_has_a_line_for_each_workflow_and_phase),
        cmocka_unit_test(the_chain_has_a_line_for_each_hop),
        cmocka_unit_test(json_has_everything),
        cmocka_unit_test(mermaid_draws_both_views),
        cmocka_unit_test(dot_draws_both_views),
        cmocka_unit_test(no_name_speaks_in_the_voice_of_a_form),
        cmocka_unit_test(the_escapes_of_each_form_are_its_own),
        cmocka_unit_test(a_picture_has_neither_scripts_nor_links),
        cmocka_unit_test(text_keeps_within_the_columns_it_is_given),
        cmocka_unit_test(colours_are_only_there_when_asked_for),
        cmocka_unit_test(durations_are_readable),
        cmocka_unit_test(forms_and_views_have_names),
    };
    return RUN_TESTS(tests);
}
