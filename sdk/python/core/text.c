/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - bytes that grow, and JSON strings in them.
 */
#include "core.h"

#include <stdint.h>
#include <string.h>

enum {
    TEXT_BYTES_MIN = 1024,
    SURROGATE_LEAD = 0xED, /* the first byte of U+D000 to U+DFFF in UTF-8 */
};

void core_text_init(struct core_text *text, size_t max)
{
    *text = (struct core_text){.max = max};
}

void core_text_free(struct core_text *text)
{
    PyMem_Free(text->bytes);
    *text = (struct core_text){0};
}

/* Make room for `more` bytes. False: there is no memory, and the failure is noted. */
static bool reserve_bytes(struct core_text *text, size_t more)
{
    if (more <= text->size - text->len) {
        return true;
    }
    size_t size = text->size < TEXT_BYTES_MIN ? TEXT_BYTES_MIN : text->size;
    while (size < text->len + more) {
        size = size > SIZE_MAX / 2 ? text->len + more : size * 2;
    }
    char *bytes = PyMem_Realloc(text->bytes, size);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->size = size;
    return true;
}

void core_text_put(struct core_text *text, const char *bytes, size_t len)
{
    const size_t left = text->max - text->len;
    const size_t fits = len < left ? len : left;
    if (len == 0 || text->failed || !reserve_bytes(text, fits)) {
        return;
    }
    memcpy(text->bytes + text->len, bytes, fits);
    text->len += fits;
    if (fits < len) {
        text->failed = true;
        text->is_full = true;
    }
}

void core_text_put_literal(struct core_text *text, const char *literal)
{
    core_text_put(text, literal, strlen(literal));
}

static const char HEX[] = "0123456789abcdef";

static void put_escape(struct core_text *text, unsigned code_unit)
{
    const char escape[6] = {'\\',
                            'u',
                            HEX[code_unit >> 12 & 15],
                            HEX[code_unit >> 8 & 15],
                            HEX[code_unit >> 4 & 15],
                            HEX[code_unit & 15]};
    core_text_put(text, escape, sizeof(escape));
}

static void put_special(struct core_text *text, unsigned char byte)
{
    static const char short_escapes[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  ['\f'] = 'f',
        ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\',
    };
    const char letter = byte < sizeof(short_escapes) ? short_escapes[byte] : 0;
    if (letter) {
        const char escape[2] = {'\\', letter};
        core_text_put(text, escape, sizeof(escape));
    } else {
        put_escape(text, byte);
    }
}

void core_text_put_string(struct core_text *text, const char *bytes, size_t len)
{
    size_t plain = 0; /* where the bytes begin that need no escape */
    core_text_put(text, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        if (byte >= ' ' && byte != '"' && byte != '\\' && byte != SURROGATE_LEAD) {
            continue;
        }
        if (byte != SURROGATE_LEAD) {
            core_text_put(text, bytes + plain, i - plain);
            put_special(text, byte);
            plain = i + 1;
        } else if (i + 2 < len && (unsigned char)bytes[i + 1] >= 0xA0) {
            core_text_put(text, bytes + plain, i - plain);
            put_escape(text, 0xD000U | ((unsigned char)bytes[i + 1] & 0x3FU) << 6 |
                                 ((unsigned char)bytes[i + 2] & 0x3FU));
            i += 2;
            plain = i + 1;
        }
    }
    core_text_put(text, bytes + plain, len - plain);
    core_text_put(text, "\"", 1);
}

int core_str_encode(PyObject *str, bt_str *out, PyObject **out_owner)
{
    char *bytes = NULL;
    Py_ssize_t len = 0;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        return -1;
    }
    PyErr_Clear();
    *out_owner = PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass");
    if (!*out_owner || PyBytes_AsStringAndSize(*out_owner, &bytes, &len) < 0) {
        Py_CLEAR(*out_owner);
        return -1;
    }
    *out = (bt_str){bytes, (size_t)len};
    return 0;
}

int core_str_bytes(PyObject *str, bt_str *out, PyObject **out_owner)
{
    Py_ssize_t len = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(str, &len);
    *out_owner = NULL;
    *out = (bt_str){bytes, (size_t)len};
    return bytes ? 0 : core_str_encode(str, out, out_owner);
}

int core_bytes_borrow(PyObject *buffer, bt_str *out, PyObject **out_owner)
{
    char *bytes = NULL;
    Py_ssize_t len = 0;
    PyObject *owner = PyBytes_CheckExact(buffer) ? Py_NewRef(buffer) : PyBytes_FromObject(buffer);
    if (!owner || PyBytes_AsStringAndSize(owner, &bytes, &len) < 0) {
        Py_XDECREF(owner);
        return -1;
    }
    *out = (bt_str){bytes, (size_t)len};
    *out_owner = owner;
    return 0;
}

int core_text_put_str(struct core_text *text, PyObject *str)
{
    PyObject *owner = NULL;
    bt_str bytes;
    if (core_str_bytes(str, &bytes, &owner) < 0) {
        return -1;
    }
    core_text_put_string(text, bytes.ptr, bytes.len);
    Py_XDECREF(owner);
    return 0;
}

void core_text_put_base64(struct core_text *text, const char *bytes, size_t len)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    core_text_put(text, "\"", 1);
    for (size_t i = 0; i < len; i += 3) {
        const size_t left = len - i;
        const unsigned group = (unsigned)(unsigned char)bytes[i] << 16 |
                               (left > 1 ? (unsigned)(unsigned char)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned char)bytes[i + 2] : 0);
        const char quad[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              (char)(left > 1 ? letters[group >> 6 & 63] : '='),
                              (char)(left > 2 ? letters[group & 63] : '=')};
        core_text_put(text, quad, sizeof(quad));
    }
    core_text_put(text, "\"", 1);
}
