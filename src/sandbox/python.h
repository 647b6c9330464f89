/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python.h - the interpreter in which Python handlers run, and our program for it.
 */
#ifndef BATON_SRC_SANDBOX_PYTHON_H
#define BATON_SRC_SANDBOX_PYTHON_H

#include <baton/base.h>

enum { BT_PYTHON_PREFIXES_MAX = 4 };

/* The properties of an interpreter. */
struct bt_host_python {
    bt_str name;       /* as it was asked for: a command [name, ...] means this interpreter */
    bt_str executable; /* the one behind the shims of version managers */
    bt_str prefixes[BT_PYTHON_PREFIXES_MAX]; /* where its libraries are */
    size_t prefix_count;
    uint32_t major;
    uint32_t minor;
};

struct bt_host_python_query {
    bt_str name;              /* the organism's `python`: a name, or an absolute path */
    bt_str search_path;       /* PATH of the caller */
    char *const *environment; /* passed on, because shims depend on it; NULL: none */
};

/*
 * Ask an interpreter, once and outside the sandbox, for its executable and prefixes. Waits up to
 * ten seconds. On BT_OK everything in *out is in the arena.
 *
 * BT_ENOENT: the program is missing. BT_EINVAL: it is not Python, or older than 3.9. BT_EIO: it
 * could not be started, or did not answer in time. `error` says more.
 */
BT_MUST_USE enum bt_status bt_host_python_query_run(struct bt_arena *arena,
                                                    const struct bt_host_python_query *question,
                                                    struct bt_host_python *out,
                                                    struct bt_error *error);

/* The program of the Python host: package `baton` and its main part, as one text. */
bt_str bt_host_python_script(void);

#endif
