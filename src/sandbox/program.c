/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - follows a program to its loader or interpreter, as the kernel will.
 */
#define _GNU_SOURCE
#include "sandbox/program.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

enum { SEGMENTS_MAX = 64, LINE_BYTES_MAX = 256 };

static bool is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

char *bt_host_program_word(struct bt_arena *arena, bt_str word)
{
    char *copy = word.len < SIZE_MAX ? bt_arena_calloc(arena, word.len + 1, 1) : NULL;
    if (copy && word.len > 0) {
        memcpy(copy, word.ptr, word.len);
    }
    return copy;
}

enum bt_status bt_host_program_find(struct bt_arena *arena, bt_str search_path, bt_str name,
                                    const char **out_path)
{
    for (size_t from = 0; from <= search_path.len;) {
        const size_t to = bt_str_find_byte(search_path, ':', from);
        const bt_str folder = bt_str_slice(search_path, from, to);
        from = to + 1;
        if (folder.len == 0 || folder.ptr[0] != '/' || folder.len + name.len > PATH_MAX - 2) {
            continue; /* a relative folder would depend on the working directory of the pump */
        }
        bt_str path;
        BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(name)));
        if (is_program(path.ptr)) {
            *out_path = path.ptr;
            return BT_OK;
        }
    }
    return BT_ENOENT;
}

/* The loader that an ELF file of this machine's size names, or "". */
static bt_str loader_of(int fd, const Elf64_Ehdr *head, char out[PATH_MAX])
{
    const bool is_ours = memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                         head->e_ident[EI_CLASS] == ELFCLASS64 &&
                         head->e_phentsize == sizeof(Elf64_Phdr);
    const size_t count = !is_ours ? 0 : head->e_phnum < SEGMENTS_MAX ? head->e_phnum : SEGMENTS_MAX;
    for (size_t i = 0; i < count; i++) {
        Elf64_Phdr segment;
        const off_t at = (off_t)(head->e_phoff + i * sizeof(segment));
        if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment)) {
            break;
        }
        if (segment.p_type != PT_INTERP || segment.p_filesz < 2 || segment.p_filesz >= PATH_MAX) {
            continue;
        }
        const size_t size = (size_t)segment.p_filesz;
        if (pread(fd, out, size, (off_t)segment.p_offset) == (ssize_t)size &&
            out[size - 1] == '\0') {
            return bt_str_of(out);
        }
    }
    return (bt_str){"", 0};
}

static bt_str next_word(bt_str line, size_t *at)
{
    while (*at < line.len && (line.ptr[*at] == ' ' || line.ptr[*at] == '\t')) {
        (*at)++;
    }
    const size_t from = *at;
    while (*at < line.len && line.ptr[*at] != ' ' && line.ptr[*at] != '\t') {
        (*at)++;
    }
    return bt_str_slice(line, from, *at);
}

static enum bt_status add_part(struct bt_arena *arena, bt_str path, struct bt_host_program *program)
{
    bt_str kept;
    if (program->count == BT_PROGRAM_PARTS_MAX) {
        return BT_ELIMIT;
    }
    BT_TRY(bt_arena_copy(arena, path, &kept));
    program->parts[program->count++] = kept.ptr;
    return BT_OK;
}

/* The interpreter that a script names and, for env, the program that env will look for. */
static enum bt_status add_interpreter(struct bt_arena *arena, bt_str search_path, bt_str text,
                                      struct bt_host_program *program)
{
    const bt_str line = bt_str_slice(text, 2, bt_str_find_byte(text, '\n', 2));
    size_t at = 0;
    const bt_str interpreter = next_word(line, &at);
    if (interpreter.len == 0 || interpreter.ptr[0] != '/') {
        return BT_OK;
    }
    BT_TRY(add_part(arena, interpreter, program));
    if (!bt_str_ends_with(interpreter, BT_STR("/env"))) {
        return BT_OK;
    }
    const char *found = NULL;
    const enum bt_status status =
        bt_host_program_find(arena, search_path, next_word(line, &at), &found);
    return status == BT_OK       ? add_part(arena, bt_str_of(found), program)
           : status == BT_ENOENT ? BT_OK
                                 : status;
}

/* Add the loader or interpreter of one part. */
static enum bt_status add_needed_parts(struct bt_arena *arena, bt_str search_path, const char *path,
                                       struct bt_host_program *program)
{
    union {
        Elf64_Ehdr head;
        char text[LINE_BYTES_MAX];
    } first = {.text = {0}};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return BT_OK;
    }
    char loader[PATH_MAX];
    const ssize_t size = read(fd, first.text, sizeof(first.text));
    enum bt_status status = BT_OK;
    if (size > 2 && first.text[0] == '#' && first.text[1] == '!') {
        status = add_interpreter(arena, search_path, (bt_str){first.text, (size_t)size}, program);
    } else if (size >= (ssize_t)sizeof(first.head)) {
        const bt_str named = loader_of(fd, &first.head, loader);
        status = named.len > 0 ? add_part(arena, named, program) : BT_OK;
    }
    (void)close(fd);
    return status;
}

enum bt_status bt_host_program_read(struct bt_arena *arena, bt_str search_path, const char *path,
                                    struct bt_host_program *out)
{
    struct bt_host_program program = {.count = 0};
    BT_TRY(add_part(arena, bt_str_of(path), &program));
    for (size_t i = 0; i < program.count; i++) { /* grows while it is walked, up to its maximum */
        BT_TRY(add_needed_parts(arena, search_path, program.parts[i], &program));
    }
    *out = program;
    return BT_OK;
}
