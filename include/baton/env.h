/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.h - the world as the library sees it: time, chance and limits.
 *
 * The library reads no clock and no random source of its own. Whoever calls it fills in one
 * struct bt_env, so every run can be repeated: pin the clock and the seed, and the same bytes give
 * the same report.
 */
#ifndef BATON_ENV_H
#define BATON_ENV_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The bounds of everything that is read. Zero never means "no limit". */
struct bt_limits {
    uint64_t document_bytes; /* a whole document */
    uint64_t depth;          /* nesting; the root container counts 1 */
    uint64_t nodes;          /* members and items of one document */
    uint64_t string_bytes;   /* one string, as it stands in the source */
    uint64_t row_bytes;      /* one CSV row */
    uint64_t cell_bytes;     /* one CSV cell */
    uint64_t xml_bytes;      /* one XML message */
    uint64_t xml_depth;
    uint64_t schema_depth; /* of a value in a payload schema; the root has 0 */
};

BT_API struct bt_limits bt_limits_default(void);

/*
 * Lower one limit, given as "NAME=N".
 * BT_EINVAL: no such name, not a number, zero, or above the limit in force; `error` says which.
 */
BT_API BT_MUST_USE enum bt_status bt_limits_lower(struct bt_limits *limits, bt_str assignment,
                                                  struct bt_error *error);

/* ---- Time ------------------------------------------------------------------------------------ */

/* A moment in UTC. Plain value. */
typedef struct bt_instant {
    int64_t seconds; /* since 1970-01-01T00:00:00Z */
    int32_t nanos;   /* 0 to 999,999,999 */
} bt_instant;

/*
 * Parse an RFC 3339 date-time in the narrow form used on the command line: capital T, a zone (Z or
 * +hh:mm), years 1970 to 9999, no leap second, at most nine fraction digits. BT_EINVAL otherwise.
 */
BT_API BT_MUST_USE enum bt_status bt_instant_parse(bt_str text, bt_instant *out);

/* Parse YYYY-MM-DD (1970 to 9999) as midnight UTC. BT_EINVAL otherwise. */
BT_API BT_MUST_USE enum bt_status bt_date_parse(bt_str text, bt_instant *out);

#define BT_INSTANT_TEXT_BYTES 40

/* Write YYYY-MM-DDThh:mm:ss[.fraction]Z, NUL-terminated; trailing zeros of the fraction are left
 * out. Returns the length. */
BT_API size_t bt_instant_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES]);

/* What a text is when a timestamp of a handoff or of a trace is wanted. Zero is never a pass. */
enum bt_timestamp_kind {
    BT_TIMESTAMP_MALFORMED = 0,   /* not YYYY-MM-DDThh:mm:ss[.fraction] with Z, +hh:mm or -hh:mm */
    BT_TIMESTAMP_KIND_IMPOSSIBLE, /* of that form, but it names no instant: 30 February, 24:00:00 */
    BT_TIMESTAMP_KIND_VALID,
};

/*
 * Parse an RFC 3339 date-time as documents write it: years 0000 to 9999 of the proleptic Gregorian
 * calendar, any number of fraction digits (those beyond nanoseconds are left out), second 60 where
 * UTC says 23:59:60; that second is the same instant as the first of the next day. *out is written
 * only for BT_TIMESTAMP_KIND_VALID, and a zone may have moved it a day out of those years.
 */
BT_API BT_MUST_USE enum bt_timestamp_kind bt_timestamp_kind_parse(bt_str text, bt_instant *out);

/*
 * Put the same instant in UTC with Z; fraction digits and second 60 are kept. BT_EINVAL: it is not
 * a valid timestamp; BT_ELIMIT: in UTC it lies outside the years 0000 to 9999; nothing is put then.
 * Failures of the buffer stick to it and are returned as well.
 */
BT_API BT_MUST_USE enum bt_status bt_timestamp_kind_to_utc(bt_str text, struct bt_buf *out);

