/* SPDX-License-Identifier: Apache-2.0 */
/* failure.h - why something could not be read, as reports name it. */
#ifndef BATON_APP_CHECK_FAILURE_H
#define BATON_APP_CHECK_FAILURE_H

#include <baton/report.h>

#include "report/report.h"

/* The reason for an errno of open(), stat(), read() or readdir(). */
enum bt_failure_reason check_failure_of_errno(int number);

#endif
