/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the program `baton`.
 */
#include <signal.h>

#include "cli.h"

int main(int argc, char **argv)
{
    /* A reader that went away must come back to us as a failed write, not end us silently. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* and so must a file that may not grow any more */
    return argc > 0 ? cli_main((size_t)argc - 1, argv + 1) : CLI_FAILED;
}
