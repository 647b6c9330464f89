/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle.c - libxml2, asked without network, entities or noise.
 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include <libxml/c14n.h>
#include <libxml/parser.h>

static void quiet(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

static bool is_blank(const xmlNode *node)
{
    return xmlIsBlankNode(node) == 1;
}

static bool is_text(const xmlNode *node)
{
    return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

/* Leave out blank text beside elements. */
static void strip(xmlNode *element)
{
    bool has_elements = false;
    bool has_text = false;
    for (const xmlNode *node = element->children; node; node = node->next) {
        has_elements = has_elements || node->type == XML_ELEMENT_NODE;
        has_text = has_text || (is_text(node) && !is_blank(node));
    }
    xmlNode *next = NULL;
    for (xmlNode *node = element->children; node; node = next) {
        next = node->next;
        if (has_elements && !has_text && is_text(node)) {
            xmlUnlinkNode(node);
            xmlFreeNode(node);
        }
    }
}

/* libxml2 does not escape the names of namespaces; then its bytes cannot be compared. */
static bool has_odd_space(const xmlNode *element)
{
    for (const xmlNs *space = element->nsDef; space; space = space->next) {
        if (space->href && strpbrk((const char *)space->href, "&<>\"\t\n\r")) {
            return true;
        }
    }
    return false;
}

static xmlNode *after(xmlNode *node)
{
    if (node->children) {
        return node->children;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

bool oracle_read(bt_str text, char **out_canonical, size_t *out_length)
{
    xmlSetGenericErrorFunc(NULL, quiet);
    *out_canonical = NULL;
    xmlDoc *document = xmlReadMemory(text.ptr, (int)text.len, NULL, NULL,
                                     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!document) {
        return false;
    }
    bool is_odd = false;
    for (xmlNode *node = xmlDocGetRootElement(document); node && node->type != XML_DOCUMENT_NODE;
         node = after(node)) {
        if (node->type == XML_ELEMENT_NODE) {
            strip(node);
            is_odd = is_odd || has_odd_space(node);
        }
    }
    xmlChar *bytes = NULL;
    const int length =
        xmlC14NDocDumpMemory(document, NULL, XML_C14N_EXCLUSIVE_1_0, NULL, 0, &bytes);
    if (length >= 0 && !is_odd) {
        *out_canonical = malloc((size_t)length + 1);
        if (*out_canonical) {
            memcpy(*out_canonical, bytes, (size_t)length);
            *out_length = (size_t)length;
        }
    }
    xmlFree(bytes);
    xmlFreeDoc(document);
    return true;
}
