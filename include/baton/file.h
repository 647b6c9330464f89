/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - files as input and output: bounded reads, reads and writes that cannot leave a root, new
 * files that never overwrite, and replacement that leaves either the old bytes or the new ones.
 *
 * Only regular files are read, so a FIFO, a device or a directory never blocks or surprises. Where
 * a call fails, error->text gives the reason alone; the caller knows the path.
 */
#ifndef BATON_FILE_H
#define BATON_FILE_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Read the regular file at `path` into the arena, at most `max_bytes + 1` bytes: a result longer
 * than max_bytes means that the file is larger, and how large does not matter.
 *
 * BT_ENOENT: no such file. BT_EDENIED: not a regular file, or permission denied.
 * BT_EIO, BT_ENOMEM: as always. `error` (may be NULL) says more.
 */
BT_API BT_MUST_USE enum bt_status bt_file_read(struct bt_arena *arena, bt_str path,
                                               uint64_t max_bytes, bt_str *out,
                                               struct bt_error *error);

/* The same from an open descriptor of any kind, such as standard input. Does not close it. */
BT_API BT_MUST_USE enum bt_status bt_fd_read(struct bt_arena *arena, int fd, uint64_t max_bytes,
                                             bt_str *out, struct bt_error *error);

/* What tells the bytes of a file from others, whatever its size. */
struct bt_file_digest {
    uint8_t sha256[32];
    uint64_t size;
};

/* Digest the regular file at `path`, without a limit. Statuses as for bt_file_read(). */
BT_API BT_MUST_USE enum bt_status bt_file_digest(bt_str path, struct bt_file_digest *out,
                                                 struct bt_error *error);
/* The same from an open descriptor of any kind. Does not close it. */
BT_API BT_MUST_USE enum bt_status bt_fd_digest(int fd, struct bt_file_digest *out,
                                               struct bt_error *error);

/* An open folder beneath which files are read. */
struct bt_dir;

/* Open the folder at `path`. On BT_OK *out is given back with bt_dir_close(). */
BT_API BT_MUST_USE enum bt_status bt_dir_open(bt_str path, struct bt_dir **out,
                                              struct bt_error *error);
/* NULL is allowed. */
BT_API void bt_dir_close(struct bt_dir *root);

/*
 * Read a file beneath the root. `path` is relative; it may not be absolute, and no "..", symbolic
 * link or mount trick in it ever reaches a file outside: that is BT_EDENIED, decided by the kernel
 * (openat2) or, where it lacks the call, by walking the path without following any link.
 */
BT_API BT_MUST_USE enum bt_status bt_dir_read(const struct bt_dir *root, struct bt_arena *arena,
                                              bt_str path, uint64_t max_bytes, bt_str *out,
                                              struct bt_error *error);

/* Why a path beneath a root leads to nothing that may be read, whatever machine asks. */
enum bt_path_error {
    BT_PATH_OK = 0,
    BT_PATH_OUTSIDE_DIR, /* by an absolute link, or by climbing above the root, also to return */
    BT_PATH_LINK_LOOP,   /* links in a circle, or more than 40 of them */
    BT_PATH_NOT_FOUND,   /* nothing, or a file where a folder is needed */
    BT_PATH_NOT_REGULAR,
};

/* By which a file is known to be the one that was read. All zero: there is none. */
struct bt_file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t changed_s; /* the inode, which nobody can set back */
    int64_t changed_ns;
    int64_t modified_s;
    int64_t modified_ns;
};

/* What was found beneath a root. */
struct bt_dir_file {
    enum bt_path_error error;
    bt_str content;                /* when not refused; see bt_file_read() for its length */
    struct bt_file_identity stamp; /* as it was before the first byte was read */
    bool is_recent; /* it changed so shortly before that a further change may not show */
};

/*
 * Read a file beneath the root like bt_dir_read(), but follow symbolic links as long as they stay
 * beneath it, and tell refusals apart. The path is resolved by the kernel in one step (openat2) or,
 * where it lacks the call, by a walk that gives the same answers; nothing is asked by name and
 * opened later. BT_OK: *out says what was found. BT_EDENIED: permission denied. BT_EIO, BT_ENOMEM:
 * as always.
 */
BT_API BT_MUST_USE enum bt_status bt_dir_read_linked(const struct bt_dir *root,
                                                     struct bt_arena *arena, bt_str path,
                                                     uint64_t max_bytes, struct bt_dir_file *out,
                                                     struct bt_error *error);

/* The same, but a path that passes or ends in a symbolic link is refused (BT_PATH_LINK_LOOP),
 * wherever the link leads. */
BT_API BT_MUST_USE enum bt_status bt_dir_read_unlinked(const struct bt_dir *root,
                                                       struct bt_arena *arena, bt_str path,
                                                       uint64_t max_bytes, struct bt_dir_file *out,
                                                       struct bt_error *error);

/* The stamp of the regular file at a path, without reading it; zero when there is none. Equal to
 * that of a file that was read, it is that file, whatever way leads there now. */
