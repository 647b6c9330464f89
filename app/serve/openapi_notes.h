/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_notes.h - what the OpenAPI document says of an operation besides its row.
 */
#ifndef BATON_APP_SERVE_OPENAPI_NOTES_H
#define BATON_APP_SERVE_OPENAPI_NOTES_H

#include <baton/base.h>

/* A reference to a schema of openapi_schemas.json. */
#define OPENAPI_REF(name) "{\"$ref\":\"#/components/schemas/" name "\"}"

/* Absent texts are NULL. */
struct serve_openapi_notes_note {
    const char *operation;
    const char *body;   /* JSON Schema of a body of JSON; NULL: any */
    const char *answer; /* JSON Schema of the answer; NULL: an object of Baton */
    const char *status; /* of success; NULL: 200 */
    const char *also;   /* further statuses that it can have, by blanks */
    const char *text;   /* a description; NULL: the summary */
};

/* Never NULL. */
const struct serve_openapi_notes_note *openapi_note_of(const char *operation);
/* One sentence about a group of operations. */
bt_str serve_openapi_tag_text(bt_str tag);

/* The text of openapi_schemas.json. */
extern const char openapi_schemas[];

#endif
