/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_dir.h - the folder beneath which references to files are looked up.
 *
 * The folder is the root of all paths: a schema at DIR/a/b.json has the base URI "/a/b.json", and
 * "../c.json" in it is DIR/c.json. No reference leads out of it, whatever it says.
 */
#ifndef BATON_APP_CLI_SCHEMA_DIR_H
#define BATON_APP_CLI_SCHEMA_DIR_H

#include <baton/env.h>
#include <baton/file.h>
#include <baton/schema.h>

/* A URI for which there is no document. */
struct cli_schema_missing {
    bt_str uri;
    bt_str hint;    /* why, and what to do */
    bt_str path;    /* of a file that is there but is no JSON, for people; else "" ... */
    bt_str content; /* ... and what it holds */
    bool reported;
    struct cli_schema_missing *next;
};

struct cli_schema_dir {
    const struct bt_env *env;
    struct bt_arena *arena; /* what was read lives here */
    const char *folder;     /* as it was given; NULL: there is none */
    bt_str real;            /* its absolute path without links */
    struct bt_dir *root;
    struct cli_schema_missing *misses; /* the newest first */
};

/* Open `folder`, which may be NULL. False after a complaint. */
bool schema_root_open(struct cli_schema_dir *root, const char *folder, const struct bt_env *env,
                      struct bt_arena *arena);
void schema_root_close(struct cli_schema_dir *root);

/* The base URI of the schema at `path`: "" without a root, "/" when it lies elsewhere. */
BT_MUST_USE enum bt_status schema_root_uri(const struct cli_schema_dir *root, bt_str path,
                                           bt_str *out);

/* Finds files below the root, if there is one; the context is a struct schema_root. */
bt_schema_resolve_fn schema_root_resolve;

/* What to say about a reference (as the schema writes it) that leads nowhere; "" for those of
 * which no URI was asked for. */
bt_str cli_schema_dir_put_hint(const struct cli_schema_dir *root, bt_str ref);

#endif
