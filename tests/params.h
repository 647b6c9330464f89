/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params.h - the params of a finding as text, for tests that compare them.
 */
#ifndef BATON_TESTS_PARAMS_H
#define BATON_TESTS_PARAMS_H

#include "test.h"

#include <baton/json.h>
#include <baton/report.h>

#include "report/add.h"

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

/* Give a finding the parameters that a text has, "" none. The text must stay. */
static inline void test_set_params(struct bt_finding *finding, struct bt_arena *arena, bt_str text)
{
    struct bt_json_read_result read = {0};
    if (text.len > 0) {
        assert_int_equal(bt_json_read(arena, text, NULL, &read), BT_OK);
        assert_non_null(read.document);
        assert_int_equal(
            bt_finding_set_params(finding, arena, read.document, bt_json_root(read.document)),
            BT_OK);
    }
}

#endif
