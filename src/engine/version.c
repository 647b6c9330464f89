/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - the version of the library, from the build.
 */
#include <baton/check.h>

#include "report/version.h"

const char *bt_version(void)
{
    return BATON_VERSION;
}
