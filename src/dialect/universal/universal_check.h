/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal_check.h - one universal handoff on its way through the stages, for the files of this
 * folder.
 *
 *     read -> schema -> budget -> semantics (-> governance)
 *
 * Each stage reads the members it needs through bt_universal_check_usable(), which hides what
 * failed its own part of the schema, and adds findings. What it measured stays here for the facts.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_UNIVERSAL_CHECK_H
#define BATON_SRC_DIALECT_UNIVERSAL_UNIVERSAL_CHECK_H

#include <baton/json.h>
#include <baton/schema.h>
#include "base/env.h"

#include "dialect/universal/universal.h"
#include "report/add.h"
#include "token/tokens.h"

/* ---- The seal -------------------------------------------------------------------------------- */

struct bt_universal_seal_info {
    uint64_t bytes;
    char hash[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES]; /* "sha256:..." and a NUL */
};

/* Measure a payload. `arena` is working memory and is rewound. */
BT_MUST_USE enum bt_status bt_universal_seal_info_of(const struct bt_json_doc *document,
                                                     const bt_json_value *payload,
                                                     struct bt_arena *arena,
                                                     struct bt_universal_seal_info *out);

/* What was found in the folder of --token-dir, so that it is looked at once. */
struct bt_universal_token_table {
    struct bt_buf dir;
    bool is_checked;
    enum bt_encoding encoding;
    enum bt_status status;
    struct bt_error error;
};

/* What a part of the schema says about children; each NULL when it says nothing. */
struct bt_universal_children {
    const bt_json_value *properties; /* name -> subschema */
    const bt_json_value *others;     /* additionalProperties */
    const bt_json_value *items;
    bool is_closed; /* the schema itself refuses members that are not declared */
};

/* A container whose children are visited, and what judges these. */
struct bt_universal_visit {
    const bt_json_value *container;
    struct bt_universal_children judges;
    const bt_json_value *names; /* declared, where an undeclared one is to be told */
    size_t next;
};

struct bt_universal_checker {
    struct bt_env *env;
    struct bt_arena arena; /* of what lives as long as this: the schema, this itself */
    const struct bt_json_doc *schema_document;
    struct bt_schema *schema;
    struct bt_schema_runner *runner;
    struct bt_tokens counters[BT_ENCODING__MAX];
    struct bt_universal_token_table tables; /* of the folder that was asked for last */
    struct bt_universal_visit
        *visits; /* of the walk of stage schema, which makes them when needed */
};

/* ---- The document ---------------------------------------------------------------------------- */

/* A time of the document. */
struct bt_universal_time {
    bool known;
    bt_instant instant;
};

enum bt_universal_seal_state {
    BT_UNIVERSAL_SEAL_NONE = 0,
    BT_UNIVERSAL_SEAL_TRUE,
    BT_UNIVERSAL_SEAL_BROKEN
};
enum bt_universal_expiry {
    BT_UNIVERSAL_EXPIRY_UNKNOWN = 0,
    BT_UNIVERSAL_EXPIRY_NONE,
    BT_UNIVERSAL_EXPIRY_VALID,
    BT_UNIVERSAL_EXPIRY_EXPIRED
};

/* The parts of a handoff, each an object or NULL. */
struct bt_universal_parts {
    const bt_json_value *handoff;
    const bt_json_value *source;
    const bt_json_value *target;
    const bt_json_value *context;
    const bt_json_value *payload;
    const bt_json_value *meta;
    const bt_json_value *tracing;
};

/* The tokens of a handoff. */
struct bt_universal_tokens {
    enum bt_encoding encoding; /* that was counted with */
    uint64_t count;
    uint64_t estimate;
    uint64_t sections[BT_UNIVERSAL_SECTION__MAX];
};

/* The times of a handoff. */
struct bt_universal_times {
    struct bt_universal_time timestamp;
    struct bt_universal_time expires_at;
    enum bt_universal_expiry expiry;
};

/* The skills that have held the work. */
struct bt_universal_chain {
    const bt_str *names; /* as written, or the default; NULL: unknown */
    size_t count;
};

/* The seal of the payload. */
struct bt_universal_seal_check {
    struct bt_universal_seal_info info; /* when payload is an object */
    enum bt_universal_seal_state state;
    bool size_is_true; /* payload_size_bytes is present and right */
};

/* References and artifacts that were looked up. */
struct bt_universal_file_counts {
    uint64_t refs_checked;
    uint64_t refs_missing;
    uint64_t refs_ephemeral;
    uint64_t artifacts_checked;
    uint64_t artifacts_missing;
};

/* Stages, one bit per enum bt_stage. */
struct bt_universal_stages {
    uint32_t run;
    uint32_t failed;      /* those with a HARD finding */
    bool has_stopped;     /* fail_fast ended the check before the last one */
    bool skips_artifacts; /* an artifact has a checksum, and none is to be compared */
};

