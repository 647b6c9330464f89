/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the groups of checks in their order, and reading, which is the first.
 */
#include <assert.h>

#include "dialect/xml/message.h"
#include "dialect/xml/message_check.h"
#include "xml/xml.h"

static struct bt_xml_options reading_options(const struct bt_message_check *message)
{
    const struct bt_limits *limits = &message->env->limits;
    const struct bt_organism *organism = message->options->organism;
    struct bt_xml_options options = {
        .mode = organism && organism->ingress_repair ? BT_XML_LENIENT_MESSAGE : BT_XML_STRICT,
        .bytes_max = limits->xml_bytes,
        .depth_max =
            limits->xml_depth < BT_XML_DEPTH_MAX ? (uint32_t)limits->xml_depth : BT_XML_DEPTH_MAX,
        .seed = {message->env->hash_seed[0], message->env->hash_seed[1]},
    };
    const bool is_lowered = limits->xml_bytes < bt_limits_default().xml_bytes;
    if (organism && (!is_lowered || organism->limits.message_bytes < limits->xml_bytes)) {
        options.bytes_max = organism->limits.message_bytes;
    }
    return options;
}

/* Add the fault that ended the reading. */
static enum bt_status add_read_finding(struct bt_message_check *message,
                                       const struct bt_xml_result *read)
{
    struct bt_findings *findings = message->findings;
    struct bt_location at = bt_message_locate(message, read->leaf);
    const bt_str detail = bt_str_of(read->detail);
    bt_str repairs[BT_XML_REPAIRS_MAX];
    at.offset = read->offset;
    switch (read->code) {
    case BT_XML_TOO_LARGE:
        return bt_add_xml_too_large(findings, at, read->limit, detail);
    case BT_XML_ENCODING:
        return bt_add_xml_encoding(findings, at, detail);
    case BT_XML_DTD:
        return bt_add_xml_dtd(findings, at, detail);
    case BT_XML_PI:
        return bt_add_xml_pi(findings, at, read->name, detail);
    case BT_XML_NAMESPACE:
        return bt_add_xml_namespace(findings, at, read->name, detail);
    case BT_XML_TOO_DEEP:
        return bt_add_xml_too_deep(findings, at, read->limit, detail);
    case BT_XML_TOO_MANY_ATTRIBUTES:
        return bt_add_xml_too_many_attributes(findings, at, read->limit, detail);
    case BT_XML_REPAIRED_LEAF:
        (void)bt_xml_repair_names(read->leaf_repair, repairs);
        return bt_add_xml_repaired_leaf(findings, at, repairs[0], detail);
    case BT_XML_FINE:
    case BT_XML_SYNTAX:
    case BT_XML_CUT:
        break;
    }
    return bt_add_xml_syntax(findings, at, detail);
}

static enum bt_status add_repairs_finding(struct bt_message_check *message, unsigned repairs)
{
    bt_str names[BT_XML_REPAIRS_MAX];
    const struct bt_str_list list = {names, bt_xml_repair_names(repairs, names)};
    return bt_add_xml_repaired(message->findings, bt_location_whole(), list);
}

enum bt_status bt_message_check_canonical(const struct bt_message_check *message, bt_str *out)
{
    assert(message->document);
    if (message->canonical.ptr) {
        *out = message->canonical;
        return BT_OK;
    }
    return bt_xml_canonical(message->arena, message->document, message->root, SIZE_MAX, out);
}

/* True when the canonical form may be longer than allowed. A byte of the source becomes at most
 * six, as a quote in an attribute does; only prefixes may be declared more often than there. */
static bool may_outgrow(const struct bt_message_check *message, uint64_t bytes_max)
{
    enum { GROWTH_MAX = 8 };
    return message->document->prefixes_count > BT_XML_PREFIX_XML + 1 ||
           message->text.len > bytes_max / GROWTH_MAX;
}

/* The limit of the message also holds for its canonical form. */
static enum bt_status bound_canonical(struct bt_message_check *message, uint64_t bytes_max)
{
    if (!may_outgrow(message, bytes_max)) {
        return BT_OK;
    }
    const enum bt_status status = bt_xml_canonical(message->arena, message->document, message->root,
                                                   bytes_max, &message->canonical);
    if (status != BT_ELIMIT) {
        return status;
    }
    const struct bt_xml_result large = {.code = BT_XML_TOO_LARGE,
                                        .detail = "more bytes in canonical form than allowed",
                                        .limit = bytes_max};
    message->document = NULL;
    return add_read_finding(message, &large);
}

static enum bt_status read_text(struct bt_message_check *message)
{
    const struct bt_xml_options options = reading_options(message);
    struct bt_xml_result read;
    BT_TRY(bt_xml_read(message->arena, message->text, &options, &read));
    if (!read.document) {
        return add_read_finding(message, &read);
    }
    message->document = read.document;
    message->root = read.document->root;
    BT_TRY(bound_canonical(message, options.bytes_max));
    return !bt_message_has_hard(message) && read.repairs != 0
               ? add_repairs_finding(message, read.repairs)
               : BT_OK;
}

/* Prepare the check and read the text. */
static enum bt_status begin_check(struct bt_message_check *message)
{
    message->arena = message->arena ? message->arena : bt_findings_arena(message->findings);
    message->listener = BT_STR("");
    message->first_finding = bt_findings_count(message->findings);
    return read_text(message);
}

enum bt_status bt_message_check_judge(struct bt_message_check *message)
{
    BT_TRY(begin_check(message));
    if (bt_message_has_hard(message)) {
        return BT_OK;
    }
    BT_TRY(bt_message_check_envelope(message));
    if (bt_message_has_hard(message)) {
        return BT_OK;
    }
    message->has_envelope = true;
    BT_TRY(bt_message_check_target(message));
    if (bt_message_has_hard(message) || !message->target.capability ||
        !message->target.capability->type) {
        return BT_OK;
    }
    return bt_message_check_value(message, message->payload, message->target.capability->type);
}

static bool fits_target(const struct bt_message_payload_target *target, bt_str tag)
{
    return bt_str_eq(tag, target->tag) || bt_str_eq(tag, target->group_tag) ||
           (target->suffix.len > 0 && bt_str_ends_with(tag, target->suffix)) ||
           (target->is_any && bt_str_find_byte(tag, '.', 0) < tag.len);
}

enum bt_status bt_message_check_payload(struct bt_message_check *message,
                                        const struct bt_message_payload_target *target)
{
    BT_TRY(begin_check(message));
    if (bt_message_has_hard(message)) {
        return BT_OK;
    }
    message->payload = message->root;
    const struct bt_location at = bt_message_locate(message, message->root);
    if (message->root->space.len > 0) {
        return bt_add_xml_payload_namespace(message->findings, BT_FIX_NONE, at,
                                            message->root->space, false);
    }
    if (!fits_target(target, message->root->name)) {
        return bt_add_xml_capability_unknown(message->findings, at, message->root->name);
    }
    return target->type ? bt_message_check_value(message, message->root, target->type) : BT_OK;
}

bool bt_message_recognise(bt_str content)
{
    const bool is_marked = bt_str_starts_with(content, BT_STR("\xef\xbb\xbf"));
    return bt_str_starts_with(bt_xml_trim(bt_str_slice(content, is_marked ? 3 : 0, content.len)),
                              BT_STR("<"));
}
