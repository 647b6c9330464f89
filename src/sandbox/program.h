/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - a program on disk: its path, and the interpreters that the kernel runs to start it.
 */
#ifndef BATON_SRC_SANDBOX_PROGRAM_H
#define BATON_SRC_SANDBOX_PROGRAM_H

#include <baton/base.h>

enum { BT_PROGRAM_PARTS_MAX = 8 };

/* A program and its helpers: loader, interpreter of a script, the interpreter's loader. */
struct bt_host_program {
    const char *parts[BT_PROGRAM_PARTS_MAX]; /* absolute; the first is the program itself */
    size_t count;
};

/* A copy of a word that ends in a NUL byte, for functions that need it writable, such as
 * execve(). NULL: no memory. */
BT_MUST_USE char *bt_host_program_word(struct bt_arena *arena, bt_str word);

/* The first executable regular file called `name` in the folders of a PATH. BT_ENOENT: none. */
BT_MUST_USE enum bt_status bt_host_program_find(struct bt_arena *arena, bt_str search_path,
                                                bt_str name, const char **out_path);

/*
 * Find out what starting `path` executes, by reading its first bytes: an ELF file names its loader,
 * a script its interpreter ("#!/usr/bin/env NAME" is looked up in search_path). What cannot be read
 * is taken for a program that needs nothing else; the kernel will say so when it is started.
 */
BT_MUST_USE enum bt_status bt_host_program_read(struct bt_arena *arena, bt_str search_path,
                                                const char *path, struct bt_host_program *out);

#endif
