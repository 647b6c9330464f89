/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_dir.h - the directory below which references to schema files are resolved.
 *
 * The directory is the root of all paths: a schema at DIR/a/b.json has the base URI "/a/b.json",
 * and "../c.json" in it is DIR/c.json. No reference leads out of the directory.
 */
#ifndef BATON_APP_CLI_SCHEMA_DIR_H
#define BATON_APP_CLI_SCHEMA_DIR_H

#include <baton/env.h>
#include <baton/file.h>
#include <baton/schema.h>

/* A URI without a document. */
struct cli_schema_missing {
    bt_str uri;
    bt_str hint;    /* the reason, and what to do */
    bt_str path;    /* of a file that exists but is not JSON, for messages; else "" ... */
    bt_str content; /* ... and its content */
    bool reported;
    struct cli_schema_missing *next;
};

struct cli_schema_dir {
    const struct bt_env *env;
    struct bt_arena *arena; /* what was read lives here */
    const char *folder;     /* as it was given; NULL: none */
    bt_str real;            /* its absolute path with links resolved */
    struct bt_dir *root;
    struct cli_schema_missing *misses; /* newest first */
};

/* Open `folder`, which may be NULL. False after an error message. */
bool schema_root_open(struct cli_schema_dir *root, const char *folder, const struct bt_env *env,
                      struct bt_arena *arena);
/* Close it. */
void schema_root_close(struct cli_schema_dir *root);

/* The base URI of the schema at `path`: "" without a directory, "/" when it lies outside. */
BT_MUST_USE enum bt_status schema_root_uri(const struct cli_schema_dir *root, bt_str path,
                                           bt_str *out);

/* Finds files below the directory, if there is one; the context is a struct cli_schema_dir. */
bt_schema_resolve_fn schema_root_resolve;

/*
 * The hint for a reference (as the schema writes it) that could not be resolved; "" when its URI
 * was never requested.
 */
bt_str cli_schema_dir_put_hint(const struct cli_schema_dir *root, bt_str ref);

#endif
