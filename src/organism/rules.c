/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rows of the rules about organisms. An example is a whole file; where what
 * breaks a rule is another file, a handler or the kernel, it has none.
 */
#include <assert.h>

#include <baton/report.h>

#include "organism/organism.h"

/* clang-format off */
#define TEXT BT_STR_INIT
#define ROW(code_, severity_, stage_, meaning_)                                                    \
    .code = TEXT(code_), .dialect = TEXT("xml"), .severity = (severity_), .stage = (stage_),       \
    .meaning = TEXT(meaning_)

const struct bt_rule bt_organism_rules[] = {
    {
        ROW("PUMP_DESCRIPTION_MISSING", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a listener has no description"),
        .explanation = TEXT(
            "The description is what agents are told about it; a blank one tells nothing. "
            "Describe what the listener does in a line."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: ' '\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_FIELD_NAME", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a field has a name that no element may have"),
        .explanation = TEXT(
            "A field's name is the name of its element: a letter or underscore, then "
            "letters, digits, underscores and dashes, 64 at most, not beginning with xml. "
            "Rename it."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {2x: "
            "int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_FILE_MISSING", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a named file is not there, or is no regular file"),
        .explanation = TEXT(
            "Code, schemas, keys and certificates must be there before anything runs; "
            "params.path is the path, relative to the organism file. Create or correct it."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_GROUP_TYPE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "members of a group take different payloads"),
        .explanation = TEXT(
            "One call to the group's tag goes to every member, so their payloads have the "
            "same type name and fields, or the same XSD. Use one type."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "{name: a, description: d, handler: m.h, payload_type: P, fields: {x: int},\n   "
            "result: int, group: g}\n- {name: b, description: d, handler: m.h, payload_type: "
            "P, fields: {x: str},\n   result: int, group: g}\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "{name: a, description: d, handler: m.h, payload_type: P, fields: {x: int},\n   "
            "result: int, group: g}\n- {name: b, description: d, handler: m.h, payload_type: "
            "P, fields: {x: int},\n   result: int, group: g}\n"),
    },
    {
        ROW("PUMP_HANDLER_FORM", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the handler is named in none of the known forms"),
        .explanation = TEXT(
            "A handler is path.py:name, a dotted path of two or more identifiers, or a "
            "shared object path.so. Other programs are started by command."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: calc\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_HANDLER_LOAD", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a handler cannot be loaded"),
        .explanation = TEXT(
            "Its host failed to import it, did not find it, died, or gave no valid HELLO "
            "within 10 s; params.reason says more. Run it alone and read its error."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_HANDLER_SIGNATURE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a handler has another signature than the exact one"),
        .explanation = TEXT(
            "Handlers are async def NAME(payload: PayloadDataclass, metadata: "
            "HandlerMetadata) -> bytes, with all annotations and no defaults. Nothing is "
            "wrapped or adapted."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_HANDLER_SYNC", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a handler is not asynchronous"),
        .explanation = TEXT(
            "A plain function would hold up every other call of its host, also one that "
            "returns an awaitable. Declare it async def."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_KEY_CONFLICT", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "keys exclude each other"),
        .explanation = TEXT(
            "A handler, a payload and a result are each declared in exactly one way; some "
            "keys make sense only beside others. params.keys lists those that meet here. "
            "Keep one."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  command: [x]\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_KEY_MISSING", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a required key is absent"),
        .explanation = TEXT(
            "params.key names it. A listener needs handler or command, and payload_type "
            "beside fields or xsd; a null counts as absent. Add it."),
        .bad = TEXT("organism: {name: demo}\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_KEY_TYPE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value is of another type than its key wants"),
        .explanation = TEXT(
            "Types are never guessed: yes and on are strings, true is no integer, \"8765\" "
            "in quotes is no number. params.expected says what is wanted."),
        .bad = TEXT("organism: {name: demo, port: \"8765\"}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo, port: 8765}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_KEY_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a key is not known in its place"),
        .explanation = TEXT(
            "A key with a typing error must not silently lose its effect. Keys known from "
            "similar systems carry params.reason, which names what to use here. Correct or "
            "remove it."),
        .bad = TEXT("organism: {name: demo, nmae: x}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_KEY_VALUE", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a value is outside of its range, pattern or list"),
        .explanation = TEXT(
            "The type is right but the value is not one of those allowed; params.expected "
            "says which are. Choose one."),
        .bad = TEXT("organism: {name: demo, port: 70000}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo, port: 7000}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_NAME_DUPLICATE", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a name is taken already"),
        .explanation = TEXT(
            "Clients, gateways, listeners and groups share one space after folding to lower "
            "case, so that a name says who it is; nor may a listener lie below a gateway's "
            "name. Rename the later one."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: c\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_NAME_INVALID", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a listener, group or gateway has a malformed name"),
        .explanation = TEXT(
            "A name is made of segments that begin with a letter or underscore, joined by "
            "dots, 64 bytes at most; it becomes the beginning of a tag. Rename it."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: 2fast\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: "
            "{x: int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_NAME_RESERVED", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a name belongs to the pump itself"),
        .explanation = TEXT(
            "core, system and everything below them are how the pump signs its own messages; "
            "nobody else may be called so, in any case. Rename it."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: system.boot\n  description: adds\n  handler: m.h\n  payload_type: P\n  "
            "fields: {x: int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_OOB_NETWORK", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "the control channel would listen on the network"),
        .security = true,
        .explanation = TEXT(
            "Privileged commands are taken from a Unix socket alone, where the kernel tells "
            "who asks. Use oob.unix_socket."),
        .bad = TEXT("organism: {name: demo}\noob: {port: 8766}\nlisteners: []\n"),
        .good = TEXT(
            "organism: {name: demo}\noob: {unix_socket: run/oob.sock}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_PATH", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "a path leaves the organism directory"),
        .security = true,
        .explanation = TEXT(
            "Absolute paths, .. and symbolic links that lead outside are refused, because "
            "what an organism runs and reads must lie where its file lies. Move the file "
            "inside."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: ../m.py:h\n  payload_type: P\n  "
            "fields: {x: int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_PAYLOAD_CLASS", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a payload or result class cannot be used"),
        .explanation = TEXT(
            "It is absent, no @xmlify dataclass, has a field of an unsupported type, or is "
            "not the one that the handler annotates; params.reason says more. Correct the "
            "class."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_PAYLOAD_MISMATCH", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "the host describes another payload than fields does"),
        .explanation = TEXT(
            "Names, order and types must agree, else the handler is given what it does not "
            "expect. Make them agree."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_PAYLOAD_UNDECLARED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a listener does not say what it takes"),
        .explanation = TEXT(
            "Nothing is delivered unchecked, so every listener declares its payload: "
            "payload_class, or payload_type with fields or xsd."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_PEER_SELF", BT_SEVERITY_WARN, BT_STAGE_SEMANTICS,
            "a listener lists itself among its peers"),
        .explanation = TEXT(
            "Agents may call themselves without it, and tools may not at all; the entry has "
            "no effect. Remove it."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  peers: [a]\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_PEER_UNKNOWN", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "peers or may_call names nobody"),
        .explanation = TEXT(
            "A permission for somebody who does not exist is a typing error that would "
            "surface as a blocked call. Correct the name."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  peers: [nobody]\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_PORT_PLAIN", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "the bus would listen beyond this machine without TLS"),
        .security = true,
        .explanation = TEXT(
            "Tokens and messages would cross the network in the clear. Add organism.tls, or "
            "bind to 127.0.0.1."),
        .bad = TEXT("organism: {name: demo, port: 8765, bind: 0.0.0.0}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo, port: 8765, bind: 127.0.0.1}\nlisteners: []\n"),
    },
    {
        ROW("PUMP_REPLY_TAG", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a reply has a tag that no reply may have"),
        .explanation = TEXT(
            "A reply tag has no dot, is not reserved in any case, is a field name, and is "
            "declared once. Rename it."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  replies: {Huh: str}\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  replies: {thought: str}\n"),
    },
    {
        ROW("PUMP_RESULT_ANY", BT_SEVERITY_INFO, BT_STAGE_SEMANTICS,
            "a listener's replies are not checked"),
        .explanation = TEXT(
            "result: any lets every tag without a dot through; what arrives at the caller is "
            "whatever the handler wrote. Declare the reply."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: any\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_RESULT_UNDECLARED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a listener does not say what it answers"),
        .explanation = TEXT(
            "A forgotten declaration must not silently switch checking off. Declare result, "
            "result_class, result_fields or result_xsd, or say result: any or result: none."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_SANDBOX_MISSING", BT_SEVERITY_INFO, BT_STAGE_GOVERNANCE,
            "the kernel lacks a mechanism to jail handlers with"),
        .security = true,
        .explanation = TEXT(
            "params.mechanism is seccomp or landlock. With sandbox: required this is HARD "
            "and the pump does not run. Use a newer kernel, or say sandbox: available."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_SCHEMA_DRIFT", BT_SEVERITY_WARN, BT_STAGE_RECORD,
            "a schema that was written before differs from the one that would be written now"),
        .explanation = TEXT(
            "Clients may still send what the old v1.xsd described; params.path is the file, "
            "which running replaces. Tell the clients first."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("PUMP_SECRET_INLINE", BT_SEVERITY_HARD, BT_STAGE_GOVERNANCE,
            "a secret stands in the file"),
        .security = true,
        .explanation = TEXT(
            "A key of env or config that ends in key, token, secret or password has a value. "
            "The file is read by people and kept in repositories. Name the variable in "
            "env_from instead."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  env: {API_KEY: sk-1}\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  env_from: [API_KEY]\n"),
    },
    {
        ROW("PUMP_TOPOLOGY_EXPOSED", BT_SEVERITY_WARN, BT_STAGE_GOVERNANCE,
            "a handler may read who else is there"),
        .security = true,
        .explanation = TEXT(
            "A path in read holds the organism file, the store or the generated schemas, "
            "from which a handler learns names that it must not know. Grant less."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  read: [.]\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n  read: [data]\n"),
    },
    {
        ROW("PUMP_TYPE_UNSUPPORTED", BT_SEVERITY_HARD, BT_STAGE_SCHEMA,
            "a type is not known, or not allowed in its place"),
        .explanation = TEXT(
            "Types are int, float, bool, str, list, set, dict, tuple, optional (only as a "
            "field's own type) and records; replies take a simple type or fields. "
            "params.type is what stands there."),
        .bad = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "integer}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_UNREACHABLE", BT_SEVERITY_INFO, BT_STAGE_SEMANTICS,
            "nobody may call a listener"),
        .explanation = TEXT(
            "No client and no other listener may, directly or through its group, so it will "
            "never run. Add it to peers or may_call, or remove it."),
        .bad = TEXT(
            "organism: {name: demo}\nlisteners:\n- name: a\n  description: adds\n  handler: "
            "m.h\n  payload_type: P\n  fields: {x: int}\n  result: int\n"),
        .good = TEXT(
            "organism: {name: demo}\nclients: [{name: c, may_call: ['*']}]\nlisteners:\n- "
            "name: a\n  description: adds\n  handler: m.h\n  payload_type: P\n  fields: {x: "
            "int}\n  result: int\n"),
    },
    {
        ROW("PUMP_XSD_INVALID", BT_SEVERITY_HARD, BT_STAGE_SEMANTICS,
            "a schema is outside of the supported profile"),
        .explanation = TEXT(
            "A rule that is not enforced must not look enforced. params.reason is syntax "
            "(unreadable, a DTD, no xs:schema), root (the global element) or unsupported. "
            "Stay inside the profile."),
        .bad = TEXT(""),
        .good = TEXT(""),
    },
    {
        ROW("YAML_DUPLICATE_KEY", BT_SEVERITY_HARD, BT_STAGE_READ,
            "a mapping has the same key twice"),
        .explanation = TEXT(
            "Readers disagree about which of two equal keys counts, so neither may. "
            "params.key is the key; remove one."),
        .bad = TEXT("organism: {name: demo, name: other}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
    {
        ROW("YAML_LIMIT", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the file is over 1 MiB or nests deeper than 16 levels"),
        .explanation = TEXT(
            "An organism names some hundred listeners at most; a file beyond these bounds is "
            "a mistake or an attack. params.limit is the bound. Split or flatten the file."),
        .bad = TEXT("organism: {name: demo}\nlisteners: [[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
    {
        ROW("YAML_SYNTAX", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the file is no YAML mapping in UTF-8"),
        .explanation = TEXT(
            "An organism file is UTF-8, parses as YAML 1.2 and is a mapping at its root; an "
            "empty file is none. Correct the place that the position names."),
        .bad = TEXT("organism: {name: demo\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
    {
        ROW("YAML_UNSUPPORTED", BT_SEVERITY_HARD, BT_STAGE_READ,
            "the file uses a feature of YAML that lets it read differently from how it looks"),
        .explanation = TEXT(
            "Anchors, aliases, tags, merge keys, directives, complex keys and a second "
            "document are refused; params.feature says which it is. Write it out plainly."),
        .bad = TEXT("organism: &o {name: demo}\nlisteners: []\n"),
        .good = TEXT("organism: {name: demo}\nlisteners: []\n"),
    },
};
/* clang-format on */

const size_t bt_organism_rules_count = sizeof(bt_organism_rules) / sizeof(bt_organism_rules[0]);

const struct bt_rule *bt_organism_rule(const char *code)
{
    const struct bt_rule *rule = NULL;
    for (size_t i = 0; i < bt_organism_rules_count && !rule; i++) {
        if (bt_str_eq(bt_organism_rules[i].code, bt_str_of(code))) {
            rule = &bt_organism_rules[i];
        }
    }
    assert(rule);
    return rule;
}
