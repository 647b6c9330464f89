/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_select.c - levels, ignore entries and the baseline, against a model that asks every setting
 * of every finding by name.
 */
#include "select_test.h"

enum { ROUNDS = 3000, NAMES = 12 };

/* ---- Lowest levels --------------------------------------------------------------------------- */

/* The table of the chapter, row by row, on the words that `baton rules` prints. */
static struct bt_select_lowest model_lowest(unsigned code)
{
    static const char *const stages[] = {"read", "governance", "record", "deliver"};
    const struct bt_rule *first = &bt_rules[bt_rules_first[code]];
    const enum bt_select_level own = bt_select_level_of(first->severity);
    bool is_security = false;
    if (first->severity == BT_SEVERITY_NONE) {
        return (struct bt_select_lowest){0};
    }
    for (size_t i = 0; i < bt_rules_count(); i++) {
        is_security |= bt_str_eq(bt_rules_at(i)->code, first->code) && bt_rules_at(i)->security;
    }
    if (is_security) {
        return (struct bt_select_lowest){own, BT_SELECT_REASON_SECURITY, true};
    }
    for (size_t i = 0; i < COUNT_OF(stages); i++) {
        if (first->severity == BT_SEVERITY_HARD &&
            bt_str_eq(bt_stage_name(first->stage), bt_str_of(stages[i]))) {
            return (struct bt_select_lowest){
                own, (enum bt_select_reason)(BT_SELECT_REASON_READ + (int)i), true};
        }
    }
    static const struct {
        const char *code;
        enum bt_select_reason reason;
    } named[] = {
        {"PAYLOAD_UNTYPED", BT_SELECT_REASON_PLAN},
        {"PAYLOAD_MISMATCH", BT_SELECT_REASON_PLAN},
        {"PAYLOAD_SIZE_MISMATCH", BT_SELECT_REASON_SEAL},
        {"GOVERNANCE_NOT_CHECKED", BT_SELECT_REASON_REPORT},
        {"TOKENS_UNAVAILABLE", BT_SELECT_REASON_REPORT},
    };
    for (size_t i = 0; i < COUNT_OF(named); i++) {
        if (bt_str_eq(first->code, bt_str_of(named[i].code))) {
            return (struct bt_select_lowest){own, named[i].reason, true};
        }
    }
    if (strncmp(first->code.ptr, "CONFIG_", 7) == 0 || strncmp(first->code.ptr, "YAML_", 5) == 0 ||
        strncmp(first->code.ptr, "IGNORE_", 7) == 0 ||
        strncmp(first->code.ptr, "BASELINE_", 9) == 0) {
        return (struct bt_select_lowest){own, BT_SELECT_REASON_REPORT, true};
    }
    return first->severity == BT_SEVERITY_HARD
               ? (struct bt_select_lowest){BT_SELECT_LEVEL_WARN, BT_SELECT_REASON_HARD, false}
               : (struct bt_select_lowest){BT_SELECT_LEVEL_OFF, BT_SELECT_REASON_NONE, false};
}

static void every_code_has_the_lowest_level_of_the_table(void **state)
{
    (void)state;
    size_t reasons[BT_SELECT_REASON_HARD + 1] = {0};
    for (unsigned code = BT_CODE_NONE + 1; code < BT_CODE__MAX; code++) {
        const struct bt_select_lowest found = bt_select_lowest(code);
        const struct bt_select_lowest model = model_lowest(code);
        if (found.level != model.level || found.reason != model.reason ||
            found.is_protected != model.is_protected) {
            fail_msg("%.*s: %d %d", BT_STR_ARG(bt_code_name(code)), (int)found.level,
                     (int)found.reason);
        }
        reasons[found.reason]++;
    }
    for (size_t i = 0; i < COUNT_OF(reasons); i++) { /* no row of the table is empty */
        assert_true(reasons[i] > 0);
    }
}

