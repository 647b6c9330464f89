/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - counters of entries by time, so that a range of days is counted without reading it.
 *
 * The table ledger_count has rows for spans of a minute, an hour and six hours. They hold the
 * entries of whole segments of BT_FIGURES_SEGMENT, from the first entry up to a size that one more
 * row names; what lies behind it is read. A ledger counts the entries that it adds in memory and
 * writes the counters with the last entry of a segment. A segment that it did not add as a whole
 * is read and counted by a later transaction.
 *
 * Further rows, the places, name the segments in which a name or an hour occurs, so that a search
 * for it does not read the others.
 */
#ifndef BATON_SRC_LEDGER_FIGURES_H
#define BATON_SRC_LEDGER_FIGURES_H

#include "base/arena.h"
#include "base/map.h"
#include "ledger/ledger.h"

struct bt_ledger_transaction;

enum {
    BT_FIGURES_SEGMENT = 1024,
    BT_FIGURES_MINUTE_BYTES = 16, /* YYYY-MM-DDThh:mm */
};

/* The entries of a segment that were counted so far. */
struct bt_figures_segment {
    struct bt_arena arena;
    struct bt_map groups; /* entries of one minute with the same names: figures.c */
    uint64_t next;        /* number of the entry that is counted next; BT_STORE_NONE: none */
    bool is_uncommitted;  /* the current transaction has counted entries */
    uint64_t minute;      /* of the last entry ... */
    char minute_text[BT_FIGURES_MINUTE_BYTES]; /* ... as its time is written up to there */
};

/* By what entries are counted. The order must match figure_words in figures.c. */
enum bt_figure_kind {
    BT_FIGURE_VERDICT = 0,
    BT_FIGURE_CODE,
    BT_FIGURE_AGENT, /* an entry counts for its source and for its target */
    BT_FIGURE_DIALECT,
    BT_FIGURE_EDGE,           /* "SOURCE>TARGET" */
    BT_FIGURE_EVENT,          /* "KIND/EVENT" */
    BT_FIGURE_REJECTED_AGENT, /* the rejected entries among them */
    BT_FIGURE_REJECTED_DIALECT,
    BT_FIGURE_REJECTED_EDGE,
    BT_FIGURE_KIND,
    BT_FIGURE__MAX,
};

/* A name that an entry counts for. */
typedef void bt_figure_name_fn(void *context, enum bt_figure_kind kind, bt_str name);

struct bt_entry;
/* Call `each` with every name that an entry counts for; a name lives until the callback returns. */
void bt_figures_of_entry(const struct bt_entry *entry, bt_figure_name_fn *each, void *context);

/* Rows of the counters. */
struct bt_figures_query {
    enum bt_figure_kind kind;
    uint32_t span_s;  /* 60, 3600 or 21600 */
    int64_t since_s;  /* the start of the first span */
    int64_t until_s;  /* the end of the last */
    uint64_t row_max; /* rows to read at most */
};
/* One counter of the span that begins at `start_s`. */
struct bt_figure {
    size_t query; /* its number */
    int64_t start_s;
    bt_str name;
    uint64_t count;
};
typedef void bt_figure_fn(void *context, const struct bt_figure *figure);

/* What counters say. */
struct bt_figures_result {
    uint64_t size; /* of the log up to which they count */
    bool is_cut;   /* a query has more rows than row_max */
};

/* Read the counters of several queries from one snapshot, by span and name. `each` is called with
 * the number of the query. */
BT_MUST_USE enum bt_status bt_ledger_read_figures(struct bt_ledger *ledger,
                                                  const struct bt_figures_query *queries,
                                                  size_t query_count, bt_figure_fn *each,
                                                  void *context, struct bt_figures_result *out,
                                                  struct bt_error *error);
/* The number of entries that are counted, from the first; and the time of the last of them. */
BT_MUST_USE enum bt_status bt_ledger_figures_size(struct bt_ledger *ledger, uint64_t *out_size,
                                                  bt_instant *out_time, struct bt_error *error);

