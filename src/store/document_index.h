/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_index.h - where the documents of a store in a file lie.
 *
 * Digests are in random order, so an index of them changes a different page for every document, and
 * all these pages are logged with every commit. Here documents lie in the order in which they came,
 * numbered from 0, and are found through 48-bit keys (name_index.h). A process that stores many
 * documents asks a Bloom filter first, and then a cache of probable locations.
 */
#ifndef BATON_SRC_STORE_DOCUMENT_INDEX_H
#define BATON_SRC_STORE_DOCUMENT_INDEX_H

#include "base/arena.h"
#include "store/store.h"

/* Words that keys select. */
struct bt_store_word_table {
    struct bt_arena arena;
    uint64_t *words; /* NULL: out of memory, or they were not needed yet */
    size_t count;    /* a power of two */
};

/* What an open store caches about them. */
struct bt_store_document_index {
    /* A set of keys that may report keys that were never added, but never misses one that was:
     * almost every document that is stored is new, and four bits in one word answer that. */
    struct bt_store_word_table filter;
    /* The number of a document plus one, or 0, in one of two words that its key selects. A document
     * that is put again is not new, and searching for it takes as long as recording twenty others;
     * nearly each of the last million has its number here, and is then compared itself. */
    struct bt_store_word_table places;
    size_t filter_words_max;
    size_t places_words_max;
    uint64_t covered[2]; /* both have the documents from the first number to below the second */
    bool is_counted;     /* valid until the transaction ends: */
    uint64_t begun;      /* the number of documents at the beginning ... */
    uint64_t end;        /* ... and now */
    uint64_t searches;
    uint64_t guess; /* probable location of the next document */
};

/* The result of a search for a document. */
struct bt_store_document_location {
    bool exists;
    bool is_redacted;
    uint64_t number;
};

/* Take a row that is the redacted_seq of a document: a bt_store_query_row_fn for a struct
 * bt_store_document_location. */
bool bt_store_take_document_state(void *context, const struct bt_store_cell *cells);

/* `cache_kib` is that of struct bt_store_options: a small cache bounds the tables, too. */
void bt_store_document_index_init(struct bt_store_document_index *document_index,
                                  uint64_t cache_kib);
void bt_store_document_index_free(struct bt_store_document_index *document_index);
/* The transaction has ended. */
void bt_store_document_index_end(struct bt_store_document_index *document_index, bool is_committed);

/* Find a document. */
BT_MUST_USE enum bt_status bt_store_document_index_find(struct bt_store *store, bt_str sha256,
                                                        struct bt_store_document_location *out,
                                                        struct bt_error *error);
/* Find a document within a transaction that writes, where most documents are new. */
BT_MUST_USE enum bt_status bt_store_document_index_find_new(struct bt_store *store, bt_str sha256,
                                                            struct bt_store_document_location *out,
                                                            struct bt_error *error);
/* Record that a document, which bt_store_document_index_find_new() did not find, was added at
 * the end. */
BT_MUST_USE enum bt_status bt_store_document_index_add(struct bt_store *store, bt_str sha256,
                                                       struct bt_error *error);

#endif
