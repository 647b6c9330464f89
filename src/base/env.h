/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.h - the environment of the library: time, randomness and limits.
 *
 * The library itself reads neither a clock nor a random source. The caller fills in one struct
 * bt_env, so every run can be repeated: with a fixed clock and a fixed seed, the same bytes give
 * the same report.
 */
#ifndef BATON_SRC_BASE_ENV_H
#define BATON_SRC_BASE_ENV_H

#include <baton/base.h>

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The limits of everything that is read. Zero never means "no limit". */
struct bt_limits {
    uint64_t document_bytes; /* a whole document */
    uint64_t depth;          /* nesting; the root container counts 1 */
    uint64_t nodes;          /* members and items of one document */
    uint64_t string_bytes;   /* one string, as written in the source */
    uint64_t row_bytes;      /* one CSV row */
    uint64_t cell_bytes;     /* one CSV cell */
    uint64_t xml_bytes;      /* one XML message */
    uint64_t xml_depth;
    uint64_t schema_depth; /* of a value in a payload schema; the root has depth 0 */
};

/* The default limits. */
struct bt_limits bt_limits_default(void);

/*
 * Lower one limit, given as "NAME=N". BT_EINVAL: the name is unknown, or the value is not a number,
 * zero or above the current limit; `error` (may be NULL) says which.
 */
BT_MUST_USE enum bt_status bt_limits_lower(struct bt_limits *limits, bt_str assignment,
                                           struct bt_error *error);

/* ---- Time ------------------------------------------------------------------------------------ */

/* A moment in UTC. Plain value. */
typedef struct bt_instant {
    int64_t seconds; /* since 1970-01-01T00:00:00Z */
    int32_t nanos;   /* 0 to 999,999,999 */
} bt_instant;

/* Of the last second of the year 9999, after which no text can be written. */
#define BT_INSTANT_SECONDS_MAX INT64_C(253402300799)

/* Return the instant that many seconds later, but none outside the years 0000 to 9999: of a time
 * that others chose, the sum may be one that cannot be written. */
bt_instant bt_instant_after(bt_instant instant, uint64_t seconds);

/*
 * Parse an RFC 3339 date-time in the narrow form used on the command line: capital T, a zone (Z or
 * +hh:mm), years 1970 to 9999, no leap second, at most nine fraction digits. BT_EINVAL otherwise.
 */
BT_MUST_USE enum bt_status bt_instant_parse(bt_str text, bt_instant *out);

/* Parse YYYY-MM-DD (1970 to 9999) as midnight UTC. BT_EINVAL otherwise. */
BT_MUST_USE enum bt_status bt_date_parse(bt_str text, bt_instant *out);

#define BT_INSTANT_TEXT_BYTES 40

/*
 * Write YYYY-MM-DDThh:mm:ss[.fraction]Z, NUL-terminated, without trailing zeros in the fraction.
 * Returns the length. The instant must lie in the years 0000 to 9999.
 */
size_t bt_instant_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES]);

/* Result of parsing a timestamp of a handoff or a trace. Zero is never a valid one. */
enum bt_timestamp_kind {
    BT_TIMESTAMP_MALFORMED = 0,   /* not YYYY-MM-DDThh:mm:ss[.fraction] with Z, +hh:mm or -hh:mm */
    BT_TIMESTAMP_KIND_IMPOSSIBLE, /* of that form, but not an instant: 30 February, 24:00:00 */
    BT_TIMESTAMP_KIND_VALID,
};

/*
 * Parse an RFC 3339 date-time as documents write it: years 0000 to 9999 of the proleptic Gregorian
 * calendar, any number of fraction digits (those beyond nanoseconds are ignored), and second 60
 * where it is 23:59:60 in UTC, which equals the first second of the next day. *out is written only
 * for BT_TIMESTAMP_KIND_VALID; after conversion to UTC it may lie up to a day outside those years.
 */
BT_MUST_USE enum bt_timestamp_kind bt_timestamp_parse(bt_str text, bt_instant *out);

/*
 * Parse a timestamp and put it in UTC with Z; fraction digits and second 60 are kept. BT_EINVAL: it
 * is not a valid timestamp. BT_ELIMIT: in UTC it lies outside the years 0000 to 9999. In both cases
 * nothing is put. Failures of the buffer stick to it and are returned as well.
 */
BT_MUST_USE enum bt_status bt_timestamp_to_utc(bt_str text, struct bt_buf *out);

