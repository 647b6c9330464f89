/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.h - tools that were called: their annotations, what the policy says about them, and their
 * compiled schemas. The definition is the lock's, else the one that the server showed last.
 */
#ifndef BATON_SRC_WRAP_TOOLS_H
#define BATON_SRC_WRAP_TOOLS_H

#include "base/map.h"
#include "json/members.h"
#include "wrap/lock.h"
#include "wrap/policy.h"

struct bt_schema;        /* see baton/schema.h */
struct bt_schema_runner; /* ... */
struct bt_wrap_session;

enum bt_wrap_schema_kind { BT_WRAP_SCHEMA_INPUT = 0, BT_WRAP_SCHEMA_OUTPUT, BT_WRAP_SCHEMAS };

/* A schema of a tool. */
struct bt_wrap_schema {
    bool is_made;             /* the rest is known */
    bool is_absent;           /* the definition has none */
    struct bt_schema *schema; /* NULL: absent, or it cannot be used ... */
    unsigned code;            /* ... because of this finding (enum bt_code) */
    bool is_reported;         /* that it cannot be used */
};

/* A tool that the lock or the catalogue has. */
struct bt_wrap_tool {
    bt_str name;
    char sha256[BT_SHA256_HEX_BYTES]; /* of the definition that the rest is from */
    bool is_locked;                   /* the definition is the lock's */
    struct bt_wrap_tool_policy policy;
    struct bt_wrap_schema schemas[BT_WRAP_SCHEMAS];
};

struct bt_wrap_tools {
    struct bt_arena arena;
    struct bt_map by_name; /* -> struct bt_wrap_tool */
    struct bt_schema_runner *runner;
};

void bt_wrap_tools_init(struct bt_wrap_session *session);
void bt_wrap_tools_free(struct bt_wrap_session *session);

/*
 * The tool of a name; NULL: neither lock nor catalogue has a definition. It is valid until the next
 * call of this function. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_tools_find(struct bt_wrap_session *session, bt_str name,
                                              struct bt_wrap_tool **out);
/* The schema of a tool, compiled when it is first needed. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_tools_schema(struct bt_wrap_session *session,
                                                struct bt_wrap_tool *tool,
                                                enum bt_wrap_schema_kind kind,
                                                struct bt_wrap_schema **out);
/*
 * Judge a value by a schema that can be used. Findings are added to `findings` with pointers that
 * begin at the value. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_tools_judge(struct bt_wrap_session *session,
                                               const struct bt_wrap_schema *schema, bt_ref value,
                                               struct bt_findings *findings);

#endif
