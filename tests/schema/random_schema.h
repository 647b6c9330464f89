/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_schema.h - instances, and schemas that have something to say about them, at random.
 *
 * A schema is written with an instance before its eyes: most of what it demands holds there, some
 * does not, and a mutation of the instance turns either. It is valid under its meta-schema, all its
 * references lead somewhere, and none goes in circles. The same seed makes the same texts.
 */
#ifndef BATON_TESTS_SCHEMA_RANDOM_SCHEMA_H
#define BATON_TESTS_SCHEMA_RANDOM_SCHEMA_H

#include <baton/schema.h>

/* Put an instance. */
void random_instance(struct bt_buf *out, uint64_t seed);
/* Put a schema of the draft about the instance `about`. */
void random_schema(struct bt_buf *out, uint64_t seed, enum bt_schema_draft draft,
                   const struct bt_json_doc *about);

#endif
