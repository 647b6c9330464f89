/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_refer.c - what references mean, plain and dynamic.
 */
#include "naive_inside.h"
#include "naive_uri.h"

static const struct naive_resource *find_resource(struct naive *naive, bt_str uri)
{
    for (const struct naive_resource *each = naive->resources; each; each = each->next) {
        if (bt_str_eq(each->uri, uri) || bt_str_eq(each->found, uri)) {
            return each;
        }
    }
    const struct bt_json_doc *document = naive_find_document(naive, uri);
    return document ? naive_load(naive, uri, document) : NULL;
}

/* The anchor of that name, or NULL. */
static const struct naive_anchor *find_anchor(const struct naive_resource *resource, bt_str name)
{
    for (const struct naive_anchor *each = resource->anchors; each; each = each->next) {
        if (bt_str_eq(each->name, name)) {
            return each;
        }
    }
    return NULL;
}

static const struct naive_anchor *find_dynamic_anchor(const struct naive_resource *resource,
                                                      bt_str name)
{
    for (const struct naive_anchor *each = resource->anchors; each; each = each->next) {
        if (each->is_dynamic && bt_str_eq(each->name, name)) {
            return each;
        }
    }
    return NULL;
}

/* Token by token, because a resource may begin on the way. */
static naive_node follow(const struct naive *naive, const struct naive_resource *resource,
                         bt_str pointer)
{
    naive_node node = {resource, resource->root};
    while (node.value && pointer.len > 0) {
        const size_t end = bt_str_find_byte(pointer, '/', 1);
        node.value = bt_json_resolve(resource->document, node.value, bt_str_slice(pointer, 0, end));
        pointer = bt_str_slice(pointer, end, pointer.len);
        const struct naive_resource *own = node.value ? naive_resource_at(naive, node.value) : NULL;
        node.home = own ? own : node.home;
    }
    return node;
}

static naive_node look_up(struct naive *naive, const struct naive_resource *home, bt_str reference)
{
    const naive_node nowhere = {0};
    bt_str uri;
    bt_str fragment;
    if (naive_uri_resolve(&naive->scratch, home->uri, reference, &uri) != BT_OK ||
        naive_uri_decode(&naive->scratch, naive_uri_fragment(reference), &fragment) != BT_OK) {
        return nowhere;
    }
    const struct naive_resource *resource =
        bt_str_eq(uri, home->uri) ? home : find_resource(naive, uri);
    if (!resource) {
        return nowhere;
    }
    if (fragment.len == 0 || fragment.ptr[0] == '/') {
        return follow(naive, resource, fragment);
    }
    const struct naive_anchor *anchor = find_anchor(resource, fragment);
    return anchor ? (naive_node){resource, anchor->value} : nowhere;
}

naive_node naive_resolve(struct naive *naive, const struct naive_resource *home, bt_str reference)
{
    const struct bt_arena_mark mark = bt_arena_mark(&naive->scratch);
    const naive_node node = look_up(naive, home, reference);
    bt_arena_rewind(&naive->scratch, mark);
    if (!node.value) {
        (void)naive_fault(naive, "a reference leads nowhere");
    }
    return node;
}

bool naive_resolve_all(struct naive *naive)
{
    while (naive->references) {
        const struct naive_reference *reference = naive->references;
        naive->references = reference->next;
        if (!naive_resolve(naive, reference->home, reference->text).value) {
            return false;
        }
    }
    return true;
}

static bool apply_reference(const struct naive_frame *frame, naive_node target)
{
    return target.value && naive_apply_here(frame, target);
}

bool naive_check_ref(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_STRING) {
        return naive_fault(frame->naive, "$ref is not a string");
    }
    return apply_reference(frame,
                           naive_resolve(frame->naive, frame->schema.home, bt_json_text(keyword)));
}

/* The schema that the outermost resource of the dynamic scope with such an anchor has for it. */
static naive_node outermost_anchor(const struct naive_frame *frame, bt_str name)
{
    naive_node found = {0};
    for (; frame; frame = frame->outer) {
        const struct naive_anchor *anchor = find_dynamic_anchor(frame->schema.home, name);
        if (anchor) {
            found = (naive_node){frame->schema.home, anchor->value};
        }
    }
    return found;
}

/*
 * 2020-12: the reference must first lead to a dynamic anchor in the plain way; what is then looked
 * for in the dynamic scope is its name. v1: the name alone counts.
 */
bool naive_check_dynamic_ref(const struct naive_frame *frame, const bt_json_value *keyword)
{
    struct naive *naive = frame->naive;
    if (bt_json_type(keyword) != BT_JSON_STRING) {
        return naive_fault(naive, "$dynamicRef is not a string");
    }
    const bt_str text = bt_json_text(keyword);
    const bt_str name = naive_uri_fragment(text);
    if (frame->schema.home->dialect.draft == BT_SCHEMA_DRAFT_V1) {
        const naive_node target = outermost_anchor(frame, name);
        return target.value ? apply_reference(frame, target)
                            : naive_fault(naive, "a dynamic reference leads nowhere");
    }
    const naive_node plain = naive_resolve(naive, frame->schema.home, text);
    const struct naive_anchor *anchor = plain.value ? find_dynamic_anchor(plain.home, name) : NULL;
    const naive_node dynamic = outermost_anchor(frame, name);
    const bool is_dynamic = anchor && anchor->value == plain.value && dynamic.value;
    return apply_reference(frame, is_dynamic ? dynamic : plain);
}

/* 2019-09: as if the whole resource had one dynamic anchor without a name. */
bool naive_check_recursive_ref(const struct naive_frame *frame, const bt_json_value *keyword)
{
    if (bt_json_type(keyword) != BT_JSON_STRING) {
        return naive_fault(frame->naive, "$recursiveRef is not a string");
    }
    naive_node target = naive_resolve(frame->naive, frame->schema.home, bt_json_text(keyword));
    if (target.value && target.home->is_recursive) {
        for (const struct naive_frame *each = frame; each; each = each->outer) {
            if (each->schema.home->is_recursive) {
                target = (naive_node){each->schema.home, each->schema.home->root};
            }
        }
    }
    return apply_reference(frame, target);
}
