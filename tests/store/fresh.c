/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh.c - make a store for a test, and take it away again.
 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "fresh.h"

#include "base/str.h"
#include "test.h"

#include <ftw.h>

static const struct bt_store_options patient = {.deadline_ms = 20000};

static void put_url(const struct fresh *fresh, char *out, size_t size)
{
    static size_t schemas;
    const char *server = getenv("BATON_TEST_POSTGRES");
    const int length = server ? snprintf(out, size, "%s&schema=fresh_%zu", server, schemas++)
                              : snprintf(out, size, "%s/store.db", fresh->folder);
    assert_true(length > 0 && (size_t)length < size);
}

void fresh_open(struct fresh *fresh)
{
    const char *place = test_place();
    char url[400];
    *fresh = (struct fresh){.store = NULL};
    (void)snprintf(fresh->folder, sizeof(fresh->folder), "%s/baton-XXXXXX", place);
    assert_non_null(mkdtemp(fresh->folder));
    put_url(fresh, url, sizeof(url));
    bt_arena_init(&fresh->arena, 1 << 16);
    assert_int_equal(
        bt_store_get_location(&fresh->arena, bt_str_of(url), &fresh->place, &fresh->error), BT_OK);
    assert_int_equal(bt_store_create(&fresh->place, &patient, &fresh->store, &fresh->error), BT_OK);
    assert_int_equal(bt_store_commit(fresh->store, &fresh->error), BT_OK);
    bt_store_close(fresh->store);
    fresh->store = fresh_other(fresh);
}

struct bt_store *fresh_other(struct fresh *fresh)
{
    struct bt_store *store = NULL;
    assert_int_equal(bt_store_open(&fresh->place, &patient, &store, &fresh->error), BT_OK);
    return store;
}

static int delete_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void fresh_close(struct fresh *fresh)
{
    bt_store_close(fresh->store);
    bt_arena_free(&fresh->arena);
    (void)nftw(fresh->folder, delete_one, 8, FTW_DEPTH | FTW_PHYS);
}

size_t fresh_number(const char *name, size_t usual)
{
    const char *text = getenv(name);
    uint64_t number = usual;
    if (text) {
        assert_int_equal(bt_str_to_u64(bt_str_of(text), &number), BT_OK);
    }
    return (size_t)number;
}
