/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what the fuzz targets share: the promise that must hold for every input, and memory.
 *
 * A target includes this file, states its promises, and is built twice: with libFuzzer
 * (script/fuzz) and with replay.c, which runs it over its corpus in every test run.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/arena.h"
#include "json/options.h"

/* Far above what an input of some kilobytes can need, far below what hurts. */
#define FUZZ_ARENA_BYTES ((size_t)64 << 20)
#define FUZZ_BUF_BYTES ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assert that says what was promised, and is never compiled out. */
#define PROMISE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            (void)fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #holds);      \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The negative control of a target, which is built as fuzz_NAME_planted and, in test runs with a
 * sanitizer, as replay_NAME_planted: an input that gets this far is read one byte too far, and the
 * sanitizer must find that. */
static inline void fuzz_plant_overflow(const uint8_t *data, size_t size)
{
#ifdef FUZZ_PLANTED
    const volatile uint8_t *bytes = data;
    (void)bytes[size];
#else
    (void)data;
    (void)size;
#endif
}

static inline bt_str fuzz_text(const uint8_t *data, size_t size)
{
    return (bt_str){(const char *)data, size};
}

/* Read a text that must be a document, with bounds that no output of ours reaches. */
static inline const struct bt_json_doc *fuzz_reread(struct bt_arena *arena, bt_str text)
{
    struct bt_json_options options = bt_json_options_default();
    options.document_bytes_max = FUZZ_BUF_BYTES;
    options.string_bytes_max = FUZZ_BUF_BYTES;
    struct bt_json_read_result result = {0};
    PROMISE(bt_json_read(arena, text, &options, &result) == BT_OK);
    PROMISE(result.code == BT_JSON_ERROR_NONE);
    PROMISE(result.document);
    return result.document;
}

static inline bool fuzz_equal(const struct bt_json_doc *a_document, const bt_json_value *a,
                              const struct bt_json_doc *b_document, const bt_json_value *b)
{
    struct bt_arena arena;
    bool equal = false;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_json_equal(a_document, a, b_document, b, &arena, &equal) == BT_OK);
    bt_arena_free(&arena);
    return equal;
}

/* Whether two documents are equal, whichever comes first. */
static inline bool fuzz_same(const struct bt_json_doc *a, const struct bt_json_doc *b)
{
    const bool equal = fuzz_equal(a, bt_json_root(a), b, bt_json_root(b));
    PROMISE(equal == fuzz_equal(b, bt_json_root(b), a, bt_json_root(a)));
    return equal;
}

#endif
