/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the program `baton`.
 */
#include <signal.h>

#include "cli.h"

int main(int argc, char **argv)
{
    /* A closed pipe must give a failed write instead of ending the program silently. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* so must a file at its size limit */
    return argc > 0 ? cli_main((size_t)argc - 1, argv + 1) : CLI_FAILED;
}
