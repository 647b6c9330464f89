/* SPDX-License-Identifier: Apache-2.0 */
/* engine_store_absent.c - the store of an engine, in a build without stores. */
#include "operation/engine.h"

enum bt_status bt_engine_store(struct bt_engine *engine, bt_str url, struct bt_error *error)
{
    (void)engine;
    (void)url;
    return bt_error_set(error, BT_EINVAL, "this build has no store");
}
