/* SPDX-License-Identifier: Apache-2.0 */
/* test_shell.c - shell commands as words, and which patterns they match. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "shell/shell.h"

enum { MEMORY_MAX = 16 << 20 };

/* The commands of a text, each in brackets, with ? for dynamic words, then the written paths. */
static void put_reading(struct bt_buf *buf, const struct bt_shell_text *text)
{
    bt_buf_put_text(buf, text->is_understood ? "" : "not understood");
    for (size_t i = 0; i < text->command_count; i++) {
        bt_buf_put_char(buf, '[');
        for (size_t j = 0; j < text->commands[i].word_count; j++) {
            const struct bt_shell_word *word = &text->commands[i].words[j];
            bt_buf_put_text(buf, j > 0 ? " " : "");
            bt_buf_put(buf, word->is_dynamic ? BT_STR("?") : word->text);
        }
        bt_buf_put_char(buf, ']');
    }
    for (size_t i = 0; i < text->written_count; i++) {
        bt_buf_put_char(buf, '>');
        bt_buf_put(buf, text->written[i].is_dynamic ? BT_STR("?") : text->written[i].text);
    }
    bt_buf_put_text(buf, text->is_doubtful ? " doubtful" : "");
}

static const struct sample {
    const char *text;
    const char *reading;
} samples[] = {
    {"", ""},
    {"  # git push", ""},
    {"a b", "[a b]"},
    {"a;b&c\nd&&e||f|g|&h", "[a][b][c][d][e][f][g][h]"},
    {"(a; b) && { c; }", "[a][b][c]"},
    /* Quotes. */
    {"a 'b  c'\"d $\"e\\ f", "[a b  cd $e f]"},
    {"a \"\\$\\`\\\"\\\\ \\n\"", "[a $`\"\\ \\n]"},
    {"a\\\nb", "[ab]"},
    {"a '' \"\"", "[a  ]"},
    {"a#b #c", "[a#b]"},
    {"a \"b", "not understood"},
    {"a 'b", "not understood"},
    {"a ${b", "not understood"},
    {"a $(b", "not understood"},
    {"a `b", "not understood"},
    {"(a", "not understood"},
    {"a)", "not understood"},
    {"{ a", "not understood"},
    {"a $'b", "not understood"},
    /* Dynamic words. */
    {"a $b ${c} $1 $@ $((1+2)) $'\\x41' x$y", "[a ? ? ? ? ? ? ?]"},
    {"a $ $.", "[a $ $.]"},
    {"a \"$(b \"$(c)\")\" `d \\`e\\``", "[c][b ?][e][d ?][a ? ?]"},
    {"a ${b:-$(c)} $((1 + $(d))) <(e) >(f)", "[c][d][e][f][a ? ? ? ?]"},
    {"x=$(a) y=1 b", "[a][b]"},
    {"x=1", ""},
    {"'x'=1 b", "[x=1 b]"},
    /* Redirections. */
    {"a <b >c 2>>d 2>&1 >|e &>f &>>g <>h <&3", "[a]>c>d>e>f>g>h"},
    {"a >\"$b\"", "[a]>?"},
    {"> a", ">a"},
    {"a >", "not understood"},
    {"a <<<\"$(b)\"", "[b][a]"},
    {"a <<X b\n$(c)\n`d`\nX\ne", "[a b][c][d][e]"},
    {"a <<'X'\n$(c)\nX\ne", "[a][e]"},
    {"a <<-X\n\tb\n\tX\ne", "[a][e]"},
    {"a <<X <<Y\n1\nX\n2\nY\nb", "[a][b]"},
    {"a <<X \\\n b\nc\nX", "[a b]"},
    {"<<X \\\ngit push\nc\nX", "[git push]"},
    {"a <<X\nEO\\\nX\nX\nb", "[a][b]"},
    {"a <<XY\nX\\\nY\nb\nXY", "not understood"},
    {"a <<'XY'\nX\\\nY\nXY\nb", "[a][b]"},
    {"a <<X\\\nY\nc\nXY\nb", "[a][b]"},
    {"a <<X''\n$(c)\nX\nb", "[a][b]"},
    {"a >&b 2>&1 >&-", "[a]>b"},
    /* What shells read in different ways. */
    {"a \"${b:-'}\" ; c ; d \"'}\"", "not understood"},
    {"a \"${b:-$'c'}\"", "not understood"},
    {"a ${b:-'}'}", "[a ?]"},
    {"a $((1 + '2'))", "not understood"},
    {"a $((\"1\"))", "not understood"},
    {"a ${ b; }", "not understood"},
    {"a ${|b; }", "not understood"},
    {"B=git; $\\\nB push", "not understood"},
    {"git commit -m \"$(cat <<'EOF'\nfix: git push later\nEOF\n)\"", "[cat][git commit -m ?]"},
    /* Words of the shell. */
    {"if a; then b; elif c; then d; else e; fi", "[a][b][c][d][e]"},
    {"! a | time b", "[a][b]"},
    {"while a; do b; done; until c\ndo d\ndone", "[a][b][c][d]"},
    {"for x in $(a) b; do c; done", "[a][c]"},
    {"for x do c; done", "[c]"},
    {"select x in a\ndo c; done", "[c]"},
    {"time -p a", "[time -p a]"},
    {"case x in a) b;; esac", "not understood"},
    {"function f { a; }", "not understood"},
    {"f() { a; }", "not understood"},
    {"f ( ) { a; }", "not understood"},
    {"coproc a", "not understood"},
    {"}", "not understood"},
    /* Text that an interpreter reads. */
    {"a | sh", "not understood"},
    {"a | bash -s x", "not understood"},
    {"a | sudo bash", "not understood"},
    {"a | (sh)", "not understood"},
    {"a | { sh; }", "not understood"},
    {"a | if b; then sh; fi", "not understood"},
    {"a | while b; do sh; done", "not understood"},
    {"if a | b; then sh; fi", "[a][b][sh]"},
    {"a | sh b", "[a][sh b]"},
    {"a; sh", "[a][sh]"},
    {"sh <<X\na\nX", "not understood"},
    {"python3 <<<a", "not understood"},
    {"{ sh; } <<<a", "not understood"},
    /* Carriers. */
    {"bash -c 'a b; c'", "[bash -c a b; c][a b][c]"},
    {"sudo bash -c 'sh -c \"a b\"'", "[sudo bash -c sh -c \"a b\"][sh -c a b][a b]"},
    {"bash -c 'a \"b'", "not understood"},
    {"eval $x", "[eval ?] doubtful"},
    {"eval \"$x\"", "[eval ?] doubtful"},
    {"env \"$x\"", "[env ?]"},
    {"env $x", "[env ?] doubtful"},
    {"sudo bash -c \"$x\"", "[sudo bash -c ?] doubtful"},
    {"a | xargs sh -c", "[a][xargs sh -c] doubtful"},
    {"a | xargs b", "[a][xargs b]"},
    {"$x -c 'a b'", "[? -c a b][a b]"},
    {"{git,push}", "[{git,push}] doubtful"},
    {"gi? push", "[gi? push] doubtful"},
    {"[ -f a ] && [[ b ]]", "[[ -f a ]][[[ b ]]]"},
    {"a {b,c} *.d", "[a {b,c} *.d]"},
    {"\"\"if a", "[if a]"},
    {"\"\"A=1 b", "[A=1 b]"},
};