/*
 * Write YYYY-MM-DDThh:mm:ss.mmmZ, NUL-terminated; digits below a millisecond are dropped. Returns
 * false, with `out` untouched, when the instant lies outside the years 0000 to 9999.
 */
BT_MUST_USE bool bt_timestamp_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES]);

/* ---- Environment ----------------------------------------------------------------------------- */

/* Return the current time. `context` is bt_env.context. */
typedef bt_instant bt_clock_fn(void *context);
/* Fill `out` with `size` random bytes. On false the source failed and `out` must not be used. */
typedef bool bt_random_fn(void *context, void *out, size_t size);

struct bt_env {
    bt_clock_fn *clock; /* NULL: the time is always `fixed_now` */
    bt_random_fn *random;
    void *context; /* passed to both functions */
    bt_instant fixed_now;
    struct bt_limits limits;
    uint64_t hash_seed[2]; /* keys of documents are hashed with it; choose it once per process */
    bool ids_seeded;
    uint64_t ids_seed;
    uint64_t ids_made; /* the number of identifiers made so far in this run */
};

struct bt_engine; /* see call.h */

/* The environment of an engine, which begins with it. */
static inline const struct bt_env *bt_engine_env(const struct bt_engine *engine)
{
    return (const struct bt_env *)(const void *)engine;
}

/*
 * Use the system's clock and randomness and the default limits. BT_EIO: the system provided no
 * randomness.
 */
BT_MUST_USE enum bt_status bt_env_init(struct bt_env *env);
/* Fill a seed for hashes with the system's randomness. BT_EIO: there is none. */
BT_MUST_USE enum bt_status bt_env_make_seed(uint64_t out[2]);
/* From now on bt_env_now() returns `now`, which is copied. */
void bt_env_pin_clock(struct bt_env *env, const bt_instant *now);
/*
 * From now on derive identifiers from `seed` (0 to 2^53-1): identifier number k takes its bits from
 * the SHA-256 of the text "baton-seed:N:k", where N is the seed.
 */
void bt_env_pin_seed(struct bt_env *env, uint64_t seed);

/* The current time, or the fixed one after bt_env_pin_clock(). */
bt_instant bt_env_now(const struct bt_env *env);

/*
 * The 32 bytes from which the next identifier is made; counts one identifier. BT_EIO: the random
 * source or libcrypto failed.
 */
BT_MUST_USE enum bt_status bt_env_id_bytes(struct bt_env *env, uint8_t out[32]);

#define BT_UUID_TEXT_BYTES 37

/* Make a new version 4 UUID in lower case, NUL-terminated. Statuses as for bt_env_id_bytes(). */
BT_MUST_USE enum bt_status bt_env_uuid(struct bt_env *env, char out[BT_UUID_TEXT_BYTES]);

/* True when `text` is a UUID: 8-4-4-4-12 hexadecimal digits in lower case. */
bool bt_uuid_is_valid(bt_str text);
/* True when `text` is a UUID of version 4 and of the RFC 4122 variant. */
bool bt_uuid_is_v4(bt_str text);

/* An observer of long work. `report` is called often, on the caller's thread; NULL: no observer. */
struct bt_progress {
    void (*report)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* ---- Hashes ---------------------------------------------------------------------------------- */

#define BT_SHA256_BYTES 32
#define BT_SHA256_HEX_BYTES 65

/* The SHA-256 of `bytes`. BT_ENOMEM, BT_EIO: libcrypto failed. */
BT_MUST_USE enum bt_status bt_sha256(bt_str bytes, uint8_t out[BT_SHA256_BYTES]);
/*
 * The SHA-256 of `bytes` as 64 lower-case hexadecimal digits and a NUL. Statuses as for
 * bt_sha256().
 */
BT_MUST_USE enum bt_status bt_sha256_hex(bt_str bytes, char out[BT_SHA256_HEX_BYTES]);

/* HMAC-SHA-256 of `bytes` under a key of 32 bytes. BT_EIO: libcrypto failed. */
BT_MUST_USE enum bt_status bt_hmac_sha256(const uint8_t key[BT_SHA256_BYTES], bt_str bytes,
                                          uint8_t out[BT_SHA256_BYTES]);
/* Compare `size` bytes in a time that does not depend on where they differ. */
bool bt_bytes_equal_constant_time(const void *a, const void *b, size_t size);

#endif
