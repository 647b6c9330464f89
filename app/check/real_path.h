/* SPDX-License-Identifier: Apache-2.0 */
/* real_path.h - the absolute path of an entry of a folder. */
#ifndef BATON_APP_CHECK_REAL_PATH_H
#define BATON_APP_CHECK_REAL_PATH_H

#include <limits.h>
#include <stdbool.h>

/*
 * Set `out` to the absolute path of an entry: links in the folders before its name are followed,
 * but a file that is a link stays where it is. False when the entry does not exist.
 */
bool check_real_path(const char *path, char out[PATH_MAX], bool *out_is_folder);

#endif
