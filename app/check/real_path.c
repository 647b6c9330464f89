/* SPDX-License-Identifier: Apache-2.0 */
/* real_path.c - the absolute path of an entry of a folder. */
#define _DEFAULT_SOURCE /* realpath() */

#include "real_path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool check_real_path(const char *path, char out[PATH_MAX], bool *out_is_folder)
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    *out_is_folder = S_ISDIR(info.st_mode);
    if (*out_is_folder || !slash) {
        if (*out_is_folder) {
            return realpath(path, out) != NULL;
        }
        slash = path - 1;
    }
    char folder[PATH_MAX];
    const size_t len = slash < path ? 0 : (size_t)(slash - path);
    if (len + 2 > sizeof(folder)) {
        return false;
    }
    memcpy(folder, path, len);
    memcpy(folder + len, slash < path ? "." : "/", 2);
    const size_t name_len = strlen(slash + 1);
    if (!realpath(folder, out) || strlen(out) + name_len + 2 > PATH_MAX) {
        return false;
    }
    const size_t folder_len = strlen(out);
    const size_t at = folder_len > 1 ? folder_len : 0;
    out[at] = '/';
    memcpy(out + at + 1, slash + 1, name_len + 1);
    return true;
}
