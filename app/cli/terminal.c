/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - ask the person at the terminal, and show progress. */
#include "terminal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "output.h"

enum { REPLY_BYTES_MAX = 256 };

bool cli_can_prompt(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

bool cli_prompt_line(const char *question)
{
    char reply[REPLY_BYTES_MAX];
    ssize_t count = 0;
    if (!cli_write(STDERR_FILENO, bt_str_of(question)) ||
        !cli_write(STDERR_FILENO, BT_STR(" Type yes: "))) {
        return false;
    }
    do { /* a terminal returns one line at a time */
        count = read(STDIN_FILENO, reply, sizeof(reply));
    } while (count < 0 && errno == EINTR);
    const bt_str line = {reply, count > 0 ? (size_t)count : 0};
    return bt_utf8_check(line) == line.len && bt_str_eq(bt_str_trim(line), BT_STR("yes"));
}

/* ---- Progress -------------------------------------------------------------------------------- */

enum { PATIENCE_MS = 700, PAUSE_MS = 100, BAR_COLUMNS = 30, LINE_BYTES_MAX = 256 };

#define BACK_AND_WIPE "\r\x1b[K"

static bool is_terminal(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal && strcmp(terminal, "dumb") != 0;
}

/* 1234567 as 1,234,567. */
static void put_number(struct bt_buf *buf, uint64_t number)
{
    const size_t start = buf->len;
    bt_buf_put_u64(buf, number);
    const bt_str digits = bt_str_slice(bt_buf_str(buf), start, buf->len);
    char kept[32];
    assert(digits.len < sizeof(kept));
    memcpy(kept, digits.ptr, digits.len);
    buf->len = start;
    for (size_t i = 0; i < digits.len; i++) {
        if (i > 0 && (digits.len - i) % 3 == 0) {
            bt_buf_put_char(buf, ',');
        }
        bt_buf_put_char(buf, kept[i]);
    }
}

static void put_line(struct bt_buf *buf, const struct cli_progress *progress, uint64_t done,
                     uint64_t total)
{
    const double part = total > 0 ? (double)done / (double)total : 1;
    const size_t filled = (size_t)(part * BAR_COLUMNS);
    bt_buf_printf(buf, BACK_AND_WIPE "%s [", progress->what);
    bt_buf_put_repeat(buf, '=', filled);
    if (filled < BAR_COLUMNS) {
        bt_buf_put_char(buf, '>');
        bt_buf_put_repeat(buf, ' ', BAR_COLUMNS - filled - 1);
    }
    bt_buf_printf(buf, "] %3u%%  ", (unsigned)(part * 100));
    put_number(buf, done);
    bt_buf_put_text(buf, " of ");
    put_number(buf, total);
    bt_buf_printf(buf, " %s", progress->things);
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
    put_line(&buf, progress, done < total ? done : total, total);
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
        .next_ms = (int64_t)bt_clock_monotonic_ms() + PATIENCE_MS,
    };
}

void cli_progress_end(struct cli_progress *progress)
{
    assert(progress);
    if (progress->is_shown) {
        (void)cli_write(STDERR_FILENO, BT_STR(BACK_AND_WIPE));
    }
}
