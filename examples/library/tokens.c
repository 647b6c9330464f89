/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.c - a program that uses libbaton: does this text fit into N tokens?
 *
 *     cc tokens.c -o tokens $(pkg-config --cflags --libs baton)
 *     ./tokens N [ENCODING] < TEXT
 *
 * It exits with 0 when the text fits, with 1 when it does not, and with 2 when it cannot tell. The
 * encoding is o200k_base unless another one is named.
 */
#include <stdio.h>
#include <stdlib.h>

#include <baton/baton.h>

enum { TEXT_BYTES_MAX = 16 << 20, FITS = 0, IS_TOO_LONG = 1, UNKNOWN = 2 };

static int count(struct bt_tokens *counter, bt_str text, uint64_t budget)
{
    uint64_t tokens = 0;
    bool fits = false;
    /* The first stops as soon as it is certain; the second counts all of them. */
    if (bt_tokens_fit_budget(counter, text, budget, &fits) != BT_OK ||
        bt_tokens_count(counter, text, &tokens) != BT_OK) {
        fprintf(stderr, "tokens: no memory\n");
        return UNKNOWN;
    }
    printf("%llu of %llu tokens\n", (unsigned long long)tokens, (unsigned long long)budget);
    return fits ? FITS : IS_TOO_LONG;
}

int main(int argc, char **argv)
{
    static char bytes[TEXT_BYTES_MAX];
    struct bt_tokens *counter = NULL;
    enum bt_encoding encoding = BT_ENCODING_O200K_BASE;
    if (argc < 2 || argc > 3 ||
        (argc == 3 && bt_encoding_parse(bt_str_of(argv[2]), &encoding) != BT_OK)) {
        fprintf(stderr, "usage: tokens N [o200k_base|cl100k_base|chars4] < TEXT\n");
        return UNKNOWN;
    }
    const bt_str text = {bytes, fread(bytes, 1, sizeof(bytes), stdin)};
    if (text.len == sizeof(bytes) || bt_utf8_check(text) != text.len ||
        bt_tokens_create(encoding, &counter) != BT_OK) {
        fprintf(stderr, "tokens: the text is too long, or not UTF-8\n");
        return UNKNOWN;
    }
    const int code = count(counter, text, strtoull(argv[1], NULL, 10));
    bt_tokens_destroy(counter);
    return code;
}
