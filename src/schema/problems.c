/* SPDX-License-Identifier: Apache-2.0 */
/* problems.c - report why a schema cannot be compiled, as findings about the schema. */
#include "schema/problems.h"

/* A problem in another document than the schema has a place there, which params name. */
enum bt_status bt_schema_compile_errors_add(struct bt_schema_compile_errors *problems,
                                            const struct bt_schema_compile_error *problem)
{
    problems->count++;
    if (!problems->findings) {
        return BT_OK;
    }
    const bool is_own = problem->uri.len == 0;
    return problem->add(problems->findings,
                        bt_location_value(problem->document, is_own ? problem->at : NULL),
                        problem->ref.len > 0 ? problem->ref : BT_STR_ABSENT,
                        problem->reason ? bt_str_of(problem->reason) : BT_STR_ABSENT,
                        is_own ? BT_STR_ABSENT : problem->uri);
}
