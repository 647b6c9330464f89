/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_internal.h - the table of keys, and a configuration as the files of this folder see it.
 */
#ifndef BATON_SRC_CONFIG_CONFIG_INTERNAL_H
#define BATON_SRC_CONFIG_CONFIG_INTERNAL_H

#include "config/config.h"
#include "report/add.h"
#include "yaml/yaml.h"

/* The type of a value. Zero is not a type. */
enum bt_config_type {
    BT_CONFIG_TEXT = 1,
    BT_CONFIG_NUMBER,
    BT_CONFIG_SWITCH,
    BT_CONFIG_LIST,         /* of texts */
    BT_CONFIG_TEXT_OR_LIST, /* one text stands for a list of one */
    BT_CONFIG_MAP,          /* names -> texts */
    BT_CONFIG_MAPPINGS,     /* a list of mappings, whose members are rows too */
    BT_CONFIG_GROUP,        /* a mapping whose members are rows again */
    BT_CONFIG_GROUPS,       /* names -> such mappings */
    BT_CONFIG_DECIMAL,      /* a number or a text of one, see micros.h */
};

/* Whether a text is of the form that a key wants. */
typedef bool bt_config_form_fn(bt_str text);

/* Whether a list keeps its limits as a whole. */
typedef bool bt_config_fits_fn(const struct bt_yaml_node *list);

/* The allowed word with this index, from 0; "" after the last one. For lists that are computed. */
typedef bt_str bt_config_word_fn(size_t index);

/*
 * Add findings about a text that is of the right form, or about the name and the text of an entry
 * of a map. BT_ENOMEM: the arena reached its limit.
 */
typedef enum bt_status bt_config_judge_fn(struct bt_findings *findings, struct bt_location at,
                                          bt_str name, bt_str text);

/* Add findings about a mapping whose members exclude each other. BT_ENOMEM. */
typedef enum bt_status bt_config_judge_group_fn(struct bt_findings *findings, bt_str pointer,
                                                const struct bt_yaml_node *group);

/* What a project file may set: by commands that judge, and by commands that decide. */
enum bt_config_project {
    BT_PROJECT_NOTHING = 0,
    BT_PROJECT_ANY_OR_NOTHING,
    BT_PROJECT_ANY_OR_STRICTER,
    BT_PROJECT_STRICTER,         /* than the other files give */
    BT_PROJECT_BELOW_OR_NOTHING, /* paths below the project folder */
    BT_PROJECT_BELOW,
};

struct bt_config_row;

/* What a list or map may hold. */
struct bt_config_list {
    /* members of each mapping of a list, or of a group; the first `needed` of them must be there */
    const struct bt_config_row *members;
    size_t member_count;
    size_t needed;
    size_t count_min;        /* of items */
    size_t count_max;        /* 0: as many as fit into a file */
    bt_config_fits_fn *fits; /* NULL: there are no other limits */
    /* a group of limits has one at least, and a stronger file can only lower them */
    bool is_limit;
    bt_config_form_fn *name_form;    /* of the names of groups; NULL: any */
    bt_config_judge_group_fn *judge; /* NULL: there is nothing else to check */
};

/* One key. */
struct bt_config_row {
    bt_str name; /* in full */
    enum bt_config_type type;
    const char *expected;      /* the range, form or list, for people and programs */
    uint64_t low;              /* of a number */
    uint64_t high;             /* ... */
    const char *const *words;  /* the texts that are allowed, ended by NULL; NULL: by form */
    bt_config_word_fn *word;   /* or computed */
    bt_config_form_fn *form;   /* NULL: any text that is not empty */
    bt_config_judge_fn *judge; /* NULL: there is nothing else to check */
    bool is_level; /* its words are severities, in both vocabularies and any letter case */
    struct bt_yaml_node otherwise;
    enum bt_config_project project;
    const char *const *strict; /* words from strict to loose; NULL: a lower number is stricter */
    unsigned users;            /* which commands use it, BT_USERS_*; 0: `baton serve` or hooks */
    bool for_hooks;            /* it counts for `baton hook` */
    struct bt_config_list list;
    bool is_for_projects; /* the files of users and the system do not have it */
    bool is_minimum;      /* a duration that is stricter when it is longer; none is the loosest */
};

extern const struct bt_config_row bt_config_rows[];
extern const size_t bt_config_rows_count;

enum { BT_CONFIG_KEYS_MAX = 180 };