static void levels_are_read_in_both_vocabularies(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum bt_select_level level;
    } rows[] = {{"off", BT_SELECT_LEVEL_OFF},      {"OFF", BT_SELECT_LEVEL_OFF},
                {"info", BT_SELECT_LEVEL_INFO},    {"INFO", BT_SELECT_LEVEL_INFO},
                {"warning", BT_SELECT_LEVEL_WARN}, {"Warn", BT_SELECT_LEVEL_WARN},
                {"ERROR", BT_SELECT_LEVEL_HARD},   {"hard", BT_SELECT_LEVEL_HARD}};
    enum bt_select_level level = BT_SELECT_LEVEL_NONE;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(bt_select_level_parse(bt_str_of(rows[i].text), &level), BT_OK);
        assert_int_equal(level, rows[i].level);
    }
    assert_int_equal(bt_select_level_parse(BT_STR("fatal"), &level), BT_EINVAL);
    assert_int_equal(bt_select_level_parse(BT_STR(""), &level), BT_EINVAL);
    assert_str(bt_select_level_name(BT_SELECT_LEVEL_OFF), "off");
    assert_str(bt_select_level_name(BT_SELECT_LEVEL_HARD), "HARD");
    assert_str(bt_select_level_name(BT_SELECT_LEVEL_NONE), "");
}

static void names_are_codes_or_prefixes_that_cover_a_rule(void **state)
{
    (void)state;
    struct bt_select_codes codes;
    assert_int_equal(bt_select_find_codes(BT_STR("SELF_LOOP"), &codes), BT_OK);
    assert_int_equal(codes.first, BT_CODE_SELF_LOOP);
    assert_int_equal(codes.end, BT_CODE_SELF_LOOP + 1);
    assert_int_equal(bt_select_find_codes(BT_STR("*"), &codes), BT_OK);
    assert_int_equal(bt_select_find_codes(BT_STR("SELF_*"), &codes), BT_OK);
    static const char *const unknown[] = {
        "",          "self_loop", "SELF_LOO",     "SELF*LOOP",
        "NO_SUCH_*", "**",        "RATE_LIMITED", "RATE_LIMITED*"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        assert_int_equal(bt_select_find_codes(bt_str_of(unknown[i]), &codes), BT_ENOENT);
    }
}

/* ---- Protected rules ------------------------------------------------------------------------- */

/* Every setting that could hide a rule, tried on one that is protected and on one that is not. */
static void no_setting_hides_a_protected_rule(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, BYTES_MAX);
    struct bt_findings *findings = bt_findings_new(&arena);
    add_finding(findings, BT_CODE_PAYLOAD_HASH_MISMATCH, BT_SEVERITY_NONE, "/a");
    add_finding(findings, BT_CODE_TOKENS_DRIFT, BT_SEVERITY_NONE, "/a");
    assert_int_equal(bt_findings_finish(findings, BT_STR("xxxxxxxx")), BT_OK);
    const char *document = FOLDER "/a.json";

    struct bt_select prefix = {0};
    assert_int_equal(
        bt_select_rules_set(&arena, &prefix.files[0], BT_STR("*"), BT_SELECT_LEVEL_OFF), BT_OK);
    assert_str(apply(&arena, &prefix, document, findings),
               "PAYLOAD_HASH_MISMATCH@HARD -TOKENS_DRIFT rules ");

    struct bt_select flag = {0};
    assert_int_equal(bt_select_rules_set(&arena, &flag.flags, BT_STR("*"), BT_SELECT_LEVEL_INFO),
                     BT_OK);
    assert_int_equal(bt_select_rules_set(&arena, &flag.flags, BT_STR("PAYLOAD_HASH_MISMATCH"),
                                         BT_SELECT_LEVEL_WARN),
                     BT_EINVAL);
    assert_str(apply(&arena, &flag, document, findings),
               "TOKENS_DRIFT@INFO (WARN) PAYLOAD_HASH_MISMATCH@HARD ");

    struct bt_select_ignore entry = ignore_of(&arena, "*", "*.json");
    const struct bt_select ignoring = {.ignores = &entry, .ignore_count = 1};
    assert_str(apply(&arena, &ignoring, document, findings),
               "PAYLOAD_HASH_MISMATCH@HARD -TOKENS_DRIFT ignore ");
    entry = ignore_of(&arena, "PAYLOAD_HASH_MISMATCH", "*.json");
    assert_str(apply(&arena, &ignoring, document, findings),
               "TOKENS_DRIFT@WARN PAYLOAD_HASH_MISMATCH@HARD ");

    const struct bt_select edited = {
        .mode = BT_SELECT_BASELINE_USE,
        .baseline = baseline_of(
            &arena,
            "{\"baton_baseline\":1,\"findings\":["
            "{\"path\":\"a.json\",\"code\":\"PAYLOAD_HASH_MISMATCH\",\"pointer\":\"/"
            "a\",\"count\":9},"
            "{\"path\":\"a.json\",\"code\":\"TOKENS_DRIFT\",\"pointer\":\"/a\",\"count\":9}]}")};
    assert_str(apply(&arena, &edited, document, findings),
               "PAYLOAD_HASH_MISMATCH@HARD -TOKENS_DRIFT baseline ");

    const struct bt_select written = {.mode = BT_SELECT_BASELINE_WRITE,
                                      .baseline = bt_select_baseline_empty(&arena, BT_STR(FOLDER))};
    assert_str(apply(&arena, &written, document, findings),
               "PAYLOAD_HASH_MISMATCH@HARD -TOKENS_DRIFT baseline ");
    bt_arena_free(&arena);
}

