/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate.h - an instance with one thing wrong, or at least different.
 */
#ifndef BATON_TESTS_SCHEMA_MUTATE_H
#define BATON_TESTS_SCHEMA_MUTATE_H

#include <baton/json.h>

/*
 * Put the text of `document` with one change: a member dropped, renamed, added or given the value
 * of another, an item dropped, repeated or exchanged, an array cut, a number pushed or respelled, a
 * text shortened, lengthened or made of unusual characters, a value of another type. The same seed
 * makes the same change. The text is JSON; a renamed member may repeat a name, which the reader
 * refuses.
 */
void mutate(struct bt_buf *out, const struct bt_json_doc *document, uint64_t seed);

#endif
