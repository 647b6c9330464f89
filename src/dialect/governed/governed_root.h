/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_root.h - the catalogue as it was read for one decision: agents, what the lock and the
 * files say about each, and who has listed whom.
 *
 *     manifest -> agents      lock -> entries      prompts -> digests      boundaries -> lists
 *
 * Each file is read once. Prompts are read when somebody asks about their agent, since an accepted
 * handoff needs two of them and a suggestion all.
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_GOVERNED_ROOT_H
#define BATON_SRC_DIALECT_GOVERNED_GOVERNED_ROOT_H

#include <baton/json.h>
#include <baton/schema.h>

#include "dialect/governed/governed.h"
#include "report/rules.h"

/* ---- Schemas --------------------------------------------------------------------------------- */

enum bt_governed_kind {
    BT_GOVERNED_HANDOFF = 0,
    BT_GOVERNED_RESPONSE,
    BT_GOVERNED_MANIFEST,
    BT_GOVERNED_LOCK,
    BT_GOVERNED_BOUNDARIES,
    BT_GOVERNED_KIND__MAX,
};

struct bt_governed_checker {
    struct bt_env *env;
    struct bt_arena arena;                            /* this lies in it itself */
    struct bt_schema *schemas[BT_GOVERNED_KIND__MAX]; /* NULL: not needed yet */
    struct bt_schema_runner *runner;
    struct bt_error trouble;
};

/* Judge a document by one of the schemas; `findings` may be NULL when the reasons do not matter. */
BT_MUST_USE enum bt_status bt_governed_schema(struct bt_governed_checker *governed,
                                              enum bt_governed_kind kind,
                                              const struct bt_json_doc *document,
                                              struct bt_findings *findings, bool *out_valid);
/* Read a text; *out is NULL when it is not valid JSON. `findings` as above. */
BT_MUST_USE enum bt_status bt_governed_json(struct bt_governed_checker *governed,
                                            struct bt_arena *arena, bt_str text,
                                            struct bt_findings *findings,
                                            const struct bt_json_doc **out);

enum {
    BT_AGENTS_MAX = 2048, /* of one catalogue: who may hand to whom is asked of every pair */
    BT_SHARES_MAX = 4,    /* of a composition that is valid */
    BT_SUGGESTIONS_MAX = 5,
};

/* ---- Files ----------------------------------------------------------------------------------- */

/* Why a file of the catalogue cannot be used. Zero: it can. */
enum bt_governed_file_error {
    BT_ROOT_FINE = 0,
    BT_ROOT_MISSING,
    BT_ROOT_UNSAFE,
    BT_ROOT_NOT_LOCKED,
    BT_ROOT_HASH_MISMATCH,
    BT_ROOT_SYNTAX,
    BT_ROOT_SCHEMA,
    BT_ROOT_INCONSISTENT,
    BT_ROOT_VERSION,
    BT_GOVERNED_FILE_ERROR__MAX,
};

/* "missing" ...; "" for none. */
bt_str bt_governed_file_error_name(enum bt_governed_file_error fault);

struct bt_governed_file {
    bt_str bytes;
    struct bt_file_identity stamp;
    enum bt_governed_file_error fault; /* none, missing or unsafe */
    char sha256[BT_SHA256_HEX_BYTES];  /* "" unless it was read */
    bool is_recent;
};

/* Read a file below the root of the options. BT_EDENIED, BT_EIO: the machine is at fault. */
BT_MUST_USE enum bt_status bt_governed_file_read(struct bt_governed_checker *governed,
                                                 struct bt_arena *arena,
                                                 const struct bt_governed_options *options,
                                                 bt_str path, struct bt_governed_file *out);

/* A JSON file of the catalogue. */
struct bt_governed_file_document {
    bt_str path;
    enum bt_governed_file_error fault;
    bool is_sound; /* it was read and satisfies its schema, whatever else is wrong */
    struct bt_governed_file file;
    const struct bt_json_doc *document; /* NULL: it is not valid JSON */
    const bt_json_value *root;
};

/* The text of a member of its root, which satisfies its schema. */
bt_str bt_governed_file_text(const struct bt_governed_file_document *file, bt_str name);

/* ---- Agents ---------------------------------------------------------------------------------- */

enum bt_governed_agent_type {
    BT_GOVERNED_AGENT_TYPE_DOMAIN = 0,
    BT_GOVERNED_AGENT_TYPE_ARCHETYPE,
    BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR,
    BT_GOVERNED_AGENT_TYPE__MAX
};