struct bt_config {
    bt_str folders[BT_CONFIG_KINDS]; /* of the files, by kind; "" or ends in a slash */
    bool is_merged;                  /* of several files */
    bool store_is_outer;             /* the environment gave `store` */
    struct bt_yaml_node store;
    const struct bt_yaml_node *given[BT_CONFIG_KEYS_MAX]; /* by row; NULL: the default */
    enum bt_config_kind kinds[BT_CONFIG_KEYS_MAX];        /* by row: the file that gave it */
    bool refused[BT_CONFIG_KEYS_MAX];                  /* by row: the project's value is not used */
    const struct bt_yaml_node *rules[BT_CONFIG_KINDS]; /* `rules` of each file in force, or NULL */
    bool has_gate;   /* it has a mapping `gate`, also an empty one, which switches the gate on */
    bool has_budget; /* it has a mapping `budget`, also an empty one */
};

/* The row called `name`, or bt_config_rows_count. */
size_t bt_config_row(bt_str name);
/* What is in force for a row; the default depends on other keys for some. */
const struct bt_yaml_node *bt_config_value(const struct bt_config *config, size_t row);
/* Texts of a list or of one text. */
size_t bt_config_texts(const struct bt_yaml_node *node);
bt_str bt_config_text_at(const struct bt_yaml_node *node, size_t index);
/* What follows from the form of a text. */
uint64_t bt_config_text_number(bt_str text);
uint64_t bt_config_text_seconds(bt_str text);
bool bt_config_is_duration(bt_str text);
bool bt_config_is_web_url(bt_str text);
bool bt_config_is_hook_url(bt_str text); /* without a user and a fragment */
bool bt_config_is_variable(bt_str text);
/* /tls/cert for tls.cert */
BT_MUST_USE enum bt_status bt_config_pointer(struct bt_arena *arena, bt_str key, bt_str *out);
/* Whether the tiers keep the limits of tiers and patterns, and no name comes twice. */
bt_config_fits_fn bt_config_tiers_fit;
/* Whether two lists of mappings have the same members with the same values. */
bool bt_config_mappings_are_same(const struct bt_yaml_node *a, const struct bt_yaml_node *b);
/* The items of two lists, one behind the other. */
BT_MUST_USE enum bt_status bt_config_join(struct bt_arena *arena, const struct bt_yaml_node *first,
                                          const struct bt_yaml_node *second,
                                          const struct bt_yaml_node **out);
/* The entries of two maps; of entries with the same name, the one of the first. */
BT_MUST_USE enum bt_status bt_config_unite(struct bt_arena *arena, const struct bt_yaml_node *first,
                                           const struct bt_yaml_node *second,
                                           const struct bt_yaml_node **out);
/* Whether no number that a group has is above its counterpart in another group. */
bool bt_config_group_is_within(const struct bt_config_row *row, const struct bt_yaml_node *group,
                               const struct bt_yaml_node *other);
/* Whether two groups, or groups by name, have the same numbers. */
bool bt_config_groups_are_same(const struct bt_config_row *row, const struct bt_yaml_node *a,
                               const struct bt_yaml_node *b);
/* Whether two values have the same content: scalars by their text, mappings in any order. */
bool bt_config_nodes_are_same(const struct bt_yaml_node *a, const struct bt_yaml_node *b);
/* The smaller of both numbers for each member of a group, or of groups by name. */
BT_MUST_USE enum bt_status bt_config_groups_min(struct bt_arena *arena,
                                                const struct bt_config_row *row,
                                                const struct bt_yaml_node *first,
                                                const struct bt_yaml_node *second,
                                                const struct bt_yaml_node **out);
/* The text of a severity or level as JSON has it, HARD, WARN, INFO or off; any other text as is. */
bt_str bt_config_canonical(const struct bt_config_row *row, bt_str text);
/* Add IGNORE_EXPIRED for entries of `ignore` that ended before `today`; "": none did. */
BT_MUST_USE enum bt_status bt_config_add_expired(const struct bt_config *config, bt_str today,
                                                 struct bt_findings *findings);
/* Check the codes of `rules` and of `ignore`. */
bt_config_judge_fn bt_config_judge_rule;
bt_config_judge_fn bt_config_judge_ignored;
/* True when other machines can reach a listener. */
bool bt_config_allows_any_name(const struct bt_config *config);

/* Find peers that have the same name, witness or log. */
BT_MUST_USE enum bt_status bt_config_judge_peers(const struct bt_config *config,
                                                 struct bt_findings *findings);
/* Check keys that depend on each other. */
BT_MUST_USE enum bt_status bt_config_conflicts(const struct bt_config *config,
                                               struct bt_findings *findings);

#endif
