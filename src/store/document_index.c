/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_index.c - find a document by its digest, exactly, and fast when it is new.
 *
 * The holder of the write lock sees all documents, and no other transaction adds one until it
 * ends: a document that is not found does not exist. The filter has the documents of a range that
 * ends with the newest one, including those that others add. It grows towards the oldest by a
 * few thousand with each document that is put, so that no transaction reads all of them; those
 * before it are searched for. Documents that were rolled back stay in it, which is harmless.
 *
 * A filter that is full is emptied, made larger and filled again. One of the largest size stays:
 * the more keys it has, the more documents are searched for in vain, which costs about what it
 * costs to store one.
 */
#include "store/document_index.h"

#include <assert.h>
#include <string.h>

#include "store/name_index.h"
#include "store/store_internal.h"

/* After so many searches a filter is worth building. */
enum { SEARCHES_MAX = 16 };

enum {
    MARK_BITS = 48,
    WORDS_MIN = 1 << 12,
    FILTER_WORDS_MAX = 1 << 25, /* 256 MiB, for 134 million keys */
    PLACES_WORDS_MAX = 1 << 22, /* 32 MiB */
    PLACES_PER_DOCUMENT = 4,
    GUESSES = 2,
    /* The upper 25 bits of a key select the word of the filter, the lower 24 four of its bits. With
     * four keys per word one in three hundred others appears to be a member, with 16 one in six.
     * They also select the second place. */
    WORD_SHIFT = 23,
    PICKS = 4,
    PICK_BITS = 6,
    MARKS_PER_WORD = 4,
    KEYS_PER_NEW_WORD = 2,
    SPAN = BT_MARKS_SPAN,
    STEP = 16 * SPAN, /* documents that a put adds to the filter at most, on either side */
};

static void init_table(struct bt_store_word_table *table, size_t words_max)
{
    *table = (struct bt_store_word_table){.words = NULL};
    bt_arena_init(&table->arena, words_max * sizeof(uint64_t) + (1 << 16));
}

/* Empty a table, with room for so many words, up to a bound. Without memory it has none. */
static void reserve_words(struct bt_store_word_table *table, uint64_t wanted, size_t words_max)
{
    size_t count = WORDS_MIN;
    while (count < wanted && count < words_max) {
        count *= 2;
    }
    bt_arena_free(&table->arena);
    init_table(table, words_max);
    table->words = BT_NEW_ARRAY(&table->arena, uint64_t, count);
    table->count = table->words ? count : 0;
}

static uint64_t filter_bits(uint64_t mark)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < PICKS; i++) {
        bits |= UINT64_C(1) << (mark >> (i * PICK_BITS) & ((1 << PICK_BITS) - 1));
    }
    return bits;
}

static uint64_t *filter_word(const struct bt_store_word_table *filter, uint64_t mark)
{
    assert(mark >> MARK_BITS == 0);
    return &filter->words[(size_t)(mark >> WORD_SHIFT) & (filter->count - 1)];
}

/* The words of the two places of a key. */
static void find_places(const struct bt_store_word_table *places, uint64_t mark,
                        uint64_t *out[GUESSES])
{
    out[0] = &places->words[(size_t)mark & (places->count - 1)];
    out[1] = &places->words[(size_t)(mark >> WORD_SHIFT) & (places->count - 1)];
}

/* Set the probable location of a document; it may replace that of an older one. */
static void add_place(struct bt_store_word_table *places, uint64_t mark, uint64_t number)
{
    uint64_t *words[GUESSES];
    if (places->words) {
        find_places(places, mark, words);
        if (*words[0] == 0) {
            *words[0] = number + 1;
        } else if (*words[1] <= number) { /* a newer document is more likely to be put again */
            *words[1] = number + 1;
        }
    }
}

/* The largest power of two that is at most `wanted`, within bounds. */
static size_t bound_words(uint64_t wanted, size_t words_max)
{
    size_t count = WORDS_MIN;
    while (count < words_max && count * 2 <= wanted) {
        count *= 2;
    }
    return count;
}

void bt_store_document_index_init(struct bt_store_document_index *document_index,
                                  uint64_t cache_kib)
{
    const uint64_t words = cache_kib > 0 ? cache_kib * (1024 / sizeof(uint64_t)) : UINT64_MAX / 2;
    *document_index = (struct bt_store_document_index){
        .filter_words_max = bound_words(2 * words, FILTER_WORDS_MAX),
        .places_words_max = bound_words(words, PLACES_WORDS_MAX)};
    init_table(&document_index->filter, document_index->filter_words_max);
    init_table(&document_index->places, document_index->places_words_max);
}