/* "domain" and "domains" ... */
bt_str bt_governed_agent_type_name(enum bt_governed_agent_type type);
bt_str bt_governed_agent_section(enum bt_governed_agent_type type);

/* What can be wrong with a composition, in the order of the names. */
enum bt_governed_composition_error {
    BT_COMPOSITION_MISSING = 0,
    BT_PERCENT_NOT_INTEGER,
    BT_SUM_NOT_100,
    BT_TOO_FEW_DOMAINS,
    BT_TOO_MANY_DOMAINS,
    BT_UNKNOWN_DOMAIN,
    BT_WRONG_PRIMARY,
    BT_GOVERNED_COMPOSITION_ERROR__MAX,
};

bt_str bt_governed_composition_error_name(enum bt_governed_composition_error problem);

/* How lock, manifest and file disagree about an agent. */
enum bt_governed_integrity_error {
    BT_LOCK_ENTRY_MISSING = 1,
    BT_LOCK_ENTRY_MISMATCH = 2,
    BT_FILE_MISSING = 4,
    BT_FILE_UNSAFE = 8,
    BT_FILE_HASH_MISMATCH = 16,
    BT_EMBEDDED_MISMATCH = 32,
};

/* Members in which a lock entry can differ, in the order in which they are told. */
enum { BT_DIFFERS_TYPE = 1, BT_DIFFERS_FILE = 2, BT_DIFFERS_VERSION = 4, BT_LOCK_MEMBERS = 3 };

/* "type", "file", "version". */
bt_str bt_governed_lock_member(size_t index);

enum bt_governed_relation {
    BT_GOVERNED_RELATION_RECEIVES = 0,
    BT_GOVERNED_RELATION_PROVIDES,
    BT_GOVERNED_RELATION_COORDINATES,
    BT_GOVERNED_RELATION_UNCLEAR,    /* authorises no agent in strict mode, as the next does */
    BT_GOVERNED_RELATION_DEMARCATES, /* from here upwards, the later one is the stricter one */
    BT_GOVERNED_RELATION__MAX,
};

bt_str bt_governed_relation_name(enum bt_governed_relation relation);
/* What the text of a line about a partner says. */
enum bt_governed_relation bt_governed_relation_of(bt_str text);

struct bt_governed_boundary_line {
    size_t partner; /* index of an agent */
    enum bt_governed_relation relation;
    bt_str note; /* or ""; of a prompt: the text of an unclear line, when prompts are kept */
};

/* BT_SEPARATED: the line separates, or with BT_UNCLEAR it is not clear. */
enum { BT_NAMED = 1, BT_SEPARATED = 2, BT_UNCLEAR = 4 };

/* Whom an agent has listed; each partner once. */
struct bt_governed_boundary_list {
    bool is_there;
    struct bt_governed_boundary_line *lines;
    size_t count;
    uint8_t *named; /* by agent: of BT_NAMED, BT_SEPARATED, BT_UNCLEAR */
};

/* What comparing an agent with its entry in the lock came to. */
struct bt_governed_lock_state {
    unsigned faults;  /* enum bt_governed_integrity_error */
    unsigned differs; /* BT_DIFFERS_... */
    bool is_examined;
    bool is_verified; /* the file's digest is the one in the lock */
};

struct bt_governed_agent {
    bt_str id;
    bt_str name;
    bt_str file;
    bt_str version;
    const bt_json_value *entry;       /* of the manifest */
    const bt_json_value *composition; /* or NULL */
    const bt_json_value *accepts;     /* or NULL */
    const bt_json_value *locked;      /* entry of the lock, or NULL */
    size_t shares[BT_SHARES_MAX];     /* indexes of domains; when there is no problem */
    size_t share_count;
    struct bt_governed_boundary_list list;
    struct bt_governed_file prompt; /* when is_read */
    enum bt_governed_agent_type type;
    int number;        /* of a domain, else -1 */
    unsigned problems; /* bit per enum bt_governed_composition_error */
    struct bt_governed_lock_state lock_state;
    bool is_read;    /* the file was asked for, and this is what came */
    bool is_blocked; /* in the store that is open, if one is */
};

struct bt_governed_root {
    struct bt_governed_checker *governed;
    const struct bt_governed_options *options;
    struct bt_arena *arena;
    bool keeps_prompts; /* their bytes are wanted after they were hashed */
    struct bt_governed_file_document manifest;
    struct bt_governed_file_document lock;
    struct bt_governed_file_document boundaries; /* only when lists come from the file */
    struct bt_governed_agent *agents; /* in agent order; none when the manifest is unusable */
    size_t count;
    size_t counts[BT_GOVERNED_AGENT_TYPE__MAX];
    bool lists_in_file; /* the file, or its member of the lock, exists */
    bool has_lists;     /* lists can be used: of the file, or of prompts that are verified */
};

