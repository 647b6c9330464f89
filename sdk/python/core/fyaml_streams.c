/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fyaml_streams.c - the standard streams under the names by which the wheel's copy of libfyaml
 * refers to them. See baton/meson.build.
 */
#include "fyaml_streams.h"

FILE *core_stdin;
FILE *core_stdout;
FILE *core_stderr;

__attribute__((constructor)) static void set_streams(void)
{
    core_stdin = stdin;
    core_stdout = stdout;
    core_stderr = stderr;
}
