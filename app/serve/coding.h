/* SPDX-License-Identifier: Apache-2.0 */
/* coding.h - content codings (RFC 9110 section 8.4.1): which one a caller gets. */
#ifndef BATON_APP_SERVE_CODING_H
#define BATON_APP_SERVE_CODING_H

#include "serve/call.h"

/* In the order of preference where a caller likes several equally well, except the first. */
enum serve_coding { CODING_IDENTITY, CODING_BR, CODING_ZSTD, CODING_GZIP, CODING__MAX };

/* The coding of `offered`, a set of bits 1 << coding, that Accept-Encoding likes best; identity
 * when it names none of them. */
enum serve_coding serve_coding_choose(const struct http_request *request, unsigned offered);
/* Add Content-Encoding, unless it is identity. */
void serve_coding_add_header(struct serve_call *x, enum serve_coding coding);
/*
 * Compress a complete body of more than 1 KB with zstd for a caller that takes it; call it before
 * serve_call_set_etag(). Only for answers that hold nothing but words of this program and numbers:
 * where text of an agent is compressed together with text of another one, the length of the result
 * tells an observer what they have in common (BREACH).
 */
BT_MUST_USE enum bt_status serve_call_compress(struct serve_call *x);
/* Put the `size` bytes that `packed`, a frame of zstd, has into the body of the answer. */
BT_MUST_USE enum bt_status serve_call_unpack(struct serve_call *x, bt_str packed, size_t size);

#endif
