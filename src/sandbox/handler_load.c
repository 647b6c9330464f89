/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_load.c - a shared object -> the functions of a handler. Runs inside the sandbox.
 */
#define _GNU_SOURCE
#include <baton/handler.h>

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "base/dir.h"
#include "base/error.h"

/* ISO C has no way from an object pointer to a function pointer; POSIX has, by its bytes. */
static void find_symbol(void *object, const char *name, void *out)
{
    void *found = dlsym(object, name);
    memcpy(out, &found, sizeof(found));
}

enum bt_status bt_handler_load(bt_str path, struct bt_handler *out, struct bt_error *error)
{
    char text[PATH_MAX];
    struct bt_handler handler = {0};
    BT_TRY(bt_path_to_cstr(path, text, error));
    if (!strchr(text, '/')) {
        return bt_error_set(error, BT_ENOENT, "write ./%s: the file is not searched for", text);
    }
    void *object = dlopen(text, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        return bt_error_set(error, BT_ENOENT, "%s", dlerror());
    }
    find_symbol(object, "baton_handler_init", &handler.init);
    find_symbol(object, "baton_handler_call", &handler.call);
    find_symbol(object, "baton_handler_cancel", &handler.cancel);
    if (!handler.init || !handler.call) {
        return bt_error_set(error, BT_EINVAL, "%s has no %s", text,
                            handler.init ? "baton_handler_call" : "baton_handler_init");
    }
    *out = handler;
    return BT_OK;
}
