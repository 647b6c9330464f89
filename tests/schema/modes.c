/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modes.c - the table of modes.
 */
#include "modes.h"

#include "engine_modes.h"
#include "naive.h"

static void *open_naive(const struct bt_json_doc *schema, const struct judge_options *options)
{
    return naive_open(schema, options);
}

static enum verdict judge_naive(void *opened, const struct bt_json_doc *instance)
{
    return naive_judge(opened, instance);
}

static const char *reason_naive(void *opened)
{
    return naive_reason(opened);
}

static void close_naive(void *opened)
{
    naive_close(opened);
}

const struct mode modes[] = {
    {"naive", open_naive, judge_naive, reason_naive, close_naive},
    {"fast", engine_open, engine_judge_fast, engine_reason, engine_close},
    {"diagnostic", engine_open, engine_judge_diagnostic, engine_reason, engine_close},
};

const size_t modes_count = sizeof(modes) / sizeof(modes[0]);
