/* SPDX-License-Identifier: Apache-2.0 */
/* failure.c - why something could not be read, as reports name it. */
#include "failure.h"

#include <errno.h>

enum bt_failure_reason check_failure_of_errno(int number)
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
