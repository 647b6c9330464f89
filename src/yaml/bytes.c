/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.c - what is read without the library: the text as bytes, and single-quoted scalars.
 */
#include "yaml/bytes.h"

/* In a row; inside a scalar the library takes quadratic time for them. */
enum { BLANK_LINES_MAX = 256 };

/*
 * No control characters, and no desert of blank lines. A carriage return must belong to the end of
 * a line: alone it makes lines that hardly any editor shows, and the library loses bytes over it.
 */
static void check_characters(struct bt_yaml_build *build, bt_str source)
{
    size_t breaks = 0;
    for (size_t i = 0; i < source.len; i++) {
        const char byte = source.ptr[i];
        if ((unsigned char)byte < ' ' && !bt_yaml_is_blank(byte)) {
            bt_yaml_build_set_error(build, BT_YAML_SYNTAX, i,
                                    BT_STR("there is a control character"));
            return;
        }
        if (byte == '\r' && (i + 1 == source.len || source.ptr[i + 1] != '\n')) {
            bt_yaml_build_set_error(build, BT_YAML_SYNTAX, i,
                                    BT_STR("there is a carriage return without a line feed"));
            return;
        }
        breaks = bt_yaml_is_blank(byte) ? breaks + (byte == '\n') : 0;
        if (breaks > BLANK_LINES_MAX + 1) {
            bt_yaml_build_set_limit_error(build, "blank_lines", BLANK_LINES_MAX, i);
            return;
        }
    }
}

void bt_yaml_check_bytes(struct bt_yaml_build *build, bt_str source)
{
    const size_t bad = source.len <= build->options.bytes_max ? bt_utf8_check(source) : 0;
    if (source.len > build->options.bytes_max) {
        bt_yaml_build_set_limit_error(build, "bytes", build->options.bytes_max,
                                      (size_t)build->options.bytes_max);
    } else if (bad < source.len) {
        bt_yaml_build_set_error(build, BT_YAML_SYNTAX, bad, BT_STR("the text is not UTF-8"));
    } else if (bt_str_starts_with(source, BT_STR("\xef\xbb\xbf"))) {
        bt_yaml_build_set_error(build, BT_YAML_SYNTAX, 0, BT_STR("there is a byte order mark"));
    } else {
        check_characters(build, source);
    }
}

void bt_yaml_put_single_quoted(struct bt_buf *buf, bt_str raw)
{
    for (size_t i = 0; i < raw.len;) {
        size_t breaks = 0;
        size_t end = i;
        for (; end < raw.len && bt_yaml_is_blank(raw.ptr[end]); end++) {
            breaks += raw.ptr[end] == '\n';
        }
        if (breaks == 1) {
            bt_buf_put_char(buf, ' ');
        } else if (breaks > 1) {
            bt_buf_put_repeat(buf, '\n', breaks - 1);
        } else {
            bt_buf_put(buf, bt_str_slice(raw, i, end));
        }
        if (end < raw.len) {
            bt_buf_put_char(buf, raw.ptr[end]);
            end += raw.ptr[end] == '\'' ? 2 : 1;
        }
        i = end;
    }
}