enum { BT_FIGURES_PLACES_MAX = 11 };

/* What entries must count for to be wanted. */
struct bt_figures_places {
    struct bt_figures_place {
        enum bt_figure_kind kind;
        bt_str name;
    } names[BT_FIGURES_PLACES_MAX];
    size_t count;
    bool has_range;
    int64_t since_s; /* 0 or more */
    int64_t until_s; /* in it */
};
/* The segments that may have a wanted entry, of a window of them. */
struct bt_figures_segments {
    uint64_t count;    /* of all counted segments */
    uint8_t *in_range; /* a bit for each that has an entry of the hours; NULL: all are wanted */
    uint64_t first;    /* of the window ... */
    uint64_t end;      /* ... not in it */
    uint8_t *bits;     /* one for each segment of the window */
};

/* Add a name. One that no entry can have, such as "", is not added. */
void bt_figures_add_place(struct bt_figures_places *places, enum bt_figure_kind kind, bt_str name);
/* Find the segments that lie in the range of time, if there is one: as many rows are read as it has
 * hours and segments. */
BT_MUST_USE enum bt_status bt_ledger_find_hours(struct bt_ledger *ledger, struct bt_arena *arena,
                                                const struct bt_figures_places *places,
                                                struct bt_figures_segments *out,
                                                struct bt_error *error);
/* Find the segments from window[0] up to, without, window[1] in which entries count for each of the
 * names and lie in the range. At most a row is read for each name and segment. */
BT_MUST_USE enum bt_status bt_ledger_find_segments(struct bt_ledger *ledger, struct bt_arena *arena,
                                                   const struct bt_figures_places *places,
                                                   const uint64_t window[2],
                                                   struct bt_figures_segments *segments,
                                                   struct bt_error *error);
/* False when a counted segment has no entry of the hours. */
static inline bool bt_figures_segment_is_in_range(const struct bt_figures_segments *segments,
                                                  uint64_t segment)
{
    return !segments->in_range || (segments->in_range[segment / 8] >> (segment % 8) & 1) != 0;
}
/* False when no entry of the segment can be wanted, and for counted ones outside the window. */
static inline bool bt_figures_segment_fits(const struct bt_figures_segments *segments,
                                           uint64_t segment)
{
    const uint64_t at = segment - segments->first;
    return segment >= segments->count || (segment >= segments->first && segment < segments->end &&
                                          (segments->bits[at / 8] >> (at % 8) & 1) != 0);
}

/* A transaction begins at a size of the log. The counts in memory are dropped when the transaction
 * before it failed or another writer has added entries. */
void bt_ledger_figures_begin(struct bt_ledger *ledger, uint64_t size);
/* Count an entry that the transaction adds; write the counters when it completes a segment. */
BT_MUST_USE enum bt_status bt_ledger_figures_add(struct bt_ledger *ledger,
                                                 const struct bt_entry *entry,
                                                 struct bt_error *error);
/* The transaction is committed. */
void bt_ledger_figures_end(struct bt_ledger *ledger);
/* Count segments that were complete before this transaction, when it begins a new one: at most
 * four, so that a store from before the counters catches up. Within the transaction. */
BT_MUST_USE enum bt_status bt_ledger_count_segments(struct bt_ledger_transaction *recording,
                                                    struct bt_error *error);
/*
 * Count all complete segments, within a transaction; counters that do not add up are removed first.
 * *out_changed: there was something to do.
 */
BT_MUST_USE enum bt_status bt_ledger_restore_figures(struct bt_ledger *ledger, uint64_t size,
                                                     bool *out_changed, struct bt_error *error);
/* True when the counters of each span add up to the number of counted entries, at most `size`. */
BT_MUST_USE enum bt_status bt_ledger_figures_agree(struct bt_ledger *ledger, uint64_t size,
                                                   bool *out_agree, struct bt_error *error);

#endif
