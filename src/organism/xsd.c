/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd.c - a schema of the profile -> types.
 *
 * Named types are made before they are filled, and what is to be filled waits in a list; so nothing
 * recurses, and a type may be used before it is declared. At the end levels are counted, which
 * finds types that contain themselves.
 */
#include "organism/xsd.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "xml/xml.h"

#define XS BT_STR("http://www.w3.org/2001/XMLSchema")

enum { LEVELS_MAX = 2 * BT_TYPE_LEVELS_MAX - 4, OCCURS_MAX = 1000000 };

/* A type or group that is declared and not filled yet. */
struct organism_xsd_task {
    const struct bt_xml_node *node;
    struct bt_payload_type *type; /* NULL: a group */
    struct bt_xsd_group *group;   /* NULL: a type */
    struct organism_xsd_task *next;
};

struct organism_xsd_named {
    bt_str name;
    struct bt_payload_type *type;
    struct organism_xsd_named *next;
};

/* A function that gives NULL or false without a reason in `out` ran out of memory. */
struct organism_xsd_reading {
    struct bt_arena *arena;
    const struct bt_xml_document *document;
    bt_str prefix; /* of the names of XSD in values of attributes */
    struct organism_xsd_named *named;
    struct organism_xsd_task *tasks; /* all of them, the newest first */
    struct bt_xsd *out;
};

/* Set why the schema is refused; the first reason is kept. Returns false. */
static bool set_refusal(struct organism_xsd_reading *reader, enum bt_pump_xsd_invalid_reason reason,
                        const char *detail)
{
    if (!reader->out->reason) {
        reader->out->reason = reason;
        reader->out->detail = detail;
    }
    return false;
}

static bool set_unsupported(struct organism_xsd_reading *reader, const char *detail)
{
    return set_refusal(reader, BT_PUMP_XSD_INVALID_REASON_UNSUPPORTED, detail);
}

static bool is_xs(const struct bt_xml_node *node, const char *name)
{
    return bt_xml_is(node, XS, bt_str_of(name));
}

/* The value of an attribute in no namespace; ptr NULL: it is absent. */
static bt_str find_attribute(const struct bt_xml_node *node, const char *name)
{
    for (size_t i = 0; i < node->attributes_count; i++) {
        if (node->attributes[i].space.len == 0 &&
            bt_str_eq(node->attributes[i].name, bt_str_of(name))) {
            return bt_xml_trim(node->attributes[i].value);
        }
    }
    return (bt_str){NULL, 0};
}

/* True when a node has no text and no attributes but these; the list ends with NULL. */
static bool has_only(struct organism_xsd_reading *reader, const struct bt_xml_node *node,
                     const char *const *names)
{
    for (size_t i = 0; i < node->attributes_count; i++) {
        bool is_known = bt_str_eq(node->attributes[i].name, BT_STR("id"));
        for (size_t j = 0; names[j]; j++) {
            is_known = is_known || bt_str_eq(node->attributes[i].name, bt_str_of(names[j]));
        }
        if (!is_known || node->attributes[i].space.len > 0) {
            return set_unsupported(reader, "an attribute outside the profile");
        }
    }
    return !node->has_text || set_unsupported(reader, "text between declarations");
}

/* The next declaration at or after `node`; annotations are passed over. */
static const struct bt_xml_node *skip_annotations(const struct bt_xml_node *node)
{
    while (node && is_xs(node, "annotation")) {
        node = bt_xml_next(node);
    }
    return node;
}

static const struct bt_xml_node *first_declaration(const struct bt_xml_node *node)
{
    const struct bt_xml_node *first = bt_xml_first(node);
    return first ? skip_annotations(first) : NULL;
}

static const struct bt_xml_node *next_declaration(const struct bt_xml_node *node)
{
    const struct bt_xml_node *next = bt_xml_next(node);
    return next ? skip_annotations(next) : NULL;
}

