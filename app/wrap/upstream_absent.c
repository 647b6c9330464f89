/* SPDX-License-Identifier: Apache-2.0 */
/* upstream_absent.c - a build without HTTP: its commands have no flag --upstream. */
#include "wrap/server_flags.h"

bool wrap_limit_upstream(struct cli_run *run, const struct wrap_server *server)
{
    (void)run;
    (void)server;
    return false;
}

bool wrap_take_upstream(struct cli_run *run, struct wrap_server *server)
{
    (void)run;
    (void)server;
    return false;
}
