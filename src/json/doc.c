/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c - looking at a document: members by name, and where everything stood.
 */
#include "json/doc.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/keyed_hash.h"
#include "json/peek.h"

const bt_json_value *bt_json_root(const struct bt_json_doc *document)
{
    assert(document);
    return &document->root;
}

bt_str bt_json_source(const struct bt_json_doc *document)
{
    assert(document);
    return document->is_built ? BT_STR("") : document->source;
}

uint64_t bt_json_node_count(const struct bt_json_doc *document)
{
    assert(document);
    return document->nodes;
}

bool bt_json_has_lone_surrogate(const struct bt_json_doc *document)
{
    assert(document);
    return document->has_lone;
}

bool bt_json_has_long_number(const struct bt_json_doc *document)
{
    assert(document);
    return document->has_long_number;
}

uint32_t bt_json_name_hash(const struct bt_json_doc *document, bt_str name)
{
    assert(document);
    return bt_hash_bytes(document->seed, name.ptr, name.len);
}

enum { FEW = 12 }; /* members, among which it is quicker to compare names than to hash one */

static inline uint64_t load_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Whether a member has this name. Names are short: comparing them here takes less than a call. */
static inline bool is_called(const struct bt_json_member *member, bt_str name)
{
    if (member->name_size != name.len) {
        return false;
    }
    size_t at = 0;
    if (name.len >= sizeof(uint64_t)) {
        const size_t last = name.len - sizeof(uint64_t);
        while (at < last && load_word(member->name + at) == load_word(name.ptr + at)) {
            at += sizeof(uint64_t);
        }
        return at >= last && load_word(member->name + last) == load_word(name.ptr + last);
    }
    while (at < name.len && member->name[at] == name.ptr[at]) {
        at++;
    }
    return at == name.len;
}

/* Many members are told apart by their hashes first. */
static __attribute__((noinline)) const struct bt_json_member *
find_among_many(const struct bt_json_doc *document, const bt_json_value *object, bt_str name)
{
    const uint32_t hash = bt_hash_bytes(document->seed, name.ptr, name.len);
    const struct bt_json_member *found = NULL;
    const struct bt_json_member *end = object->as.members + object->size;
    for (const struct bt_json_member *member = object->as.members; member < end; member++) {
        if (member->name_hash == hash && is_called(member, name)) {
            found = member;
            if (!document->last_wins) {
                break;
            }
        }
    }
    return found;
}

/* Inline, as a public function cannot be where it may be replaced. */
static inline const struct bt_json_member *find_member(const struct bt_json_doc *document,
                                                       const bt_json_value *object, bt_str name)
{
    assert(document);
    if (!object || object->type != BT_JSON_OBJECT) {
        return NULL;
    }
    if (object->size > FEW) {
        return find_among_many(document, object, name);
    }
    const struct bt_json_member *found = NULL;
    const struct bt_json_member *end = object->as.members + object->size;
    for (const struct bt_json_member *member = object->as.members; member < end; member++) {
        if (is_called(member, name)) {
            found = member;
            if (!document->last_wins) {
                break;
            }
        }
    }
    return found;
}

const struct bt_json_member *bt_json_member(const struct bt_json_doc *document,
                                            const bt_json_value *object, bt_str name)
{
    return find_member(document, object, name);
}

const bt_json_value *bt_json_get(const struct bt_json_doc *document, const bt_json_value *object,
                                 bt_str name)
{
    const struct bt_json_member *member = find_member(document, object, name);
    return member ? &member->value : NULL;
}

static struct bt_json_span header_span(const void *what)
{
    struct bt_json_header header;
    memcpy(&header, (const char *)what - sizeof(header), sizeof(header));
    return (struct bt_json_span){header.begin, header.end};
}

/* Where text stands that is either a run of the source or preceded by its span. */
static struct bt_json_span text_span(const struct bt_json_doc *document, const char *text,
                                     size_t size)
{
    const uintptr_t first = (uintptr_t)document->source.ptr;
    const uintptr_t place = (uintptr_t)text;
    if (place > first && place - first <= document->source.len) {
        const size_t offset = (size_t)(place - first);
        return (struct bt_json_span){offset - 1, offset + size + 1};
    }
    return header_span(text);
}

static bool is_number_byte(char byte)
{
    return bt_ascii_is_digit(byte) || byte == '-' || byte == '+' || byte == '.' || byte == 'e' ||
           byte == 'E';
}

static size_t number_end(bt_str source, size_t begin)
{
    size_t end = begin;
    while (end < source.len && is_number_byte(source.ptr[end])) {
        end++;
    }
    return end;
}

struct bt_json_span bt_json_span(const struct bt_json_doc *document, const bt_json_value *value)
{
    assert(document);
    assert(value);
    const size_t begin = value->size;
    switch (bt_json_type(value)) {
    case BT_JSON_NULL:
    case BT_JSON_TRUE:
        return (struct bt_json_span){begin, begin + 4};
    case BT_JSON_FALSE:
        return (struct bt_json_span){begin, begin + 5};
    case BT_JSON_INTEGER:
    case BT_JSON_NUMBER:
        return (struct bt_json_span){begin, number_end(document->source, begin)};
    case BT_JSON_STRING:
        return text_span(document, value->as.text, value->size);
    case BT_JSON_ARRAY:
    case BT_JSON_OBJECT:
        return header_span(value->as.items);
    case BT_JSON_NONE:
        break;
    }
    assert(false); /* every value has a type */
    return (struct bt_json_span){0, 0};
}

struct bt_json_span bt_json_member_name_span(const struct bt_json_doc *document,
                                             const struct bt_json_member *member)
{
    assert(document);
    assert(member);
    return text_span(document, member->name, member->name_size);
}

bt_str bt_json_number_text(const struct bt_json_doc *document, const bt_json_value *number)
{
    assert(bt_json_is_number(number));
    return bt_str_slice(document->source, number->size, number_end(document->source, number->size));
}

double bt_json_to_double(const bt_json_value *number)
{
    assert(bt_json_is_number(number));
    return number->type == BT_JSON_INTEGER ? (double)number->as.integer : number->as.real;
}

const char *bt_json_type_name(const struct bt_json_doc *document, const bt_json_value *value)
{
    assert(value);
    switch (bt_json_type(value)) {
    case BT_JSON_NULL:
        return "null";
    case BT_JSON_FALSE:
    case BT_JSON_TRUE:
        return "boolean";
    case BT_JSON_INTEGER:
        return "integer";
    case BT_JSON_NUMBER:
        return bt_json_decimal_is_integer(bt_json_number_text(document, value)) ? "integer"
                                                                                : "number";
    case BT_JSON_STRING:
        return "string";
    case BT_JSON_ARRAY:
        return "array";
    case BT_JSON_OBJECT:
        return "object";
    case BT_JSON_NONE:
        break;
    }
    assert(false); /* every value has a type */
    return "";
}

bool bt_json_is_minified(const struct bt_json_doc *document)
{
    assert(document);
    bt_str source = document->source;
    while (source.len > 0 && bt_json_is_space(source.ptr[source.len - 1])) {
        source.len--;
    }
    bool in_string = false;
    for (size_t i = 0; i < source.len; i++) {
        const char byte = source.ptr[i];
        if (in_string && byte == '\\') {
            i++;
        } else if (byte == '"') {
            in_string = !in_string;
        } else if (!in_string && bt_json_is_space(byte)) {
            return false;
        }
    }
    return true;
}
