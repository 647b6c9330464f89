/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_shape.h - the members of an entry in canonical order, for code that reads or writes all of
 * them.
 */
#ifndef BATON_SRC_LEDGER_ENTRY_SHAPE_H
#define BATON_SRC_LEDGER_ENTRY_SHAPE_H

#include <string.h>

#include "ledger/entry.h"

enum bt_entry_type {
    BT_ENTRY_NAME,    /* bt_str */
    BT_ENTRY_TEXT,    /* bt_str */
    BT_ENTRY_SHA256,  /* bt_str */
    BT_ENTRY_TIME,    /* bt_str */
    BT_ENTRY_WORD,    /* bt_str, one of `words` */
    BT_ENTRY_SEQ,     /* uint64_t */
    BT_ENTRY_COUNT,   /* uint64_t above 0 */
    BT_ENTRY_VERSION, /* uint64_t that is 1 or 2 */
    BT_ENTRY_BOOL,    /* enum bt_entry_optional_bool */
    BT_ENTRY_TRULY,   /* enum bt_entry_optional_bool that must be true */
    BT_ENTRY_CODES,   /* struct bt_entry_words */
    BT_ENTRY_WORDS,   /* struct bt_entry_words of `words`, not empty */
    BT_ENTRY_DELIVER, /* bt_str[2], at least one */
    BT_ENTRY_OBJECT,  /* of `shape` */
};

struct bt_entry_shape;

struct bt_entry_row {
    bt_str name;
    bt_str lead; /* the name as it follows another member: ,"name": */
    enum bt_entry_type type;
    bool required;
    size_t place;        /* offset in struct bt_entry */
    const bt_str *words; /* ends with "" */
    const struct bt_entry_shape *shape;
};

struct bt_entry_shape {
    size_t count;
    const struct bt_entry_row *rows;
};

extern const struct bt_entry_shape bt_entry_shape;

/* memcmp() for the names and words of entries, which are so short that a call would cost more. */
static inline bool bt_entry_same_bytes(const char *a, const char *b, size_t count)
{
    uint64_t left = 0;
    uint64_t right = 0;
    if (count < sizeof(left)) {
        while (count > 0 && a[count - 1] == b[count - 1]) {
            count--;
        }
        return count == 0;
    }
    /* The last eight bytes, some of them again. */
    for (size_t at = 0;; at = at + 2 * sizeof(left) < count ? at + sizeof(left) : count - 8) {
        memcpy(&left, a + at, sizeof(left));
        memcpy(&right, b + at, sizeof(right));
        if (left != right || at + sizeof(left) == count) {
            return left == right;
        }
    }
}

/* The text before the value of a member. */
static inline bt_str bt_entry_lead(const struct bt_entry_row *row, bool is_first)
{
    return (bt_str){row->lead.ptr + is_first, row->lead.len - is_first};
}

/* True when `count` bytes are a name; `readable` bytes, of any value from there on, may be read. */
bool bt_entry_name_fits(const char *at, size_t count, size_t readable);
bool bt_entry_is_one_of(bt_str word, const bt_str *words);
/* True for a kind of entry that only version 2 has. */
bool bt_entry_kind_is_new(bt_str kind);
/* True for a number. */
bool bt_entry_type_is_number(enum bt_entry_type type);

#endif