struct bt_universal_check {
    struct bt_universal_checker *universal;
    const struct bt_universal_options *options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;
    const struct bt_json_doc *document; /* NULL: it could not be read */

    struct bt_universal_parts parts;

    size_t schema_failures; /* the first so many findings after the read ones are the schema's */
    size_t schema_from;

    struct bt_universal_times times;
    struct bt_universal_tokens tokens;
    struct bt_universal_budget budget; /* of the chain */
    struct bt_universal_chain chain;
    struct bt_universal_seal_check seal;
    bool approved;
    bt_str real_root; /* without links; known while files are looked up beneath the root */
    struct bt_universal_file_counts files;
    struct bt_universal_stages stages;
};

/*
 * Read `text` and run every stage over it, adding to `findings` (not finished). *out lives in the
 * arena of the findings. When reading fails, out->document is NULL.
 */
BT_MUST_USE enum bt_status bt_universal_check_judge(struct bt_universal_checker *universal,
                                                    bt_str text,
                                                    const struct bt_universal_options *options,
                                                    struct bt_findings *findings,
                                                    struct bt_universal_check *out);

/* The member `name` of `object` (may be NULL) if it is there and did not fail its own part of the
 * schema, else NULL. */
const bt_json_value *bt_universal_check_usable(const struct bt_universal_check *handoff,
                                               const bt_json_value *object, const char *name);
/* The text of the member `name` of `object` (may be NULL) if it is a string that did not fail
 * its own part of the schema; false when there is none. */
bool bt_universal_check_usable_text(const struct bt_universal_check *handoff,
                                    const bt_json_value *object, const char *name, bt_str *out);

/* The number of a value that is a whole number from 0 to 2^53, however it is written. */
bool bt_universal_check_integer(const struct bt_universal_check *handoff,
                                const bt_json_value *value, uint64_t *out);

/* The place of a value of the document; NULL: the whole document. */
struct bt_location bt_universal_locate(const struct bt_universal_check *handoff,
                                       const bt_json_value *value);

/* The part of the schema that judges the value at `pointer`, which need not exist, or NULL. */
const bt_json_value *bt_universal_subschema(const struct bt_universal_checker *universal,
                                            bt_str pointer);

/* Whether a name can be a part of a file name: ^[a-z0-9]+(-[a-z0-9]+)*$ or, when `relaxed`,
 * ^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$, at most 64 bytes. */
bool bt_universal_skill_name_is_safe(bt_str name, bool relaxed);

/* True when an artifact of the session has a checksum that could be compared. */
bool bt_universal_check_has_checksum(const struct bt_universal_check *handoff);
/* Whom the handoff is from and for, as far as it could be read. */
void bt_universal_check_identify(const struct bt_universal_check *handoff, struct bt_identity *out);
/* Write the facts: what the checks measured and, unless it is NULL, the list of changes. */
BT_MUST_USE enum bt_status bt_universal_check_facts(const struct bt_universal_check *handoff,
                                                    const struct bt_json_doc *changes, bt_str *out);
/* Put the same as members of an object that is being written. */
BT_MUST_USE enum bt_status bt_universal_check_put_facts(const struct bt_universal_check *handoff,
                                                        const struct bt_json_doc *changes,
                                                        struct bt_emit *emit);

/* ---- Stages ---------------------------------------------------------------------------------- */

typedef enum bt_status bt_stage_fn(struct bt_universal_check *handoff);

bt_stage_fn bt_universal_stage_schema;
bt_stage_fn bt_universal_stage_budget;
bt_stage_fn bt_universal_stage_semantics;
bt_stage_fn bt_universal_stage_governance;

/* Count the tokens of the document and its sections. */
bt_stage_fn bt_universal_count_tokens;
/* The value that a finding about a section points at. */
const bt_json_value *bt_universal_section_value(const struct bt_universal_check *handoff,
                                                enum bt_universal_section section);

/* Parts of stage semantics that have files of their own. */
bt_stage_fn bt_universal_check_chain;
bt_stage_fn bt_universal_check_refs;
bt_stage_fn bt_universal_check_artifacts;

/* Whether a declared count is off by more than 30 percent. */
bool bt_count_is_off(uint64_t declared, uint64_t actual);
/* The counter of an encoding or, where its table is missing, the one that estimates. */
struct bt_tokens *bt_universal_counter(struct bt_universal_checker *universal,
                                       enum bt_encoding encoding);
/* Count a text with the encoding of the options; *out_known is false where that cannot be done. */
BT_MUST_USE enum bt_status bt_count_exactly(struct bt_universal_checker *universal,
                                            const struct bt_universal_options *options, bt_str text,
                                            struct bt_arena *arena, bool *out_known, uint64_t *out);

#endif
