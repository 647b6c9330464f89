/* SPDX-License-Identifier: Apache-2.0 */
/*
 * govern_json.h - blocked agents, written for programs. No object ends in a line feed.
 */
#ifndef BATON_APP_SERVICE_GOVERN_JSON_H
#define BATON_APP_SERVICE_GOVERN_JSON_H

#include <baton/govern.h>

void blocks_put(struct bt_buf *buf, const struct bt_blocks *blocks);
void unblocking_put(struct bt_buf *buf, const struct bt_unblocking *asked);

#endif
