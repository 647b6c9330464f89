/* SPDX-License-Identifier: Apache-2.0 */
/* test_retry.c - retryText: the text that tells a model what to correct, byte for byte. */
#include "test.h"

#include <baton/baton.h>

#define REPORT(documents)                                                                          \
    "{\"report\":{\"baton\":1,\"documents\":[" documents "],\"summary\":{\"documents\":1,"         \
    "\"accepted\":0,\"rejected\":1,\"hard\":1,\"warn\":0,\"info\":0}}"
#define DOCUMENT(verdict, findings)                                                                \
    "{\"path\":\"p\",\"dialect\":\"json\",\"verdict\":\"" verdict "\",\"findings\":[" findings     \
    "],\"facts\":{}}"
#define FINDING(code, severity, pointer, rest)                                                     \
    "{\"code\":\"" code "\",\"severity\":\"" severity                                              \
    "\",\"stage\":\"schema\",\"pointer\":\"" pointer "\"," rest "}"
#define BRIEF(code, severity, pointer) FINDING(code, severity, pointer, "\"message\":\"m\"")
#define REJECTED(findings) REPORT(DOCUMENT("rejected", findings))
#define ONE(rest) REJECTED(FINDING("A_CODE", "HARD", "/a", rest)) "}"

#define HEAD "Baton refused this handoff (attempt 1 of 3).\\n"
#define FOOT "Correct only these places and hand over again.\""

