/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_load.c - which resources, anchors and references a document holds.
 *
 * Only what stands where a keyword expects schemas is looked at: an $id in an enum or under an
 * unknown keyword identifies nothing. Recursion is as deep as the document: the reader bounds it.
 */
#include "naive_inside.h"
#include "naive_uri.h"
#include "schema/metaschemas.h"

static bool visit(struct naive *naive, struct naive_resource *home, const bt_json_value *value);

const struct naive_resource *naive_resource_at(const struct naive *naive,
                                               const bt_json_value *value)
{
    for (const struct naive_resource *each = naive->resources; each; each = each->next) {
        if (each->root == value) {
            return each;
        }
    }
    return NULL;
}

static const struct bt_json_doc *read_metaschema(struct naive *naive, bt_str text)
{
    struct bt_json_read_result read = {0};
    if (bt_json_read(&naive->arena, text, NULL, &read) != BT_OK) {
        return NULL;
    }
    return read.document;
}

/* Whether the document itself says that this is its URI. */
static bool calls_itself(const struct bt_schema_document *other, bt_str uri)
{
    static const bt_str names[] = {BT_STR_INIT("$id"), BT_STR_INIT("id")};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_json_value *id =
            bt_json_get(other->document, bt_json_root(other->document), names[i]);
        if (id && bt_str_eq(naive_uri_without_fragment(bt_json_text(id)), uri)) {
            return true;
        }
    }
    return false;
}

const struct bt_json_doc *naive_find_document(struct naive *naive, bt_str uri)
{
    const struct bt_schema_document *others = naive->options.others;
    for (size_t i = 0; i < naive->options.others_count; i++) {
        if (bt_str_eq(others[i].uri, uri)) {
            return others[i].document;
        }
    }
    for (size_t i = 0; i < naive->options.others_count; i++) {
        if (calls_itself(&others[i], uri)) {
            return others[i].document;
        }
    }
    for (size_t i = 0; i < bt_metaschemas_count; i++) {
        if (bt_str_eq(bt_metaschemas[i].uri, uri)) {
            return read_metaschema(naive, bt_metaschemas[i].text);
        }
    }
    return NULL;
}

static struct naive_resource *add_resource(struct naive *naive, const struct bt_json_doc *document,
                                           const bt_json_value *root, bt_str uri)
{
    struct naive_resource *resource = BT_NEW(&naive->arena, struct naive_resource);
    if (!resource || bt_arena_copy(&naive->arena, uri, &resource->uri) != BT_OK) {
        (void)naive_fault(naive, "no memory for a resource");
        return NULL;
    }
    resource->found = resource->uri;
    resource->document = document;
    resource->root = root;
    resource->next = naive->resources;
    naive->resources = resource;
    return resource;
}

static bool add_anchor(struct naive *naive, struct naive_resource *home, const bt_json_value *value,
                       bt_str name, bool is_dynamic)
{
    struct naive_anchor *anchor = BT_NEW(&naive->arena, struct naive_anchor);
    if (!anchor) {
        return naive_fault(naive, "no memory for an anchor");
    }
    *anchor = (struct naive_anchor){home->anchors, name, value, is_dynamic};
    home->anchors = anchor;
    return true;
}

static bool add_reference(struct naive *naive, const struct naive_resource *home, bt_str text)
{
    struct naive_reference *reference = BT_NEW(&naive->arena, struct naive_reference);
    if (!reference) {
        return naive_fault(naive, "no memory for a reference");
    }
    *reference = (struct naive_reference){naive->references, home, text};
    naive->references = reference;
    return true;
}

