/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - read comma-separated values in exactly one way, and change them without touching the
 * rest. Needs only base.h.
 *
 *     struct bt_csv_read_result read;
 *     if (bt_csv_read(&arena, text, NULL, &read) == BT_OK && read.table) {
 *         const struct bt_csv_row *header = &read.table->rows[0];
 *         ...
 *     }
 *
 * RFC 4180, strictly: records end in LF or CRLF, cells are separated by commas, a quoted cell has
 * its quote as the very first byte and nothing behind the closing one. What another reader might
 * see otherwise is refused: a carriage return alone, a quote inside a bare cell, NUL, bytes that
 * are no UTF-8. One leading byte order mark is dropped. Lines without anything are no records.
 *
 * A table is immutable, lives in the caller's arena, and points into the source text, which must
 * stay in place as long as the table does.
 */
#ifndef BATON_CSV_H
#define BATON_CSV_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tables ---------------------------------------------------------------------------------- */

struct bt_csv_cell {
    bt_str text;    /* without quotes, doubled ones made single */
    uint32_t begin; /* offset of its first raw byte: the opening quote of a quoted cell ... */
    uint32_t end;   /* ... and of the byte behind its last */
    bool is_quoted;
};

/* One record; it has at least one cell. */
struct bt_csv_row {
    const struct bt_csv_cell *cells;
    size_t count;
    uint32_t begin;
    uint32_t end; /* of its raw bytes, without the record end */
};

struct bt_csv_table {
    bt_str source;
    const struct bt_csv_row *rows; /* every record, at least one */
    size_t count;
    size_t cells;       /* in all rows */
    bool has_bom;       /* a byte order mark was dropped */
    size_t blank_lines; /* that were passed over */
    size_t lf_count;    /* records that end in LF alone ... */
    size_t crlf_count;  /* ... and in CRLF */
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is wrong with a text. The names are those of the findings. */
enum bt_csv_error {
    BT_CSV_ERROR_NONE = 0,
    BT_CSV_TOO_LARGE,
    BT_CSV_UTF8,
    BT_CSV_NUL,
    BT_CSV_EMPTY,              /* no record at all */
    BT_CSV_BARE_CR,            /* CR without LF outside quotes */
    BT_CSV_QUOTE_BARE,         /* a quote inside a cell that does not begin with one */
    BT_CSV_QUOTE_TRAILING,     /* something behind a closing quote */
    BT_CSV_QUOTE_UNTERMINATED, /* a quoted cell that reaches the end of the text */
};

struct bt_csv_options {
    uint64_t document_bytes_max; /* at most 2^30 */
    uint64_t row_bytes_max;      /* raw bytes of a record, without its end */
    uint64_t cell_bytes_max;     /* of the text of a cell */
    uint64_t cells_max;          /* in the whole table */
};

struct bt_env; /* see env.h */

/* 8 MiB, 1 MiB, 128 KiB, 1,000,000. */
BT_API struct bt_csv_options bt_csv_options_default(void);
/* The limits of a world (env.h); its `nodes` are cells. */
BT_API struct bt_csv_options bt_csv_options_from_env(const struct bt_env *env);

struct bt_csv_read_result {
    const struct bt_csv_table *table; /* NULL when `code` is set */
    enum bt_csv_error code;           /* the first problem in reading order */
    size_t offset;                    /* of the byte that it is about */
    /* For problems within records: which one, from 0, and which of its cells. */
    size_t row;
    size_t cell;
    const struct bt_csv_row *header; /* the first record, when it was read; else NULL */
    /* For BT_CSV_TOO_LARGE: */
    bt_str limit_name; /* document, row, cell or cells */
    uint64_t limit;
    uint64_t actual; /* at least so much */
};

/*
 * Read `source`. BT_OK means that the text was judged: either result->table is set, or
 * result->code says what is wrong. The order of judgement is: size, UTF-8, NUL, emptiness, then the
 * records from first to last; the length of a cell is judged when it is complete, that of a record
 * after its cells. `options` may be NULL for the defaults. BT_ENOMEM: the arena reached its limit;
 * BT_EINVAL: an option is out of range. *out_result is written only on BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_csv_read(struct bt_arena *arena, bt_str source,
                                              const struct bt_csv_options *options,
                                              struct bt_csv_read_result *out_result);

/* "CSV_UTF8" and so on; "" for BT_CSV_ERROR_NONE. */
BT_API bt_str bt_csv_error_name(enum bt_csv_error code);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Raw bytes begin..end of the source are replaced by `text`. */
struct bt_csv_edit {
    size_t begin;
    size_t end;
    bt_str text;
};

/*
 * Put the source with the edits made, which stand in rising order and do not overlap; every other
 * byte stays as it is. Failures stick to the buffer.
 */
BT_API void bt_csv_write_edits(struct bt_buf *buf, bt_str source, const struct bt_csv_edit *edits,
                               size_t count);

/* Put `text` as a cell: in quotes, its own quotes doubled, when `is_quoted` is set or it must. */
BT_API void bt_csv_put_cell(struct bt_buf *buf, bt_str text, bool is_quoted);

#ifdef __cplusplus
}
#endif

#endif
