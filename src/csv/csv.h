/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - read comma-separated values strictly, and edit them without changing other bytes. Needs
 * only base.h.
 *
 *     struct bt_csv_read_result read;
 *     if (bt_csv_read(&arena, text, NULL, &read) == BT_OK && read.table) {
 *         const struct bt_csv_row *header = &read.table->rows[0];
 *         ...
 *     }
 *
 * RFC 4180, strictly: records end in LF or CRLF, cells are separated by commas, the quote of a
 * quoted cell is its first byte, and nothing follows the closing quote. What two readers could read
 * differently is rejected: CR without LF, a quote inside an unquoted cell, NUL, bytes that are not
 * UTF-8. One leading byte order mark is dropped. Empty lines are skipped.
 *
 * A table is immutable, lives in the caller's arena, and points into the source text, which must
 * outlive it.
 */
#ifndef BATON_SRC_CSV_CSV_H
#define BATON_SRC_CSV_CSV_H

#include <baton/base.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

struct bt_csv_cell {
    bt_str text;    /* without quotes; doubled quotes are reduced to one */
    uint32_t begin; /* offset of the first raw byte; of a quoted cell the opening quote ... */
    uint32_t end;   /* ... and of the byte after the last */
    bool is_quoted;
};

/* One record with at least one cell. */
struct bt_csv_row {
    const struct bt_csv_cell *cells;
    size_t count;
    uint32_t begin;
    uint32_t end; /* raw bytes, without the line end */
};

struct bt_csv_table {
    bt_str source;
    const struct bt_csv_row *rows; /* every record, at least one */
    size_t count;
    size_t cells;       /* in all rows */
    bool has_bom;       /* a byte order mark was dropped */
    size_t blank_lines; /* skipped empty lines */
    size_t lf_count;    /* records that end in LF ... */
    size_t crlf_count;  /* ... and in CRLF */
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is wrong with a text. */
enum bt_csv_error {
    BT_CSV_ERROR_NONE = 0,
    BT_CSV_TOO_LARGE,
    BT_CSV_UTF8,
    BT_CSV_NUL,
    BT_CSV_EMPTY,              /* no record at all */
    BT_CSV_BARE_CR,            /* CR without LF outside quotes */
    BT_CSV_QUOTE_BARE,         /* a quote inside a cell that does not begin with one */
    BT_CSV_QUOTE_TRAILING,     /* something follows a closing quote */
    BT_CSV_QUOTE_UNTERMINATED, /* a quoted cell that reaches the end of the text */
};

/* The limit that a text is over. */
enum bt_csv_limit {
    BT_CSV_LIMIT_NONE = 0,
    BT_CSV_LIMIT_DOCUMENT,
    BT_CSV_LIMIT_ROW,
    BT_CSV_LIMIT_CELL,
    BT_CSV_LIMIT_CELLS,
};

struct bt_csv_options {
    uint64_t document_bytes_max; /* at most 2^30 */
    uint64_t row_bytes_max;      /* raw bytes of a record, without its line end */
    uint64_t cell_bytes_max;     /* of the text of a cell */
    uint64_t cells_max;          /* in the whole table */
};

struct bt_env; /* see env.h */

/* Documents of 8 MiB, rows of 1 MiB, cells of 128 KiB, 1,000,000 cells. */
struct bt_csv_options bt_csv_options_default(void);
/* The limits of an environment (env.h); its `nodes` limit the number of cells. */
struct bt_csv_options bt_csv_options_from_env(const struct bt_env *env);

struct bt_csv_read_result {
    const struct bt_csv_table *table; /* NULL when `code` is set */
    enum bt_csv_error code;           /* the first problem in reading order */
    size_t offset;                    /* of the byte in question */
    /* For problems within records: the index of the record and of the cell in it, from 0. */
    size_t row;
    size_t cell;
    const struct bt_csv_row *header; /* the first record, when it was read; else NULL */
    /* For BT_CSV_TOO_LARGE: */
    enum bt_csv_limit limit_kind;
    uint64_t limit;
    uint64_t actual; /* at least this much */
};

/*
 * Read `source`. BT_OK means that the text was checked: either out_result->table is set, or
 * out_result->code says what is wrong. The order of the checks is: size, UTF-8, NUL, emptiness,
 * then the records from first to last; the length of a cell is checked at its end, that of a record
 * after its cells. `options` may be NULL for the defaults. The table lives in `arena`. BT_ENOMEM:
 * the arena reached its limit. BT_EINVAL: an option is out of range. *out_result is written only on
 * BT_OK.
 */
BT_MUST_USE enum bt_status bt_csv_read(struct bt_arena *arena, bt_str source,
                                       const struct bt_csv_options *options,
                                       struct bt_csv_read_result *out_result);

/* ---- Writing --------------------------------------------------------------------------------- */

/*
 * Put `text` as a cell. It is quoted, with its own quotes doubled, when `is_quoted` is set or when
 * it contains a character that requires it.
 */
void bt_csv_put_cell(struct bt_buf *buf, bt_str text, bool is_quoted);

#endif