static void a_protected_rule_keeps_the_severity_of_the_moment(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, BYTES_MAX);
    struct bt_findings *findings = bt_findings_new(&arena);
    add_finding(findings, BT_CODE_PAYLOAD_UNTYPED, BT_SEVERITY_HARD, "/1");
    add_finding(findings, BT_CODE_PAYLOAD_UNTYPED, BT_SEVERITY_WARN, "/2");
    add_finding(findings, BT_CODE_SELF_LOOP, BT_SEVERITY_WARN, "/3"); /* --semantics warn */
    struct bt_select select = {0};
    assert_int_equal(
        bt_select_rules_set(&arena, &select.files[0], BT_STR("PAYLOAD_*"), BT_SELECT_LEVEL_OFF),
        BT_OK);
    assert_int_equal(
        bt_select_rules_set(&arena, &select.files[0], BT_STR("SELF_*"), BT_SELECT_LEVEL_OFF),
        BT_OK);
    assert_str(apply(&arena, &select, "", findings),
               "PAYLOAD_UNTYPED@HARD PAYLOAD_UNTYPED@WARN SELF_LOOP@WARN ");
    assert_int_equal(
        bt_select_rules_set(&arena, &select.flags, BT_STR("PAYLOAD_UNTYPED"), BT_SELECT_LEVEL_HARD),
        BT_OK);
    assert_str(apply(&arena, &select, "", findings),
               "PAYLOAD_UNTYPED@HARD PAYLOAD_UNTYPED@HARD (WARN) SELF_LOOP@WARN ");
    bt_arena_free(&arena);
}

static void a_flag_for_the_severity_beats_the_files_and_not_the_flag_for_the_rule(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, BYTES_MAX);
    bool set[BT_CODE__MAX] = {[BT_CODE_TOKENS_DRIFT] = true};
    struct bt_findings *findings = bt_findings_new(&arena);
    struct bt_select select = {.set_by_flag = set};
    add_finding(findings, BT_CODE_TOKENS_DRIFT, BT_SEVERITY_HARD, "");
    assert_int_equal(
        bt_select_rules_set(&arena, &select.files[0], BT_STR("TOKENS_*"), BT_SELECT_LEVEL_OFF),
        BT_OK);
    assert_str(apply(&arena, &select, "", findings), "TOKENS_DRIFT@HARD ");
    assert_int_equal(
        bt_select_rules_set(&arena, &select.flags, BT_STR("TOKENS_DRIFT"), BT_SELECT_LEVEL_INFO),
        BT_OK);
    assert_str(apply(&arena, &select, "", findings), "TOKENS_DRIFT@INFO (HARD) ");
    bt_arena_free(&arena);
}

/* ---- The model ------------------------------------------------------------------------------- */

static const char *const NAME_POOL[] = {
    "*",           "TOKENS_*", "TOKENS_DRIFT",   "TOK*",      "SELF_LOOP",    "SELF_*",
    "SCHEMA_ENUM", "SCHEMA_*", "REF_UNRESOLVED", "PAYLOAD_*", "TOKENS_OVER*", "S*"};
static const unsigned CODE_POOL[] = {BT_CODE_TOKENS_DRIFT,    BT_CODE_TOKENS_OVER_BUDGET,
                                     BT_CODE_SELF_LOOP,       BT_CODE_SCHEMA_ENUM,
                                     BT_CODE_REF_UNRESOLVED,  BT_CODE_PAYLOAD_HASH_MISMATCH,
                                     BT_CODE_PAYLOAD_UNTYPED, BT_CODE_TOKENS_UNAVAILABLE};
static const char *const POINTERS[] = {"", "/a", "/a/b", "/ab"};
static const char *const PATHS[] = {"a.json", "old/a.json", "old/b.json"};
static const char *const PATTERNS[] = {"old/", "*.json", "/a.json", "b.json"};

_Static_assert(COUNT_OF(NAME_POOL) == NAMES, "every name has a place in a map");

