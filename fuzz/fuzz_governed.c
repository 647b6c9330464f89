/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_governed.c - any bytes as a handoff, a response, a file of a catalogue and a prompt.
 *
 * Promises: nothing is accepted twice differently, facts are JSON, and nothing offers a fix. A
 * prompt gives the same lines however its lines end, only domains from 00 to 99 are named, lines
 * come in order, and what stands in a fence says nothing. Of two versions, one is the higher one
 * whichever comes first.
 */
#include <baton/check.h>

#include "dialect/governed/governed.h"
#include "dialect/governed/governed_root.h"
#include "dialect/governed/verify.h"
#include "engine/check.h"
#include "fuzz.h"

static void judge_twice(struct bt_env *env, struct bt_arena *arena, bt_str text, const char *name)
{
    const struct bt_check_options options = {.dialect = bt_dialect_find(bt_str_of(name))};
    struct bt_judgement once;
    struct bt_judgement again;
    PROMISE(bt_check_document(env, arena, BT_STR("d"), text, &options, &once) == BT_OK);
    PROMISE(bt_check_document(env, arena, BT_STR("d"), text, &options, &again) == BT_OK);
    PROMISE(once.verdict == again.verdict);
    PROMISE(once.verdict != BT_VERDICT_NONE);
    PROMISE(bt_findings_count(once.findings) == bt_findings_count(again.findings));
    for (size_t i = 0; i < bt_findings_count(once.findings); i++) {
        const struct bt_finding *finding = bt_findings_at(once.findings, i);
        PROMISE(finding->fix == BT_FIX_NONE);
        PROMISE(finding->rule == bt_findings_at(again.findings, i)->rule);
    }
    if (once.facts.len > 0) {
        (void)fuzz_reread(arena, once.facts);
    }
}

/* The same text with CRLF at the end of lines, or within a fence. */
static bt_str changed(struct bt_arena *arena, bt_str text, bool fenced)
{
    struct bt_buf buf;
    bt_str out;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, fenced ? "```\n" : "");
    for (size_t i = 0; i < text.len; i++) {
        bt_buf_put_text(&buf, !fenced && text.ptr[i] == '\n' ? "\r" : "");
        bt_buf_put_char(&buf, text.ptr[i]);
    }
    PROMISE(bt_buf_copy(&buf, arena, &out) == BT_OK);
    bt_buf_free(&buf);
    return out;
}

static bool has_fence(bt_str text)
{
    for (size_t i = 0; i + 3 <= text.len; i++) {
        const bt_str three = bt_str_slice(text, i, i + 3);
        if (bt_str_eq(three, BT_STR("```")) || bt_str_eq(three, BT_STR("~~~"))) {
            return true;
        }
    }
    return false;
}

static void read_prompt(struct bt_arena *arena, bt_str text)
{
    const bool has_returns = bt_str_find_byte(text, '\r', 0) < text.len;
    struct bt_governed_prompt_reader reader = {.text = text};
    struct bt_governed_prompt_reader other = {.text = changed(arena, text, false)};
    struct bt_governed_prompt_line line;
    struct bt_governed_prompt_line twin;
    size_t last = 0;
    while (bt_governed_prompt_next_line(&reader, &line)) {
        PROMISE(line.offset >= last);
        PROMISE(line.offset < text.len);
        PROMISE(line.number >= 0);
        PROMISE(line.number < 100);
        last = line.offset;
        if (!has_returns && bt_str_ends_with(text, BT_STR("\n"))) {
            PROMISE(bt_governed_prompt_next_line(&other, &twin));
            PROMISE(twin.kind == line.kind);
            PROMISE(twin.number == line.number);
            PROMISE(twin.relation == line.relation);
            PROMISE(bt_str_eq(twin.label, line.label));
        }
    }
    struct bt_governed_prompt_reader quiet = {.text = changed(arena, text, true)};
    PROMISE(has_fence(text) || !bt_governed_prompt_next_line(&quiet, &line));
}

static void compare_versions(bt_str text)
{
    const size_t middle = bt_str_find_byte(text, '\n', 0);
    const bt_str a = bt_str_slice(text, 0, middle);
    const bt_str b = bt_str_slice(text, middle + 1, text.len);
    const int there = bt_governed_version_compare(a, b);
    const int back = bt_governed_version_compare(b, a);
    PROMISE((there > 0) == (back < 0));
    PROMISE((there == 0) == (back == 0));
    PROMISE(bt_governed_version_compare(a, a) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"governed", "response",   "manifest",
                                        "lock",     "boundaries", "prompt"};
    const bt_str text = {(const char *)data, size};
    struct bt_env env;
    struct bt_arena arena;
    PROMISE(bt_env_init(&env) == BT_OK);
    bt_arena_init(&arena, (size_t)1 << 30);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        judge_twice(&env, &arena, text, names[i]);
    }
    read_prompt(&arena, text);
    compare_versions(text);
    bt_arena_free(&arena);
    return 0;
}
