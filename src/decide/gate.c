/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - the decision about a call, in this order: the gate itself, protected paths, tiers.
 *
 * A text that is not understood, or that runs what cannot be told, is judged by the words in it.
 */
#include "decide/gate.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "decide/gate_paths.h"
#include "report/rules.h"

/* What only a person may do, because it decides about agents. */
static const bt_str SELF_PATTERNS[] = {
    BT_STR_INIT("baton approvals grant"),
    BT_STR_INIT("baton approvals deny"),
    BT_STR_INIT("baton approvals revoke"),
    BT_STR_INIT("baton hook install"),
    BT_STR_INIT("baton hook uninstall"),
    BT_STR_INIT("baton hook pin"),
    BT_STR_INIT("baton contract state --clear"),
    BT_STR_INIT("baton contract input"),
    BT_STR_INIT("baton contract resume"),
    BT_STR_INIT("baton budget set"),
    BT_STR_INIT("baton token new"),
    BT_STR_INIT("baton token revoke"),
    BT_STR_INIT("baton govern unblock"),
    BT_STR_INIT("baton ledger redact"),
    BT_STR_INIT("baton ledger hold"),
    BT_STR_INIT("baton wrap install"),
    BT_STR_INIT("baton wrap uninstall"),
    BT_STR_INIT("baton wrap pin"),
};

/* Words beside `baton` that make a text suspicious. */
static const bt_str SELF_WORDS[] = {
    BT_STR_INIT("grant"),     BT_STR_INIT("deny"), BT_STR_INIT("revoke"), BT_STR_INIT("install"),
    BT_STR_INIT("uninstall"), BT_STR_INIT("pin"),  BT_STR_INIT("clear"),  BT_STR_INIT("input"),
    BT_STR_INIT("resume"),    BT_STR_INIT("set"),  BT_STR_INIT("token"),  BT_STR_INIT("unblock"),
    BT_STR_INIT("redact")};

/* Programs that only read the files that they are given. */
static const bt_str READERS[] = {BT_STR_INIT("cat"),  BT_STR_INIT("head"), BT_STR_INIT("tail"),
                                 BT_STR_INIT("less"), BT_STR_INIT("more"), BT_STR_INIT("grep"),
                                 BT_STR_INIT("rg"),   BT_STR_INIT("ls"),   BT_STR_INIT("stat"),
                                 BT_STR_INIT("wc"),   BT_STR_INIT("diff"), BT_STR_INIT("file"),
                                 BT_STR_INIT("jq"),   BT_STR_INIT("baton")};

/* Programs that take away what lies below a folder too. */
static const bt_str REMOVERS[] = {BT_STR_INIT("rm"), BT_STR_INIT("mv")};

/* Links of more paths are not followed: a text may have millions of words. */
enum { LINKED_MAX = 2000 };

struct gate_decision {
    struct bt_arena *arena;
    const struct bt_gate_rules *rules;
    const struct bt_gate_call *call;
    struct bt_gate_paths paths;
    bool is_shell;     /* the call runs `text` */
    bool is_read;      /* its commands are known, though perhaps not all that they run */
    size_t path_count; /* paths that were compared */
    struct bt_gate_verdict *out;
};

static void deny_call(struct gate_decision *state, enum bt_code code, bt_str about)
{
    state->out->decision = BT_GATE_DENIED;
    state->out->code = bt_code_name(code);
    state->out->about = about;
}

/* Whether one of the commands that were read matches a pattern. */
static bool commands_match(const struct gate_decision *state, bt_str pattern)
{
    const struct bt_shell_text *read = &state->out->read;
    bool matches = false;
    for (size_t i = 0; i < read->command_count && !matches; i++) {
        matches = bt_shell_command_matches(&read->commands[i], pattern);
    }
    return matches;
}

/* Whether the words of the text count, beside its commands. */
static bool counts_words(const struct gate_decision *state)
{
    return state->is_shell && (!state->is_read || state->out->read.is_doubtful);
}

/* ---- The gate itself ------------------------------------------------------------------------- */

static void check_self(struct gate_decision *state)
{
    for (size_t i = 0; i < BT_COUNT_OF(SELF_PATTERNS); i++) {
        if (commands_match(state, SELF_PATTERNS[i])) {
            deny_call(state, BT_CODE_GATE_SELF, SELF_PATTERNS[i]);
            return;
        }
    }
    if (!counts_words(state) || !bt_shell_mentions(state->call->text, BT_STR("baton"))) {
        return;
    }
    for (size_t i = 0; i < BT_COUNT_OF(SELF_WORDS); i++) {
        if (bt_shell_mentions(state->call->text, SELF_WORDS[i])) {
            deny_call(state, BT_CODE_GATE_SELF, BT_STR("baton"));
            return;
        }
    }
}

/* ---- Protected paths ------------------------------------------------------------------------- */

static enum bt_status check_path(struct gate_decision *state, bt_str path,
                                 struct bt_gate_path_use use)
{
    bool is_protected = false;
    if (state->out->decision != BT_GATE_PASS || path.len == 0) {
        return BT_OK;
    }
    use.by_name = state->path_count++ >= LINKED_MAX;
    BT_TRY(bt_gate_path_is_protected(&state->paths, path, use, &is_protected));
    if (is_protected) {
        deny_call(state, BT_CODE_GATE_PROTECTED, path);
    }
    return BT_OK;
}

/*
 * A word of a command, or a path that a redirection writes to. Of `$HOME/x` and `$PWD/x` only `x`
 * is known: it counts wherever it may start.
 */
