/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.h - the words in which tests ask any engine of JSON Schema about an instance.
 */
#ifndef BATON_TESTS_SCHEMA_JUDGE_H
#define BATON_TESTS_SCHEMA_JUDGE_H

#include <baton/schema.h>

/* Zero is not an answer: the schema is at fault, or a bound was reached. */
enum verdict { VERDICT_NONE = 0, VERDICT_INVALID, VERDICT_VALID };

struct judge_options {
    enum bt_schema_draft draft; /* where $schema does not say */
    /* Formats are assertions; so is the content of strings in draft 7, the only one to allow it. */
    bool assert_formats;
    const struct bt_schema_document *others; /* that references may lead to */
    size_t others_count;
};

#endif
