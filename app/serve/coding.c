/* SPDX-License-Identifier: Apache-2.0 */
/* coding.c - which content coding a caller gets, and compression with zstd. */
#include "serve/coding.h"

#include <zstd.h>

#include "base/ascii.h"
#include "base/buf.h"

enum { COMPRESS_BYTES_MIN = 1024, COMPRESS_LEVEL = 3 };

static const char *const names[CODING__MAX] = {[CODING_IDENTITY] = "identity",
                                               [CODING_BR] = "br",
                                               [CODING_ZSTD] = "zstd",
                                               [CODING_GZIP] = "gzip"};

/* The weight of a coding in one list of Accept-Encoding, in thousandths; 0: it is not named. `*`
 * allows other codings, but asks for none. */
static unsigned get_weight(bt_str list, bt_str name)
{
    for (size_t from = 0; from < list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        const bt_str item = bt_str_slice(list, from, end);
        const size_t mark = bt_str_find_byte(item, ';', 0);
        if (bt_ascii_equal_nocase(bt_ascii_trim(bt_str_slice(item, 0, mark), bt_ascii_is_blank),
                                  name)) {
            return serve_weight_of(bt_str_slice(item, mark + 1, item.len));
        }
        from = end + 1;
    }
    return 0;
}

enum serve_coding serve_coding_choose(const struct http_request *request, unsigned offered)
{
    enum serve_coding best = CODING_IDENTITY;
    unsigned best_weight = 0;
    for (enum serve_coding coding = CODING_BR; coding < CODING__MAX; coding++) {
        for (size_t i = 0; i < request->field_count && (offered & 1u << coding); i++) {
            const bool is_list = bt_str_eq(request->fields[i].name, BT_STR("accept-encoding"));
            const unsigned weight =
                is_list ? get_weight(request->fields[i].value, bt_str_of(names[coding])) : 0;
            if (weight > best_weight) {
                best = coding;
                best_weight = weight;
            }
        }
    }
    return best;
}

void serve_coding_add_header(struct serve_call *x, enum serve_coding coding)
{
    if (coding != CODING_IDENTITY) {
        serve_call_add_header(x, "Content-Encoding", bt_str_of(names[coding]));
    }
}

enum bt_status serve_call_compress(struct serve_call *x)
{
    struct bt_buf *body = &x->answer->body;
    struct bt_buf packed;
    if (body->len <= COMPRESS_BYTES_MIN || x->answer->status != BT_HTTP_OK) {
        return BT_OK;
    }
    serve_call_add_header(x, "Vary", BT_STR("Accept-Encoding"));
    if (serve_coding_choose(x->request, 1u << CODING_ZSTD) != CODING_ZSTD) {
        return BT_OK;
    }
    bt_buf_init(&packed, body->max);
    const size_t room = ZSTD_compressBound(body->len);
    char *out = bt_buf_reserve(&packed, room);
    const size_t size = out ? ZSTD_compress(out, room, body->ptr, body->len, COMPRESS_LEVEL) : 0;
    if (out && !ZSTD_isError(size) && size < body->len) {
        bt_buf_clear(body);
        bt_buf_put(body, (bt_str){out, size});
        serve_coding_add_header(x, CODING_ZSTD);
    }
    bt_buf_free(&packed);
    return body->status;
}

enum bt_status serve_call_unpack(struct serve_call *x, bt_str packed, size_t size)
{
    struct bt_buf *body = &x->answer->body;
    char *out = bt_buf_reserve(body, size);
    if (!out) {
        return body->status;
    }
    if (ZSTD_decompress(out, size, packed.ptr, packed.len) != size) {
        return BT_EINTERNAL;
    }
    body->len += size;
    return BT_OK;
}
