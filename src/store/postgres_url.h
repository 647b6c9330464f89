/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_url.h - the parts of a postgresql:// URL that we use, before libpq reads the rest. */
#ifndef BATON_SRC_STORE_POSTGRES_URL_H
#define BATON_SRC_STORE_POSTGRES_URL_H

#include <baton/base.h>

/* The URL for reports: passwords are replaced by `***`. */
BT_MUST_USE enum bt_status bt_postgres_url_shown(struct bt_arena *arena, bt_str url, bt_str *out);

/* The schema it names (default `baton`), and what is left for libpq, without `files`; both are
 * followed by a NUL byte. BT_EINVAL: that is not the name of a schema, or a parameter that would
 * lead elsewhere. */
BT_MUST_USE enum bt_status bt_postgres_url_split(struct bt_arena *arena, bt_str url,
                                                 bt_str *out_schema, bt_str *out_rest,
                                                 struct bt_error *error);

/* The path before the endings of the node's own files (.key, .vkey, .head), which the parameter
 * `files` gives, followed by a NUL byte; "" without it. BT_EINVAL: it has a NUL byte, or a percent
 * sign without two hexadecimal digits. */
BT_MUST_USE enum bt_status bt_postgres_url_files(struct bt_arena *arena, bt_str url, bt_str *out,
                                                 struct bt_error *error);

/* Make the URL of a schema of the same database whose files lie at `files`. BT_EINVAL: the URL
 * names a schema or files itself. */
BT_MUST_USE enum bt_status bt_postgres_url_of_schema(struct bt_arena *arena, bt_str url,
                                                     bt_str schema, bt_str files, bt_str *out,
                                                     struct bt_error *error);

#endif
