/* SPDX-License-Identifier: Apache-2.0 */
/* failing.c - system errors -> failures of the report. */
#include "failing.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "print.h"

void cli_note_failure(const struct cli_options *options, bt_str path, enum bt_failure_reason reason,
                      const char *message)
{
    const struct bt_failure failure = {path, reason, bt_str_of(message)};
    bt_report_fail(options->report, &failure);
}

void cli_fail(const struct cli_options *options, const char *verb, const struct bt_failure *failure)
{
    cli_print_error("cannot %s %.*s: %.*s", verb, BT_STR_ARG(failure->path),
                    BT_STR_ARG(failure->message));
    bt_report_fail(options->report, failure);
}

enum bt_failure_reason cli_reason_of_errno(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return BT_FAILURE_NOT_FOUND;
    case EACCES:
    case EPERM:
        return BT_FAILURE_PERMISSION;
    case EISDIR:
    case ENXIO:
        return BT_FAILURE_NOT_A_FILE;
    case ENOMEM:
        return BT_FAILURE_MEMORY;
    default:
        return BT_FAILURE_IO;
    }
}

enum bt_failure_reason cli_reason_of_path(const char *path, enum bt_status status)
{
    struct stat info;
    if (status == BT_ENOENT) {
        return BT_FAILURE_NOT_FOUND;
    }
    if (status == BT_ENOMEM) {
        return BT_FAILURE_MEMORY;
    }
    if (status != BT_EDENIED) {
        return BT_FAILURE_IO;
    }
    /* The status does not distinguish a path that is not a file from one that may not be read. */
    if (stat(path, &info) != 0) {
        return cli_reason_of_errno(errno);
    }
    const bool is_other = !S_ISREG(info.st_mode) && access(path, R_OK) == 0;
    return is_other ? BT_FAILURE_NOT_A_FILE : BT_FAILURE_PERMISSION;
}
