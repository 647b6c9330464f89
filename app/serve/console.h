/* SPDX-License-Identifier: Apache-2.0 */
/* console.h - the files of the web console, which the build embeds in the program. */
#ifndef BATON_APP_SERVE_CONSOLE_H
#define BATON_APP_SERVE_CONSOLE_H

#include <baton/base.h>

#include "serve/coding.h"

/* A file and the path it is served at; the page "/" is the first. */
struct serve_console_file {
    bt_str path;
    const char *type;
    size_t size;
    bt_str forms[CODING__MAX]; /* "": not stored; identity or zstd is */
};

extern const struct serve_console_file console_files[];
extern const size_t console_file_count;

#endif
