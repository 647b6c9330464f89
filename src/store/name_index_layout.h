/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_index_layout.h - the rows of the name index, for the files that write and search them.
 *
 * A row is (level, part, n): the marks of the n-th span of a level whose keys begin with the bits
 * of the part. A span of level 0 has 256 entries and one part. Each span of levels 1 and 2 is made
 * of 16 below it, and has 16 times as many parts; from level 3 on it is 4 and 4 times. So a row of
 * any level has about as many marks as one of level 0.
 *
 * A mark has 64 bits: the key, then 16 bits of the number of its entry. From level 3 on the number
 * needs two bits more for each level, and the key is without as many, which the part has.
 * Marks of a row are in the order of their numbers.
 *
 * Rows of levels 0 to 2 are there as soon as their span is complete. Those of higher levels are
 * written a few at a time, and may be missing: then the four spans below are searched instead. So
 * they are when a row has one byte: its marks would have been too many.
 */
#ifndef BATON_SRC_STORE_NAME_INDEX_LAYOUT_H
#define BATON_SRC_STORE_NAME_INDEX_LAYOUT_H

#include "store/name_index.h"

enum {
    BT_MARKS_LEVELS = BT_MARKS_DOCUMENT_LEVEL, /* of each table */
    BT_MARKS_SPLIT_LEVEL = 2,                  /* up to this level rows are never missing */
    BT_MARKS_SPLIT_BITS = 4,                   /* 16 spans below a span of levels 1 and 2 */
    BT_MARKS_MERGE_BITS = 2,                   /* 4 below a span of a higher level */
    BT_MARKS_KEY_BITS = 48,
    BT_MARKS_NUMBER_BITS = 16, /* up to BT_MARKS_SPLIT_LEVEL */
    BT_MARKS_BYTES = 8,        /* of a mark */
    BT_MARKS_LEFT_BELOW_BYTES = 1,
};

/* How the rows of a table are numbered and named. */
struct bt_store_name_index_table {
    size_t names; /* the statement that returns numbers and names of a range ... */
    enum bt_store_name_kind first;
    size_t count;
    size_t last;        /* ... and the one that returns the highest number */
    uint64_t level_min; /* the number of its level 0 */
};

extern const struct bt_store_name_index_table
    bt_store_name_index_tables[BT_STORE_INDEXED_TABLE__MAX];

/* The 48 bits of a name by which it is found. The same text as another kind is another name. */
BT_MUST_USE enum bt_status bt_store_name_index_key_of(enum bt_store_name_kind kind, bt_str name,
                                                      uint64_t *out);
/* The message of a failure that is not the back end's. */
BT_MUST_USE enum bt_status bt_store_name_index_status(enum bt_status status,
                                                      struct bt_error *error);

/* The bits that a level's parts have beyond those of BT_MARKS_SPLIT_LEVEL. */
static inline unsigned bt_marks_merged_bits(unsigned level)
{
    return level > BT_MARKS_SPLIT_LEVEL ? BT_MARKS_MERGE_BITS * (level - BT_MARKS_SPLIT_LEVEL) : 0;
}

/* The bits of the numbers of a level's parts. */
static inline unsigned bt_marks_part_bits(unsigned level)
{
    const unsigned split = level < BT_MARKS_SPLIT_LEVEL ? level : BT_MARKS_SPLIT_LEVEL;
    return BT_MARKS_SPLIT_BITS * split + bt_marks_merged_bits(level);
}

static inline uint64_t bt_marks_parts(unsigned level)
{
    return (uint64_t)1 << bt_marks_part_bits(level);
}

/* The entries or documents of a span. */
static inline uint64_t bt_marks_span(unsigned level)
{
    return (uint64_t)BT_MARKS_SPAN << bt_marks_part_bits(level);
}

/* The part of a level that has a key. */
static inline uint64_t bt_marks_part_of(uint64_t key, unsigned level)
{
    return key >> (BT_MARKS_KEY_BITS - bt_marks_part_bits(level));
}

static inline unsigned bt_marks_number_bits(unsigned level)
{
    return BT_MARKS_NUMBER_BITS + bt_marks_merged_bits(level);
}

static inline uint64_t bt_marks_make(unsigned level, uint64_t key, uint64_t number)
{
    const unsigned bits = bt_marks_number_bits(level);
    return key << bits | (number & (((uint64_t)1 << bits) - 1));
}

static inline uint64_t bt_marks_key(unsigned level, uint64_t part, uint64_t mark)
{
    const unsigned merged = bt_marks_merged_bits(level);
    const uint64_t upper = merged > 0 ? part >> (bt_marks_part_bits(level) - merged) : 0;
    return upper << (BT_MARKS_KEY_BITS - merged) | mark >> bt_marks_number_bits(level);
}

/* The number of a mark in span `n`. */
static inline uint64_t bt_marks_number(unsigned level, uint64_t n, uint64_t mark)
{
    const unsigned bits = bt_marks_number_bits(level);
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    return ((n * bt_marks_span(level)) & ~mask) | (mark & mask);
}

static inline uint64_t bt_marks_read(const char *bytes)
{
    uint64_t mark = 0;
    for (size_t i = 0; i < BT_MARKS_BYTES; i++) {
        mark = mark << 8 | (uint8_t)bytes[i];
    }
    return mark;
}

static inline struct bt_store_cell
bt_marks_level_cell(const struct bt_store_name_index_table *table, unsigned level)
{
    return bt_store_cell_number(table->level_min + level);
}

#endif