/* The text of a member; "" when it is missing or no string. */
static bt_str text_of(const struct naive_resource *home, const bt_json_value *schema,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(home->document, schema, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

static bool is_reference_alone(const struct naive_resource *home, enum bt_schema_draft draft,
                               const bt_json_value *schema)
{
    return draft <= BT_SCHEMA_DRAFT_7 && bt_json_get(home->document, schema, BT_STR("$ref"));
}

static bt_str id_of(const struct naive_resource *home, enum bt_schema_draft draft,
                    const bt_json_value *schema)
{
    if (is_reference_alone(home, draft, schema)) {
        return BT_STR("");
    }
    return text_of(home, schema, draft <= BT_SCHEMA_DRAFT_4 ? "id" : "$id");
}

/*
 * Set *home to the resource that the schema begins, if it has an identifier that is more than a
 * fragment. A schema with a $schema of its own spells its identifier as that draft does.
 */
static bool enter(struct naive *naive, struct naive_resource **home, const bt_json_value *schema)
{
    struct naive_dialect dialect;
    if (text_of(*home, schema, "id").len == 0 && text_of(*home, schema, "$id").len == 0) {
        return true;
    }
    if (!naive_dialect_of(naive, (*home)->document, schema, &(*home)->dialect, &dialect)) {
        return false;
    }
    const bt_str id = naive_uri_without_fragment(id_of(*home, dialect.draft, schema));
    bt_str uri;
    if (id.len == 0) {
        return true;
    }
    if (naive_uri_resolve(&naive->arena, (*home)->uri, id, &uri) != BT_OK) {
        return naive_fault(naive, "no memory for a URI");
    }
    if ((*home)->root == schema) {
        (*home)->uri = uri;
        return true;
    }
    struct naive_resource *inner = add_resource(naive, (*home)->document, schema, uri);
    if (!inner) {
        return false;
    }
    inner->dialect = dialect;
    *home = inner;
    return true;
}

static bool note_anchors(struct naive *naive, struct naive_resource *home,
                         const bt_json_value *schema)
{
    const enum bt_schema_draft draft = home->dialect.draft;
    const bt_str fragment = naive_uri_fragment(id_of(home, draft, schema));
    if (draft <= BT_SCHEMA_DRAFT_7) {
        return fragment.len == 0 || add_anchor(naive, home, schema, fragment, false);
    }
    const bt_str plain = text_of(home, schema, "$anchor");
    if (plain.len > 0 && !add_anchor(naive, home, schema, plain, false)) {
        return false;
    }
    if (draft == BT_SCHEMA_DRAFT_2019_09) {
        const bt_json_value *recursive =
            bt_json_get(home->document, schema, BT_STR("$recursiveAnchor"));
        if (home->root == schema && recursive && bt_json_type(recursive) == BT_JSON_TRUE) {
            home->is_recursive = true;
        }
        return true;
    }
    const bt_str dynamic = text_of(home, schema, "$dynamicAnchor");
    return dynamic.len == 0 || add_anchor(naive, home, schema, dynamic, true);
}

/* A $dynamicRef of v1 need not lead anywhere by itself. */
static bool note_references(struct naive *naive, struct naive_resource *home,
                            const bt_json_value *schema)
{
    static const struct {
        const char *name;
        enum bt_schema_draft first;
        enum bt_schema_draft last;
    } names[] = {
        {"$ref", BT_SCHEMA_DRAFT_3, BT_SCHEMA_DRAFT_V1},
        {"$recursiveRef", BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2019_09},
        {"$dynamicRef", BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_2020_12},
    };
    const enum bt_schema_draft draft = home->dialect.draft;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_json_value *reference =
            bt_json_get(home->document, schema, bt_str_of(names[i].name));
        if (reference && draft >= names[i].first && draft <= names[i].last &&
            bt_json_type(reference) == BT_JSON_STRING &&
            !add_reference(naive, home, bt_json_text(reference))) {
            return false;
        }
    }
    return true;
}

static bool visit_items(struct naive *naive, struct naive_resource *home,
                        const bt_json_value *array, bool only_objects)
{
    for (size_t i = 0; bt_json_items(array) && i < bt_json_count(array); i++) {
        const bt_json_value *item = &bt_json_items(array)[i];
        if ((!only_objects || bt_json_type(item) == BT_JSON_OBJECT) && !visit(naive, home, item)) {
            return false;
        }
    }
    return true;
}

static bool visit_members(struct naive *naive, struct naive_resource *home,
                          const bt_json_value *object)
{
    for (size_t i = 0; bt_json_members(object) && i < bt_json_count(object); i++) {
        if (!visit(naive, home, &bt_json_members(object)[i].value)) {
            return false;
        }
    }
    return true;
}

static bool visit_keyword(struct naive *naive, struct naive_resource *home, enum naive_shape shape,
                          const bt_json_value *value)
{
    switch (shape) {
    case NAIVE_ONE:
        return visit(naive, home, value);
    case NAIVE_MANY:
        return visit_items(naive, home, value, false);
    case NAIVE_ONE_OR_MANY:
        return visit(naive, home, value) && visit_items(naive, home, value, false);
    case NAIVE_TYPES:
        return visit_items(naive, home, value, true);
    case NAIVE_NAMED:
    case NAIVE_NAMED_OR_TEXT:
        return visit_members(naive, home, value);
    case NAIVE_NAMED_TWICE:
        for (size_t i = 0; bt_json_members(value) && i < bt_json_count(value); i++) {
            if (!visit_members(naive, home, &bt_json_members(value)[i].value)) {
                return false;
            }
        }
        return true;
    case NAIVE_NO_SCHEMA:
    default:
        return true;
    }
}

/* Values that are not objects hold nothing, be they schemas or not. */
static bool visit(struct naive *naive, struct naive_resource *home, const bt_json_value *value)
{
    if (bt_json_type(value) != BT_JSON_OBJECT) {
        return true;
    }
    if (!enter(naive, &home, value) || !note_anchors(naive, home, value) ||
        !note_references(naive, home, value)) {
        return false;
    }
    const bool is_alone = is_reference_alone(home, home->dialect.draft, value);
    for (size_t i = 0; i < naive_keywords_count; i++) {
        const struct naive_keyword *keyword = &naive_keywords[i];
        const bt_json_value *inside = bt_json_get(home->document, value, keyword->name);
        /* Definitions beside a reference are still found by those who name them. */
        const bool is_hidden = is_alone && !bt_str_eq(keyword->name, BT_STR("definitions"));
        if (inside && !is_hidden && naive_dialect_has(&home->dialect, keyword) &&
            !visit_keyword(naive, home, keyword->shape, inside)) {
            return false;
        }
    }
    return true;
}

const struct naive_resource *naive_load(struct naive *naive, bt_str uri,
                                        const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    struct naive_resource *resource = add_resource(naive, document, root, uri);
    if (!resource ||
        !naive_dialect_of(naive, document, root, &naive->dialect, &resource->dialect) ||
        !visit(naive, resource, root)) {
        return NULL;
    }
    return resource;
}
