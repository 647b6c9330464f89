/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.c - bytes that grow up to a maximum, with a failure that sticks.
 */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { CAPACITY_MIN = 1024 };

void bt_buf_init(struct bt_buf *buf, size_t max)
{
    assert(buf);
    *buf = (struct bt_buf){.max = max};
}

void bt_buf_free(struct bt_buf *buf)
{
    assert(buf);
    free(buf->ptr);
    *buf = (struct bt_buf){.max = buf->max};
}

struct bt_buf *bt_buf_create(size_t max)
{
    struct bt_buf *buf = bt_handle_create(sizeof(*buf));
    if (buf) {
        bt_buf_init(buf, max);
    }
    return buf;
}

void bt_buf_destroy(struct bt_buf *buf)
{
    if (buf) {
        bt_buf_free(buf);
        bt_handle_destroy(buf);
    }
}

enum bt_status bt_buf_status(const struct bt_buf *buf)
{
    assert(buf);
    return buf->status;
}

void bt_buf_clear(struct bt_buf *buf)
{
    assert(buf);
    buf->len = 0;
    buf->status = BT_OK;
}

static void grow_buffer(struct bt_buf *buf, size_t need)
{
    size_t capacity = buf->capacity < CAPACITY_MIN ? CAPACITY_MIN : buf->capacity;
    while (capacity < need) {
        capacity = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
    }
    capacity = capacity < buf->max ? capacity : buf->max;
    assert(capacity >= need);
    char *bytes = realloc(buf->ptr, capacity);
    if (!bytes) {
        buf->status = BT_ENOMEM;
        return;
    }
    buf->ptr = bytes;
    buf->capacity = capacity;
}

char *bt_buf_reserve(struct bt_buf *buf, size_t size)
{
    assert(buf);
    if (buf->status != BT_OK) {
        return NULL;
    }
    if (size > buf->max - buf->len) {
        buf->status = BT_ELIMIT;
        return NULL;
    }
    if (size > buf->capacity - buf->len || !buf->ptr) {
        grow_buffer(buf, buf->len + size > 0 ? buf->len + size : 1);
    }
    return buf->status == BT_OK ? buf->ptr + buf->len : NULL;
}

/* The usual case of a reservation, where nothing has to grow and nothing has failed. */
static inline char *room_for(struct bt_buf *buf, size_t size)
{
    return buf->status == BT_OK && size <= buf->capacity - buf->len && buf->ptr
               ? buf->ptr + buf->len
               : bt_buf_reserve(buf, size);
}

void bt_buf_put(struct bt_buf *buf, bt_str text)
{
    if (text.len == 0) {
        return;
    }
    char *room = room_for(buf, text.len);
    if (room) {
        memcpy(room, text.ptr, text.len);
        buf->len += text.len;
    }
}

void bt_buf_put_char(struct bt_buf *buf, char byte)
{
    char *room = room_for(buf, 1);
    if (room) {
        *room = byte;
        buf->len++;
    }
}

void bt_buf_put_repeat(struct bt_buf *buf, char byte, size_t count)
{
    char *room = count > 0 ? bt_buf_reserve(buf, count) : NULL;
    if (room) {
        memset(room, byte, count);
        buf->len += count;
    }
}

void bt_buf_put_u64(struct bt_buf *buf, uint64_t number)
{
    char digits[20];
    size_t first = sizeof(digits);
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    bt_buf_put(buf, (bt_str){digits + first, sizeof(digits) - first});
}

void bt_buf_printf(struct bt_buf *buf, const char *format, ...)
{
    /* Into the room that there is; only what is longer is written twice. */
    const size_t left = buf->status == BT_OK && buf->ptr ? buf->capacity - buf->len : 0;
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(left > 0 ? buf->ptr + buf->len : NULL, left, format, arguments);
    va_end(arguments);
    if (size < 0) {
        buf->status = buf->status == BT_OK ? BT_EINVAL : buf->status;
        return;
    }
    if ((size_t)size < left) {
        buf->len += (size_t)size;
        return;
    }
    /* vsnprintf writes a NUL byte too; it needs room but does not count. */
    char *room = bt_buf_reserve(buf, (size_t)size + 1);
    if (!room) {
        return;
    }
    va_start(arguments, format);
    const int written = vsnprintf(room, (size_t)size + 1, format, arguments);
    va_end(arguments);
    assert(written == size);
    buf->len += (size_t)written;
}

bt_str bt_buf_str(const struct bt_buf *buf)
{
    assert(buf);
    return (bt_str){buf->ptr ? buf->ptr : "", buf->len};
}

enum bt_status bt_buf_copy(const struct bt_buf *buf, struct bt_arena *arena, bt_str *out)
{
    assert(buf);
    BT_TRY(buf->status);
    return bt_arena_copy(arena, bt_buf_str(buf), out);
}

enum bt_status bt_buf_finish(struct bt_buf *buf, struct bt_arena *arena, bt_str *out)
{
    const enum bt_status status = bt_buf_copy(buf, arena, out);
    bt_buf_free(buf);
    return status;
}

enum bt_status bt_buf_finish_if(enum bt_status status, struct bt_buf *buf, struct bt_arena *arena,
                                bt_str *out)
{
    status = status == BT_OK ? bt_buf_copy(buf, arena, out) : status;
    bt_buf_free(buf);
    return status;
}
