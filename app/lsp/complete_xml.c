/* SPDX-License-Identifier: Apache-2.0 */
/* complete_xml.c - completions and definitions in messages, from the organism. */
#include <string.h>

#include "base/ascii.h"
#include "base/file.h"
#include "dialect/xml/message.h"
#include "lsp/dialects.h"
#include "lsp/yaml_place.h"
#include "organism/organism.h"

enum { XML_DEPTH_MAX = 64, ORGANISM_BYTES_MAX = 1 << 20 };

/* ---- Places ---------------------------------------------------------------------------------- */

/* The elements that are open at an offset, and the name of a tag that it is in. */
struct lsp_xml_place {
    bt_str open[XML_DEPTH_MAX]; /* without prefixes */
    size_t depth;
    bool in_name; /* of a start tag */
    struct lsp_span name;
};

static bool is_name_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || (byte != '\0' && strchr("_-.:", byte)) ||
           ((unsigned char)byte & 0x80) != 0;
}

static bt_str drop_prefix(bt_str name)
{
    const size_t colon = bt_str_find_byte(name, ':', 0);
    return colon < name.len ? bt_str_slice(name, colon + 1, name.len) : name;
}

/* The end of what begins with `<`: a tag, a comment or a declaration. */
static size_t find_markup_end(bt_str text, size_t at)
{
    if (bt_str_starts_with(bt_str_slice(text, at, text.len), BT_STR("<!--"))) {
        for (size_t i = at + 4; i + 2 < text.len; i++) {
            if (memcmp(text.ptr + i, "-->", 3) == 0) {
                return i + 3;
            }
        }
        return text.len;
    }
    return at + lsp_measure_xml(text, at);
}

static void take_tag(struct lsp_xml_place *place, bt_str text, size_t at, size_t end)
{
    const bool is_end = at + 1 < text.len && text.ptr[at + 1] == '/';
    const size_t from = at + 1 + is_end;
    size_t to = from;
    while (to < end && is_name_byte(text.ptr[to])) {
        to++;
    }
    const bool is_empty = end >= 2 && text.ptr[end - 1] == '>' && text.ptr[end - 2] == '/';
    if (is_end) {
        place->depth -= place->depth > 0;
    } else if (to > from && !is_empty && place->depth < XML_DEPTH_MAX) {
        place->open[place->depth++] = drop_prefix(bt_str_slice(text, from, to));
    }
}

/* Find the place of an offset; what follows it does not matter. */
static void find_place(bt_str text, size_t offset, struct lsp_xml_place *out)
{
    *out = (struct lsp_xml_place){.depth = 0};
    for (size_t at = bt_str_find_byte(text, '<', 0); at < text.len && at < offset;
         at = bt_str_find_byte(text, '<', at)) {
        size_t name_end = at + 1;
        while (name_end < text.len && is_name_byte(text.ptr[name_end])) {
            name_end++;
        }
        if (offset <= name_end) {
            out->in_name = true;
            out->name = (struct lsp_span){at + 1, name_end};
            return;
        }
        const size_t end = find_markup_end(text, at);
        if (end > offset) {
            return;
        }
        take_tag(out, text, at, end);
        at = end > at ? end : at + 1;
    }
}

/* ---- The organism ---------------------------------------------------------------------------- */

static const struct bt_organism *organism_of(const struct lsp_request *request)
{
    const struct bt_message_options *options = request->workspace->options.xml;
    return options ? options->organism : NULL;
}

/* What can be called with this payload; NULL: nothing. */
static const struct bt_organism_capability *find_capability(const struct bt_organism *organism,
                                                            bt_str tag)
{
    for (size_t i = 0; i < organism->listeners_count; i++) {
        if (bt_str_eq(organism->listeners[i].takes.tag, tag)) {
            return &organism->listeners[i].takes;
        }
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        for (size_t k = 0; k < organism->gateways[i].capabilities_count; k++) {
            if (bt_str_eq(organism->gateways[i].capabilities[k].tag, tag)) {
                return &organism->gateways[i].capabilities[k];
            }
        }
    }
    return NULL;
}

static enum bt_status add_tags(const struct bt_organism *organism, struct lsp_completion *out)
{
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_capability *takes = &organism->listeners[i].takes;
        BT_TRY(lsp_completion_add_label(out, takes->tag, LSP_KIND_MODULE, takes->name));
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        for (size_t k = 0; k < organism->gateways[i].capabilities_count; k++) {
            const struct bt_organism_capability *takes = &organism->gateways[i].capabilities[k];
            BT_TRY(lsp_completion_add_label(out, takes->tag, LSP_KIND_MODULE, takes->name));
        }
    }
    return BT_OK;
}

static enum bt_status add_fields(const struct bt_payload_type *type, struct lsp_completion *out)
{
    for (size_t i = 0; type && type->kind == BT_TYPE_RECORD && i < type->count; i++) {
        const struct lsp_completion_item item = {
            .label = type->parts[i].name,
            .detail = type->parts[i].is_optional ? BT_STR("optional field") : BT_STR("field"),
            .kind = LSP_KIND_PROPERTY,
            .is_needed = !type->parts[i].is_optional};
        BT_TRY(lsp_completion_add(out, &item));
    }
    return BT_OK;
}

/* The type of the element that is open last, from the payload on; NULL: unknown. */
static const struct bt_payload_type *find_type(const struct lsp_xml_place *place,
                                               const struct bt_organism *organism)
{
    const struct bt_organism_capability *payload = find_capability(organism, place->open[1]);
    const struct bt_payload_type *type = payload ? payload->type : NULL;
    for (size_t i = 2; type && i < place->depth; i++) {
        const struct bt_payload_type *next = NULL;
        for (size_t k = 0; k < type->count; k++) {
            next = bt_str_eq(type->parts[k].name, place->open[i]) ? type->parts[k].type : next;
        }
        type = next;
    }
    return type;
}

enum bt_status lsp_complete_message(struct lsp_request *request, struct lsp_completion *out)
{
    const struct bt_organism *organism = organism_of(request);
    struct lsp_xml_place place;
    find_place(lsp_document_text(request->document), request->offset, &place);
    if (!organism || !place.in_name || place.depth == 0) {
        return BT_OK;
    }
    out->span = place.name;
    return place.depth == 1 ? add_tags(organism, out)
                            : add_fields(find_type(&place, organism), out);
}

enum bt_status lsp_define_message(struct lsp_request *request, struct lsp_target *out)
{
    const struct bt_organism *organism = organism_of(request);
    const bt_str text = lsp_document_text(request->document);
    struct lsp_xml_place place;
    find_place(text, request->offset, &place);
    if (!organism || !place.in_name || place.depth != 1) {
        return BT_OK;
    }
    const bt_str tag = drop_prefix(bt_str_slice(text, place.name.begin, place.name.end));
    const struct bt_organism_capability *payload = find_capability(organism, tag);
    if (!payload || bt_file_read(request->arena, request->workspace->organism_path,
                                 ORGANISM_BYTES_MAX, &out->text, NULL) != BT_OK) {
        return BT_OK;
    }
    out->path = request->workspace->organism_path;
    out->is_found = lsp_yaml_find_listener(out->text, payload->name, &out->span);
    return BT_OK;
}
