/* SPDX-License-Identifier: Apache-2.0 */
/* certificate.c - the digest of a certificate's public key. */
#include "serve/credentials.h"

#include <limits.h>

#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/error.h"

static enum bt_status digest_key(X509 *certificate, uint8_t out[BT_SHA256_BYTES])
{
    unsigned char *bytes = NULL;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes);
    if (size <= 0) {
        return BT_EINVAL;
    }
    const enum bt_status status = bt_sha256((bt_str){(const char *)bytes, (size_t)size}, out);
    OPENSSL_free(bytes);
    return status;
}

enum bt_status serve_certificate_digest(bt_str pem, uint8_t out[BT_SHA256_BYTES],
                                        struct bt_error *error)
{
    BIO *source = pem.len <= INT_MAX ? BIO_new_mem_buf(pem.ptr, (int)pem.len) : NULL;
    X509 *certificate = source ? PEM_read_bio_X509(source, NULL, NULL, NULL) : NULL;
    const enum bt_status status = certificate ? digest_key(certificate, out) : BT_EINVAL;
    X509_free(certificate);
    BIO_free(source);
    return status == BT_OK ? BT_OK : bt_error_set(error, status, "it is not a PEM certificate");
}