static enum bt_status check_word(struct gate_decision *state, const struct bt_shell_word *word,
                                 bool removes)
{
    const struct bt_gate_path_use use = {.is_pattern = word->has_pattern, .removes = removes};
    const size_t slash = bt_str_find_byte(word->text, '/', 0);
    bt_str rest = bt_str_slice(word->text, slash + (slash < word->text.len), word->text.len);
    bt_str path;
    if (!word->is_dynamic) {
        const size_t equals = bt_str_find_byte(word->text, '=', 0);
        BT_TRY(check_path(state, word->text, use));
        return equals < word->text.len /* of=FILE, --output=FILE */
                   ? check_path(state, bt_str_slice(word->text, equals + 1, word->text.len), use)
                   : BT_OK;
    }
    if (rest.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(state->arena, &path, "%.*s/%.*s",
                           BT_STR_ARG(state->paths.place->project), BT_STR_ARG(rest)));
    BT_TRY(check_path(state, path, use));
    BT_TRY(bt_arena_printf(state->arena, &path, "~/%.*s", BT_STR_ARG(rest)));
    return check_path(state, path, use);
}

static enum bt_status check_commands(struct gate_decision *state)
{
    const struct bt_shell_text *read = &state->out->read;
    for (size_t i = 0; i < read->written_count; i++) {
        BT_TRY(check_word(state, &read->written[i], false));
    }
    for (size_t i = 0; i < read->command_count; i++) {
        const struct bt_shell_command *command = &read->commands[i];
        const bt_str program = command->words[0].is_dynamic
                                   ? BT_STR("")
                                   : bt_str_after_last(command->words[0].text, '/');
        for (size_t j = 0; j < command->word_count && !bt_str_is_one_of(program, READERS); j++) {
            BT_TRY(check_word(state, &command->words[j], bt_str_is_one_of(program, REMOVERS)));
        }
    }
    return BT_OK;
}

/* Every run of characters that could be a path, in a text that is not understood. */
static enum bt_status check_text(struct gate_decision *state)
{
    const struct bt_gate_path_use use = {.is_pattern = false};
    const bt_str text = state->call->text;
    size_t start = 0;
    for (size_t i = 0; i <= text.len && state->out->decision == BT_GATE_PASS; i++) {
        if (i == text.len ||
            (text.ptr[i] != '\0' && strchr(" \t\r\n'\"`;|&()<>,{}[]=:$\\", text.ptr[i]))) {
            BT_TRY(check_path(state, bt_str_slice(text, start, i), use));
            start = i + 1;
        }
    }
    return BT_OK;
}

static enum bt_status check_paths(struct gate_decision *state)
{
    const struct bt_gate_path_use use = {.is_pattern = false};
    for (size_t i = 0; i < state->call->paths.count; i++) {
        BT_TRY(check_path(state, state->call->paths.items[i], use));
    }
    if (!state->is_shell) {
        return BT_OK;
    }
    return state->is_read ? check_commands(state) : check_text(state);
}

/* ---- Tiers ----------------------------------------------------------------------------------- */

/* The first word of a pattern. */
static bt_str program_of(bt_str pattern)
{
    const bt_str words = bt_str_trim(pattern);
    return bt_str_slice(words, 0, bt_str_find_byte(words, ' ', 0));
}

static bool tier_matches(struct gate_decision *state, const struct bt_config_tier *tier)
{
    for (size_t i = 0; i < tier->commands.count; i++) {
        if (commands_match(state, tier->commands.items[i])) {
            state->out->pattern = tier->commands.items[i];
            return true;
        }
    }
    for (size_t i = 0; i < tier->tools.count; i++) {
        if (bt_str_glob_matches(tier->tools.items[i], state->call->tool, BT_GLOB_ANY)) {
            state->out->pattern = tier->tools.items[i];
            return true;
        }
    }
    for (size_t i = 0; i < tier->commands.count && counts_words(state); i++) {
        const bool is_known = /* the pattern before it has the same program */
            i > 0 &&
            bt_str_eq(program_of(tier->commands.items[i]), program_of(tier->commands.items[i - 1]));
        if (!is_known && bt_shell_mentions(state->call->text, tier->commands.items[i])) {
            state->out->pattern = BT_STR("");
            return true;
        }
    }
    return false;
}

static void check_tiers(struct gate_decision *state)
{
    for (size_t i = 0; i < state->rules->tier_count; i++) {
        if (tier_matches(state, &state->rules->tiers[i])) {
            state->out->decision = BT_GATE_NEEDS_APPROVAL;
            state->out->code = bt_code_name(BT_CODE_GATE_APPROVAL_NEEDED);
            state->out->tier = &state->rules->tiers[i];
            return;
        }
    }
}

enum bt_status bt_gate_decide(struct bt_arena *arena, const struct bt_gate_rules *rules,
                              const struct bt_gate_place *place, const struct bt_gate_call *call,
                              struct bt_gate_verdict *out)
{
    assert(rules);
    assert(place);
    assert(call);
    assert(out);
    struct gate_decision state = {.arena = arena, .rules = rules, .call = call, .out = out};
    state.is_shell = call->kind == BT_GATE_TOOL_SHELL || call->kind == BT_GATE_TOOL_UNKNOWN;
    *out = (struct bt_gate_verdict){
        .decision = BT_GATE_PASS, .code = BT_STR(""), .pattern = BT_STR(""), .about = BT_STR("")};
    out->read.is_understood = call->kind != BT_GATE_TOOL_UNKNOWN;
    if (call->kind == BT_GATE_TOOL_SHELL) {
        BT_TRY(bt_shell_read(arena, call->text, &out->read));
    }
    state.is_read = out->read.is_understood;
    BT_TRY(bt_gate_paths_init(&state.paths, arena, rules, place));
    check_self(&state);
    if (out->decision == BT_GATE_PASS) {
        BT_TRY(check_paths(&state));
    }
    if (out->decision == BT_GATE_PASS) {
        check_tiers(&state);
    }
    return BT_OK;
}