/* One map, as a person wrote it. */
struct model_map {
    enum bt_select_level levels[NAMES]; /* by name */
};

struct model {
    struct model_map flags, files[3], paths[2];
    size_t path_pattern[2];
    struct {
        size_t name, pattern, pointer;
        bool has_pointer, has_expired;
    } ignores[3];
    struct {
        size_t path, code, pointer;
        uint64_t count;
    } entries[4];
};

static uint32_t next_number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static bool pattern_matches(size_t pattern, size_t path)
{
    switch (pattern) {
    case 0:
        return path > 0;
    case 1:
        return true;
    case 2:
        return path == 0;
    default:
        return path == 2;
    }
}

static bool name_covers(size_t name, bt_str code)
{
    const size_t length = strlen(NAME_POOL[name]);
    return NAME_POOL[name][length - 1] == '*'
               ? code.len >= length - 1 && memcmp(code.ptr, NAME_POOL[name], length - 1) == 0
               : bt_str_eq(code, bt_str_of(NAME_POOL[name]));
}

/* The longest name of the map that covers the code; a name without a star is longer than any. */
static enum bt_select_level map_level(const struct model_map *map, bt_str code)
{
    enum bt_select_level level = BT_SELECT_LEVEL_NONE;
    size_t best = 0;
    for (size_t i = 0; i < NAMES; i++) {
        const size_t length = strlen(NAME_POOL[i]);
        const size_t rank = NAME_POOL[i][length - 1] == '*' ? length : 1000;
        if (map->levels[i] && name_covers(i, code) && rank > best) {
            best = rank;
            level = map->levels[i];
        }
    }
    return level;
}

static enum bt_select_level model_level(const struct model *model, size_t path, bt_str code)
{
    const struct model_map *order[6] = {
        &model->flags, NULL, NULL, &model->files[0], &model->files[1], &model->files[2]};
    for (size_t i = 0; i < 2; i++) {
        order[2 - i] = pattern_matches(model->path_pattern[i], path) ? &model->paths[i] : NULL;
    }
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        const enum bt_select_level level =
            order[i] ? map_level(order[i], code) : BT_SELECT_LEVEL_NONE;
        if (level) {
            return level;
        }
    }
    return BT_SELECT_LEVEL_NONE;
}

static bool pointer_lies_below(const char *pointer, const char *above)
{
    const size_t length = strlen(above);
    return strncmp(pointer, above, length) == 0 &&
           (pointer[length] == '\0' || pointer[length] == '/');
}

/* What becomes of a finding: 0 off, 1 to 3 a severity, 4 ignored, 5 baselined. */
static int model_fate(struct model *model, size_t path, size_t code, size_t pointer,
                      enum bt_severity severity)
{
    const unsigned id = CODE_POOL[code];
    const bt_str name = bt_code_name(id);
    const struct bt_select_lowest lowest = model_lowest(id);
    const enum bt_select_level wanted = model_level(model, path, name);
    int shown = (int)severity;
    if (wanted && (int)wanted - 1 > shown) {
        shown = (int)wanted - 1;
    } else if (wanted && !lowest.is_protected) {
        const int least = (int)lowest.level - 1;
        const int goal = (int)wanted - 1 < least ? least : (int)wanted - 1;
        shown = goal < shown ? goal : shown;
    }
    if (shown == 0 || lowest.is_protected) {
        return shown;
    }
    for (size_t i = 0; i < COUNT_OF(model->ignores); i++) {
        if (!model->ignores[i].has_expired && name_covers(model->ignores[i].name, name) &&
            pattern_matches(model->ignores[i].pattern, path) &&
            (!model->ignores[i].has_pointer ||
             pointer_lies_below(POINTERS[pointer], POINTERS[model->ignores[i].pointer]))) {
            return 4;
        }
    }
    for (size_t i = 0; i < COUNT_OF(model->entries); i++) {
        if (model->entries[i].path == path && model->entries[i].code == code &&
            model->entries[i].pointer == pointer && model->entries[i].count > 0) {
            model->entries[i].count--;
            return 5;
        }
    }
    return shown;
}

static void fill_map(uint32_t *seed, struct bt_arena *arena, struct model_map *map,
                     struct bt_select_rules *rules)
{
    for (size_t i = 0; i < NAMES; i++) {
        const enum bt_select_level level = (enum bt_select_level)(1 + next_number(seed, 4));
        if (next_number(seed, 4) == 0) {
            const enum bt_status status =
                bt_select_rules_set(arena, rules, bt_str_of(NAME_POOL[i]), level);
            assert_true(status == BT_OK || status == BT_EINVAL);
            map->levels[i] = status == BT_OK ? level : BT_SELECT_LEVEL_NONE;
        }
    }
}

