/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.h - the OpenAPI document of every path, made from the table of routes. */
#ifndef BATON_APP_SERVE_OPENAPI_H
#define BATON_APP_SERVE_OPENAPI_H

#include <baton/base.h>

/*
 * Put the OpenAPI document, indented by two spaces, with a final line feed. The bytes are always
 * the same. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status serve_openapi_put(struct bt_buf *buf);
/*
 * Make the OpenAPI document as a text in the arena. This takes milliseconds, so the server does it
 * once at the start. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status serve_openapi_build(struct bt_arena *arena, bt_str *out_text);

#endif