#define BT_NO_AGENT SIZE_MAX

/* Read manifest, lock and, when both can be used, the boundaries file. */
BT_MUST_USE enum bt_status bt_governed_root_read(struct bt_governed_root *governed_root);

/* Whether the files that were read, the prompts of these agents among them, are still the same.
 * When in doubt they are not: a file that had just changed may have changed again unseen. */
bool bt_governed_root_is_current(const struct bt_governed_root *governed_root, const size_t *agents,
                                 size_t count);

/* The agent with exactly this id, or BT_NO_AGENT. */
size_t bt_governed_root_find(const struct bt_governed_root *governed_root, bt_str id);
/* The domain with this number, or BT_NO_AGENT. */
size_t bt_governed_root_domain(const struct bt_governed_root *governed_root, int number);
/* The agent whose id is most like this one, at most two changes away, or BT_NO_AGENT. */
size_t bt_governed_root_nearest_id(const struct bt_governed_root *governed_root, bt_str id);

/* Put the ids of all agents, in their order, into the array that `emit` stands in. */
void bt_governed_root_put_ids(const struct bt_governed_root *governed_root, struct bt_emit *emit);
/* The ids of some agents, or with NULL of the first `count`, in the arena. */
BT_MUST_USE enum bt_status bt_governed_root_ids(const struct bt_governed_root *governed_root,
                                                const size_t *agents, size_t count,
                                                struct bt_str_list *out);
/* The composition of an agent as JSON, {} when it has none that is an object; in the arena. */
BT_MUST_USE enum bt_status
bt_governed_root_composition(const struct bt_governed_root *governed_root,
                             const struct bt_governed_agent *agent, bt_str *out);

/* The text of a member of an agent's entry in the lock; "" when it is absent. */
bt_str bt_governed_locked_text(const struct bt_governed_root *governed_root,
                               const struct bt_governed_agent *agent, bt_str name);

/* ---- Parts, for the files that make them ----------------------------------------------------- */

/* Fill in the agents from a manifest that satisfies its schema, and say what is inconsistent;
 * `findings` may be NULL. *out_consistent tells whether nothing is. */
BT_MUST_USE enum bt_status bt_governed_root_agents(struct bt_governed_root *governed_root,
                                                   struct bt_findings *findings,
                                                   bool *out_consistent);
/* Judge the composition of an archetype; `findings` may be NULL. */
BT_MUST_USE enum bt_status
bt_governed_agent_composition(const struct bt_governed_root *governed_root,
                              struct bt_governed_agent *agent, struct bt_findings *findings);

/* Read the prompt of an agent, unless that was done. */
BT_MUST_USE enum bt_status bt_governed_agent_read(struct bt_governed_root *governed_root,
                                                  struct bt_governed_agent *agent);
/* Compare lock, manifest and file, and take the list from a prompt that is verified where lists
 * come from prompts. The lock is sound. */
BT_MUST_USE enum bt_status bt_governed_agent_check_integrity(struct bt_governed_root *governed_root,
                                                             struct bt_governed_agent *agent);

/* Take the lists from the boundaries file; `findings` may be NULL. */
BT_MUST_USE enum bt_status bt_governed_root_lists(struct bt_governed_root *governed_root,
                                                  struct bt_findings *findings);
/* Take the list of a prompt, or say what is wrong with its lines, or both: *out (may be NULL) and
 * `findings` (may be NULL). */
BT_MUST_USE enum bt_status
bt_governed_prompt_read_list(const struct bt_governed_root *governed_root,
                             const struct bt_governed_agent *agent, struct bt_findings *findings,
                             struct bt_governed_boundary_list *out);
/* An empty list with room for so many lines. */
BT_MUST_USE enum bt_status
bt_governed_boundary_list_init(const struct bt_governed_root *governed_root, size_t lines,
                               struct bt_governed_boundary_list *out);
/* Add a line; a partner that is there already keeps its line, with the stricter relation. */
void bt_governed_boundary_list_add(struct bt_governed_boundary_list *list,
                                   const struct bt_governed_boundary_line *line);

/* ---- Pairs and paths ------------------------------------------------------------------------- */

