/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_xml.c - any bytes at all, read as XML in every temper.
 *
 * Promises: strict reading accepts only what libxml2 finds well-formed, and canonicalises it to the
 * same bytes; what is accepted in any temper canonicalises to bytes that strict reading accepts and
 * canonicalises to themselves; where no prefix is used, that is at most six times as long; lenient
 * reading accepts what strict reading does, without a repair; a fault lies within the text; memory
 * decides nothing.
 */
#include "fuzz.h"

#include "xml/xml.h"
#ifdef BATON_LIBXML2
#include "base/buf.h"
#include "xml/oracle.h"
#endif

#define BYTES_MAX ((uint64_t)1 << 20)

static struct bt_xml_result judge(struct bt_arena *arena, bt_str text, enum bt_xml_mode temper)
{
    const struct bt_xml_options options = {
        .mode = temper, .bytes_max = BYTES_MAX, .depth_max = BT_XML_DEPTH_MAX, .seed = {7, 8}};
    struct bt_xml_result result;
    PROMISE(bt_xml_read(arena, text, &options, &result) == BT_OK);
    PROMISE((result.document != NULL) == (result.code == BT_XML_FINE));
    PROMISE(result.offset <= text.len);
    PROMISE(temper == BT_XML_LENIENT_MESSAGE || result.code != BT_XML_REPAIRED_LEAF);
    PROMISE(temper != BT_XML_STRICT || (result.repairs == 0 && result.code != BT_XML_CUT));
    PROMISE((result.limit > 0) ==
            (result.code == BT_XML_TOO_DEEP || result.code == BT_XML_TOO_MANY_ATTRIBUTES ||
             result.code == BT_XML_TOO_LARGE));
    return result;
}

static bt_str canonical(struct bt_arena *arena, const struct bt_xml_document *document,
                        const struct bt_xml_node *element)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    PROMISE(bt_xml_put_canonical(&buf, arena, document, element) == BT_OK);
    PROMISE(bt_buf_copy(&buf, arena, &text) == BT_OK);
    bt_buf_free(&buf);
    return text;
}

/* The canonical form of each root is read again and stays what it is. */
static void canonical_form_is_stable(struct bt_arena *arena, bt_str text,
                                     const struct bt_xml_document *document)
{
    for (const struct bt_xml_node *root = document->root; root; root = root->next) {
        const bt_str once = canonical(arena, document, root);
        PROMISE(document->prefixes_count > 2 || once.len / 6 <= text.len);
        if (once.len > BYTES_MAX) {
            continue;
        }
        const struct bt_xml_result again = judge(arena, once, BT_XML_STRICT);
        PROMISE(again.document);
        PROMISE(bt_str_eq(canonical(arena, again.document, again.document->root), once));
    }
}

#ifdef BATON_LIBXML2
static void libxml2_agrees(struct bt_arena *arena, bt_str text,
                           const struct bt_xml_document *document)
{
    char *theirs = NULL;
    size_t length = 0;
    PROMISE(oracle_read(text, &theirs, &length));
    PROMISE(!theirs ||
            bt_str_eq(canonical(arena, document, document->root), (bt_str){theirs, length}));
    free(theirs);
}
#endif

static void paths_can_be_told(struct bt_arena *arena, const struct bt_xml_node *root)
{
    struct bt_buf buf;
    bt_buf_init(&buf, FUZZ_BUF_BYTES);
    for (const struct bt_xml_node *node = root; node; node = bt_xml_next_element(node, root)) {
        bt_buf_clear(&buf);
        PROMISE(node->is_text || bt_xml_put_path(&buf, arena, node) == BT_OK);
    }
    bt_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_xml_result strict = judge(&arena, text, BT_XML_STRICT);
    const struct bt_xml_result message = judge(&arena, text, BT_XML_LENIENT_MESSAGE);
    const struct bt_xml_result result = judge(&arena, text, BT_XML_LENIENT_RESULT);
    if (strict.document) {
        PROMISE(message.document);
        PROMISE((message.repairs & ~(unsigned)BT_XML_REPAIR_CORE_CHILD) == 0);
        PROMISE(result.document);
        paths_can_be_told(&arena, strict.document->root);
        canonical_form_is_stable(&arena, text, strict.document);
#ifdef BATON_LIBXML2
        libxml2_agrees(&arena, text, strict.document);
#endif
    }
    if (message.document) {
        canonical_form_is_stable(&arena, text, message.document);
    }
    if (result.document) {
        canonical_form_is_stable(&arena, text, result.document);
    }
    bt_arena_free(&arena);
    return 0;
}
