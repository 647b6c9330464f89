/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_idna.h - labels of domain names in Unicode: IDNA 2008 (RFC 5890 to 5893).
 *
 *     text -> format_host.c: labels -> format_label.c: may it be? -> format_punycode.c: A-label
 *                                       format_nfc.c, format_idna.c: what Unicode says
 */
#ifndef BATON_SRC_SCHEMA_FORMAT_IDNA_H
#define BATON_SRC_SCHEMA_FORMAT_IDNA_H

#include <baton/base.h>

enum {
    BT_LABEL_BYTES_MAX = 63, /* of an A-label or an ASCII label */
    /*
     * A label in normal form has at most 59 characters, as many as fit behind xn--, and each is
     * composed of at most four. So anything that does not fit here is not a label either.
     */
    BT_LABEL_POINTS_MAX = 4 * 59,
};

/* The derived property of RFC 5892. What is unassigned is like what is disallowed. */
enum bt_idna_class { BT_IDNA_NONE, BT_IDNA_VALID, BT_IDNA_JOINER, BT_IDNA_CONTEXT };

enum bt_bidi {
    BT_BIDI_OTHER,
    BT_BIDI_L,
    BT_BIDI_R,
    BT_BIDI_AL,
    BT_BIDI_AN,
    BT_BIDI_EN,
    BT_BIDI_ES,
    BT_BIDI_CS,
    BT_BIDI_ET,
    BT_BIDI_ON,
    BT_BIDI_BN,
    BT_BIDI_NSM,
};

enum bt_joining {
    BT_JOINING_NONE,
    BT_JOINING_LEFT,
    BT_JOINING_RIGHT,
    BT_JOINING_DUAL,
    BT_JOINING_TRANSPARENT,
};

/* The scripts that some rule asks for; Hiragana, Katakana and Han are asked for together. */
enum bt_script { BT_SCRIPT_OTHER, BT_SCRIPT_GREEK, BT_SCRIPT_HEBREW, BT_SCRIPT_JAPANESE };

/* What the rules ask of a character. The rest is known only when `class` is set. */
struct bt_idna {
    uint8_t class;     /* enum bt_idna_class */
    uint8_t bidi;      /* enum bt_bidi */
    uint8_t joining;   /* enum bt_joining */
    uint8_t script;    /* enum bt_script */
    bool is_mark;      /* a combining mark */
    uint8_t combining; /* its canonical combining class; 9 is a virama */
};

struct bt_idna bt_idna_of(uint32_t point);
/* The character that two others compose, or 0. */
uint32_t bt_idna_compose(uint32_t first, uint32_t second);
/* Whether `whole` is composed, and of what; only the first part may be composed again. */
bool bt_idna_decompose(uint32_t whole, uint32_t *out_first, uint32_t *out_second);

struct bt_schema_label {
    uint32_t points[BT_LABEL_POINTS_MAX];
    size_t count;
};

/*
 * Write NFC of `label`, whose characters must all have a class. False when it has no room for it.
 */
bool bt_schema_label_normalise(const struct bt_schema_label *label, struct bt_schema_label *out);

bool bt_schema_label_is_ascii(const struct bt_schema_label *label);
/* Whether every character has a class. */
bool bt_schema_label_is_classed(const struct bt_schema_label *label);
/* Whether the label, in NFC, is a U-label but for the Bidi rule and its length. */
bool bt_schema_label_is_valid(const struct bt_schema_label *label);
/* Whether the label is written from right to left, be it in part (RFC 5893 section 1.4). */
bool bt_schema_label_is_rtl(const struct bt_schema_label *label);
/* The Bidi rule, which every label must meet when one of its name is right to left. */
bool bt_schema_label_meets_bidi(const struct bt_schema_label *label);

/* Punycode (RFC 3492). `text` is in lower case and without its prefix xn--. */
bool bt_punycode_decode(bt_str text, struct bt_schema_label *out);
/* Write the A-label without its prefix. False when that is more than `max` bytes. */
bool bt_punycode_encode(const struct bt_schema_label *label, char *out, size_t max,
                        size_t *out_size);

#endif
