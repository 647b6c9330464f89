/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.c - ask the person at the terminal for confirmation. */
#include "prompt.h"

#include <errno.h>
#include <unistd.h>

#include "print.h"

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
