/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h - the keys of an organism file, their positions and types. */
#ifndef BATON_SRC_ORGANISM_KEYS_H
#define BATON_SRC_ORGANISM_KEYS_H

#include "organism/organism.h"

enum bt_organism_key_kind {
    BT_ORGANISM_KEY_STRING = 1,
    BT_ORGANISM_KEY_BOOL,
    BT_ORGANISM_KEY_INTEGER,
    BT_ORGANISM_KEY_NUMBER,   /* bounds in thousandths */
    BT_ORGANISM_KEY_WORD,     /* one of `words` */
    BT_ORGANISM_KEY_STRINGS,  /* a list of them */
    BT_ORGANISM_KEY_INTEGERS, /* a list of them */
    BT_ORGANISM_KEY_WORDS,    /* a list of words */
    BT_ORGANISM_KEY_SCALARS,  /* a mapping to scalars */
    BT_ORGANISM_KEY_TEXTS,    /* a mapping to strings */
    BT_ORGANISM_KEY_MAPPING,  /* of `keys` */
    BT_ORGANISM_KEY_MAPPINGS, /* a list of such */
    BT_ORGANISM_KEY_FIELDS,   /* a mapping of fields */
    BT_ORGANISM_KEY_REPLIES,  /* a mapping of reply tags */
    BT_ORGANISM_KEY_NETWORK,  /* a key that would open the control channel to the network */
};

struct bt_organism_key;

/* Checks a whole mapping: keys that require or exclude each other. */
typedef enum bt_status bt_organism_key_check_fn(struct bt_organism_reader *reader,
                                                const struct bt_yaml_node *node);

struct bt_organism_key_table {
    const struct bt_organism_key *rows; /* ends with a row without a name */
    bt_organism_key_check_fn *whole;    /* may be NULL */
};

struct bt_organism_key {
    bt_str name;
    enum bt_organism_key_kind kind;
    bool is_required;
    int64_t min;
    int64_t max;
    const char *first;        /* of a string: sets of characters, "a-z0-9"; NULL: any text */
    const char *rest;         /* after the first; NULL: any */
    size_t bytes_max;         /* of a string; 0: no bound */
    const char *expected;     /* what a good value is, for people */
    const char *const *words; /* ends with NULL */
    const struct bt_organism_key_table *keys; /* of a mapping */
    const char *standard; /* the default as JSON; NULL: none, or `about` says it */
    const char *about;    /* what it is for, or what else is required; NULL: nothing more */
};

extern const struct bt_organism_key_table bt_organism_key_table;

/* The key of this name, or NULL. */
const struct bt_organism_key *bt_organism_key_named(const struct bt_organism_key_table *keys,
                                                    bt_str name);
/* True when similar systems have a key of this name, which has no place here. */
bool bt_organism_key_is_foreign(bt_str key);

/* Further checks of listeners, capabilities, gateways and TLS. */
bt_organism_key_check_fn bt_organism_check_listener_keys;
bt_organism_key_check_fn bt_organism_check_capability_keys;
bt_organism_key_check_fn bt_organism_check_gateway_keys;
bt_organism_key_check_fn bt_organism_check_tls_keys;

#endif