void bt_store_document_index_free(struct bt_store_document_index *document_index)
{
    assert(document_index);
    bt_arena_free(&document_index->filter.arena);
    bt_arena_free(&document_index->places.arena);
}

void bt_store_document_index_end(struct bt_store_document_index *document_index, bool is_committed)
{
    assert(document_index);
    for (size_t i = 0; i < 2 && document_index->is_counted && !is_committed; i++) {
        if (document_index->covered[i] > document_index->begun) {
            document_index->covered[i] = document_index->begun; /* others may reuse the numbers */
        }
    }
    document_index->is_counted = false;
}

bool bt_store_take_document_state(void *context, const struct bt_store_cell *cells)
{
    struct bt_store_document_location *location = context;
    location->exists = true;
    location->is_redacted = cells[0].type != BT_STORE_CELL_NULL;
    return false;
}

/* Check whether the document is the one of this number. */
static enum bt_status load_document_state(struct bt_store *store, uint64_t number, bt_str sha256,
                                          struct bt_store_document_location *out,
                                          struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_number(number),
                                          bt_store_cell_bytes(sha256)};
    const struct bt_store_query query = {BT_SQL_DOCUMENT_ROW_STATE, cells, 2,
                                         bt_store_take_document_state, out};
    *out = (struct bt_store_document_location){.number = number};
    return bt_store_run(store, &query, error);
}

/* Search among the documents below a number, or all of them with BT_STORE_NONE. */
static enum bt_status search_name_index(struct bt_store *store, bt_str sha256, uint64_t end,
                                        struct bt_store_document_location *out,
                                        struct bt_error *error)
{
    const enum bt_store_name_kind kind = BT_STORE_NAME_KIND_KEPT;
    struct bt_buf numbers;
    *out = (struct bt_store_document_location){.exists = false};
    bt_buf_init(&numbers, SIZE_MAX);
    enum bt_status status =
        end == BT_STORE_NONE
            ? bt_store_name_index_find(store, kind, sha256, &numbers, error)
            : bt_store_name_index_find_below(store, kind, sha256, end, &numbers, error);
    for (size_t at = 0; at < numbers.len && status == BT_OK && !out->exists;
         at += sizeof(uint64_t)) {
        uint64_t number = 0;
        memcpy(&number, numbers.ptr + at, sizeof(number));
        status = load_document_state(store, number, sha256, out, error);
    }
    bt_buf_free(&numbers);
    return status;
}

enum bt_status bt_store_document_index_find(struct bt_store *store, bt_str sha256,
                                            struct bt_store_document_location *out,
                                            struct bt_error *error)
{
    assert(store);
    assert(out);
    BT_TRY(load_document_state(store, store->document_index.guess, sha256, out, error));
    return out->exists ? BT_OK : search_name_index(store, sha256, BT_STORE_NONE, out, error);
}

static void add_mark(void *context, uint64_t mark, uint64_t number)
{
    struct bt_store_document_index *document_index = context;
    *filter_word(&document_index->filter, mark) |= filter_bits(mark);
    add_place(&document_index->places, mark, number);
}

static enum bt_status count_documents(struct bt_store *store, struct bt_error *error)
{
    struct bt_store_document_index *document_index = &store->document_index;
    if (!document_index->is_counted) {
        BT_TRY(bt_store_name_index_count(store, BT_STORE_INDEXED_TABLE_DOCUMENTS,
                                         &document_index->begun, error));
        document_index->end = document_index->begun;
        document_index->is_counted = true;
    }
    return BT_OK;
}

/* Empty the filter, and make it larger if that is allowed. */
static void restart_filter(struct bt_store_document_index *document_index)
{
    const uint64_t end = document_index->end;
    reserve_words(&document_index->filter, end / KEYS_PER_NEW_WORD,
                  document_index->filter_words_max);
    reserve_words(&document_index->places, /* room for as many again */
                  2 * end * PLACES_PER_DOCUMENT, document_index->places_words_max);
    document_index->covered[0] = end;
    document_index->covered[1] = end;
}

