/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - ask the person at the terminal, and show progress. */
#include "terminal.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "output.h"

enum { REPLY_BYTES_MAX = 4096 };

bool cli_can_prompt(const struct cli_options *options)
{
    return !cli_given(options, &flag_no_input) && isatty(STDIN_FILENO) == 1 &&
           isatty(STDERR_FILENO) == 1;
}

/* Ctrl-C ends the question instead of the program, so that it can say that nothing was written. */
static void end_read(int number)
{
    (void)number;
}

/*
 * Wait for a line. SIGINT is blocked except while waiting, so that a Ctrl-C just before that is not
 * lost. False when it came.
 */
static bool wait_for_line(const sigset_t *waiting)
{
    fd_set input;
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    return pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, waiting) == 1;
}

/* Print a question and read one line. False when the input ended or was interrupted. */
static bool read_reply(const char *question, const char *ending, char reply[REPLY_BYTES_MAX],
                       bt_str *out)
{
    const struct sigaction action = {.sa_handler = end_read};
    struct sigaction before;
    sigset_t interrupt;
    sigset_t mask;
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    if (sigprocmask(SIG_BLOCK, &interrupt, &mask) != 0) {
        return false;
    }
    (void)sigaction(SIGINT, &action, &before);
    /* A terminal returns one line at a time. */
    const ssize_t count = cli_write(STDERR_FILENO, bt_str_of(question)) &&
                                  cli_write(STDERR_FILENO, bt_str_of(ending)) &&
                                  wait_for_line(&mask)
                              ? read(STDIN_FILENO, reply, REPLY_BYTES_MAX)
                              : -1;
    (void)sigaction(SIGINT, &before, NULL);
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
    if (count <= 0 || reply[count - 1] != '\n') {
        (void)cli_write(STDERR_FILENO, BT_STR("\n"));
        return false;
    }
    const bt_str line = {reply, (size_t)count};
    *out = bt_utf8_check(line) == line.len ? bt_str_trim(line) : BT_STR("");
    return true;
}

bool cli_prompt_line(const char *question)
{
    char reply[REPLY_BYTES_MAX];
    bt_str line;
    return read_reply(question, " Type yes: ", reply, &line) && bt_str_eq(line, BT_STR("yes"));
}

enum cli_answer cli_prompt_yes(const char *question)
{
    char reply[REPLY_BYTES_MAX];
    bt_str line;
    if (!read_reply(question, " [y/N] ", reply, &line)) {
        return CLI_ANSWER_NONE;
    }
    return bt_ascii_equal_nocase(line, BT_STR("Y")) || bt_ascii_equal_nocase(line, BT_STR("YES"))
               ? CLI_ANSWER_YES
               : CLI_ANSWER_NO;
}

bool cli_prompt_text(struct bt_arena *arena, const char *question, bt_str *out)
{
    char reply[REPLY_BYTES_MAX];
    bt_str line;
    return read_reply(question, ": ", reply, &line) && line.len > 0 &&
           bt_arena_copy(arena, line, out) == BT_OK;
}

/* ---- Progress -------------------------------------------------------------------------------- */

enum { DELAY_MS = 1000, PAUSE_MS = 100, LINE_BYTES_MAX = 256 };

#define BACK_AND_WIPE "\r\x1b[K"

static bool is_terminal(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal && strcmp(terminal, "dumb") != 0;
}

static void print_progress(void *context, uint64_t done, uint64_t total)
{
    struct cli_progress *progress = context;
    struct bt_buf buf;
    const int64_t now = (int64_t)bt_clock_monotonic_ms();
    if (now < progress->next_ms) {
        return;
    }
    progress->next_ms = now + PAUSE_MS;
    progress->is_shown = true;
    bt_buf_init(&buf, LINE_BYTES_MAX);
    bt_buf_printf(&buf, BACK_AND_WIPE "%s %" PRIu64 " of %" PRIu64 " %s", progress->what,
                  done < total ? done : total, total, progress->things);
    (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

void cli_progress_begin(struct cli_progress *progress, const char *what, const char *things)
{
    assert(progress);
    *progress = (struct cli_progress){
        .callback = {.report = is_terminal() ? print_progress : NULL, .context = progress},
        .what = what,
        .things = things,
        .next_ms = (int64_t)bt_clock_monotonic_ms() + DELAY_MS,
    };
}

void cli_progress_report(struct cli_progress *progress, uint64_t done, uint64_t total)
{
    assert(progress);
    if (progress->callback.report) {
        progress->callback.report(progress, done, total);
    }
}

void cli_progress_hide(struct cli_progress *progress)
{
    assert(progress);
    if (progress->is_shown) {
        (void)cli_write(STDERR_FILENO, BT_STR(BACK_AND_WIPE));
        progress->is_shown = false;
    }
}

void cli_progress_end(struct cli_progress *progress)
{
    cli_progress_hide(progress);
    progress->callback.report = NULL;
}
