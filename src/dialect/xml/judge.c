/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - the groups of checks in their order, and reading, which is the first.
 */
#include <assert.h>

#include "dialect/xml/message_check.h"

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

static const char *code_of(enum bt_xml_error code)
{
    switch (code) {
    case BT_XML_TOO_LARGE:
        return "XML_TOO_LARGE";
    case BT_XML_ENCODING:
        return "XML_ENCODING";
    case BT_XML_DTD:
        return "XML_DTD";
    case BT_XML_PI:
        return "XML_PI";
    case BT_XML_NAMESPACE:
        return "XML_NAMESPACE";
    case BT_XML_TOO_DEEP:
        return "XML_TOO_DEEP";
    case BT_XML_TOO_MANY_ATTRIBUTES:
        return "XML_TOO_MANY_ATTRIBUTES";
    case BT_XML_REPAIRED_LEAF:
        return "XML_REPAIRED_LEAF";
    case BT_XML_FINE:
    case BT_XML_SYNTAX:
    case BT_XML_CUT:
        break;
    }
    return "XML_SYNTAX";
}

static enum bt_status add_read_finding(struct bt_message_check *message,
                                       const struct bt_xml_result *read)
{
    struct bt_finding_builder remark;
    const enum bt_status status =
        bt_message_check_remark(message, &remark, code_of(read->code), read->leaf);
    remark.finding.offset = read->offset;
    bt_buf_put_text(&remark.message, read->detail);
    if (read->limit > 0) {
        bt_buf_printf(&remark.message, " (at most %llu)", (unsigned long long)read->limit);
        bt_emit_member_u64(&remark.emit, "limit", read->limit);
    } else if (read->code == BT_XML_PI || read->code == BT_XML_NAMESPACE) {
        bt_buf_put_text(&remark.message, ": ");
        bt_buf_put_quoted(&remark.message, read->name);
        bt_emit_member_string(&remark.emit, read->code == BT_XML_PI ? "target" : "prefix",
                              read->name);
    } else if (read->leaf) {
        bt_str names[BT_XML_REPAIRS_MAX];
        (void)bt_xml_repair_names(read->leaf_repair, names);
        bt_emit_member_string(&remark.emit, "repair", names[0]);
    }
    BT_TRY(bt_message_add_finding(message, &remark));
    return status;
}

static enum bt_status add_repairs_finding(struct bt_message_check *message, unsigned repairs)
{
    struct bt_finding_builder remark;
    bt_str names[BT_XML_REPAIRS_MAX];
    const size_t count = bt_xml_repair_names(repairs, names);
    const enum bt_status status = bt_message_check_remark(message, &remark, "XML_REPAIRED", NULL);
    bt_buf_put_text(&remark.message, "the message was repaired:");
    bt_emit_name(&remark.emit, "repairs");
    bt_emit_begin_array(&remark.emit);
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(&remark.message, " %.*s", BT_STR_ARG(names[i]));
        bt_emit_string(&remark.emit, names[i]);
    }
    bt_emit_end(&remark.emit);
    BT_TRY(bt_message_add_finding(message, &remark));
    return status;
}

static enum bt_status write_canonical(const struct bt_message_check *message, uint64_t bytes_max,
                                      bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, bytes_max);
    enum bt_status status =
        bt_xml_put_canonical(&buf, message->arena, message->document, message->root);
    if (status == BT_OK) {
        status = bt_buf_copy(&buf, message->arena, out);
    }
    bt_buf_free(&buf);
    return status;
}

enum bt_status bt_message_check_canonical(const struct bt_message_check *message, bt_str *out)
{
    assert(message->document);
    if (message->canonical.ptr) {
        *out = message->canonical;
        return BT_OK;
    }
    return write_canonical(message, SIZE_MAX, out);
}

/* Whether the canonical form could be longer than allowed. No byte of the source makes more than
 * six of it: a quote in an attribute does. Only of prefixes it may tell more often than the source
 * does what they stand for. */
static bool may_outgrow(const struct bt_message_check *message, uint64_t bytes_max)
{
    enum { GROWTH_MAX = 8 };
    return message->document->prefixes_count > BT_XML_PREFIX_XML + 1 ||
           message->text.len > bytes_max / GROWTH_MAX;
}

/* The canonical form is bounded like the message itself. */
static enum bt_status bound_canonical(struct bt_message_check *message, uint64_t bytes_max)
{
    if (!may_outgrow(message, bytes_max)) {
        return BT_OK;
    }
    const enum bt_status status = write_canonical(message, bytes_max, &message->canonical);
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
    return message->hard == 0 && read.repairs != 0 ? add_repairs_finding(message, read.repairs)
                                                   : BT_OK;
}

enum bt_status bt_message_check_judge(struct bt_message_check *message)
{
    message->arena = message->arena ? message->arena : bt_findings_arena(message->findings);
    message->listener = BT_STR("");
    BT_TRY(read_text(message));
    if (message->hard > 0) {
        return BT_OK;
    }
    BT_TRY(bt_message_check_envelope(message));
    if (message->hard > 0) {
        return BT_OK;
    }
    message->has_envelope = true;
    BT_TRY(bt_message_check_target(message));
    if (message->hard > 0 || !message->target.capability || !message->target.capability->type) {
        return BT_OK;
    }
    return bt_message_check_value(message, message->payload, message->target.capability->type);
}
