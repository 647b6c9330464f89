/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - what this program was built from. */
#ifndef BATON_APP_SETUP_VERSION_H
#define BATON_APP_SETUP_VERSION_H

#include <baton/base.h>

/*
 * Put the object of `baton version -f json` and a line feed: version, commit, parts, and the
 * libraries that are in use. Failures stick to the buffer.
 */
void setup_version_put_json(struct bt_buf *buf);

#endif
