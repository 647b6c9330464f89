/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mutated.c [COUNT] - mutated commands keep the promises of fuzz_shell.c.
 *
 * Commands are made from those below by cutting, doubling and joining them and by putting pieces
 * of the language in; the same seed gives the same commands in every run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <baton/base.h>

#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 4096, STEPS_MAX = 12, COUNT_DEFAULT = 5000 };

static const char *const seeds[] = {
    "FOO=1 sudo -u ci git push",
    "git commit -m \"$(cat <<'EOF'\nfix: git push later\nEOF\n)\"",
    "bash -lc 'npm ci; npm publish'",
    "$TOOL delete ns prod; git \"$x\" ${y:-$(z)} $((1+2))",
    "a <b >c 2>>d 2>&1 >|e &>f <>h >& i",
    "if a | b; then { c; } fi; for x in $(d) e; do f; done; ! time g",
    "a <<X <<-Y b\n$(c) `d`\nX\n\tY\ne",
    "echo 'git push' | if true; then sh; fi",
    "diff <(a) >(b) | xargs sh -c",
    "a \"${b:-'}\" ; c ; d \"'}\"",
};

static const char *const pieces[] = {
    "'",         "\"",        "\\",     "`",        "$(",     "$((",  "))",   ")",
    "${",        "}",         "<<X",    "\nX\n",    "<<-'X'", "<<<",  "|",    "&&",
    ";",         "\n",        "&>",     "2>&1",     "#",      "$'",   "<(",   "case x in",
    "for x in ", "()",        "\\\n",   "{a,b}",    "{ ",     "; }",  "if ",  "; fi",
    "eval ",     "bash -c '", "xargs ", "git push", "baton",  "\xff", "\xc3",
};

/* xorshift64 */
static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t put_piece(char *text, size_t size, size_t at, const char *piece, size_t length)
{
    if (size + length > TEXT_MAX) {
        return size;
    }
    memmove(text + at + length, text + at, size - at);
    memcpy(text + at, piece, length);
    return size + length;
}

static size_t mutate_text(char *text, size_t size, uint64_t *state)
{
    const size_t at = size > 0 ? next_number(state) % size : 0;
    const size_t length = size > at ? 1 + next_number(state) % (size - at) : 0;
    const char *piece = pieces[next_number(state) % (sizeof(pieces) / sizeof(pieces[0]))];
    const char *seed = seeds[next_number(state) % (sizeof(seeds) / sizeof(seeds[0]))];
    char copy[TEXT_MAX];
    switch (next_number(state) % 6) {
    case 0: /* cut */
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    case 1: /* double */
        memcpy(copy, text + at, length);
        return put_piece(text, size, at, copy, length);
    case 2: /* change a byte */
        if (size > 0) {
            text[at] = (char)(next_number(state) % 128);
        }
        return size;
    case 3:
        return put_piece(text, size, at, seed, strlen(seed));
    default:
        return put_piece(text, size, at, piece, strlen(piece));
    }
}

int main(int argc, char **argv)
{
    uint64_t count = COUNT_DEFAULT;
    if (argc > 1 && bt_str_to_u64(bt_str_of(argv[1]), &count) != BT_OK) {
        return 2;
    }
    uint64_t state = UINT64_C(88172645463325252);
    for (uint64_t i = 0; i < count; i++) {
        char text[TEXT_MAX];
        const char *seed = seeds[next_number(&state) % (sizeof(seeds) / sizeof(seeds[0]))];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        const size_t steps = 1 + next_number(&state) % STEPS_MAX;
        for (size_t step = 0; step < steps; step++) {
            size = mutate_text(text, size, &state);
        }
        (void)LLVMFuzzerTestOneInput((const uint8_t *)text, size);
    }
    (void)printf("1..1\nok 1 - %" PRIu64 " mutated commands\n", count);
    return 0;
}