/* Write YYYY-MM-DDThh:mm:ss.mmmZ, NUL-terminated; what is below a millisecond is left out. False,
 * with `out` untouched, when the instant lies outside the years 0000 to 9999. */
BT_API BT_MUST_USE bool bt_timestamp_kind_format(bt_instant instant,
                                                 char out[BT_INSTANT_TEXT_BYTES]);

/* ---- The world ------------------------------------------------------------------------------- */

typedef bt_instant bt_clock_fn(void *context);
/* Fill `size` bytes; false when the source failed, and then nothing may be made from it. */
typedef bool bt_random_fn(void *context, void *out, size_t size);

struct bt_env {
    bt_clock_fn *clock; /* NULL: time stands at `pinned` */
    bt_random_fn *random;
    void *context; /* handed to both */
    bt_instant fixed_now;
    struct bt_limits limits;
    uint64_t hash_seed[2]; /* keys of documents are hashed with it; one per process is right */
    bool ids_seeded;
    uint64_t ids_seed;
    uint64_t ids_made; /* how many identifiers this run has shown */
};

/* The system's clock, the system's randomness, the default limits.
 * BT_EIO: the system gave no randomness. */
BT_API BT_MUST_USE enum bt_status bt_env_init(struct bt_env *env);
/* From now on the clock stands at `now`, which is copied. */
BT_API void bt_env_pin_clock(struct bt_env *env, const bt_instant *now);
/* From now on identifiers come from `seed` (0 to 2^53-1): the k-th takes its bits from SHA-256 of
 * the text "baton-seed:N:k". */
BT_API void bt_env_pin_seed(struct bt_env *env, uint64_t seed);

BT_API bt_instant bt_env_now(const struct bt_env *env);

/* The 32 bytes the next identifier is made of; counts one identifier. */
BT_API BT_MUST_USE enum bt_status bt_env_id_bytes(struct bt_env *env, uint8_t out[32]);

#define BT_UUID_TEXT_BYTES 37

/* A new version 4 UUID in lower case, NUL-terminated. */
BT_API BT_MUST_USE enum bt_status bt_env_uuid(struct bt_env *env, char out[BT_UUID_TEXT_BYTES]);

/* Whether `text` is a UUID: 8-4-4-4-12 hexadecimal digits in lower case. */
BT_API bool bt_uuid_is_valid(bt_str text);
/* Whether it is one of version 4 and of the RFC 4122 variant. */
BT_API bool bt_uuid_is_v4(bt_str text);

/* Who wants to know how far long work has come. `tell` is called often, on the caller's thread. */
struct bt_progress {
    void (*report)(void *context, uint64_t done, uint64_t total); /* NULL: nobody */
    void *context;
};

/* ---- Hashes ---------------------------------------------------------------------------------- */

#define BT_SHA256_BYTES 32
#define BT_SHA256_HEX_BYTES 65

/* BT_ENOMEM or BT_EIO when libcrypto could not do it. */
BT_API BT_MUST_USE enum bt_status bt_sha256(bt_str bytes, uint8_t out[BT_SHA256_BYTES]);
/* The same as 64 lower-case hexadecimal digits and a NUL. */
BT_API BT_MUST_USE enum bt_status bt_sha256_hex(bt_str bytes, char out[BT_SHA256_HEX_BYTES]);

/* HMAC-SHA-256 of `bytes` under a key of 32 bytes. BT_EIO when libcrypto could not do it. */
BT_API BT_MUST_USE enum bt_status bt_hmac_sha256(const uint8_t key[BT_SHA256_BYTES], bt_str bytes,
                                                 uint8_t out[BT_SHA256_BYTES]);
/* Whether two runs of `size` bytes are equal, in a time that does not tell where they differ. */
BT_API bool bt_bytes_equal_constant_time(const void *a, const void *b, size_t size);

#ifdef __cplusplus
}
#endif

#endif
