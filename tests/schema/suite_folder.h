/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite_folder.h - where the official JSON Schema test suite lies (BATON_SCHEMA_SUITE says it), and
 * which tests of its older editions it has withdrawn.
 */
#ifndef BATON_TESTS_SCHEMA_SUITE_FOLDER_H
#define BATON_TESTS_SCHEMA_SUITE_FOLDER_H

#include "test.h"

#define SUITE_PATH_BYTES 1024

/* The path of a folder of the suite, e.g. "tests/draft7". */
static inline void suite_path(const char *name, char path[SUITE_PATH_BYTES])
{
    const char *suite = getenv("BATON_SCHEMA_SUITE");
    const int size = snprintf(path, SUITE_PATH_BYTES, "%s/%s", suite ? suite : "", name);
    assert_in_range(size, 1, SUITE_PATH_BYTES - 1);
}

/* Is there such a folder? If not, the program is told to be skipped, with the reason. */
static inline bool has_suite(const char *name)
{
    char path[SUITE_PATH_BYTES];
    suite_path("tests", path);
    if (access(path, R_OK) != 0) {
        (void)printf("1..0 # SKIP the JSON Schema test suite is not installed; Debian has it in "
                     "the package libtest-json-schema-acceptance-perl\n");
        return false;
    }
    suite_path(name, path);
    if (access(path, R_OK) != 0) {
        (void)printf("1..0 # SKIP the newest edition of the JSON Schema test suite here has no "
                     "%s\n",
                     name);
        return false;
    }
    return true;
}

/* Tests that call something invalid which newer editions of the suite call valid, or leave out. */
static const struct withdrawn_test {
    const char *file; /* the end of its path */
    const char *test;
    const char *why;
} withdrawn_tests[] = {
    {"/optional/format/ipv4.json", "invalid leading zeroes, as they are treated as octals",
     "RFC 2673 allows leading zeros"},
    {"draft3/optional/ecmascript-regex.json", "ECMA 262 has no support for lookbehind",
     "ECMA-262 has it since 2018"},
    {"draft2020-12/optional/ecmascript-regex.json", "when used as a pattern",
     "the meta-schema's formats are annotations"},
};

_Static_assert(COUNT_OF(withdrawn_tests) <= 5, "there may be five exceptions");

static inline bool is_withdrawn(const char *path, bt_str test)
{
    for (size_t i = 0; i < COUNT_OF(withdrawn_tests); i++) {
        if (bt_str_ends_with(bt_str_of(path), bt_str_of(withdrawn_tests[i].file)) &&
            bt_str_eq(bt_str_of(withdrawn_tests[i].test), test)) {
            return true;
        }
    }
    return false;
}

#endif
