/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules about messages. An example is a whole message; rules that
 * need an organism, a store or a large message have none.
 */
#include <assert.h>

#include "dialect/xml/message_check.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("xml"), .severity = (severity_), .stage = (stage_),       \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_xml_rules[] = {
    {
        ROW("PUMP_BUDGET", BT_SEVERITY_HARD, BT_STAGE_BUDGET,
            "the tokens of a root thread are spent"),
        .explanation = TEXT(
            "Each call costs a token for four bytes of payload, at least one; the call that "
            "would pass the limit is not made and the thread is cut. Begin a new thread, or "
            "raise max_tokens_per_thread."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_BUSY", BT_SEVERITY_HARD, BT_STAGE_RECORD,
            "the queue is full and the message was not judged"),
        .explanation = TEXT(
            "params.limit messages wait already; nothing is lost and nothing was decided. "
            "Try again later."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_ATTRIBUTE_UNEXPECTED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "an attribute stands on the payload"),
        .explanation = TEXT(
            "Payloads carry everything in elements, so that nothing is overlooked. Remove it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_CAPABILITY_DENIED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the client may not call this capability"),
        .security = true,
        .explanation = TEXT(
            "Only what may_call names exists for a client. Extend may_call if it should."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_CAPABILITY_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "no capability has this tag"),
        .explanation = TEXT(
            "The root tag alone chooses the target and is compared byte for byte: lower-case "
            "name, dot, lower-case type. Correct the tag."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_DTD", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message has a document type declaration"),
        .security = true,
        .explanation = TEXT(
            "Entities and external subsets are how XML is made to read files and to explode; "
            "none is read, nothing is resolved. Remove it."),
        .bad = TEXT("<!DOCTYPE a><a/>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_DUPLICATE", BT_SEVERITY_INFO, BT_STAGE_RECORD,
            "the message was accepted before and is not processed again"),
        .explanation = TEXT(
            "The same client, id and canonical message: sending it again is harmless. "
            "Nothing is to be done."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_ENCODING", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message is not UTF-8, or has a character that XML forbids"),
        .explanation = TEXT(
            "UTF-8 is the only encoding, also when a declaration says otherwise; control "
            "characters are not text. Encode it as UTF-8."),
        .bad = TEXT("<a>\x01</a>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_ATTRIBUTE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "an attribute stands on the envelope"),
        .explanation = TEXT(
            "message, meta, from, to and thread have none; what is not defined is not "
            "carried. Remove it."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\" v=\"1\">\n <meta>"
            "<from>c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n"
            " <a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_EMPTY", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "from, to or thread is blank"),
        .explanation = TEXT(
            "Who sends and on which thread must be said; to may be left out. Fill it."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from> "
            "</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_ID", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the id of a message is malformed"),
        .explanation = TEXT(
            "An id is 1 to 128 letters, digits, dots, underscores, colons and dashes; it "
            "makes sending the same message twice harmless. Use the form."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread>\n  <id "
            "xmlns=\"urn:baton:pump:1\">a b</id></meta>\n <a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_META", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "meta or one of its children is not as it must be"),
        .explanation = TEXT(
            "meta comes first and holds from, to if wanted, thread, then extensions in other "
            "namespaces, all plain text. params.element and params.reason (missing, "
            "position, duplicate, child, order, namespace, content) say what is off."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from></meta>\n <a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_PAYLOAD", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the message has not exactly one payload"),
        .explanation = TEXT(
            "params.count is the number of elements beside meta. Send one payload per "
            "message."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n"
            "</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_ROOT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the document element is not the envelope's message"),
        .explanation = TEXT(
            "A message is the element message in the namespace of the envelope; params.name "
            "is what stands there. Wrap the payload in an envelope."),
        .bad = TEXT("<message/>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_ENVELOPE_TEXT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "text stands between the elements of the envelope"),
        .explanation = TEXT(
            "message and meta hold elements alone; text there is lost data or a mistake. "
            "Remove it."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n "
            "hello<a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_FIELD_FACET", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value breaks a rule beyond its type"),
        .explanation = TEXT(
            "A facet or choice of an XSD, or unique: equal values in a set, equal keys in a "
            "dict, at the later item. params.facet names the rule."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_FIELD_MISSING", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a required field is absent"),
        .explanation = TEXT(
            "Every field that is not optional must be there, also where a class has a "
            "default. params.field names it; add it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_FIELD_TYPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value is not of its field's type"),
        .explanation = TEXT(
            "params.expected is the type and params.actual the text; a simple value holds no "
            "elements. Correct the value."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_FIELD_UNEXPECTED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a field is not expected in its place"),
        .explanation = TEXT(
            "params.reason is duplicate, order, undeclared or namespace; its content is not "
            "looked at. Fields out of order are put right by --fix."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_FROM_RESERVED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the message claims to come from the pump or from a listener"),
        .security = true,
        .explanation = TEXT(
            "core, system and what lies below them, and every listener, group and gateway, "
            "speak inside the pump alone. No answer is given. Use the client's name."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "core</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n "
            "<a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_FROM_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the message comes from no declared client"),
        .security = true,
        .explanation = TEXT(
            "from is compared exactly with the declared names, and with the client who is "
            "known to send. No answer is given. Declare the client."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_ID_REUSED", BT_SEVERITY_HARD, BT_STAGE_RECORD,
            "an id was used for another message"),
        .security = true,
        .explanation = TEXT(
            "The same client, the same id, other bytes: one of the two is not what it "
            "claims. Use a new id."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_META_REFUSED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "introspection is not allowed, or malformed"),
        .explanation = TEXT(
            "params.reason is disabled, shape, level or unknown; a client is shown only what "
            "it may call."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_NAMESPACE", BT_SEVERITY_HARD, BT_STAGE_READ,
            "a prefix stands for no namespace, or two attributes have one expanded name"),
        .explanation = TEXT(
            "Without its namespace a name says nothing. params.prefix is the prefix; declare "
            "it."),
        .bad = TEXT("<p:a/>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_PAYLOAD_NAMESPACE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the payload is in a namespace"),
        .explanation = TEXT(
            "Capabilities are in no namespace; params.namespace is where this one is. Below "
            "the envelope's default namespace that is written xmlns=\"\", which --fix does."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n "
            "<a.p/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_PI", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message has a processing instruction"),
        .explanation = TEXT(
            "Nobody here obeys instructions inside data; params.target is its name. Remove "
            "it."),
        .bad = TEXT(
            "<?go?><message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_PRIVILEGED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "a privileged element or attribute stands on the bus"),
        .security = true,
        .explanation = TEXT(
            "Privileged commands are taken on the control channel alone; on the bus they are "
            "refused wherever they stand. Use the control channel."),
        .bad = TEXT("<privileged-msg xmlns=\"https://xml-pipeline.org/privileged-msg\"/>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_REPAIRED", BT_SEVERITY_INFO, BT_STAGE_READ,
            "lenient ingress repaired the message"),
        .explanation = TEXT(
            "params.repairs lists what was done, by the names of the fixed rules. Send "
            "well-formed XML."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_REPAIRED_LEAF", BT_SEVERITY_HARD, BT_STAGE_READ,
            "lenient ingress would have had to repair a value"),
        .explanation = TEXT(
            "A repaired value may not be the one that was meant, so structure is repaired "
            "and values are not. params.repair names what was needed. Escape the value."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_RESERVED", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the payload is an element of the pump itself"),
        .security = true,
        .explanation = TEXT(
            "Elements of the system's namespaces, a nested envelope and reserved names in "
            "any case are never taken from outside. Send a capability's payload."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n "
            "<Boot xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_SYNTAX", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message is not one well-formed XML document"),
        .explanation = TEXT(
            "Text, JSON, nothing, a cut-off document or two of them are no message; the "
            "position is where reading could not go on. Send one document."),
        .bad = TEXT("<a>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_TEXT_UNEXPECTED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "text stands where fields are expected"),
        .explanation = TEXT(
            "Between fields only blanks may stand; other text would be lost. Remove it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_THREAD_REPLACED", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "the thread is no canonical version 4 UUID and will be replaced"),
        .fix = BT_FIX_UNSAFE,
        .explanation = TEXT(
            "Replies come on the new thread, which the sender does not know in advance. Send "
            "a lower-case version 4 UUID."),
        .bad = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>t1</thread></meta>\n <a.p xmlns=\"\"/>\n</message>"),
        .good = TEXT(
            "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\">\n <meta><from>"
            "c</from>\n  <thread>550e8400-e29b-41d4-a716-446655440000</thread></meta>\n <a.p "
            "xmlns=\"\"/>\n</message>"),
    },
    {
        ROW("XML_TOO_DEEP", BT_SEVERITY_HARD, BT_STAGE_READ,
            "elements are nested too deeply"),
        .explanation = TEXT(
            "More than 128 levels, or the lower bound in params.limit. Flatten the message."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_TOO_LARGE", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the message has more bytes than allowed"),
        .explanation = TEXT(
            "The bound, params.limit, holds for the bytes as they are and for the canonical "
            "form, so that a call always fits its frame. Send less."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_TOO_MANY_ATTRIBUTES", BT_SEVERITY_HARD, BT_STAGE_READ,
            "an element has too many attributes"),
        .explanation = TEXT(
            "More than 64, declarations of namespaces included. Payloads have no attributes "
            "at all."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("XML_TO_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "to names somebody else than the tag does"),
        .explanation = TEXT(
            "to never routes; where it is given it must agree with the tag. Drop it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
};
/* clang-format on */

const size_t bt_xml_rules_count = sizeof(bt_xml_rules) / sizeof(bt_xml_rules[0]);

/* The rows stand in the order of their codes: a message may have a hundred thousand findings. */
const struct bt_rule *bt_xml_rule(const char *code)
{
    const bt_str wanted = bt_str_of(code);
    size_t first = 0;
    size_t end = bt_xml_rules_count;
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        if (bt_str_compare(bt_xml_rules[middle].code, wanted) <= 0) {
            first = middle;
        } else {
            end = middle;
        }
    }
    assert(bt_str_eq(bt_xml_rules[first].code, wanted));
    return &bt_xml_rules[first];
}
