/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organism.h - an organism as it is after its file was read and found sound.
 *
 *     bytes -> YAML -> keys -> meaning -> load
 *
 * Everything lives in the arena of the findings.
 */
#ifndef BATON_SRC_ORGANISM_ORGANISM_H
#define BATON_SRC_ORGANISM_ORGANISM_H

#include "organism/payload_type.h"
#include "organism/read.h"
#include "report/rules.h"
#include "sandbox/hello.h"
#include "sandbox/host_spec.h"
#include "sandbox/support.h"
#include "yaml/yaml.h"

/* ---- Capabilities ---------------------------------------------------------------------------- */

struct bt_organism_listener_reply {
    bt_str tag;
    const struct bt_payload_type *type; /* NULL: its class is not known yet */
    bt_str xsd;                         /* the declarations of its schema file; "": it has none */
};

/* How the replies of a listener are declared. */
enum bt_organism_listener_reply_kind {
    BT_ORGANISM_REPLIES_UNDECLARED = 0,
    BT_ORGANISM_REPLIES_DECLARED,
    BT_ORGANISM_REPLIES_ANY,
};

struct bt_organism_name_list {
    const bt_str *items; /* folded, in the order of the file */
    size_t count;
};

/* Something that can be called: a listener, or a capability of a gateway. */
struct bt_organism_capability {
    bt_str name;      /* folded; of a gateway's capability with the name of the gateway */
    bt_str type_name; /* as declared */
    bt_str tag;       /* of its payload */
    const struct bt_payload_type *type; /* of its payload; NULL: its class is not known yet */
    bt_str xsd;                         /* the whole schema file; "": it has none */
    enum bt_organism_listener_reply_kind replying;
    const struct bt_organism_listener_reply *replies; /* the result first */
    size_t replies_count;
};

/* The limits of a listener's host. */
struct bt_organism_listener_limits {
    uint64_t timeout_ms;
    uint64_t max_concurrent;
    uint64_t memory_mb;
};

/* What the host of a listener may see and use. */
struct bt_organism_listener_access {
    const struct bt_yaml_node *env;        /* NULL: none */
    struct bt_organism_name_list env_from; /* as written */
    struct bt_organism_name_list read;     /* as written */
    bool may_net;
    bool may_exec;
};

struct bt_organism_listener {
    uint32_t number; /* in a running pump; at first its index in the file */
    struct bt_organism_capability takes;
    const struct bt_yaml_node *node;
    bt_str description;
    bt_str handler;                       /* "": it is a command */
    struct bt_organism_name_list command; /* as written */
    bt_str payload_class;                 /* "": declared here */
    bt_str result_class;                  /* "": none */
    struct bt_organism_name_list peers;   /* without itself */
    bt_str group;                         /* folded; "": none */
    struct bt_organism_listener_limits limits;
    bt_str prompt;
    const struct bt_yaml_node *config; /* NULL: none */
    struct bt_organism_listener_access access;
    enum bt_host_kind host;
    bool uses_stdio;
    bool is_agent;
    bool is_serial;
    bool diagnostics_go_to_emitter; /* on_huh: emitter */
    bool has_prompt;
};

struct bt_organism_client {
    bt_str name;
    struct bt_organism_name_list may_call;
    bool may_call_all;
    bool is_admin;
    const struct bt_yaml_node *node;
};

struct bt_organism_group {
    bt_str name;
    bt_str tag;
    const struct bt_organism_listener *first; /* all members have its type */
};

struct bt_organism_gateway {
    uint32_t number; /* in a running pump; at first its index after the listeners */
    bt_str name;
    bt_str remote_url;
    bt_str trusted_identity;
    bt_str description;
    struct bt_organism_capability *capabilities;
    size_t capabilities_count;
    const struct bt_yaml_node *node;
};

/* Who may make a query of introspection. */
enum bt_organism_introspection {
    BT_META_NOBODY = 0,
    BT_META_ADMIN,
    BT_META_AUTHENTICATED,
};

struct bt_organism_limits {
    uint64_t depth;
    uint64_t self_iterations;
    uint64_t fragments;
    uint64_t queue;
    uint64_t message_bytes;
    uint64_t result_bytes;
    uint64_t attempts;
    uint64_t thread_idle_s;
    uint64_t history_days;
    uint64_t max_tokens_per_thread;
    uint64_t max_concurrent_handlers;
    uint64_t max_concurrent_per_agent;
};

/* What introspection answers, and to whom. */
struct bt_organism_meta {
    bool is_enabled;
    bool has_list;
    enum bt_organism_introspection schema;
    enum bt_organism_introspection example;
    enum bt_organism_introspection prompt;
};

/* How handler hosts are started. */
struct bt_organism_hosting {
    bool needs_sandbox; /* sandbox: required */
    bt_str python;
    bt_str user; /* "": none */
    const struct bt_host_python
        *interpreter; /* that handlers were loaded with; NULL: not queried yet */
};