static void commands_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct bt_arena arena;
        struct bt_shell_text text;
        struct bt_buf buf;
        bt_arena_init(&arena, MEMORY_MAX);
        bt_buf_init(&buf, 1 << 16);
        assert_int_equal(bt_shell_read(&arena, bt_str_of(samples[i].text), &text), BT_OK);
        put_reading(&buf, &text);
        if (!bt_str_eq(bt_buf_str(&buf), bt_str_of(samples[i].reading))) {
            fail_msg("%s: got %.*s, expected %s", samples[i].text, BT_STR_ARG(bt_buf_str(&buf)),
                     samples[i].reading);
        }
        bt_buf_free(&buf);
        bt_arena_free(&arena);
    }
}

static bool reads(bt_str text, struct bt_shell_text *out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, MEMORY_MAX);
    assert_int_equal(bt_shell_read(&arena, text, out), BT_OK);
    bt_arena_free(&arena);
    return out->is_understood;
}

/* A text of `count` pieces, in memory that the caller frees. */
static char *repeat(const char *piece, size_t count)
{
    const size_t size = strlen(piece);
    char *text = malloc(size * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * size, piece, size);
    }
    text[size * count] = '\0';
    return text;
}

static void limits_hold(void **state)
{
    (void)state;
    static const struct {
        const char *piece;
        size_t most;
    } rows[] = {
        {"a;", BT_SHELL_COMMANDS_MAX}, {"a ", BT_SHELL_WORDS_MAX}, {" ", BT_SHELL_TEXT_BYTES_MAX}};
    struct bt_shell_text out;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t over = 0; over < 2; over++) {
            char *text = repeat(rows[i].piece, rows[i].most + over);
            assert_int_equal(reads(bt_str_of(text), &out), over == 0);
            free(text);
        }
    }
    assert_true(reads(BT_STR("$($($($($($($($(a))))))))"), &out));
    assert_false(reads(BT_STR("$($($($($($($($($(a)))))))))"), &out));
    assert_false(reads((bt_str){"a\0b", 3}, &out));
    assert_false(reads(BT_STR("a \xff"), &out));
}

