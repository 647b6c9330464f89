/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi.h - the document that describes every path, made from the rows that serve them.
 */
#ifndef BATON_APP_SERVE_OPENAPI_H
#define BATON_APP_SERVE_OPENAPI_H

#include <baton/base.h>

/* Put the OpenAPI document: two blanks of indentation, a line feed at the end, the same bytes every
 * time. */
BT_MUST_USE enum bt_status serve_openapi_put(struct bt_buf *buf);
/* The same as a text. It takes milliseconds, so a server makes it once: anybody may ask for it. */
BT_MUST_USE enum bt_status serve_openapi_build(struct bt_arena *arena, bt_str *out_text);

#endif
