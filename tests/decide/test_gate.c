/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate.c - what the command gate says about a call, without a store. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "decide/gate.h"
#include "report/report.h"

enum { BYTES_MAX = 64 << 20 };

struct world {
    struct bt_arena arena;
    struct bt_gate_rules rules;
    struct bt_gate_place place;
};

static const bt_str FILES[] = {BT_STR_INIT(".baton/**"), BT_STR_INIT(".claude/settings.json"),
                               BT_STR_INIT("/u/.config/baton/**")};

static void begin(struct world *world, const char *config)
{
    *world = (struct world){.place = {.project = BT_STR("/p"),
                                      .folder = BT_STR("/p"),
                                      .home = BT_STR("/u"),
                                      .files = {FILES, COUNT_OF(FILES)}}};
    bt_arena_init(&world->arena, BYTES_MAX);
    const struct bt_config_source source = {BT_STR("f"), bt_str_of(config), BT_STR(""),
                                            BT_CONFIG_FILE, BT_STR("")};
    struct bt_findings *findings = bt_findings_new(&world->arena);
    const struct bt_config *read = NULL;
    assert_int_equal(bt_config_read(&world->arena, &source, findings, &read), BT_OK);
    assert_non_null(read);
    assert_int_equal(bt_gate_rules_read(&world->arena, read, &world->rules), BT_OK);
}

static struct bt_gate_verdict decide(struct world *world, const struct bt_gate_call *call)
{
    struct bt_gate_verdict verdict;
    assert_int_equal(bt_gate_decide(&world->arena, &world->rules, &world->place, call, &verdict),
                     BT_OK);
    return verdict;
}

static struct bt_gate_verdict decide_command(struct world *world, const char *text)
{
    const struct bt_gate_call call = {
        .kind = BT_GATE_TOOL_SHELL, .tool = BT_STR("Bash"), .text = bt_str_of(text)};
    return decide(world, &call);
}

/* The code, or "pass"; of an approval the pattern. */
static const char *words_of(struct world *world, const char *text)
{
    const struct bt_gate_verdict verdict = decide_command(world, text);
    bt_str word = verdict.decision == BT_GATE_PASS             ? BT_STR("pass")
                  : verdict.decision == BT_GATE_NEEDS_APPROVAL ? verdict.pattern
                                                               : verdict.code;
    assert_int_equal(bt_arena_copy(&world->arena, word.len > 0 ? word : BT_STR("-"), &word), BT_OK);
    return word.ptr;
}

static const struct {
    const char *text;
    const char *expected;
} rows[] = {
    {"git push", "git push"},
    {"git commit -m 'git push'", "pass"},
    {"git stash push", "pass"},
    {"aws s3 ls", "pass"},
    {"aws ec2 run-instances", "aws ** run-*"},
    {"az group delete -n x", "az ** delete"},
    {"case x in a) git status;; esac", "-"},
    {"case x in a) ls;; esac", "pass"},
    {"eval \"$x\"", "pass"},
    {"eval \"$x\"; git status", "-"},
    /* The gate itself. */
    {"baton approvals grant P-1", "GATE_SELF"},
    {"/opt/baton approvals grant P-1", "GATE_SELF"},
    {"sudo -E baton hook pin claude", "GATE_SELF"},
    {"baton contract state --agent a --clear", "GATE_SELF"},
    {"baton contract state", "pass"},
    {"baton wrap install x", "GATE_SELF"},
    {"baton ledger hold set x", "GATE_SELF"},
    {"baton check a.json", "pass"},
    {"B=baton; $B approvals grant x", "GATE_SELF"},
    {"case a in a) baton approvals grant x;; esac", "GATE_SELF"},
    {"case a in a) baton check x;; esac", "pass"},
    {"echo 'baton approvals grant x' | sh", "GATE_SELF"},
    /* Protected paths. */
    {"echo x > .claude/settings.json", "GATE_PROTECTED"},
    {"echo x >& .claude/settings.json", "GATE_PROTECTED"},
    {"echo x | tee .claude/settings.json", "GATE_PROTECTED"},
    {"sed -i s/a/b/ ./x/../.claude/settings.json", "GATE_PROTECTED"},
    {"sed -i s/a/b/ /p/.claude//settings.json", "GATE_PROTECTED"},
    {"rm -rf .baton", "GATE_PROTECTED"},
    {"rm -rf .claude", "GATE_PROTECTED"},
    {"rm -rf /p", "GATE_PROTECTED"},
    {"rm -rf .bat*", "GATE_PROTECTED"},
    {"rm -rf *", "pass"},
    {"rm -rf build", "pass"},
    {"git add .", "pass"},
    {"dd if=/dev/zero of=.baton/store.db", "GATE_PROTECTED"},
    {"cat .claude/settings.json", "pass"},
    {"cat .claude/settings.json > .baton/x", "GATE_PROTECTED"},
    {"jq . .claude/settings.json", "pass"},
    {"echo x > ~/.config/baton/config.yaml", "GATE_PROTECTED"},
    {"echo x > \"$HOME/.config/baton/config.yaml\"", "GATE_PROTECTED"},
    {"echo x > $PWD/.claude/settings.json", "GATE_PROTECTED"},
    {"echo x > \"$HOME/notes\"", "pass"},
    {"bash -c 'rm -rf .baton'", "GATE_PROTECTED"},
    {"python3 - <<E\nopen('.claude/settings.json','w')\nE", "GATE_PROTECTED"},
    {"case x in *) rm .baton/x;; esac", "GATE_PROTECTED"},
    {"cp .claude/settings.json.bak x", "pass"},
};