struct bt_organism {
    bt_str name;
    bt_str folder; /* of its file */
    bt_str file;   /* the name of that file */
    const struct bt_yaml_node *root;
    struct bt_organism_client *clients;
    size_t clients_count;
    struct bt_organism_listener *listeners;
    size_t listeners_count;
    struct bt_organism_group *groups;
    size_t groups_count;
    struct bt_organism_gateway *gateways;
    size_t gateways_count;
    struct bt_organism_limits limits;
    bool ingress_repair;
    bool depth_first;
    struct bt_organism_hosting hosting;
    struct bt_organism_meta meta;
    bt_str store;
    bt_str schemas;
};

/* ---- Other pumps ----------------------------------------------------------------------------- */

/* The parts of a gateway's `remote_url`; either a path or host and port. */
struct bt_organism_gateway_url {
    bt_str path; /* of a Unix socket */
    bt_str host; /* name or address, without brackets */
    bt_str port;
};

/* Parse the URL of a gateway. False: it is not valid. */
bool bt_organism_gateway_url_read(bt_str url, struct bt_organism_gateway_url *out);

/* ---- Lookup ---------------------------------------------------------------------------------- */

const struct bt_organism_listener *bt_organism_listener(const struct bt_organism *organism,
                                                        bt_str folded);
const struct bt_organism_group *bt_organism_group(const struct bt_organism *organism,
                                                  bt_str folded);
const struct bt_organism_gateway *bt_organism_gateway(const struct bt_organism *organism,
                                                      bt_str folded);
const struct bt_organism_client *bt_organism_client(const struct bt_organism *organism,
                                                    bt_str name);

/* The owner of a tag. */
struct bt_organism_target {
    bt_str name; /* of the listener, group or gateway; "": none */
    const struct bt_organism_capability *capability; /* NULL: no such tag */
};

struct bt_organism_target bt_organism_target(const struct bt_organism *organism, bt_str tag);
/* True when a client may call the listener, group or gateway of this name. */
bool bt_organism_client_may_call(const struct bt_organism_client *client, bt_str name);
/* True when no element without a namespace may have this name, in any case. */
bool bt_organism_name_is_reserved(bt_str name);
/* True when a folded name is core or system, or below one of them. */
bool bt_organism_name_is_system(bt_str folded);
bool bt_organism_name_list_has(const struct bt_organism_name_list *names, bt_str name);

/* Make the tag of a payload: name and type, joined by a dot and in lower case. */
BT_MUST_USE enum bt_status bt_organism_tag(struct bt_arena *arena, bt_str name, bt_str type,
                                           bt_str *out);

/* ---- One organism being judged --------------------------------------------------------------- */

struct bt_organism_loading;

/* The HELLO messages of hosts that run already. */
struct bt_organism_running_hosts {
    void *context;
    /* The HELLO of the host of this listener, "" before it is said; false: none runs, so one must
     * be started to be asked. */
    bool (*hello)(void *context, const struct bt_organism_listener *listener, bt_str *out);
};

struct bt_organism_reader {
    struct bt_env *env;
    const struct bt_organism_options *options;
    struct bt_arena *arena;
    struct bt_findings *findings;
    struct bt_dir *root; /* the organism directory; NULL: files are not checked */
    bt_str folder;       /* where it is */
    bt_str file;         /* the name of the organism file within it */
    const struct bt_yaml_node *document;
    struct bt_buf path;                /* of the node that was located last */
    struct bt_sandbox_support sandbox; /* the mechanisms of the kernel, less those of --without */
    struct bt_organism *organism;
    const struct bt_organism_running_hosts *known; /* NULL: no host runs */
    bt_str only; /* findings whose pointer does not begin with it do not count */
    struct bt_organism_loading *loading; /* while handlers are loaded */
};

/* Run all groups over `text`, adding to reader->findings (not finished). *reader has been
 * cleared except for env, options and findings. *out_facts is unchanged when the file is not an
 * organism. */
BT_MUST_USE enum bt_status bt_organism_judge(struct bt_organism_reader *reader, bt_str path,
                                             bt_str text, bt_str *out_facts);

/*
 * Judge step by step, for callers that have other work while handlers are loaded: begin, then step
 * until it is done, then finish. In every case bt_organism_reader_free() ends it.
 */
BT_MUST_USE enum bt_status bt_organism_reader_begin(struct bt_organism_reader *reader, bt_str path,
                                                    bt_str text);
BT_MUST_USE enum bt_status bt_organism_reader_step(struct bt_organism_reader *reader,
                                                   uint32_t wait_ms, bool *out_done);
