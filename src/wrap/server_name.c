/* SPDX-License-Identifier: Apache-2.0 */
/* server_name.c - package runners, images of containers, and names made from file names. */
#include "wrap/server_name.h"

#include "base/ascii.h"
#include "base/buf.h"

static bool is_name_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '.' || byte == '_' || byte == '-';
}

bool bt_wrap_name_is_valid(bt_str name)
{
    return name.len > 0 && name.len <= BT_WRAP_NAME_BYTES_MAX && bt_ascii_is_alnum(name.ptr[0]) &&
           bt_ascii_all(name, is_name_byte);
}

/* ---- Packages -------------------------------------------------------------------------------- */

static bt_str find_runner_package(struct bt_str_list command)
{
    static const bt_str flags[] = {BT_STR_INIT("--package"), BT_STR_INIT("-p"),
                                   BT_STR_INIT("--from")};
    for (size_t i = 1; i < command.count; i++) {
        const bt_str word = command.items[i];
        for (size_t j = 0; j < BT_COUNT_OF(flags); j++) {
            const bool has_value = word.len > flags[j].len && word.ptr[flags[j].len] == '=';
            if (bt_str_eq(word, flags[j]) && i + 1 < command.count) {
                return command.items[i + 1];
            }
            if (has_value && bt_str_starts_with(word, flags[j])) {
                return bt_str_slice(word, flags[j].len + 1, word.len);
            }
        }
    }
    for (size_t i = 1; i < command.count; i++) {
        if (!bt_str_starts_with(command.items[i], BT_STR("-"))) {
            return command.items[i];
        }
    }
    return BT_STR("");
}

static bool is_image_byte(char byte)
{
    return bt_ascii_is_lower(byte) || bt_ascii_is_digit(byte) || byte == '.' || byte == '_' ||
           byte == '/' || byte == '-';
}

/* [a-z0-9][a-z0-9._/-]*(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})? */
static bool is_image(bt_str word)
{
    enum { DIGEST_DIGITS = 64 };
    const bt_str mark = BT_STR("@sha256:");
    const size_t digest = bt_str_find(word, mark);
    if (digest < word.len) {
        const bt_str digits = bt_str_slice(word, digest + mark.len, word.len);
        if (digits.len != DIGEST_DIGITS || !bt_ascii_all(digits, bt_ascii_is_lower_hex)) {
            return false;
        }
    }
    const bt_str tagged = bt_str_slice(word, 0, digest);
    const size_t colon = bt_str_find_byte(tagged, ':', 0);
    const bt_str path = bt_str_slice(tagged, 0, colon);
    const bt_str tag = bt_str_slice(tagged, colon + (colon < tagged.len), tagged.len);
    return path.len > 0 && (bt_ascii_is_lower(path.ptr[0]) || bt_ascii_is_digit(path.ptr[0])) &&
           bt_ascii_all(path, is_image_byte) && bt_ascii_all(tag, is_name_byte) &&
           (colon == tagged.len || tag.len > 0);
}

static bt_str find_image(struct bt_str_list command)
{
    static const bt_str with_value[] = {
        BT_STR_INIT("-e"),        BT_STR_INIT("--env"),       BT_STR_INIT("-v"),
        BT_STR_INIT("--volume"),  BT_STR_INIT("--mount"),     BT_STR_INIT("-p"),
        BT_STR_INIT("--publish"), BT_STR_INIT("--name"),      BT_STR_INIT("--network"),
        BT_STR_INIT("-w"),        BT_STR_INIT("--workdir"),   BT_STR_INIT("-u"),
        BT_STR_INIT("--user"),    BT_STR_INIT("--entrypoint")};
    const size_t run = bt_str_index_in(BT_STR("run"), command.items, command.count);
    for (size_t i = run + 1; i < command.count; i++) {
        if (is_image(command.items[i]) && !bt_str_is_one_of(command.items[i - 1], with_value)) {
            return command.items[i];
        }
    }
    return BT_STR("");
}

bt_str bt_wrap_package(struct bt_str_list command)
{
    static const bt_str runners[] = {BT_STR_INIT("npx"), BT_STR_INIT("bunx"), BT_STR_INIT("pnpx"),
                                     BT_STR_INIT("uvx")};
    static const bt_str containers[] = {BT_STR_INIT("docker"), BT_STR_INIT("podman")};
    const bt_str program = bt_str_after_last(command.items[0], '/');
    if (bt_str_is_one_of(program, runners)) {
        return find_runner_package(command);
    }
    return bt_str_is_one_of(program, containers) ? find_image(command) : BT_STR("");
}

static bool has_digit_at(bt_str text, size_t at)
{
    return at < text.len && bt_ascii_is_digit(text.ptr[at]);
}

bool bt_wrap_package_is_versioned(bt_str package)
{
    const bt_str after_at = bt_str_after_last(package, '@');
    const bt_str after_colon = bt_str_after_last(package, ':');
    const bool is_scope = after_at.len + 1 >= package.len;
    return bt_str_find(package, BT_STR("@sha256:")) < package.len ||
           (!is_scope && after_at.len < package.len && has_digit_at(after_at, 0)) ||
           has_digit_at(package, bt_str_find(package, BT_STR("==")) + 2) ||
           (after_colon.len < package.len && has_digit_at(after_colon, 0));
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Without its digest, tag or version, and without scope and folders. */
static bt_str strip_package(bt_str package)
{
    const bt_str digest = BT_STR("@sha256:");
    const bt_str pinned = BT_STR("==");
    package = bt_str_slice(package, 0, bt_str_find(package, digest));
    package = bt_str_slice(package, 0, bt_str_find(package, pinned));
    const bt_str last = bt_str_after_last(package, '/');
    /* The @ of a scope is the first character. */
    const size_t version = bt_str_find_byte(last, '@', 1);
    return bt_str_slice(last, 0, bt_str_find_byte(bt_str_slice(last, 0, version), ':', 0));
}

static bt_str strip_path(bt_str path)
{
    const bt_str file = bt_str_after_last(path, '/');
    const bt_str extension = bt_str_after_last(file, '.');
    const bool has_extension = extension.len + 1 < file.len;
    return has_extension ? bt_str_slice(file, 0, file.len - extension.len - 1) : file;
}

enum bt_status bt_wrap_name_clean(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char name[BT_WRAP_NAME_BYTES_MAX];
    size_t size = 0;
    for (size_t i = 0; i < text.len && size < sizeof(name); i++) {
        const char byte = is_name_byte(text.ptr[i]) ? text.ptr[i] : '-';
        if (size > 0 || bt_ascii_is_alnum(byte)) {
            name[size++] = byte;
        }
    }
    return size > 0 ? bt_arena_copy(arena, (bt_str){name, size}, out)
                    : bt_arena_copy(arena, BT_STR("server"), out);
}

enum bt_status bt_wrap_name_make(struct bt_arena *arena, struct bt_str_list command, bt_str program,
                                 bt_str *out)
{
    const bt_str package = strip_package(bt_wrap_package(command));
    const bt_str file = strip_path(program.len > 0 ? program : command.items[0]);
    return bt_wrap_name_clean(arena, package.len > 0 ? package : file, out);
}
