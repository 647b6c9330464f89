/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - what the reader makes of some bytes, however they are cut.
 */
#ifndef BATON_TESTS_HTTP_READING_H
#define BATON_TESTS_HTTP_READING_H

#include "test.h"

#include "http/reader.h"

/* What came of it, as one line: `400 BAD_REQUEST`, `more head`, `more body`, or the request as
 * `METHOD path ?query [host] {body} +REST` where REST are the bytes behind it. */
void reading_put(struct bt_buf *buf, bt_str bytes, size_t piece, const struct http_limits *limits);

/* Fail unless the bytes give this line, cut into pieces of any one size and in two anywhere. */
void expect_reading(bt_str bytes, const char *expected);

/* Bytes and their line. */
struct sample {
    bt_str bytes;
    const char *expected;
};

#define SAMPLE(bytes, expected)                                                                    \
    {                                                                                              \
        BT_STR_INIT(bytes), expected                                                               \
    }

void expect_all(const struct sample *samples, size_t count);

extern const struct http_limits reading_limits; /* target 40, head 200 in 6 lines, body 64 */

#endif
