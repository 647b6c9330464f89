/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal.h - the universal JSON handoff envelope, version 3.0.
 *
 * Checking goes through bt_check() like every dialect, with the options below.
 */
#ifndef BATON_UNIVERSAL_H
#define BATON_UNIVERSAL_H

#include <baton/env.h>
#include <baton/report.h>
#include <baton/tokens.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_catalogue; /* see catalogue.h */

/* ---- How to judge ---------------------------------------------------------------------------- */

/* The parts of a handoff whose tokens are counted one by one. */
enum bt_section {
    BT_SECTION_METADATA = 0, /* version, schema_type, timestamp, expires_at, trace_id */
    BT_SECTION_ENDPOINTS,    /* source, target */
    BT_SECTION_CONTEXT,
    BT_SECTION_WORKING,
    BT_SECTION_SESSION,
    BT_SECTION_REFERENCES,
    BT_SECTION_META, /* meta, tracing */
    BT_SECTION__MAX,
};

BT_API bt_str bt_section_name(enum bt_section section);
/* BT_EINVAL when no section has this name. */
BT_API BT_MUST_USE enum bt_status bt_section_parse(bt_str name, enum bt_section *out);

#define BT_NO_CEILING UINT64_MAX

struct bt_universal_options {
    enum bt_encoding encoding;
    bt_str token_dir;                   /* where NAME.tiktoken lies; "": the built-in tables */
    uint64_t budget;                    /* tokens of the whole document, from 1 */
    uint64_t ceilings[BT_SECTION__MAX]; /* tokens of a section, or BT_NO_CEILING */
    bool semantics_warn;                /* loops and missing approval warn instead of blocking */
    bool chain_head;                    /* the source must be the first of the chain */
    bool strict_expiry;                 /* EXPIRED blocks */
    bool no_refs;                       /* do not look for referenced files */
    bool refs_beneath;                  /* look only beneath the root, as a server must */
    bool verify_artifacts;              /* compare the checksums of artifacts */
    bool fail_fast;                     /* stop after the first stage with a HARD finding */
    bt_str root; /* relative references are looked up here; "": where we are */
    const struct bt_catalogue *catalogue; /* NULL: no stage governance */
};

/* o200k_base, 2000 tokens, ceilings 500, 1000, 500 for working, session, references. */
BT_API struct bt_universal_options bt_universal_options_default(void);

/* ---- Working with one -------------------------------------------------------------------------*/

/* The compiled schema, token tables and warm memory; for one thread at a time. */
struct bt_universal;

/* `env` must outlive it. On BT_OK *out is given back with bt_universal_destroy(). */
BT_API BT_MUST_USE enum bt_status bt_universal_create(struct bt_env *env,
                                                      struct bt_universal **out);
/* NULL is allowed. */
BT_API void bt_universal_destroy(struct bt_universal *universal);

#ifdef __cplusplus
}
#endif

#endif
