/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sized.h - structs whose first member is `uint32_t size`, by which programs and libraries of
 * different releases understand each other: members are only ever appended, and zero is the default
 * of every member.
 */
#ifndef BATON_SRC_BASE_SIZED_H
#define BATON_SRC_BASE_SIZED_H

#include <string.h>

#include <baton/base.h>

enum { BT_SIZED_BYTES_MAX = 4096 }; /* a `size` above it is not a size */

/* The layouts of a sized struct that count. */
struct bt_sized_layout {
    size_t first; /* bytes in the release that had it first, which a `size` of 0 means */
    size_t known; /* bytes in this release */
};

/* A struct that has not grown since it first appeared. When a member is appended, `first` becomes
 * the offset of that member. */
#define BT_SIZED_FIRST(type) ((struct bt_sized_layout){sizeof(type), sizeof(type)})

/* The bytes that a caller's struct has. */
static inline size_t bt_sized_size(const void *given, struct bt_sized_layout layout)
{
    uint32_t size;
    memcpy(&size, given, sizeof(size));
    return size == 0 ? layout.first : size;
}

enum bt_status bt_sized_read_other(const void *given, struct bt_sized_layout layout, void *out);
enum bt_status bt_sized_check_other(const void *out, struct bt_sized_layout layout);

/*
 * Copy what a caller gave into the layout of this release, of layout.known bytes, with zeroes for
 * members that the caller does not know, and with the size of this release; `given` NULL: all zero.
 * BT_EINVAL: its size is below the first layout, or it has a member that this release does not
 * know. *out is then unchanged. A layout that is a constant makes the copy of a struct of this
 * release a few moves.
 */
BT_MUST_USE static inline enum bt_status bt_sized_read(const void *given,
                                                       struct bt_sized_layout layout, void *out)
{
#if defined(BT_PROFILE_CORE) /* small before fast */
    return bt_sized_read_other(given, layout, out);
#else
    if (!given || bt_sized_size(given, layout) != layout.known) {
        return bt_sized_read_other(given, layout, out);
    }
    const uint32_t known = (uint32_t)layout.known;
    memcpy(out, given, layout.known);
    memcpy(out, &known, sizeof(known));
    return BT_OK;
#endif
}

/* Whether a caller's struct can be filled in. BT_EINVAL: as for bt_sized_read(). */
BT_MUST_USE static inline enum bt_status bt_sized_check(const void *out,
                                                        struct bt_sized_layout layout)
{
    return bt_sized_size(out, layout) == layout.known ? BT_OK : bt_sized_check_other(out, layout);
}

/* Fill in a caller's struct, which bt_sized_check() allows: as much as it has room for. Its size
 * stays as it is. */
static inline void bt_sized_write(void *out, struct bt_sized_layout layout, const void *filled)
{
    const size_t size = bt_sized_size(out, layout);
    const size_t head = sizeof(uint32_t);
    char *to = (char *)out + head;
    const char *from = (const char *)filled + head;
    if (size >= layout.known) {
        memcpy(to, from, layout.known - head);
    } else {
        memcpy(to, from, size - head);
    }
}

#endif
