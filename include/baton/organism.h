/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism.h - the organism of an XML pump: one YAML file that names every capability, the payload
 * it takes, what it may answer and whom it may call.
 *
 * This is the half that stands still: reading and checking the file, the registry of listeners that
 * comes of it, and the texts that are made from it. Messages are judged through bt_check(), with
 * struct bt_xml_options of xml.h.
 */
#ifndef BATON_ORGANISM_H
#define BATON_ORGANISM_H

#include <baton/env.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What it takes to start the hosts of handlers, so as to hear what they are. */
struct bt_host_launch_options {
    bt_str search_path;       /* PATH */
    char *const *environment; /* ends with NULL; for `env_from`, and for whoever finds Python */
    bt_str baton;             /* absolute path of the program `baton`, which hosts C handlers */
    bt_str temporary_dir; /* an absolute folder in which work directories are made, and removed */
};

struct bt_organism_options {
    bool has_files;        /* `path` is that of a file here, and what it names may be looked at */
    bool without_seccomp;  /* act as on a kernel that lacks it */
    bool without_landlock; /* the same */
    bool only_classes;     /* load only handlers whose classes must be known */
    const struct bt_host_launch_options *hosts; /* NULL: no handler is loaded */
    enum bt_severity fail_level;                /* zero means BT_SEVERITY_HARD */
};

/* A sound organism; it lives in the arena that it was read into. */
struct bt_organism;

/* An organism file. */
struct bt_organism_source {
    bt_str path; /* as people know it */
    bt_str text;
};

/*
 * Judge an organism file. On BT_OK *out is the judged document; *out_organism (may be NULL) is the
 * organism when nothing HARD was found, else NULL. Both live in the arena, and point into the
 * source.
 */
BT_API BT_MUST_USE enum bt_status bt_organism_read(struct bt_env *env, struct bt_arena *arena,
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

/* A listener as others see it. */
struct bt_listener_view {
    bt_str name;
    bt_str tag;
};

/* The listener of this name, in any case. BT_ENOENT: there is none. */
BT_API BT_MUST_USE enum bt_status bt_organism_find_listener(const struct bt_organism *organism,
                                                            struct bt_arena *arena, bt_str name,
                                                            struct bt_listener_view *out);

/* Put one of the texts about the listener of this name, in any case. BT_ENOENT: there is no such
 * listener; BT_EINVAL: there is no such text about it, or its class was not loaded. */
BT_API BT_MUST_USE enum bt_status bt_organism_put_text(struct bt_buf *buf, struct bt_arena *arena,
                                                       const struct bt_organism *organism,
                                                       bt_str name, enum bt_organism_text text);

#ifdef __cplusplus
}
#endif

#endif