BT_API struct bt_file_identity bt_dir_file_identity(const struct bt_dir *root, bt_str path);
BT_API bool bt_file_identity_equal(const struct bt_file_identity *a,
                                   const struct bt_file_identity *b);

/* What is at a path, links followed. Zero is nothing. */
enum bt_file_kind {
    BT_FILE_NONE = 0, /* nothing there, or nothing that may be looked at */
    BT_FILE_REGULAR,
    BT_FILE_DIRECTORY,
    BT_FILE_SPECIAL, /* a FIFO, socket or device */
    BT_OUTSIDE_ROOT, /* bt_dir_file_kind_of(): the path leads out of the root */
};

/* Ask what is there without opening it. */
BT_API enum bt_file_kind bt_file_kind_of(bt_str path);
/* The same beneath the root, as bt_dir_read() would find it. BT_OUTSIDE_ROOT: it leads out. */
BT_API enum bt_file_kind bt_dir_file_kind_of(const struct bt_dir *root, bt_str path);

/* The SHA-256 of a regular file beneath the root, of any size. Statuses as for bt_dir_read(). */
BT_API BT_MUST_USE enum bt_status bt_dir_file_sha256(const struct bt_dir *root, bt_str path,
                                                     uint8_t out[32], struct bt_error *error);

/*
 * Replace the content of `path` (or make the file) so that a reader, or a machine that loses power,
 * sees either the old bytes or the new ones. The mode of an existing file is kept; a new one gets
 * 0644 less the umask. A symbolic link is replaced, not followed. BT_EDENIED: there is something
 * that is neither a file nor a link.
 */
BT_API BT_MUST_USE enum bt_status bt_file_replace(bt_str path, bt_str content,
                                                  struct bt_error *error);

/*
 * Make a new file of mode 0644 less the umask, durably: it is there with all its bytes, or not at
 * all. BT_EEXIST: the name is taken, by whatever it be. BT_ENOENT: there is no such folder.
 * BT_EDENIED: the folder may not be written to. BT_EIO: no space, or a write failed.
 */
BT_API BT_MUST_USE enum bt_status bt_file_create(bt_str path, bt_str content,
                                                 struct bt_error *error);

/*
 * Before a file is replaced, give it a second name under which its bytes stay: PATH.orig or, where
 * that is taken, PATH.orig.2 to PATH.orig.99. The name is put to `out`. Statuses as for
 * bt_file_create(); BT_EEXIST: all of them are taken.
 */
BT_API BT_MUST_USE enum bt_status bt_file_back_up(bt_str path, struct bt_buf *out,
                                                  struct bt_error *error);

/* ---- Writing beneath a root ------------------------------------------------------------------ */

/*
 * Open a folder beneath the root, one component at a time and each through the descriptor of the
 * one before, so that nobody who swaps a folder for a link meanwhile can lead it elsewhere. Missing
 * folders are made (mode 0700) when `make` is set. "." and doubled slashes are passed over. On
 * BT_OK *out is given back with bt_dir_close().
 *
 * BT_EDENIED: the path is absolute, has a "..", or passes a symbolic link. BT_ENOENT: there is no
 * folder that may be used: missing, something else, or not permitted. BT_EIO: it could not be made.
 */
BT_API BT_MUST_USE enum bt_status bt_dir_open_subdir(const struct bt_dir *root, bt_str path,
                                                     bool make, struct bt_dir **out,
                                                     struct bt_error *error);
/* Whether the folder belongs to this user and has mode 0700. */
BT_API bool bt_dir_is_private(const struct bt_dir *root);
/* Whether new files can be made in the folder, as far as permissions tell. */
BT_API bool bt_dir_is_writable(const struct bt_dir *root);

/* The names of everything in the folder itself, sorted by their bytes, in the arena. BT_ELIMIT:
 * there are more than 100,000. */
BT_API BT_MUST_USE enum bt_status bt_dir_list(const struct bt_dir *root, struct bt_arena *arena,
                                              const bt_str **out, size_t *out_count,
                                              struct bt_error *error);

/* Make a new file of mode 0600 in the folder itself; `name` is one component. Statuses as for
 * bt_file_create(). */
BT_API BT_MUST_USE enum bt_status bt_dir_create_file(const struct bt_dir *root, bt_str name,
                                                     bt_str content, struct bt_error *error);

/* What a folder has under a name, compared with some content. */
enum bt_file_comparison {
    BT_FILE_COMPARED_ABSENT = 0,
    BT_FILE_COMPARED_EQUAL,     /* a regular file of these bytes */
    BT_FILE_COMPARED_DIFFERENT, /* another file, a link, a folder; also one that cannot be read */
};

/* Ask what the folder itself has under `name`, which is one component; no link is followed. */
BT_API enum bt_file_comparison bt_dir_compare_file(const struct bt_dir *root, bt_str name,
                                                   bt_str content);

/* See to it that the folder has a file of this name and content, durably: one that is there already
 * is taken, else it is made as by bt_dir_create_file(). BT_EEXIST: there is something else. */
BT_API BT_MUST_USE enum bt_status bt_dir_ensure_file(const struct bt_dir *root, bt_str name,
                                                     bt_str content, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