/* Make settings twice: for the model and for the function. */
static void fill_settings(uint32_t *seed, struct bt_arena *arena, struct model *model,
                          struct bt_select *select)
{
    struct bt_select_paths *paths = BT_NEW_ARRAY(arena, struct bt_select_paths, 2);
    struct bt_select_ignore *ignores = BT_NEW_ARRAY(arena, struct bt_select_ignore, 3);
    struct bt_buf buf;
    bt_str text;
    fill_map(seed, arena, &model->flags, &select->flags);
    for (size_t i = 0; i < 3; i++) {
        fill_map(seed, arena, &model->files[i], &select->files[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        model->path_pattern[i] = next_number(seed, COUNT_OF(PATTERNS));
        paths[i].match = patterns(arena, PATTERNS[model->path_pattern[i]]);
        fill_map(seed, arena, &model->paths[i], &paths[i].rules);
    }
    for (size_t i = 0; i < 3; i++) {
        model->ignores[i].name = next_number(seed, NAMES);
        model->ignores[i].pattern = next_number(seed, COUNT_OF(PATTERNS));
        model->ignores[i].has_pointer = next_number(seed, 2) == 0;
        model->ignores[i].pointer = next_number(seed, COUNT_OF(POINTERS));
        model->ignores[i].has_expired = next_number(seed, 3) == 0;
        ignores[i] = ignore_of(arena, NAME_POOL[model->ignores[i].name],
                               PATTERNS[model->ignores[i].pattern]);
        ignores[i].has_pointer = model->ignores[i].has_pointer;
        ignores[i].pointer = bt_str_of(POINTERS[model->ignores[i].pointer]);
        ignores[i].has_expired = model->ignores[i].has_expired;
    }
    bt_buf_init(&buf, 1 << 16);
    bt_buf_put_text(&buf, "{\"findings\":[");
    for (size_t i = 0; i < 4; i++) {
        model->entries[i].path = next_number(seed, COUNT_OF(PATHS));
        model->entries[i].code = next_number(seed, COUNT_OF(CODE_POOL));
        model->entries[i].pointer = next_number(seed, COUNT_OF(POINTERS));
        model->entries[i].count = 1 + next_number(seed, 2);
        bt_buf_printf(&buf, "%s{\"path\":\"%s\",\"code\":\"%.*s\",\"pointer\":\"%s\",\"count\":%d}",
                      i > 0 ? "," : "", PATHS[model->entries[i].path],
                      BT_STR_ARG(bt_code_name(CODE_POOL[model->entries[i].code])),
                      POINTERS[model->entries[i].pointer], (int)model->entries[i].count);
    }
    bt_buf_put_text(&buf, "],\"baton_baseline\":1}");
    assert_int_equal(bt_buf_copy(&buf, arena, &text), BT_OK);
    bt_buf_free(&buf);
    select->paths = paths;
    select->path_count = 2;
    select->ignores = ignores;
    select->ignore_count = 3;
    select->mode = BT_SELECT_BASELINE_USE;
    select->baseline = baseline_of(arena, text.ptr);
}

static void the_result_is_that_of_the_model(void **state)
{
    (void)state;
    size_t fates[6] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t seed = round * 2654435761u + 1;
        struct bt_arena arena;
        struct model model = {0};
        struct bt_select select = {0};
        struct bt_buf shown, hidden;
        bt_arena_init(&arena, BYTES_MAX);
        bt_buf_init(&shown, 1 << 16);
        bt_buf_init(&hidden, 1 << 16);
        fill_settings(&seed, &arena, &model, &select);
        const size_t path = next_number(&seed, COUNT_OF(PATHS));
        struct bt_findings *findings = bt_findings_new(&arena);
        for (size_t i = 0; i < 10; i++) {
            const size_t code = next_number(&seed, COUNT_OF(CODE_POOL));
            const size_t pointer = next_number(&seed, COUNT_OF(POINTERS));
            const enum bt_severity severity = (enum bt_severity)(1 + next_number(&seed, 3));
            add_finding(findings, CODE_POOL[code], severity, POINTERS[pointer]);
            const int fate = model_fate(&model, path, code, pointer, severity);
            const bt_str name = bt_code_name(CODE_POOL[code]);
            fates[fate]++;
            if (fate >= 1 && fate <= 3) {
                bt_buf_printf(&shown, "%.*s@%.*s ", BT_STR_ARG(name),
                              BT_STR_ARG(bt_severity_name((enum bt_severity)fate)));
                if (fate != (int)severity) {
                    bt_buf_printf(&shown, "(%.*s) ", BT_STR_ARG(bt_severity_name(severity)));
                }
            } else {
                bt_buf_printf(&hidden, "-%.*s %s ", BT_STR_ARG(name),
                              fate == 0   ? "rules"
                              : fate == 4 ? "ignore"
                                          : "baseline");
            }
        }
        char document[64];
        assert_true(snprintf(document, sizeof(document), FOLDER "/%s", PATHS[path]) > 0);
        bt_buf_put(&shown, bt_buf_str(&hidden));
        const bt_str found = apply(&arena, &select, document, findings);
        if (!bt_str_eq(found, bt_buf_str(&shown))) {
            fail_msg("round %u: got '%.*s', expected '%.*s'", round, BT_STR_ARG(found),
                     BT_STR_ARG(bt_buf_str(&shown)));
        }
        bt_buf_free(&hidden);
        bt_buf_free(&shown);
        bt_arena_free(&arena);
    }
    for (size_t i = 0; i < COUNT_OF(fates); i++) {
        assert_true(fates[i] > 100); /* the model was asked about everything */
    }
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void later_paths_entries_win_member_by_member(void **state)
{
    (void)state;
    struct bt_arena arena;
    bt_arena_init(&arena, BYTES_MAX);
    const struct bt_select_paths paths[] = {
        {.match = patterns(&arena, "*.json"),
         .path = {.as = BT_DIALECT_UNIVERSAL, .budget = 50, .fail_level = BT_SEVERITY_INFO}},
        {.match = patterns(&arena, "old/"), .path = {.budget = 70, .tokens = BT_STR("chars4")}},
    };
    const struct bt_select select = {.paths = paths, .path_count = 2};
    const struct bt_select_path both = bt_select_for_path(&select, BT_STR(FOLDER "/old/a.json"));
    assert_int_equal(both.as, BT_DIALECT_UNIVERSAL);
    assert_int_equal(both.budget, 70);
    assert_int_equal(both.fail_level, BT_SEVERITY_INFO);
    assert_str(both.tokens, "chars4");
    const struct bt_select_path none = bt_select_for_path(&select, BT_STR("/elsewhere/a.json"));
    assert_int_equal(none.as, BT_DIALECT_NONE);
    assert_int_equal(bt_select_for_path(&select, BT_STR("")).budget, 0);
    bt_arena_free(&arena);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void scarce_memory_is_reported_and_nothing_else(void **state)
{
    (void)state;
    enum bt_status status = BT_ENOMEM;
    struct bt_arena plenty;
    struct model model = {0};
    struct bt_select select = {0};
    uint32_t seed = 7;
    bt_arena_init(&plenty, BYTES_MAX);
    fill_settings(&seed, &plenty, &model, &select);
    struct bt_findings *findings = bt_findings_new(&plenty);
    for (size_t i = 0; i < COUNT_OF(CODE_POOL); i++) {
        add_finding(findings, CODE_POOL[i], BT_SEVERITY_NONE, "/a");
    }
    size_t failures = 0;
    for (size_t limit = 16; status != BT_OK; limit += limit / 4) {
        struct bt_arena arena;
        struct bt_select_result result;
        bt_arena_init(&arena, limit);
        status = bt_select_apply(&select, &arena, BT_STR(FOLDER "/old/a.json"), findings, &result);
        assert_true(status == BT_OK || status == BT_ENOMEM);
        failures += status == BT_ENOMEM;
        bt_arena_free(&arena);
    }
    assert_true(failures > 0);
    bt_arena_free(&plenty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_the_lowest_level_of_the_table),
        cmocka_unit_test(levels_are_read_in_both_vocabularies),
        cmocka_unit_test(names_are_codes_or_prefixes_that_cover_a_rule),
        cmocka_unit_test(no_setting_hides_a_protected_rule),
        cmocka_unit_test(a_protected_rule_keeps_the_severity_of_the_moment),
        cmocka_unit_test(a_flag_for_the_severity_beats_the_files_and_not_the_flag_for_the_rule),
        cmocka_unit_test(the_result_is_that_of_the_model),
        cmocka_unit_test(later_paths_entries_win_member_by_member),
        cmocka_unit_test(scarce_memory_is_reported_and_nothing_else),
    };
    return RUN_TESTS(tests);
}