/* Add the documents of a range to the filter. */
static enum bt_status cover_range(struct bt_store *store, uint64_t first, uint64_t end,
                                  struct bt_error *error)
{
    const uint64_t range[2] = {first, end};
    return first < end ? bt_store_name_index_scan_documents(store, range, add_mark,
                                                            &store->document_index, error)
                       : BT_OK;
}

/* Add the newest documents to the filter, and some older ones. */
static enum bt_status fill_filter(struct bt_store *store, struct bt_error *error)
{
    struct bt_store_document_index *document_index = &store->document_index;
    uint64_t *covered = document_index->covered;
    const uint64_t end = document_index->end;
    const size_t words = document_index->filter.count;
    /* With so many keys there would be too many false positives. */
    if (words < document_index->filter_words_max && (end - covered[0]) / MARKS_PER_WORD >= words) {
        restart_filter(document_index);
    }
    if (!document_index->filter.words) {
        return BT_OK; /* it continues without the filter, slowly */
    }
    if (end - covered[1] > STEP) { /* others have added many */
        covered[0] = end;
        covered[1] = end;
    }
    BT_TRY(cover_range(store, covered[1], end, error));
    covered[1] = end;
    const uint64_t first = covered[0] > STEP ? (covered[0] - STEP) / SPAN * SPAN : 0;
    BT_TRY(cover_range(store, first, covered[0], error));
    covered[0] = first;
    return BT_OK;
}

/* Find out below which number a document must be searched for: 0: it is certainly new;
 * BT_STORE_NONE: it may be any document. */
static enum bt_status find_bound(struct bt_store *store, uint64_t mark, uint64_t *out,
                                 struct bt_error *error)
{
    struct bt_store_document_index *document_index = &store->document_index;
    *out = BT_STORE_NONE;
    BT_TRY(count_documents(store, error));
    if (document_index->searches < SEARCHES_MAX) {
        document_index->searches++;
        return BT_OK;
    }
    BT_TRY(fill_filter(store, error));
    const uint64_t bits = filter_bits(mark);
    if (document_index->filter.words &&
        (*filter_word(&document_index->filter, mark) & bits) != bits) {
        *out = document_index->covered[0];
    }
    return BT_OK;
}

/* A document that is not new is at a probable location, or is searched for. */
static enum bt_status find_old(struct bt_store *store, bt_str sha256, uint64_t mark,
                               struct bt_store_document_location *out, struct bt_error *error)
{
    struct bt_store_word_table *places = &store->document_index.places;
    uint64_t *guesses[GUESSES];
    if (places->words) {
        find_places(places, mark, guesses);
    }
    for (size_t i = 0; i < GUESSES && places->words; i++) {
        if (*guesses[i] > 0) {
            BT_TRY(load_document_state(store, *guesses[i] - 1, sha256, out, error));
        }
        if (out->exists) {
            return BT_OK;
        }
    }
    BT_TRY(search_name_index(store, sha256, BT_STORE_NONE, out, error));
    if (out->exists) {
        add_place(places, mark, out->number);
    }
    return BT_OK;
}

enum bt_status bt_store_document_index_find_new(struct bt_store *store, bt_str sha256,
                                                struct bt_store_document_location *out,
                                                struct bt_error *error)
{
    assert(store);
    assert(store->writing);
    assert(out);
    uint64_t bound = 0;
    uint64_t mark = 0;
    BT_TRY(bt_store_name_index_key(sha256, &mark, error));
    BT_TRY(find_bound(store, mark, &bound, error));
    *out = (struct bt_store_document_location){.exists = false};
    if (bound == 0) {
        return BT_OK;
    }
    return bound == BT_STORE_NONE ? find_old(store, sha256, mark, out, error)
                                  : search_name_index(store, sha256, bound, out, error);
}

enum bt_status bt_store_document_index_add(struct bt_store *store, bt_str sha256,
                                           struct bt_error *error)
{
    struct bt_store_document_index *document_index = &store->document_index;
    uint64_t mark = 0;
    assert(document_index->is_counted);
    if (document_index->filter.words) {
        BT_TRY(bt_store_name_index_key(sha256, &mark, error));
        add_mark(document_index, mark, document_index->end);
        document_index->covered[1] += document_index->covered[1] == document_index->end;
    }
    const struct bt_store_cell name = bt_store_cell_bytes(sha256);
    return bt_store_name_index_add(store, BT_STORE_INDEXED_TABLE_DOCUMENTS, document_index->end++,
                                   &name, error);
}