static struct organism_xsd_task *add_task(struct organism_xsd_reading *reader,
                                          const struct bt_xml_node *node)
{
    struct organism_xsd_task *task = BT_NEW(reader->arena, struct organism_xsd_task);
    if (task) {
        task->node = node;
        task->next = reader->tasks;
        reader->tasks = task;
    }
    return task;
}

/* A type that is filled later. */
static struct bt_payload_type *type_from(struct organism_xsd_reading *reader,
                                         const struct bt_xml_node *node)
{
    struct organism_xsd_task *task = add_task(reader, node);
    struct bt_payload_type *type = BT_NEW(reader->arena, struct bt_payload_type);
    if (!task || !type) {
        return NULL;
    }
    type->kind = is_xs(node, "complexType") ? BT_TYPE_XSD_COMPLEX : BT_TYPE_XSD_SIMPLE;
    type->name = find_attribute(node, "name");
    if (!type->name.ptr) {
        type->name = BT_STR("element");
    }
    task->type = type;
    return type;
}

static struct bt_xsd_group *group_from(struct organism_xsd_reading *reader,
                                       const struct bt_xml_node *node)
{
    struct organism_xsd_task *task = add_task(reader, node);
    struct bt_xsd_group *group = BT_NEW(reader->arena, struct bt_xsd_group);
    if (!task || !group) {
        return NULL;
    }
    group->is_choice = is_xs(node, "choice");
    task->group = group;
    return group;
}

static const struct bt_payload_type *named_type(const struct organism_xsd_reading *reader,
                                                bt_str name)
{
    for (const struct organism_xsd_named *named = reader->named; named; named = named->next) {
        if (bt_str_eq(named->name, name)) {
            return named->type;
        }
    }
    return NULL;
}

/* The type that a value names: built in, or declared here. */
static const struct bt_payload_type *resolve_type(struct organism_xsd_reading *reader,
                                                  bt_str written)
{
    const size_t colon = bt_str_find_byte(written, ':', 0);
    const bool has_prefix = colon < written.len;
    const bt_str prefix = bt_str_slice(written, 0, has_prefix ? colon : 0);
    const bt_str local = bt_str_slice(written, has_prefix ? colon + 1 : 0, written.len);
    const struct bt_payload_type *found = NULL;
    if (bt_str_eq(prefix, reader->prefix)) {
        found = bt_xsd_built_in(local);
    } else if (!has_prefix) {
        found = named_type(reader, local);
    }
    if (!found) {
        (void)set_unsupported(reader, "a type that is neither built into the profile nor declared");
    }
    return found;
}

static const struct bt_payload_type *element_type(struct organism_xsd_reading *reader,
                                                  const struct bt_xml_node *node)
{
    const bt_str written = find_attribute(node, "type");
    const struct bt_xml_node *inner = first_declaration(node);
    if (written.ptr && !inner) {
        return resolve_type(reader, written);
    }
    if (written.ptr || !inner || next_declaration(inner) ||
        !(is_xs(inner, "complexType") || is_xs(inner, "simpleType")) ||
        find_attribute(inner, "name").ptr) {
        (void)set_unsupported(reader, "an element without exactly one type");
        return NULL;
    }
    return type_from(reader, inner);
}

static bool parse_occurrence(struct organism_xsd_reading *reader, const struct bt_xml_node *node,
                             const char *name, uint32_t *out)
{
    const bt_str written = find_attribute(node, name);
    uint64_t number = 1;
    if (!written.ptr) {
        *out = 1;
        return true;
    }
    if (strcmp(name, "maxOccurs") == 0 && bt_str_eq(written, BT_STR("unbounded"))) {
        *out = BT_XSD_UNBOUNDED;
        return true;
    }
    if (bt_str_to_u64(written, &number) != BT_OK || number > OCCURS_MAX) {
        return set_unsupported(reader, "a number of occurrences that is not a number");
    }
    *out = (uint32_t)number;
    return true;
}

static bool parse_occurrences(struct organism_xsd_reading *reader, const struct bt_xml_node *node,
                              struct bt_xsd_particle *out)
{
    return parse_occurrence(reader, node, "minOccurs", &out->min) &&
           parse_occurrence(reader, node, "maxOccurs", &out->max) &&
           (out->min <= out->max || set_unsupported(reader, "minOccurs above maxOccurs"));
}

