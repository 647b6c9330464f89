/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_sign.c - for LD_PRELOAD: a libcrypto that signs nothing while there is a file `no-signature`
 * in the working folder, and has no memory to try it in while there is one `no-memory`.
 */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

typedef int sign_fn(EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
typedef EVP_MD_CTX *context_fn(void);

int EVP_DigestSign(EVP_MD_CTX *context, unsigned char *signature, size_t *size,
                   const unsigned char *text, size_t text_size)
{
    void *symbol = dlsym(RTLD_NEXT, "EVP_DigestSign");
    sign_fn *real = NULL;
    memcpy(&real, &symbol, sizeof(symbol)); /* C has no cast for it */
    return access("no-signature", F_OK) == 0 ? 0 : real(context, signature, size, text, text_size);
}

EVP_MD_CTX *EVP_MD_CTX_new(void)
{
    void *symbol = dlsym(RTLD_NEXT, "EVP_MD_CTX_new");
    context_fn *real = NULL;
    memcpy(&real, &symbol, sizeof(symbol));
    return access("no-memory", F_OK) == 0 ? NULL : real();
}