/* Why a pair is not allowed. Zero: not asked yet. */
enum bt_governed_pair_result {
    BT_PAIR_UNDECIDED = 0,
    BT_PAIR_ALLOWED,
    BT_PAIR_SELF,
    BT_PAIR_NO_PATTERN,
    BT_PAIR_NOT_LISTED,
    BT_PAIR_SEPARATION_ONLY,
    BT_PAIR_UNCLEAR_LINE,
    BT_PAIR_NOT_MUTUAL,
    BT_PAIR_NOT_CONSTITUENT,
    BT_PAIR_NOT_MEMBER,
    BT_GOVERNED_PAIR_RESULT__MAX,
};

/* "self" ...; "" for the first two. */
bt_str bt_governed_pair_reason(enum bt_governed_pair_result answer);
/* The reason as people read it; "" for the first two. */
bt_str bt_governed_pair_text(enum bt_governed_pair_result answer);

/* The pattern of a pair, 1 to 4, or 0: none covers it. */
unsigned bt_governed_pair_pattern(const struct bt_governed_root *governed_root, size_t from,
                                  size_t to);
/* Whether `from` may hand to `to`. Lists of both are known as far as they can be. */
enum bt_governed_pair_result bt_governed_check_pair(const struct bt_governed_root *governed_root,
                                                    size_t from, size_t to);

/* Look at every agent, so that candidates and their lists are known. */
BT_MUST_USE enum bt_status bt_governed_root_check_integrity(struct bt_governed_root *governed_root);
/* Whether an agent, which was examined, may stand on a way. */
bool bt_governed_agent_is_candidate(const struct bt_governed_agent *agent);

/* The shortest way, and all its first steps. */
struct bt_governed_route {
    size_t *path; /* agents from source to target; none when there is no way */
    size_t count;
    size_t first[BT_SUGGESTIONS_MAX];
    size_t first_count;
};

/* Look for it; every agent is examined first. */
BT_MUST_USE enum bt_status bt_governed_root_find_route(struct bt_governed_root *governed_root,
                                                       size_t from, size_t to,
                                                       struct bt_governed_route *out);

/* ---- The map of boundaries ------------------------------------------------------------------- */

/* Read the catalogue and examine every agent. *out_answers: manifest and lists can be used; if not,
 * a finding at "" says why. */
BT_MUST_USE enum bt_status bt_governed_map_read(struct bt_governed_root *governed_root,
                                                enum bt_governed_boundary_lists source,
                                                struct bt_findings *findings, bool *out_answers);

/* Whether both are candidates and the first may hand to the second. */
bool bt_governed_map_allows(const struct bt_governed_root *governed_root, size_t from, size_t to);

/* Put the map. Ids are letters, digits and dashes, so no form needs to escape them. */
typedef void bt_map_fn(const struct bt_governed_root *governed_root, struct bt_buf *buf);

bt_map_fn bt_governed_map_put_text;
bt_map_fn bt_governed_map_put_mermaid;
bt_map_fn bt_governed_map_put_dot;
bt_map_fn bt_governed_map_put_svg;
bt_map_fn bt_governed_map_put_json;
bt_map_fn bt_governed_map_put_file;

/* ---- Prompts --------------------------------------------------------------------------------- */

enum bt_governed_prompt_line_kind {
    BT_PROMPT_SECTION = 1, /* a heading that opens the section about collaboration */
    BT_PROMPT_PARTNER,     /* "- **With Domain NN (LABEL):** TEXT" inside it */
    BT_PROMPT_ODD,         /* another "- " line inside it */
    BT_PROMPT_SHARE,       /* a heading "KIND Domain: NAME (Domain NN) - PP%" */
};

struct bt_governed_prompt_line {
    enum bt_governed_prompt_line_kind kind;
    size_t offset; /* of the line */
    int number;    /* partner, share: of the domain */
    bt_str label;  /* partner */
    bt_str text;   /* partner: what follows the label */
    enum bt_governed_relation relation;
    unsigned percent; /* share */
};

struct bt_governed_prompt_reader {
    bt_str text;
    size_t at;
    bool is_fenced;
    bool in_section;
};

/* The next line that says something; false at the end. Takes no memory and time linear in the
 * text; any bytes will do. */
bool bt_governed_prompt_next_line(struct bt_governed_prompt_reader *reader,
                                  struct bt_governed_prompt_line *out);

/*
 * What a prompt says about itself, for a manifest: the text of its first heading without the kind
 * of agent, and the text after **Boundary:** or else its first line of plain text. Either may
 * be "".
 */
struct bt_governed_prompt_head {
    bt_str name;
    bt_str scope;
};

struct bt_governed_prompt_head bt_governed_prompt_read_head(bt_str text);

/* Whether a label has a word, and every word of it stands in the domain's name or in its id after
 * the number. */
bool bt_governed_prompt_label_matches(bt_str label, const struct bt_governed_agent *domain);

#endif
