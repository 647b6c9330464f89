/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_check.c - any bytes, judged as every dialect and reported in every format.
 *
 * Promises: the judgement is the same twice; every report is UTF-8 and ends in a line feed; the
 * machine formats are JSON; no report for people lets a control character of the document through.
 */
#include <baton/check.h>

#include "engine/check.h"
#include "fuzz.h"
#include "report/add.h"

static void lines_are_json(struct bt_arena *arena, bt_str text)
{
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        (void)fuzz_reread(arena, bt_str_slice(text, from, end));
        from = end + 1;
    }
}

static void text_is_harmless(bt_str text, bool coloured)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        const bool allowed = byte == '\n' || (coloured && byte == 0x1b);
        PROMISE(allowed || (byte >= 0x20 && byte != 0x7f));
    }
}

static void report_is_sound(const struct bt_report *report, enum bt_report_format format,
                            bool coloured)
{
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    const struct bt_report_render_options options = {.format = format, .colour = coloured};
    PROMISE(bt_report_render(report, &options, &buf) == BT_OK);

    const bt_str text = bt_buf_str(&buf);
    PROMISE(bt_utf8_check(text) == text.len);
    PROMISE(text.len == 0 || bt_str_ends_with(text, BT_STR("\n")));
    text_is_harmless(text, coloured);
    if (format == BT_REPORT_FORMAT_JSON || format == BT_REPORT_FORMAT_SARIF) {
        (void)fuzz_reread(&arena, text);
    } else if (format == BT_REPORT_FORMAT_JSONL) {
        lines_are_json(&arena, text);
    }
    bt_buf_free(&buf);
    bt_arena_free(&arena);
}

static void findings_are_equal(const struct bt_findings *a, const struct bt_findings *b)
{
    PROMISE(bt_findings_count(a) == bt_findings_count(b));
    for (size_t i = 0; i < bt_findings_count(a); i++) {
        const struct bt_finding *one = bt_findings_at(a, i);
        const struct bt_finding *other = bt_findings_at(b, i);
        PROMISE(one->rule == other->rule);
        PROMISE(one->offset == other->offset);
        PROMISE(one->position.line == other->position.line);
        PROMISE(one->position.column == other->position.column);
        PROMISE(bt_str_eq(one->pointer, other->pointer));
        PROMISE(bt_str_eq(one->message, other->message));
        PROMISE(bt_finding_compare_params(one, other) == 0);
    }
}

static struct bt_judgement judge(struct bt_arena *arena, bt_str text, enum bt_dialect_id dialect,
                                 uint64_t seed)
{
    struct bt_env env;
    PROMISE(bt_env_init(&env) == BT_OK);
    env.hash_seed[0] = seed;
    env.hash_seed[1] = ~seed;
    bt_env_pin_clock(&env, &(bt_instant){1770000000, 0});
    bt_env_pin_seed(&env, 1);
    const struct bt_check_options options = {.dialect = dialect};
    struct bt_judgement judged;
    PROMISE(bt_check_document(&env, arena, BT_STR("fuzz.json"), text, &options, &judged) == BT_OK);
    PROMISE(judged.verdict != BT_VERDICT_NONE);
    return judged;
}

static void judged_as(bt_str text, enum bt_dialect_id dialect)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_judgement once = judge(&arena, text, dialect, 0);
    const struct bt_judgement again = judge(&arena, text, dialect, text.len);
    PROMISE(once.verdict == again.verdict);
    PROMISE(once.verdict == bt_verdict_of(once.findings, BT_SEVERITY_HARD));
    PROMISE(bt_str_eq(once.facts, again.facts));
    findings_are_equal(once.findings, again.findings);

    struct bt_report *report = bt_report_new(&arena);
    PROMISE(report);
    PROMISE(bt_report_add(report, &once) == BT_OK);
    for (int format = 0; format < BT_REPORT_FORMAT__MAX; format++) {
        report_is_sound(report, (enum bt_report_format)format, false);
    }
    report_is_sound(report, BT_REPORT_FORMAT_FULL, true);
    bt_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    for (enum bt_dialect_id dialect = 1; dialect < BT_DIALECT__CHECKABLE_MAX; dialect++) {
        judged_as(text, dialect);
    }
    return 0;
}
