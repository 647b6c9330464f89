/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_dialect.c - from $schema to a draft and its vocabularies.
 */
#include "naive_inside.h"
#include "naive_uri.h"

/* A meta-schema of a meta-schema of a meta-schema: nobody needs more. */
#define META_MAX 8

static const struct {
    bt_str uri;
    enum bt_schema_draft draft;
} drafts[] = {
    {BT_STR_INIT("http://json-schema.org/draft-03/schema"), BT_SCHEMA_DRAFT_3},
    {BT_STR_INIT("http://json-schema.org/draft-04/schema"), BT_SCHEMA_DRAFT_4},
    {BT_STR_INIT("http://json-schema.org/draft-06/schema"), BT_SCHEMA_DRAFT_6},
    {BT_STR_INIT("http://json-schema.org/draft-07/schema"), BT_SCHEMA_DRAFT_7},
    {BT_STR_INIT("https://json-schema.org/draft/2019-09/schema"), BT_SCHEMA_DRAFT_2019_09},
    {BT_STR_INIT("https://json-schema.org/draft/2020-12/schema"), BT_SCHEMA_DRAFT_2020_12},
    {BT_STR_INIT("https://json-schema.org/v1"), BT_SCHEMA_DRAFT_V1},
};

#define V2019 "https://json-schema.org/draft/2019-09/vocab/"
#define V2020 "https://json-schema.org/draft/2020-12/vocab/"

static const struct {
    bt_str uri;
    unsigned vocabularies;
} vocabularies[] = {
    {BT_STR_INIT(V2019 "core"), NAIVE_CORE},
    {BT_STR_INIT(V2019 "applicator"), NAIVE_APPLICATOR | NAIVE_UNEVALUATED},
    {BT_STR_INIT(V2019 "validation"), NAIVE_VALIDATION},
    {BT_STR_INIT(V2019 "meta-data"), NAIVE_METADATA},
    {BT_STR_INIT(V2019 "format"), NAIVE_FORMAT},
    {BT_STR_INIT(V2019 "content"), NAIVE_CONTENT},
    {BT_STR_INIT(V2020 "core"), NAIVE_CORE},
    {BT_STR_INIT(V2020 "applicator"), NAIVE_APPLICATOR},
    {BT_STR_INIT(V2020 "unevaluated"), NAIVE_UNEVALUATED},
    {BT_STR_INIT(V2020 "validation"), NAIVE_VALIDATION},
    {BT_STR_INIT(V2020 "meta-data"), NAIVE_METADATA},
    {BT_STR_INIT(V2020 "format-annotation"), NAIVE_FORMAT},
    {BT_STR_INIT(V2020 "format-assertion"), NAIVE_FORMAT},
    {BT_STR_INIT(V2020 "content"), NAIVE_CONTENT},
};

static bool find_draft(bt_str uri, struct naive_dialect *out)
{
    for (size_t i = 0; i < sizeof(drafts) / sizeof(drafts[0]); i++) {
        if (bt_str_eq(drafts[i].uri, uri)) {
            *out = (struct naive_dialect){.draft = drafts[i].draft, .vocabularies = NAIVE_ALL};
            return true;
        }
    }
    return false;
}

/* 2020-12 has a vocabulary for it; in 2019-09 it is enough that the only one is required. */
static bool asserts_format(bt_str uri, bool is_required)
{
    return bt_str_eq(uri, BT_STR(V2020 "format-assertion")) ||
           (is_required && bt_str_eq(uri, BT_STR(V2019 "format")));
}

static bool add_vocabulary(struct naive_dialect *dialect, bt_str uri, bool is_required)
{
    for (size_t i = 0; i < sizeof(vocabularies) / sizeof(vocabularies[0]); i++) {
        if (bt_str_eq(vocabularies[i].uri, uri)) {
            dialect->vocabularies |= vocabularies[i].vocabularies;
            dialect->asserts_format = dialect->asserts_format || asserts_format(uri, is_required);
            return true;
        }
    }
    return !is_required;
}

/* What a meta-schema says about the schemas written in it. */
static bool read_vocabularies(struct naive *naive, const struct bt_json_doc *document,
                              struct naive_dialect *dialect)
{
    const bt_json_value *list =
        bt_json_get(document, bt_json_root(document), BT_STR("$vocabulary"));
    if (!list || dialect->draft < BT_SCHEMA_DRAFT_2019_09) {
        return true;
    }
    dialect->vocabularies = NAIVE_CORE;
    dialect->asserts_format = false;
    for (size_t i = 0; i < bt_json_count(list); i++) {
        const struct bt_json_member *member = &bt_json_members(list)[i];
        const bool is_required = bt_json_type(&member->value) == BT_JSON_TRUE;
        if (!add_vocabulary(dialect, bt_json_name(member), is_required)) {
            return naive_fault(naive, "a vocabulary is required and unknown");
        }
    }
    return true;
}

static bt_str schema_uri(const struct bt_json_doc *document, const bt_json_value *root)
{
    const bt_json_value *schema = bt_json_get(document, root, BT_STR("$schema"));
    return schema ? naive_uri_without_fragment(bt_json_text(schema)) : BT_STR("");
}

bool naive_dialect_of(struct naive *naive, const struct bt_json_doc *document,
                      const bt_json_value *root, const struct naive_dialect *inherited,
                      struct naive_dialect *out)
{
    bt_str uri = schema_uri(document, root);
    if (uri.len == 0) {
        *out = *inherited;
        return true;
    }
    /* Up from meta-schema to meta-schema until one is known, then the first of them decides. */
    const struct bt_json_doc *meta = NULL;
    for (size_t i = 0; i < META_MAX; i++) {
        if (find_draft(uri, out)) {
            return !meta || read_vocabularies(naive, meta, out);
        }
        const struct bt_json_doc *above = naive_find_document(naive, uri);
        if (!above) {
            return naive_fault(naive, "a meta-schema is not there");
        }
        meta = meta ? meta : above;
        uri = schema_uri(above, bt_json_root(above));
    }
    return naive_fault(naive, "a meta-schema is of no known dialect");
}