static void scarce_memory_is_a_status(void **state)
{
    (void)state;
    const bt_str text = BT_STR("a \"$(b `c`)\" >d; bash -c 'e f'; g <<X\n$(h)\nX\n");
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 1024; status != BT_OK && limit < 4 << 20; limit += 4096) {
        struct bt_arena arena;
        struct bt_shell_text out;
        bt_arena_init(&arena, limit);
        status = bt_shell_read(&arena, text, &out);
        assert_true(status == BT_OK ? out.is_understood : status == BT_ENOMEM);
        bt_arena_free(&arena);
    }
    assert_int_equal(status, BT_OK);
}

static const struct match_row {
    const char *text;
    const char *pattern;
    bool matches;
} matches[] = {
    {"git push", "git push", true},
    {"git push -f origin", "git push", true},
    {"git -C app push", "git push", true},
    {"/usr/bin/git push", "git push", true},
    {"git stash push", "git push", false},
    {"git", "git push", false},
    {"git \"$x\"", "git push", true},
    {"git commit -m \"$x\"", "git push", false},
    {"$x push", "git push", true},
    {"$x", "git", false},
    {"$x", "git push", false},
    {"gitk push", "git push", false},
    {"Git push", "git push", false},
    {"git reset HEAD --hard", "git reset --hard", true},
    {"git reset \"$x\"", "git reset --hard", false},
    {"aws --profile a s3 rb", "aws ** rb", true},
    {"aws s3api delete-bucket", "aws ** delete-*", true},
    {"aws s3api list-buckets", "aws ** delete-*", false},
    {"docker -v", "docker *", false},
    {"docker run", "docker *", true},
    {"./deploy.sh now", "./deploy.sh", true},
    {"sh ./deploy.sh", "./deploy.sh", true},
    {"deploy.sh", "./deploy.sh", false},
    {"sudo -u ci git push", "git push", true},
    {"echo git push", "git push", false},
    {"xargs git", "git push", true},
    {"nice git", "git push", false},
    {"$SUDO git push", "git push", true},
    {"git {push,origin}", "git push", true},
    {"git add {a,b}", "git push", false},
    {"git '{push,origin}'", "git push", false},
    {"gh $x", "gh pr merge", true},
    {"gh \"$x\"", "gh pr merge", false},
    {"gh \"$x\" \"$y\"", "gh pr merge", true},
    {"baton $x P-1", "baton approvals grant", true},
    {"baton check $x", "baton approvals grant", false},
    {"bash -lc 'a; git push'", "git push", true},
    {"git push", "", false},
    {"a b c", "a **", true},
};

static void patterns_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
        const struct match_row *row = &matches[i];
        struct bt_arena arena;
        struct bt_shell_text text;
        bool found = false;
        bt_arena_init(&arena, MEMORY_MAX);
        assert_int_equal(bt_shell_read(&arena, bt_str_of(row->text), &text), BT_OK);
        assert_true(text.is_understood);
        for (size_t j = 0; j < text.command_count; j++) {
            found = found || bt_shell_command_matches(&text.commands[j], bt_str_of(row->pattern));
        }
        if (found != row->matches) {
            fail_msg("%s against %s", row->text, row->pattern);
        }
        bt_arena_free(&arena);
    }
}

static void words_of_any_text_are_found(void **state)
{
    (void)state;
    const bt_str pattern = BT_STR("git push");
    assert_true(bt_shell_mentions(BT_STR("case x in a) git status"), pattern));
    assert_true(bt_shell_mentions(BT_STR("'gi't"), pattern));
    assert_true(bt_shell_mentions(BT_STR("g\\it"), pattern));
    assert_true(bt_shell_mentions(BT_STR("gi\\\nt"), pattern));
    assert_false(bt_shell_mentions(BT_STR("gitk x-git git.sh"), pattern));
    assert_true(bt_shell_mentions(BT_STR("if ./deploy.sh"), BT_STR("./deploy.sh now")));
    assert_false(bt_shell_mentions(BT_STR(""), pattern));
    assert_false(bt_shell_mentions(BT_STR("git"), BT_STR(" ")));
}

static void globs_match_whole_words(void **state)
{
    (void)state;
    assert_true(bt_str_glob_matches(BT_STR("mcp__prod_*"), BT_STR("mcp__prod_db"), BT_GLOB_ANY));
    assert_true(bt_str_glob_matches(BT_STR("*a*b"), BT_STR("xaxbab"), BT_GLOB_ANY));
    assert_false(bt_str_glob_matches(BT_STR("*a*b"), BT_STR("xaxba"), BT_GLOB_ANY));
    assert_true(bt_str_glob_matches(BT_STR("*"), BT_STR(""), BT_GLOB_ANY));
    assert_false(bt_str_glob_matches(BT_STR(""), BT_STR("a"), BT_GLOB_ANY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_read),           cmocka_unit_test(limits_hold),
        cmocka_unit_test(scarce_memory_is_a_status),   cmocka_unit_test(patterns_match),
        cmocka_unit_test(words_of_any_text_are_found), cmocka_unit_test(globs_match_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
