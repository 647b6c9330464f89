/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.h - find what must not leave a document: passwords, tokens and keys.
 *
 * A secret is the value of a member whose name says so, or a part of another string that has the
 * form of a known credential. A model is shown a mark in its place, [baton withheld N].
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SECRETS_H
#define BATON_SRC_DIALECT_UNIVERSAL_SECRETS_H

#include <baton/json.h>

/* True when a member of this name has a secret as its value: "password", "db-api-key" ... */
bool bt_universal_names_secret(bt_str name);

/*
 * The first part of `text`, at or after `from`, that has the form of a credential: a PEM private
 * key, the user part of a URL, an access key or token of a known service, a JSON Web Token. False
 * when there is none. Takes time linear in the text.
 */
bool bt_universal_next_secret(bt_str text, size_t from, size_t *out_begin, size_t *out_end);

/* ---- Masked strings -------------------------------------------------------------------------- */

/* A string of a document with its secrets replaced by marks. */
struct bt_universal_masked_string {
    const bt_json_value *value;
    bt_str text;  /* with marks */
    size_t first; /* of its secrets, in bt_universal_masks.secrets */
    size_t count;
};

/* The secrets of a document, numbered from 1 in document order. All lives in one arena. */
struct bt_universal_masks {
    struct bt_universal_secrets {
        bt_str *items; /* the text that mark `index + 1` stands for */
        size_t count;
        size_t capacity;
    } secrets;
    struct bt_universal_masked_strings {
        struct bt_universal_masked_string *items; /* sorted by the address of `value` */
        size_t count;
        size_t capacity;
    } strings;
};

#define BT_MARK_WITHHELD "[baton withheld"
#define BT_MARK_CUT "[baton cut"

/* Find the secrets of a document. BT_ENOMEM is the only failure. */
BT_MUST_USE enum bt_status bt_universal_masks_find(const struct bt_json_doc *document,
                                                   struct bt_arena *arena,
                                                   struct bt_universal_masks *out);

/* The masked string that stands for a value, or NULL when the value has no secret. */
const struct bt_universal_masked_string *
bt_universal_masked_strings_find(const struct bt_universal_masked_strings *strings,
                                 const bt_json_value *value);
/* Sort after items were added, so that they can be found. */
void bt_universal_masked_strings_sort(struct bt_universal_masked_strings *strings);

/* Put a text that is not a string of the document (a message, a name) with its secrets masked. */
void bt_universal_masks_put_text(const struct bt_universal_masks *masks, struct bt_buf *buf,
                                 bt_str text);

#endif