static void commands_are_judged_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct world world;
        begin(&world, "");
        if (strcmp(words_of(&world, rows[i].text), rows[i].expected) != 0) {
            fail_msg("%s: %s instead of %s", rows[i].text, words_of(&world, rows[i].text),
                     rows[i].expected);
        }
        bt_arena_free(&world.arena);
    }
}

static void tiers_of_the_configuration_come_before_the_built_in_one(void **state)
{
    (void)state;
    struct world world;
    begin(&world, "gate: {tiers: [{name: own, commands: [git *], tools: ['mcp__*'], risk: LOW}]}");
    struct bt_gate_verdict verdict = decide_command(&world, "git push");
    assert_str(verdict.tier->name, "own");
    assert_str(verdict.tier->risk, "LOW");
    assert_str(verdict.pattern, "git *");
    verdict = decide_command(&world, "docker push x");
    assert_str(verdict.tier->name, "T3");
    const struct bt_gate_call call = {
        .kind = BT_GATE_TOOL_OTHER, .tool = BT_STR("mcp__db"), .text = BT_STR("")};
    assert_str(decide(&world, &call).pattern, "mcp__*");
    bt_arena_free(&world.arena);
    begin(&world, "gate: {builtin: false, protect: ['secrets/**', '*.pem']}");
    assert_string_equal(words_of(&world, "git push"), "pass");
    assert_string_equal(words_of(&world, "touch secrets"), "GATE_PROTECTED");
    assert_string_equal(words_of(&world, "touch secrets/a/b"), "GATE_PROTECTED");
    assert_string_equal(words_of(&world, "touch a.pem"), "GATE_PROTECTED");
    assert_string_equal(words_of(&world, "touch x/a.pem"), "pass");
    bt_arena_free(&world.arena);
}

static void paths_of_tools_are_protected(void **state)
{
    (void)state;
    static const bt_str path = BT_STR_INIT(".baton/store.db");
    static const bt_str other = BT_STR_INIT("src/a.c");
    struct world world;
    begin(&world, "");
    struct bt_gate_call call = {
        .kind = BT_GATE_TOOL_FILE, .tool = BT_STR("Write"), .paths = {&path, 1}};
    assert_str(decide(&world, &call).code, "GATE_PROTECTED");
    call.paths.items = &other;
    assert_int_equal(decide(&world, &call).decision, BT_GATE_PASS);
    call = (struct bt_gate_call){.kind = BT_GATE_TOOL_UNKNOWN,
                                 .tool = BT_STR("powershell"),
                                 .text = BT_STR("{\"command\":\"git push\"}")};
    assert_int_equal(decide(&world, &call).decision, BT_GATE_NEEDS_APPROVAL);
    call.text = BT_STR("{\"path\":\"/p/.baton/x\"}");
    assert_str(decide(&world, &call).code, "GATE_PROTECTED");
    bt_arena_free(&world.arena);
}

/* Both the link and what it leads to count, also before the file exists. */
static void links_do_not_hide_a_path(void **state)
{
    (void)state;
    char folder[] = "/tmp/baton-gate.XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir(".baton", 0700), 0);
    assert_int_equal(symlink(".baton/new", "x"), 0);
    assert_int_equal(symlink("y", "z"), 0);
    assert_int_equal(symlink("z", "y"), 0);
    assert_int_equal(symlink(".baton", "dir"), 0);
    struct world world;
    begin(&world, "");
    world.place.project = bt_str_of(folder);
    world.place.folder = bt_str_of(folder);
    assert_string_equal(words_of(&world, "echo > x"), "GATE_PROTECTED");
    assert_string_equal(words_of(&world, "echo > dir/a"), "GATE_PROTECTED");
    assert_string_equal(words_of(&world, "echo > z"), "pass");
    world.place.is_remote = true;
    assert_string_equal(words_of(&world, "echo > x"), "pass");
    bt_arena_free(&world.arena);
    assert_int_equal(unlink("x") | unlink("y") | unlink("z") | unlink("dir") | rmdir(".baton"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void running_out_of_memory_never_passes(void **state)
{
    (void)state;
    struct world world;
    begin(&world, "");
    const struct bt_gate_call call = {.kind = BT_GATE_TOOL_SHELL,
                                      .tool = BT_STR("Bash"),
                                      .text = BT_STR("a $(b) > .baton/x; git push")};
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 256; status != BT_OK && limit < 4 << 20; limit += 2048) {
        struct bt_arena arena;
        struct bt_gate_verdict verdict;
        bt_arena_init(&arena, limit);
        status = bt_gate_decide(&arena, &world.rules, &world.place, &call, &verdict);
        assert_true(status == BT_ENOMEM || verdict.decision == BT_GATE_DENIED);
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
    bt_arena_free(&world.arena);
}

/* Many words must not cost many system calls each. */
static void a_huge_text_is_judged(void **state)
{
    (void)state;
    enum { SIZE = 4 << 20 };
    struct world world;
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = i % 2 ? ' ' : 'a';
    }
    text[SIZE] = '\0';
    begin(&world, "");
    assert_string_equal(words_of(&world, text), "pass");
    memcpy(text + SIZE - 8, " kubectl", 8);
    assert_string_equal(words_of(&world, text), "-");
    memset(text, '"', SIZE);
    assert_string_equal(words_of(&world, text), "pass");
    bt_arena_free(&world.arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_judged_in_order),
        cmocka_unit_test(tiers_of_the_configuration_come_before_the_built_in_one),
        cmocka_unit_test(paths_of_tools_are_protected),
        cmocka_unit_test(links_do_not_hide_a_path),
        cmocka_unit_test(running_out_of_memory_never_passes),
        cmocka_unit_test(a_huge_text_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
