/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example_text.c - a type -> the smallest payload that shows all of it.
 */
#include <assert.h>

#include "organism/organism.h"
#include "organism/xsd.h"
#include "xml/xml.h"

/* An element, or a group of an XSD, whose content is being written. */
struct organism_example_text_frame {
    bt_str name;                             /* of the element; "": a group */
    const struct bt_payload_type *type;      /* of the element */
    const struct bt_xsd_particle *particles; /* of a group */
    size_t count;
    size_t next;
    uint32_t times; /* how often the next particle was written */
};

enum { FRAMES_MAX = 3 * BT_TYPE_LEVELS_MAX + 4 };

struct organism_example_text_writer {
    struct bt_buf *buf;
    struct bt_arena *arena;
    struct organism_example_text_frame frames[FRAMES_MAX];
    size_t depth;
};

static const char *built_in(enum bt_xsd_base base)
{
    static const char *const values[BT_XSD__MAX] = {
        [BT_XSD_STRING] = "text",
        [BT_XSD_TOKEN] = "text",
        [BT_XSD_BOOLEAN] = "true",
        [BT_XSD_DECIMAL] = "1.5",
        [BT_XSD_INTEGER] = "1",
        [BT_XSD_INT] = "1",
        [BT_XSD_LONG] = "1",
        [BT_XSD_NON_NEGATIVE] = "1",
        [BT_XSD_POSITIVE] = "1",
        [BT_XSD_DATE] = "2000-01-01",
        [BT_XSD_DATE_TIME] = "2000-01-01T00:00:00Z",
        [BT_XSD_BASE64] = "dGV4dA==",
    };
    return values[base];
}

/* A value that the facets allow, if one of the obvious candidates does. */
static enum bt_status described_value(struct bt_arena *arena, const struct bt_xsd_simple *simple,
                                      bt_str *out)
{
    *out = bt_str_of(built_in(bt_xsd_base_of(simple)));
    for (const struct bt_xsd_simple *step = simple; step;
         step = step->over ? step->over->simple : NULL) {
        const bt_str candidates[] = {step->values_count > 0 ? step->values[0] : (bt_str){NULL, 0},
                                     *out, step->inclusive_min, step->inclusive_max};
        for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
            bool is_of_type = false;
            enum bt_xml_field_facet_facet facet = BT_XML_FIELD_FACET_FACET__NONE;
            if (candidates[i].ptr) {
                BT_TRY(bt_xsd_judge(arena, simple, candidates[i], &is_of_type, &facet));
            }
            if (is_of_type && !facet) {
                *out = candidates[i];
                return BT_OK;
            }
        }
    }
    return BT_OK;
}

/* The text of a simple type; "" for one that has elements. */
static enum bt_status value_of(struct bt_arena *arena, const struct bt_payload_type *type,
                               bt_str *out)
{
    static const char *const values[] = {[BT_TYPE_INT] = "1",
                                         [BT_TYPE_FLOAT] = "1.5",
                                         [BT_TYPE_BOOL] = "true",
                                         [BT_TYPE_STR] = "text"};
    if (type->kind == BT_TYPE_XSD_SIMPLE) {
        return described_value(arena, type->simple, out);
    }
    *out = bt_str_of(bt_type_is_simple(type) ? values[type->kind] : "");
    return BT_OK;
}

static void put_tag(struct bt_buf *buf, const char *open, bt_str name)
{
    bt_buf_put_text(buf, open);
    bt_buf_put(buf, name);
    bt_buf_put_char(buf, '>');
}

static void push_group(struct organism_example_text_writer *writer,
                       const struct bt_xsd_group *group)
{
    assert(writer->depth < FRAMES_MAX);
    const size_t count = group->is_choice && group->count > 1 ? 1 : group->count;
    writer->frames[writer->depth++] = (struct organism_example_text_frame){
        .name = BT_STR(""), .particles = group->particles, .count = count};
}

static enum bt_status push_element(struct organism_example_text_writer *writer, bt_str name,
                                   const struct bt_payload_type *type)
{
    bt_str value;
    assert(writer->depth < FRAMES_MAX);
    put_tag(writer->buf, "<", name);
    bt_buf_put_text(writer->buf, type->kind == BT_TYPE_DICT ? "<item>" : "");
    BT_TRY(value_of(writer->arena, type, &value));
    bt_xml_put_text(writer->buf, value);
    writer->frames[writer->depth++] =
        (struct organism_example_text_frame){.name = name, .type = type, .count = type->count};
    if (type->kind == BT_TYPE_XSD_COMPLEX && type->content) {
        push_group(writer, type->content);
    }
    return BT_OK;
}

static void pop_frame(struct organism_example_text_writer *writer)
{
    const struct organism_example_text_frame *frame = &writer->frames[--writer->depth];
    if (frame->type) {
        bt_buf_put_text(writer->buf, frame->type->kind == BT_TYPE_DICT ? "</item>" : "");
        put_tag(writer->buf, "</", frame->name);
    }
}

/* Put the next particle of a group, as often as it is required, but at least once. */
static enum bt_status put_particle(struct organism_example_text_writer *writer)
{
    struct organism_example_text_frame *top = &writer->frames[writer->depth - 1];
    const struct bt_xsd_particle *particle = &top->particles[top->next];
    if (top->times >= (particle->min > 0 ? particle->min : 1)) {
        top->next++;
        top->times = 0;
        return BT_OK;
    }
    top->times++;
    if (particle->group) {
        push_group(writer, particle->group);
        return BT_OK;
    }
    return push_element(writer, particle->element.name, particle->element.type);
}

enum bt_status bt_organism_listener_put_example(struct bt_buf *buf, struct bt_arena *arena,
                                                bt_str name, const struct bt_payload_type *type)
{
    struct organism_example_text_writer writer = {.buf = buf, .arena = arena};
    BT_TRY(push_element(&writer, name, type));
    while (writer.depth > 0 && buf->status == BT_OK) {
        struct organism_example_text_frame *top = &writer.frames[writer.depth - 1];
        if (top->next == top->count) {
            pop_frame(&writer);
        } else if (top->particles) {
            BT_TRY(put_particle(&writer));
        } else {
            assert(top->type);
            const struct bt_payload_field *part = &top->type->parts[top->next++];
            BT_TRY(push_element(&writer, part->name, part->type));
        }
    }
    return buf->status;
}
