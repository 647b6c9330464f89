/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - what the tests of the reader share: reading with each kernel, and a guarded page.
 */
#ifndef BATON_TESTS_JSON_READING_H
#define BATON_TESTS_JSON_READING_H

#include "test.h"

#include <baton/json.h>

#include "base/arena.h"
#include "json/options.h"
#include "json/read.h"

/* Read with one kernel; fails the test unless the text was judged. */
static inline struct bt_json_read_result read_with(const struct bt_json_kernel *kernel,
                                                   struct bt_arena *arena, bt_str text,
                                                   const struct bt_json_options *options)
{
    struct bt_json_options complete = options ? *options : bt_json_options_default();
    struct bt_json_read_result result = {0};
    struct bt_arena scratch;
    bt_arena_init(&scratch, (size_t)1 << 30);
    complete.scratch = &scratch;
    assert_int_equal(bt_json_read_with(arena, text, &complete, kernel, &result), BT_OK);
    bt_arena_free(&scratch);
    assert_non_null(result.detail);
    assert_true((result.document != NULL) == (result.code == BT_JSON_ERROR_NONE));
    return result;
}

#define FOR_EACH_KERNEL(kernel)                                                                    \
    for (const struct bt_json_kernel *kernel = bt_json_kernels;                                    \
         kernel < bt_json_kernels + bt_json_kernels_count; kernel++)                               \
        if (kernel->is_supported())

#endif
