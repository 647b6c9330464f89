/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params.h - the params of a finding as text, for tests that compare them.
 */
#ifndef BATON_TESTS_PARAMS_H
#define BATON_TESTS_PARAMS_H

#include "test.h"

#include <baton/report.h>

/* Valid until the next call. */
static inline bt_str test_params(const struct bt_finding *finding)
{
    static char text[1 << 16];
    struct bt_buf buf;
    bt_buf_init(&buf, sizeof(text));
    bt_finding_put_params(finding, &buf);
    assert_int_equal(buf.status, BT_OK);
    const size_t length = buf.len;
    memcpy(text, bt_buf_str(&buf).ptr, length);
    bt_buf_free(&buf);
    return (bt_str){text, length};
}

#endif
