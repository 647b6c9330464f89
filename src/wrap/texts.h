/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h - texts and names of definitions: hidden characters, instructions to a model, shadows. */
#ifndef BATON_SRC_WRAP_TEXTS_H
#define BATON_SRC_WRAP_TEXTS_H

#include "base/map.h"
#include "wrap/compare.h"

enum { BT_WRAP_PHRASES = 7 };

struct bt_regex;
struct bt_regex_matcher;

/* The compiled phrases. */
struct bt_wrap_texts {
    struct bt_arena arena;
    const struct bt_regex *phrases[BT_WRAP_PHRASES];
    struct bt_regex_matcher *matcher;
};

/* Compile the phrases. Call bt_wrap_texts_free() in either case. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_texts_init(struct bt_wrap_texts *texts);
void bt_wrap_texts_free(struct bt_wrap_texts *texts);

/* Where findings about texts go. */
struct bt_wrap_text_check {
    struct bt_wrap_texts *texts;
    struct bt_wrap_memory memory;
    struct bt_findings *findings;
    enum bt_severity severity;
};

/* Check every string and name in a definition. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_check_item_texts(const struct bt_wrap_text_check *check,
                                                    enum bt_wrap_kind kind,
                                                    const struct bt_wrap_item *item);
/* Check a text at a pointer, such as the instructions. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_check_text(const struct bt_wrap_text_check *check,
                                              bt_str pointer, bt_str text);
/* A tool of another server. */
struct bt_wrap_other_tool {
    bt_str server;
    bt_str tool;
};

/*
 * The tools that other servers of this process show. Callbacks, because sessions on other threads
 * add to them, whose table is the business of `baton serve`.
 */
struct bt_wrap_shared_tools {
    void *context;
    /* Find a tool of another server by its name, or by its name without case and dashes. The texts
     * stay. */
    bool (*find)(void *context, bt_str name, bool is_folded, struct bt_wrap_other_tool *out);
    /* This server shows a tool. */
    void (*add)(void *context, bt_str name, bt_str folded);
};

/* The tools of other servers, by name as it stands and without case and dashes. */
struct bt_wrap_other_tools {
    struct bt_map exact;
    struct bt_map folded;
    const struct bt_wrap_shared_tools *shared; /* NULL: only the lock counts */
};

/* Find the tools of all servers in the lock but one; `lock` may be NULL. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_other_tools_find(const struct bt_wrap_memory *memory,
                                                    const struct bt_wrap_lock *lock, bt_str server,
                                                    struct bt_wrap_other_tools *out);
/* Check the name of a tool, and the names of other servers' tools in its texts. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_check_tool_names(struct bt_arena *arena,
                                                    const struct bt_wrap_other_tools *others,
                                                    const struct bt_wrap_item *tool,
                                                    struct bt_findings *findings);
/*
 * Check the names of an entry's tools, and the names of other servers' tools in its texts. `lock`
 * has the other servers. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_check_names(const struct bt_wrap_memory *memory,
                                               const struct bt_wrap_lock *lock,
                                               const struct bt_wrap_entry *entry,
                                               struct bt_findings *findings);

#endif
