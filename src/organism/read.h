/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - the organism of an XML pump: one YAML file that declares every capability, its payload,
 * its replies and the calls it may make.
 *
 * This is the static part: reading and checking the file, its registry of listeners, and the texts
 * that are made from it. Messages are judged through bt_check_document() with struct
 * bt_message_options of message.h.
 */
#ifndef BATON_SRC_ORGANISM_READ_H
#define BATON_SRC_ORGANISM_READ_H

#include <baton/report.h>
#include "base/env.h"
#include "report/report.h"

/* What is needed to start handler hosts, so that the handlers can describe themselves. */
struct bt_host_launch_options {
    bt_str search_path;       /* PATH */
    char *const *environment; /* ends with NULL; for `env_from`, and to find Python */
    bt_str baton;             /* absolute path of the program `baton`, which runs C handlers */
    bt_str temporary_dir;     /* absolute path of the directory for temporary work directories */
};

struct bt_organism_options {
    bool has_files;        /* `path` is a real file, and the files it names may be read */
    bool without_seccomp;  /* act as on a kernel without seccomp */
    bool without_landlock; /* act as on a kernel without Landlock */
    bool only_classes;     /* load only handlers whose classes are needed */
    bt_str only_listener;  /* load only this one, folded, and those it may call; "": all */
    bool host_describes;   /* a listener may leave its payload to what its host says in HELLO */
    const struct bt_host_launch_options *hosts; /* NULL: no handler is loaded */
    enum bt_severity fail_level;                /* zero means BT_SEVERITY_HARD */
};

/* A valid organism; it lives in the arena that it was read into. */
struct bt_organism;

/* An organism file. */
struct bt_organism_source {
    bt_str path; /* for messages */
    bt_str text;
};

/*
 * Judge an organism file. On BT_OK *out is the judgement; *out_organism (may be NULL) is the
 * organism when there is no HARD finding, else NULL. Both live in the arena and point into the
 * source. `options` may be NULL. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_organism_read(struct bt_env *env, struct bt_arena *arena,
                                            const struct bt_organism_source *source,
                                            const struct bt_organism_options *options,
                                            struct bt_judgement *out,
                                            const struct bt_organism **out_organism);

/* The texts that are made from a listener. */
enum bt_organism_text {
    BT_ORGANISM_TEXT_SCHEMA = 0, /* the XSD of its payload */
    BT_ORGANISM_TEXT_RESULT,     /* the XSD of its replies */
    BT_ORGANISM_TEXT_EXAMPLE,
    BT_ORGANISM_TEXT_PROMPT,
};

/* The public part of a listener. */
struct bt_listener_view {
    bt_str name;
    bt_str tag;
};

/*
 * Find a listener by name, ignoring case. BT_ENOENT: there is none. BT_ENOMEM: the arena reached
 * its limit.
 */
BT_MUST_USE enum bt_status bt_organism_find_listener(const struct bt_organism *organism,
                                                     struct bt_arena *arena, bt_str name,
                                                     struct bt_listener_view *out);

/*
 * Put a text about the listener with this name, ignoring case. BT_ENOENT: there is no such
 * listener. BT_EINVAL: it has no such text, or its class was not loaded. BT_ENOMEM: the arena
 * reached its limit. Failures of the buffer are returned.
 */
BT_MUST_USE enum bt_status bt_organism_put_text(struct bt_buf *buf, struct bt_arena *arena,
                                                const struct bt_organism *organism, bt_str name,
                                                enum bt_organism_text text);

enum bt_organism_outcome {
    BT_ORGANISM_UNCHANGED = 1, /* it is an organism of Baton already */
    BT_ORGANISM_CONVERTED,
    BT_ORGANISM_ESCALATED, /* the result would not be an organism: nothing to write */
};

struct bt_organism_convert_result {
    struct bt_judgement judged; /* of the result; facts.carried and facts.not_carried */
    enum bt_organism_outcome outcome;
    bt_str text; /* the resulting file, or the given one */
};

/*
 * Make an organism file of Baton from one of AgentServer 2.1. What has no place is a finding, HARD
 * with `strict`. *out lives in the arena. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_organism_convert(struct bt_env *env, struct bt_arena *arena,
                                               const struct bt_organism_source *source, bool strict,
                                               struct bt_organism_convert_result *out);

/* A key that an organism file may have. */
struct bt_organism_key_view {
    bt_str path;     /* "listeners[].name": an item of a list is [] */
    bt_str type;     /* for people */
    bt_str standard; /* the default as JSON; "": none, or `rule` says it */
    bt_str rule;     /* for people: what a value must be, and what it is for */
};

/*
 * List the keys at or below a path, all of them for "", in the order of the table. `[]` may be left
 * out of the path. *out_count is 0 when there is no such path. Everything lives in the arena.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_organism_list_keys(struct bt_arena *arena, bt_str prefix,
                                                 const struct bt_organism_key_view **out,
                                                 size_t *out_count);

#endif
