/* SPDX-License-Identifier: Apache-2.0 */
/* session_writer.h - what a session has written, which uses no descriptors itself. */
#ifndef BATON_APP_WRAP_SESSION_WRITER_H
#define BATON_APP_WRAP_SESSION_WRITER_H

#include "wrap/server_flags.h"

struct wrap_session_writer {
    struct cli_run *run;
    bt_str name;                               /* of the server */
    struct wrap_lock_file *lock;               /* that a server is pinned in at its first use */
    struct bt_wrap_record_settings *recording; /* which has the digest of the lock */
};

/* The functions of a session that write for it; `writer` must outlive them. */
struct bt_wrap_writer wrap_session_writer(struct wrap_session_writer *writer);

#endif
