/* SPDX-License-Identifier: Apache-2.0 */
/* suggest.c - "did you mean": find the known word that is nearest to an unknown one. */
#include "suggest.h"

#include <assert.h>

#include "output.h"

enum { GUESS_BYTES_MAX = 64 };

struct cli_suggestion cli_guess_for(bt_str word)
{
    /* A third of the word may be wrong; a word of one letter must match. */
    const size_t wrong_max = word.len < 2 ? 0 : word.len < 6 ? 1 : word.len / 3;
    return (struct cli_suggestion){.word = word, .best = BT_STR(""), .distance = wrong_max + 1};
}

static char convert_to_lower_case(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static size_t get_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * The number of letters that must be inserted, deleted, changed or swapped with their neighbour to
 * turn `a` into `b`, ignoring case. Three rows of the edit-distance table are enough to see swaps.
 */
static size_t distance_of(bt_str a, bt_str b)
{
    size_t rows[3][GUESS_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const char x = convert_to_lower_case(a.ptr[i - 1]);
            const char y = convert_to_lower_case(b.ptr[j - 1]);
            row[j] = get_smaller(get_smaller(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == convert_to_lower_case(b.ptr[j - 2]) &&
                y == convert_to_lower_case(a.ptr[i - 2])) {
                row[j] = get_smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

void cli_guess_try(struct cli_suggestion *guess, bt_str candidate)
{
    assert(guess);
    if (guess->word.len > GUESS_BYTES_MAX || candidate.len > GUESS_BYTES_MAX) {
        return;
    }
    const size_t distance = distance_of(guess->word, candidate);
    if (distance < guess->distance) {
        guess->distance = distance;
        guess->best = candidate;
    }
}

void cli_guess_try_kind(struct cli_suggestion *guess, enum cli_kind kind)
{
    for (size_t i = 0; cli_kind_word(kind, i).len > 0; i++) {
        cli_guess_try(guess, cli_kind_word(kind, i));
    }
}

int cli_print_unknown(const struct cli_command *command, const char *what, const char *dashes,
                      const struct cli_suggestion *guess)
{
    assert(guess);
    if (guess->best.len == 0) {
        return cli_usage_error(command, "unknown %s %s%.*s", what, dashes, BT_STR_ARG(guess->word));
    }
    return cli_usage_error(command, "unknown %s %s%.*s, did you mean %s%.*s?", what, dashes,
                           BT_STR_ARG(guess->word), dashes, BT_STR_ARG(guess->best));
}

bool cli_refuse_word(const struct cli_options *options, const char *what, enum cli_kind kind,
                     const char *word)
{
    struct cli_suggestion guess = cli_guess_for(bt_str_of(word));
    cli_guess_try_kind(&guess, kind);
    (void)cli_print_unknown(options->command, what, "", &guess);
    return false;
}

int cli_print_unknown_command(const struct cli_command *command, const char *word)
{
    struct cli_suggestion guess = cli_guess_for(bt_str_of(word));
    for (const struct cli_command *const *part = command->parts; part && *part; part++) {
        cli_guess_try(&guess, bt_str_of(cli_command_word(*part)));
    }
    return cli_print_unknown(command, "command", "", &guess);
}
