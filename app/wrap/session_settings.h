/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_settings.h - the settings of a session: flags, configuration, lock and store. For a run
 * of `baton wrap`, and for a server that `baton serve` offers.
 */
#ifndef BATON_APP_WRAP_SESSION_SETTINGS_H
#define BATON_APP_WRAP_SESSION_SETTINGS_H

#include "schema/options.h"
#include "token/tokens.h"
#include "wrap/recording.h"
#include "wrap/session_writer.h"

/* The settings of a session, and what they point to. It must not be moved. */
struct wrap_session_parts {
    struct bt_wrap_settings settings;
    struct wrap_records records;
    struct wrap_lock_file lock;
    struct bt_wrap_entry started;
    struct bt_plan_checker *plans;
    struct bt_tokens tokens;
    struct bt_schema_limits schema_limits;
    struct wrap_session_writer writer_context;
    struct bt_wrap_writer writer;
};

/*
 * Make the settings for a server. `shared`: the store of `baton serve`; NULL: it is found or named.
 * False after an error message. Free the parts in either case.
 */
bool wrap_session_prepare(struct cli_run *run, const struct wrap_server *server,
                          const struct wrap_shared_store *shared, struct wrap_session_parts *out);
void wrap_session_parts_free(struct cli_run *run, struct wrap_session_parts *parts);

#endif