/* Readable when a step would do something; -1: at once. */
int bt_organism_reader_fd(const struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_reader_finish(struct bt_organism_reader *reader,
                                                     bt_str *out_facts);
void bt_organism_reader_free(struct bt_organism_reader *reader);

/* Groups of checks, in their order. A status other than BT_OK: it could not be judged. */
BT_MUST_USE enum bt_status bt_organism_check_form(struct bt_organism_reader *reader, bt_str text);
BT_MUST_USE enum bt_status bt_organism_check_keys(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_build(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_check_names(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_check_semantics(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_check_files(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_check_governance(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_load_begin(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_load_step(struct bt_organism_reader *reader,
                                                 uint32_t wait_ms, bool *out_done);
int bt_organism_load_fd(const struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_load_end(struct bt_organism_reader *reader);
void bt_organism_load_free(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_check_drift(struct bt_organism_reader *reader);
BT_MUST_USE enum bt_status bt_organism_facts(const struct bt_organism_reader *reader, bt_str *out);

/* ---- Findings -------------------------------------------------------------------------------- */

/* The place of a node of the document. The pointer is valid until the next call. */
struct bt_location bt_organism_locate(struct bt_organism_reader *reader,
                                      const struct bt_yaml_node *node);
/* The place of a key of a mapping; it has no offset when the key is absent or null. */
struct bt_location bt_organism_locate_key(struct bt_organism_reader *reader,
                                          const struct bt_yaml_node *mapping, const char *key);
/* True when there is a HARD finding whose pointer begins with `only`. */
bool bt_organism_reader_has_hard(const struct bt_organism_reader *reader);

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* The value of a key; NULL when it is absent or null, or `mapping` is. */
const struct bt_yaml_node *bt_organism_node_get(const struct bt_yaml_node *mapping,
                                                const char *key);
/* Its text; "" when it is absent. */
bt_str bt_organism_node_text(const struct bt_yaml_node *mapping, const char *key);
bool bt_organism_node_is_string(const struct bt_yaml_node *node);
/* The value of an integer; false: it is not an integer, or beyond int64. */
bool bt_organism_node_integer(const struct bt_yaml_node *node, int64_t *out);
/* A number in thousandths, rounded; false: it is not a number, or too large. */
bool bt_organism_node_thousandths(const struct bt_yaml_node *node, int64_t *out);

/* Put a node as JSON; nothing for NULL. */
void bt_organism_node_put(struct bt_buf *buf, const struct bt_yaml_node *node);
/* True when two nodes, which may be NULL, are equal; false when memory runs out. */
bool bt_organism_node_equal(const struct bt_yaml_node *a, const struct bt_yaml_node *b);
/* Put an organism file that has the listeners of `organism`, and then `further`, a JSON object. */
void bt_organism_write_yaml(struct bt_buf *buf, const struct bt_organism *organism, bt_str further);

/* Read a mapping of fields at the path as a record called `name`; what is wrong with it is told,
 * and *out stays NULL then. */
BT_MUST_USE enum bt_status bt_organism_node_fields(struct bt_organism_reader *reader,
                                                   const struct bt_yaml_node *node, bt_str name,
                                                   const struct bt_payload_type **out);

/* ---- Handlers -------------------------------------------------------------------------------- */

struct bt_host_launch_options;

/* "python", "c" or "command". */
bt_str bt_organism_listener_host_name(const struct bt_organism_listener *listener);
/* Whether the host of a listener is run by the organism's Python. */
bool bt_organism_listener_runs_python(const struct bt_organism *organism,
                                      const struct bt_organism_listener *listener);
/* What the host of a listener is started with. */
BT_MUST_USE enum bt_status bt_organism_listener_spec(struct bt_arena *arena,
                                                     const struct bt_host_launch_options *hosts,
                                                     const struct bt_organism_listener *listener,
                                                     struct bt_host_spec *out);

/* The parts of `handler`. */
struct bt_organism_listener_handler {
    enum bt_host_kind host; /* 0: it has none of the forms */
    bt_str file;            /* "": a dotted path */
    bt_str function;        /* "" for a shared object */
};

struct bt_organism_listener_handler bt_organism_listener_handler_parse(bt_str handler);
/* The last name in a class path: of "pkg.mod:Class" or "pkg.mod.Class" it is Class. */
bt_str bt_organism_listener_class_name(bt_str path);

/* ---- Types from HELLO ------------------------------------------------------------------------ */

/* *out stays NULL when the description has a type or a name that is not supported. */
BT_MUST_USE enum bt_status bt_payload_type_from_hello(struct bt_organism_reader *reader,
                                                      const struct bt_host_hello_class *described,
                                                      const struct bt_payload_type **out);

/* ---- Texts that are made from types ---------------------------------------------------------- */

/* Put the XSD of global elements: the frame around them, and one of them. */
void bt_xsd_put_begin(struct bt_buf *buf);
void bt_xsd_put_element(struct bt_buf *buf, bt_str name, const struct bt_payload_type *type);
void bt_xsd_put_end(struct bt_buf *buf);

/* Put the example of an element, canonical. `arena` is working memory. */
BT_MUST_USE enum bt_status bt_organism_listener_put_example(struct bt_buf *buf,
                                                            struct bt_arena *arena, bt_str name,
                                                            const struct bt_payload_type *type);

#endif
