/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.h - what libxml2 makes of a text, to hold our reader against.
 */
#ifndef BATON_TESTS_XML_ORACLE_H
#define BATON_TESTS_XML_ORACLE_H

#include <baton/base.h>

/*
 * Whether libxml2 finds the text well-formed. If so, *out_canonical is its exclusive canonical
 * form, blank text beside elements left out, to be freed; NULL: it cannot make a good one, as
 * for namespaces whose names are relative or have characters that must be escaped.
 */
bool oracle_read(bt_str text, char **out_canonical, size_t *out_length);

#endif