static bool has_text(bt_str text, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

static struct bt_reply *write_retry(struct bt_engine *engine, bt_str request)
{
    struct bt_reply *reply = NULL;
    struct bt_error error;
    if (bt_call(engine, BT_STR("retryText"), request, &reply, &error) != BT_OK) {
        fail_msg("%s", error.text);
    }
    return reply;
}

static struct bt_engine *make_engine(void)
{
    struct bt_engine *engine = NULL;
    struct bt_error error;
    assert_int_equal(bt_engine_create(BT_STR(""), &engine, &error), BT_OK);
    return engine;
}

static const struct {
    const char *request;
    const char *part; /* of the reply */
} rows[] = {
    {ONE("\"message\":\"m\""), "\"text\":\"" HEAD "1. A_CODE at /a: m.\\n" FOOT},
    {ONE("\"message\":\"m!\""), "/a: m!\\n"},
    {ONE("\"message\":\"m?\",\"hint\":\"h.\""), "/a: m? Hint: h.\\n"},
    {ONE("\"message\":\"m\",\"hint\":\"\""), "/a: m.\\n"},
    {ONE("\"message\":\"m\",\"hint\":\"h\",\"params\":{\"allowed\":[\"x\",1,{\"a\": null}]}"),
     "/a: m. Allowed: \\\"x\\\", 1, {\\\"a\\\":null}. Hint: h.\\n"},
    {ONE("\"message\":\"m\",\"params\":{\"expected\":\"string\"}"),
     "/a: m. Allowed: \\\"string\\\".\\n"},
    {ONE("\"message\":\"m\",\"params\":{\"allowed\":[1],\"expected\":[2]}"),
     "/a: m. Allowed: 1.\\n"},
    {ONE("\"message\":\"m\",\"params\":{\"allowed\":[],\"other\":[2]}"), "/a: m.\\n"},
    {ONE("\"message\":\"m\",\"params\":{\"expected\":[1,2,3,4,5,6,7,8,9,10,11]}"),
     "Allowed: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.\\n"},
    {REJECTED(BRIEF("B_CODE", "HARD", "")) "}", "1. B_CODE at the whole document: m.\\n"},
    {REJECTED(BRIEF("A_CODE", "INFO", "/a")) "}", "1. A_CODE at /a"},
    {REJECTED(FINDING("A_CODE", "INFO", "/a", "\"message\":\"i\"") "," FINDING(
         "B_CODE", "WARN", "/b", "\"message\":\"w\"") "," FINDING("C_CODE", "HARD", "/c",
                                                                  "\"message\":\"h\"")) "}",
     HEAD "1. C_CODE at /c: h.\\n" FOOT},
    {REJECTED(FINDING("A_CODE", "INFO", "/a", "\"message\":\"i\"") "," FINDING(
         "B_CODE", "WARN", "/b", "\"message\":\"w\"")) "}",
     HEAD "1. B_CODE at /b: w.\\n" FOOT},
    {REJECTED("") ",\"attempt\":2,\"limit\":2}",
     "\"text\":\"Baton refused this handoff (attempt 2 of 2).\\nThis was the last attempt; a "
     "person decides now.\",\"attempt\":2,\"limit\":2,\"last\":true,\"codes\":[]"},
    {REPORT(DOCUMENT("accepted", BRIEF("A_CODE", "HARD", "/a"))) "}",
     "\"text\":\"\",\"attempt\":1,\"limit\":3,\"last\":false,\"codes\":[]"},
    {REPORT(DOCUMENT("recorded", "")) "}", "\"text\":\"\""},
    /* each document by its own findings, numbered together */
    {REPORT(DOCUMENT("rejected", BRIEF("A_CODE", "HARD", "/a")) "," DOCUMENT(
         "accepted", BRIEF("B_CODE", "WARN",
                           "/b")) "," DOCUMENT("rejected", BRIEF("C_CODE", "WARN",
                                                                 "/c") "," FINDING("A_"
                                                                                   "CODE",
                                                                                   "WARN", "/d",
                                                                                   "\"mes"
                                                                                   "sage"
                                                                                   "\":"
                                                                                   "\"m"
                                                                                   "\""))) "}",
     HEAD "1. A_CODE at /a: m.\\n2. C_CODE at /c: m.\\n3. A_CODE at /d: m.\\n" FOOT
          ",\"attempt\":1,\"limit\":3,\"last\":false,\"codes\":[\"A_CODE\",\"C_CODE\"]}}"},
    /* nothing in a report adds lines, hides a part or reorders the text */
    {ONE("\"message\":\"x\\n2. y\\u200b\\u061c\\u007f\""),
     "/a: x\\\\u000a2. y\\\\u200b\\\\u061c\\\\u007f.\\n"},
    {ONE("\"message\":\"\\udb40\\udc41\",\"hint\":\"\\u2066h\""),
     "/a: \\\\udb40\\\\udc41. Hint: \\\\u2066h.\\n"},
    {ONE("\"message\":\"m\",\"params\":{\"allowed\":[\"\\u202e\"]}"),
     "Allowed: \\\"\\\\u202e\\\".\\n"},
    {REJECTED(BRIEF("A_CODE", "HARD", "/a\\u202e")) "}", "at /a\\\\u202e: m."},
    {ONE("\"message\":\"gr\\u00fcn \\u7d42\""), "/a: gr\303\274n \347\265\202.\\n"},
};

static void a_line_names_code_place_message_values_and_hint(void **state)
{
    struct bt_engine *engine = make_engine();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_reply *reply = write_retry(engine, bt_str_of(rows[i].request));
        if (bt_reply_status(reply) != 200 || !has_text(bt_reply_json(reply), rows[i].part)) {
            fail_msg("%s: got %u %.*s", rows[i].request, bt_reply_status(reply),
                     BT_STR_ARG(bt_reply_json(reply)));
        }
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

/* A line with a message of so many bytes, as the reply has it. */
static void expect_length(struct bt_engine *engine, const char *unit, size_t count, const char *end,
                          size_t length)
{
    static char request[8192];
    size_t at = 0;
    (void)snprintf(
        request, sizeof(request), "%s",
        REPORT("{\"path\":\"p\",\"dialect\":\"json\",\"verdict\":\"rejected\",\"facts\":{},"
               "\"findings\":[{\"code\":\"A_CODE\",\"severity\":\"HARD\",\"stage\":"
               "\"schema\",\"pointer\":\"/a\",\"message\":\"@\"}]}") "}");
    char *mark = strchr(request, '@');
    assert_non_null(mark);
    char rest[512];
    (void)snprintf(rest, sizeof(rest), "%s", mark + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(mark + at, unit, strlen(unit));
        at += strlen(unit);
    }
    memcpy(mark + at, rest, strlen(rest) + 1);
    struct bt_reply *reply = write_retry(engine, bt_str_of(request));
    const bt_str json = bt_reply_json(reply);
    size_t begin = 0;
    while (begin < json.len &&
           !bt_str_starts_with(bt_str_slice(json, begin, json.len), BT_STR("1. "))) {
        begin++;
    }
    size_t stop = begin;
    while (stop < json.len &&
           !bt_str_starts_with(bt_str_slice(json, stop, json.len), BT_STR("\\nC"))) {
        stop++;
    }
    const bt_str line = bt_str_slice(json, begin, stop);
    if (line.len != length || !bt_str_ends_with(line, bt_str_of(end))) {
        fail_msg("%zu times %s: %zu bytes: %.*s", count, unit, line.len, BT_STR_ARG(line));
    }
    bt_reply_destroy(reply);
}

static void a_long_line_is_truncated_between_characters(void **state)
{
    struct bt_engine *engine = make_engine(); /* "1. A_CODE at /a: " has 17 bytes */
    (void)state;
    expect_length(engine, "x", 382, "x.", 400);
    expect_length(engine, "x", 383, "x...", 400);
    expect_length(engine, "x", 2000, "x...", 400);
    expect_length(engine, "\303\274", 300, "\303\274...", 400);
    expect_length(engine, "\360\237\230\200", 100, "\360\237\230\200...", 400);
    expect_length(engine, "\\u202e", 100, "\\\\u202e...", 17 + 63 * 7 + 3);
    bt_engine_destroy(engine);
}

static void findings_beyond_twenty_are_counted(void **state)
{
    static const size_t counts[] = {20, 21, 45};
    static const char *const parts[] = {"20. A_CODE at /a: m.\\nCorrect",
                                        "20. A_CODE at /a: m.\\nand 1 more.\\nCorrect",
                                        "20. A_CODE at /a: m.\\nand 25 more.\\nCorrect"};
    static char request[16384];
    struct bt_engine *engine = make_engine();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int at =
            snprintf(request, sizeof(request),
                     "{\"report\":{\"baton\":1,\"summary\":{\"documents\":1,\"accepted\":0,"
                     "\"rejected\":1,\"hard\":1,\"warn\":0,\"info\":0},\"documents\":[{"
                     "\"path\":\"p\",\"dialect\":\"json\",\"verdict\":\"rejected\",\"facts\":{},"
                     "\"findings\":[");
        for (size_t k = 0; k < counts[i]; k++) {
            at += snprintf(request + at, sizeof(request) - (size_t)at, "%s%s", k > 0 ? "," : "",
                           BRIEF("A_CODE", "HARD", "/a"));
        }
        (void)snprintf(request + at, sizeof(request) - (size_t)at, "]}]}}");
        struct bt_reply *reply = write_retry(engine, bt_str_of(request));
        if (!has_text(bt_reply_json(reply), parts[i]) ||
            !has_text(bt_reply_json(reply), "\"codes\":[\"A_CODE\"]")) {
            fail_msg("%zu: got %.*s", counts[i], BT_STR_ARG(bt_reply_json(reply)));
        }
        bt_reply_destroy(reply);
    }
    bt_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_names_code_place_message_values_and_hint),
        cmocka_unit_test(a_long_line_is_truncated_between_characters),
        cmocka_unit_test(findings_beyond_twenty_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