static bool parse_particle(struct organism_xsd_reading *reader, const struct bt_xml_node *node,
                           struct bt_xsd_particle *out)
{
    static const char *const element_names[] = {"name", "type", "minOccurs", "maxOccurs", NULL};
    static const char *const group_names[] = {"minOccurs", "maxOccurs", NULL};
    if (!parse_occurrences(reader, node, out)) {
        return false;
    }
    if (is_xs(node, "sequence") || is_xs(node, "choice")) {
        out->group = group_from(reader, node);
        return has_only(reader, node, group_names) && out->group != NULL;
    }
    out->element.name = find_attribute(node, "name");
    if (!is_xs(node, "element") || !out->element.name.ptr || out->element.name.len == 0) {
        return set_unsupported(reader,
                               "a particle that is not a local element, sequence or choice");
    }
    out->element.type = has_only(reader, node, element_names) ? element_type(reader, node) : NULL;
    return out->element.type != NULL;
}

static bool fill_group(struct organism_xsd_reading *reader, const struct organism_xsd_task *task)
{
    size_t count = 0;
    for (const struct bt_xml_node *node = first_declaration(task->node); node;
         node = next_declaration(node)) {
        count++;
    }
    struct bt_xsd_particle *particles = BT_NEW_ARRAY(reader->arena, struct bt_xsd_particle, count);
    size_t i = 0;
    for (const struct bt_xml_node *node = first_declaration(task->node); particles && node;
         node = next_declaration(node)) {
        if (!parse_particle(reader, node, &particles[i++])) {
            return false;
        }
    }
    task->group->particles = particles;
    task->group->count = count;
    return particles != NULL;
}

/* A complex type has one group. One that may occur otherwise than once is put into another. */
static bool fill_complex(struct organism_xsd_reading *reader, const struct organism_xsd_task *task)
{
    static const char *const names[] = {"name", NULL};
    const struct bt_xml_node *inner = first_declaration(task->node);
    struct bt_xsd_particle *particles = BT_NEW(reader->arena, struct bt_xsd_particle);
    struct bt_xsd_group *outer = BT_NEW(reader->arena, struct bt_xsd_group);
    if (!particles || !outer) {
        return false;
    }
    task->type->content = outer;
    if (!inner || next_declaration(inner) ||
        !(is_xs(inner, "sequence") || is_xs(inner, "choice"))) {
        return set_unsupported(reader, "a complex type without exactly one sequence or choice");
    }
    if (!has_only(reader, task->node, names) || !parse_particle(reader, inner, particles)) {
        return false;
    }
    *outer = (struct bt_xsd_group){.particles = particles, .count = 1};
    if (particles->min == 1 && particles->max == 1) {
        task->type->content = particles->group;
    } else {
        outer->may_be_empty = particles->min == 0;
    }
    return true;
}

static bool fill_simple(struct organism_xsd_reading *reader, const struct organism_xsd_task *task)
{
    static const char *const names[] = {"name", NULL};
    static const char *const restriction_names[] = {"base", NULL};
    const struct bt_xml_node *inner = first_declaration(task->node);
    if (!inner || next_declaration(inner) || !is_xs(inner, "restriction") ||
        !find_attribute(inner, "base").ptr) {
        return set_unsupported(reader, "a simple type that is not a restriction of a base");
    }
    if (!has_only(reader, task->node, names) || !has_only(reader, inner, restriction_names)) {
        return false;
    }
    const struct bt_payload_type *base = resolve_type(reader, find_attribute(inner, "base"));
    if (!base || base->kind != BT_TYPE_XSD_SIMPLE) {
        return base ? set_unsupported(reader, "a restriction of a complex type") : false;
    }
    struct bt_xsd_simple *simple = bt_xsd_simple_new(reader->arena, task->type->name);
    if (!simple) {
        return false;
    }
    task->type->simple = simple;
    simple->over = base;
    struct bt_xsd_facets facets = {.arena = reader->arena, .simple = simple};
    for (const struct bt_xml_node *node = first_declaration(inner); node;
         node = next_declaration(node)) {
        static const char *const facet_names[] = {"value", NULL};
        const bt_str value = find_attribute(node, "value");
        if (!bt_str_eq(node->space, XS) || !value.ptr || first_declaration(node) ||
            !has_only(reader, node, facet_names)) {
            return set_unsupported(reader, "a facet outside the profile");
        }
        const char *wrong = bt_xsd_facet(&facets, node->name, node->attributes[0].value);
        if (wrong) {
            return set_unsupported(reader, wrong);
        }
        if (facets.status != BT_OK) {
            return false;
        }
    }
    return true;
}

