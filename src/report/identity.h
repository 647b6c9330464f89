/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h - how dialects that are JSON fill in a struct bt_identity.
 */
#ifndef BATON_SRC_REPORT_IDENTITY_H
#define BATON_SRC_REPORT_IDENTITY_H

#include <baton/json.h>
#include <baton/report.h>

/* Set *out to the string at `pointer`, " " when it is empty; otherwise it is unchanged. */
void bt_identity_read_name(const struct bt_json_doc *document, bt_str pointer, bt_str *out);

#endif
