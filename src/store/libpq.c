/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpq.c - load PostgreSQL's library.
 */
#include "store/libpq.h"

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

static const char file_name[] = "libpq.so.5";

#define ROW(member, function, result, ...) {#function, offsetof(struct bt_libpq, member)},

static const struct {
    const char *name;
    size_t offset; /* of the pointer in struct bt_libpq */
} functions[] = {BT_LIBPQ_EACH(ROW)};

#undef ROW

enum bt_status bt_libpq_load(struct bt_libpq *out, struct bt_error *error)
{
    assert(out);
    struct bt_libpq pq = {0};
    /* Some of its dependencies cannot be unloaded safely. */
    pq.library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!pq.library) {
        return bt_error_set(error, BT_ENOENT,
                            "PostgreSQL's library %s cannot be loaded; install it (Debian: libpq5)",
                            file_name);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *symbol = dlsym(pq.library, functions[i].name);
        if (!symbol) {
            (void)dlclose(pq.library);
            return bt_error_set(error, BT_ENOENT,
                                "PostgreSQL's library %s is too old: it has no %s", file_name,
                                functions[i].name);
        }
        /* POSIX allows an object pointer to hold a function's address; C has no cast for it. */
        memcpy((char *)&pq + functions[i].offset, &symbol, sizeof(symbol));
    }
    *out = pq;
    return BT_OK;
}

void bt_libpq_unload(struct bt_libpq *pq)
{
    assert(pq);
    if (pq->library) {
        (void)dlclose(pq->library);
    }
    *pq = (struct bt_libpq){0};
}