static bool run_task(struct organism_xsd_reading *reader, const struct organism_xsd_task *task)
{
    if (task->group) {
        return fill_group(reader, task);
    }
    return task->type->kind == BT_TYPE_XSD_COMPLEX ? fill_complex(reader, task)
                                                   : fill_simple(reader, task);
}

/* Run all tasks, also those that are added meanwhile. */
static bool fill_all(struct organism_xsd_reading *reader)
{
    const struct organism_xsd_task *done = NULL;
    while (reader->tasks != done) {
        const struct organism_xsd_task *newest = reader->tasks;
        for (const struct organism_xsd_task *task = newest; task != done; task = task->next) {
            if (!run_task(reader, task)) {
                return false;
            }
        }
        done = newest;
    }
    return true;
}

/* One more than the levels of the deepest part. */
static uint32_t levels_over(const struct bt_xsd_group *group)
{
    uint32_t deepest = 0;
    for (size_t i = 0; group && i < group->count; i++) {
        const struct bt_xsd_particle *part = &group->particles[i];
        const uint32_t levels = part->group ? part->group->levels : part->element.type->levels;
        deepest = levels > deepest ? levels : deepest;
    }
    return deepest + 1;
}

/* Compute the levels of everything once from those of its parts. True: a level grew. */
static bool count_round(const struct organism_xsd_reading *reader)
{
    bool grew = false;
    for (struct organism_xsd_task *task = reader->tasks; task; task = task->next) {
        uint32_t *known = task->group ? &task->group->levels : &task->type->levels;
        const uint32_t levels = levels_over(task->group ? task->group : task->type->content);
        grew = grew || levels > *known;
        *known = levels;
    }
    return grew;
}

static bool group_may_be_empty(const struct bt_xsd_group *group)
{
    bool any = group->count == 0;
    bool all = true;
    for (size_t i = 0; i < group->count; i++) {
        const struct bt_xsd_particle *part = &group->particles[i];
        const bool may = part->min == 0 || (part->group && part->group->may_be_empty);
        any = any || may;
        all = all && may;
    }
    return group->is_choice ? any : all;
}

static bool check_levels(struct organism_xsd_reading *reader)
{
    size_t round = 0;
    while (count_round(reader)) {
        if (++round > LEVELS_MAX) {
            return set_unsupported(reader, "types that contain themselves, or nest too deeply");
        }
    }
    for (round = 0; round <= LEVELS_MAX; round++) {
        for (struct organism_xsd_task *task = reader->tasks; task; task = task->next) {
            if (task->group) {
                task->group->may_be_empty = group_may_be_empty(task->group);
            }
        }
    }
    for (const struct organism_xsd_task *task = reader->tasks; task; task = task->next) {
        if (task->type && task->type->kind == BT_TYPE_XSD_SIMPLE &&
            !bt_xsd_simple_finish(task->type->simple)) {
            return set_unsupported(reader, "a restriction of itself");
        }
    }
    return true;
}

static bool declare_type(struct organism_xsd_reading *reader, const struct bt_xml_node *node)
{
    struct organism_xsd_named *named = BT_NEW(reader->arena, struct organism_xsd_named);
    if (!named) {
        return false;
    }
    named->name = find_attribute(node, "name");
    if (!named->name.ptr || named->name.len == 0 || named_type(reader, named->name)) {
        return set_unsupported(reader, "a type without a name of its own");
    }
    named->type = type_from(reader, node);
    named->next = reader->named;
    reader->named = named;
    return named->type != NULL;
}

