/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_notes.h - what the OpenAPI document says about an operation besides its route. */
#ifndef BATON_APP_SERVE_OPENAPI_NOTES_H
#define BATON_APP_SERVE_OPENAPI_NOTES_H

#include <baton/base.h>

/* A reference to a schema of openapi_schemas.json. */
#define OPENAPI_REF(name) "{\"$ref\":\"#/components/schemas/" name "\"}"

/* The notes about one operation. Absent texts are NULL. */
struct serve_openapi_notes_note {
    const char *operation;
    const char *body;   /* JSON Schema of a body of JSON; NULL: any */
    const char *answer; /* JSON Schema of the response; NULL: an object */
    const char *status; /* of success; NULL: 200 */
    const char *also;   /* other possible statuses, separated by spaces */
    const char *text;   /* a description; NULL: the summary */
};

/* The notes about an operation; never NULL. */
const struct serve_openapi_notes_note *openapi_note_of(const char *operation);
/* One sentence about a group of operations. */
bt_str serve_openapi_tag_text(bt_str tag);

/* The text of openapi_schemas.json. */
extern const char openapi_schemas[];

#endif