/* Declare all types and find the one global element. */
static bool declare_all(struct organism_xsd_reading *reader, const struct bt_xml_node *root,
                        const struct bt_xml_node **out)
{
    size_t elements = 0;
    for (const struct bt_xml_node *node = first_declaration(root); node;
         node = next_declaration(node)) {
        if (is_xs(node, "element")) {
            *out = node;
            elements++;
        } else if (!is_xs(node, "complexType") && !is_xs(node, "simpleType")) {
            return set_unsupported(reader, "a global declaration outside the profile");
        } else if (!declare_type(reader, node)) {
            return false;
        }
    }
    return elements == 1 ||
           set_refusal(reader, BT_PUMP_XSD_INVALID_REASON_ROOT, "not exactly one global element");
}

static bool read_schema(struct organism_xsd_reading *reader, bt_str wanted)
{
    static const char *const names[] = {"elementFormDefault", "attributeFormDefault", "version",
                                        NULL};
    static const char *const element_names[] = {"name", "type", NULL};
    const struct bt_xml_node *root = reader->document->root;
    const struct bt_xml_node *element = NULL;
    if (!is_xs(root, "schema")) {
        return set_refusal(reader, BT_PUMP_XSD_INVALID_REASON_SYNTAX,
                           "the document element is not xs:schema");
    }
    reader->prefix = reader->document->prefixes[root->prefix].key.text;
    if (!has_only(reader, root, names) || !declare_all(reader, root, &element)) {
        return false;
    }
    const bt_str name = find_attribute(element, "name");
    reader->out->root = name.ptr ? name : BT_STR("");
    if (wanted.len > 0 ? !bt_str_eq(reader->out->root, wanted)
                       : name.len == 0 || bt_str_find_byte(name, '.', 0) < name.len) {
        return set_refusal(reader, BT_PUMP_XSD_INVALID_REASON_ROOT,
                           wanted.len > 0 ? "the global element is not called like the root tag"
                                          : "the global element has no name without a dot");
    }
    if (!has_only(reader, element, element_names)) {
        return false;
    }
    const struct bt_payload_type *type = element_type(reader, element);
    if (!type || !fill_all(reader) || !check_levels(reader)) {
        return false;
    }
    reader->out->type = type;
    return true;
}

static enum bt_status keep_declarations(struct organism_xsd_reading *reader)
{
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, SIZE_MAX);
    for (const struct bt_xml_node *node = first_declaration(reader->document->root);
         node && status == BT_OK; node = next_declaration(node)) {
        bt_buf_put_text(&buf, "  ");
        status = bt_xml_put_canonical(&buf, reader->arena, reader->document, node);
        bt_buf_put_char(&buf, '\n');
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return status;
    }
    return bt_buf_finish(&buf, reader->arena, &reader->out->declarations);
}

enum bt_status bt_xsd_read(struct bt_arena *arena, bt_str text, bt_str root, const uint64_t seed[2],
                           struct bt_xsd *out)
{
    const struct bt_xml_options options = {
        .bytes_max = BT_XSD_BYTES_MAX, .depth_max = BT_XML_DEPTH_MAX, .seed = {seed[0], seed[1]}};
    struct bt_xml_result read;
    *out = (struct bt_xsd){.text = text, .detail = ""};
    BT_TRY(bt_xml_read(arena, text, &options, &read));
    if (!read.document) {
        out->reason = BT_PUMP_XSD_INVALID_REASON_SYNTAX;
        out->detail = read.detail;
        return BT_OK;
    }
    struct organism_xsd_reading reader = {.arena = arena, .document = read.document, .out = out};
    if (!read_schema(&reader, root)) {
        out->type = NULL;
        return out->reason ? BT_OK : BT_ENOMEM;
    }
    return keep_declarations(&reader);
}
