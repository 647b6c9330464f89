/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - read and write files: bounded reads, access that cannot leave a directory, new files
 * that never overwrite, and replacement that leaves either the old bytes or the new ones.
 *
 * Only regular files are read, so a FIFO, a device or a directory cannot block the caller. After a
 * failure error->text holds only the reason; the caller knows the path.
 */
#ifndef BATON_SRC_BASE_FILE_H
#define BATON_SRC_BASE_FILE_H

#include <baton/base.h>

/*
 * Read the regular file at `path` into the arena, at most `max_bytes + 1` bytes: a result longer
 * than max_bytes means that the file is larger than that.
 *
 * BT_ENOENT: no such file. BT_EDENIED: not a regular file, or permission denied. BT_EIO: reading
 * failed. BT_ENOMEM: the arena reached its limit. `error` (may be NULL) gives the reason.
 */
BT_MUST_USE enum bt_status bt_file_read(struct bt_arena *arena, bt_str path, uint64_t max_bytes,
                                        bt_str *out, struct bt_error *error);

/*
 * Read from an open descriptor of any kind, such as standard input, into the arena, at most
 * `max_bytes + 1` bytes. Does not close it. BT_EIO: reading failed. BT_ENOMEM: the arena reached
 * its limit. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_fd_read(struct bt_arena *arena, int fd, uint64_t max_bytes,
                                      bt_str *out, struct bt_error *error);

/* Identifies the bytes of a file of any size. */
struct bt_file_digest {
    uint8_t sha256[32];
    uint64_t size;     /* of what was hashed */
    bool is_truncated; /* there is more, which was not hashed */
};

/*
 * Hash the regular file at `path` as a stream, at most `bytes_max` bytes (UINT64_MAX: no limit).
 * Statuses as for bt_file_read().
 */
BT_MUST_USE enum bt_status bt_file_digest(bt_str path, uint64_t bytes_max,
                                          struct bt_file_digest *out, struct bt_error *error);
/*
 * Hash what an open descriptor of any kind gives, at most `bytes_max` bytes (UINT64_MAX: no limit).
 * Does not close it. BT_EIO: reading failed. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_fd_digest(int fd, uint64_t bytes_max, struct bt_file_digest *out,
                                        struct bt_error *error);

/* An open directory below which files are read and written. */
struct bt_dir;

/*
 * Open the directory at `path`. On BT_OK the caller must close *out with bt_dir_close(). BT_ENOENT:
 * no such directory. BT_EDENIED: permission denied. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_dir_open(bt_str path, struct bt_dir **out, struct bt_error *error);
struct bt_memory_files; /* see memory_files.h */

/* Open a directory that lies in memory, which must live longer. It cannot be written to. BT_ENOMEM:
 * no memory. `error` may be NULL. */
BT_MUST_USE enum bt_status bt_dir_open_memory(const struct bt_memory_files *files,
                                              struct bt_dir **out, struct bt_error *error);
/* Close it. NULL is allowed. */
void bt_dir_close(struct bt_dir *root);

/*
 * Read a file below the directory. `path` must be relative. A path that leaves the directory
 * through "..", a symbolic link or a mount gives BT_EDENIED: the kernel decides (openat2) or, where
 * it lacks that call, a walk that follows no link. Other statuses as for bt_file_read().
 */
BT_MUST_USE enum bt_status bt_dir_read(const struct bt_dir *root, struct bt_arena *arena,
                                       bt_str path, uint64_t max_bytes, bt_str *out,
                                       struct bt_error *error);

/*
 * Why a path below a directory does not lead to a readable file. Depends only on the directory, not
 * on the machine.
 */
enum bt_path_error {
    BT_PATH_OK = 0,
    /* an absolute link, or ".." above the directory even if the path returns into it */
    BT_PATH_OUTSIDE_DIR,
    BT_PATH_LINK_LOOP, /* links form a loop, or there are more than 40 */
    BT_PATH_NOT_FOUND, /* nothing there, or a file where a directory is needed */
    BT_PATH_NOT_REGULAR,
};

/* Identifies a file that was read, as long as it does not change. All zero: no file. */
struct bt_file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t changed_s; /* ctime, which a program cannot set back */
    int64_t changed_ns;
    int64_t modified_s;
    int64_t modified_ns;
};

/* The result of reading a file below a directory. */
struct bt_dir_file {
    enum bt_path_error error;
    /* valid if error is BT_PATH_OK; see bt_file_read() for its length */
    bt_str content;
    struct bt_file_identity stamp; /* as it was before the first byte was read */
    /* changed so shortly before the read that a later change may leave the times equal */
    bool is_recent;
};

/*
 * Read a file below the directory like bt_dir_read(), but follow symbolic links that stay below it,
 * and report why a path was refused. The kernel resolves the path in one step (openat2) or, where
 * it lacks that call, a walk with the same results does; a path is never checked first and opened
 * later. BT_OK: *out holds the content or the reason. BT_EDENIED: permission denied. BT_EIO:
 * reading failed. BT_ENOMEM: the arena reached its limit. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_dir_read_linked(const struct bt_dir *root, struct bt_arena *arena,
                                              bt_str path, uint64_t max_bytes,
                                              struct bt_dir_file *out, struct bt_error *error);

/*
 * Read a file below the directory like bt_dir_read_linked(), but refuse every path with a symbolic
 * link in it (BT_PATH_LINK_LOOP), wherever the link leads.
 */
BT_MUST_USE enum bt_status bt_dir_read_unlinked(const struct bt_dir *root, struct bt_arena *arena,
                                                bt_str path, uint64_t max_bytes,
                                                struct bt_dir_file *out, struct bt_error *error);

/*
 * The identity of the regular file at a path, without reading it; all zero when there is none. If
 * it equals that of a file that was read, the path still leads to that unchanged file.
 */
struct bt_file_identity bt_dir_file_identity(const struct bt_dir *root, bt_str path);
/* True when both name the same unchanged file. */
bool bt_file_identity_equal(const struct bt_file_identity *a, const struct bt_file_identity *b);

/* What is at a path after following links. Zero: nothing. */
enum bt_file_kind {
    BT_FILE_NONE = 0, /* nothing there, or not accessible */
    BT_FILE_REGULAR,
    BT_FILE_DIRECTORY,
    BT_FILE_SPECIAL, /* a FIFO, socket or device */
    BT_OUTSIDE_ROOT, /* only from bt_dir_file_kind_of(): the path leaves the directory */
};

/* The kind of file at `path`, without opening it. */
enum bt_file_kind bt_file_kind_of(bt_str path);
/*
 * The kind of file at a path below the directory, resolved like bt_dir_read(), without opening it.
 * BT_OUTSIDE_ROOT: the path leaves the directory.
 */
enum bt_file_kind bt_dir_file_kind_of(const struct bt_dir *root, bt_str path);

/*
 * The SHA-256 of a regular file below the directory, whatever its size. Statuses as for
 * bt_dir_read().
 */
BT_MUST_USE enum bt_status bt_dir_file_sha256(const struct bt_dir *root, bt_str path,
                                              uint8_t out[32], struct bt_error *error);

/* Take the lock of an open file or folder, which closing it ends, within about `wait_ms`. False:
 * errno says why; EWOULDBLOCK: somebody else has it. */
BT_MUST_USE bool bt_fd_lock(int fd, uint64_t wait_ms);

/*
 * Replace the content of `path`, or create the file, so that a reader, or the machine after a power
 * failure, sees either the old bytes or the new ones. An existing file keeps its mode; a new one
 * gets 0644 less the umask. A symbolic link is replaced, not followed. BT_EDENIED: the path is
 * neither a regular file nor a link. BT_EIO: writing failed. `error` may
 * be NULL.
 */
BT_MUST_USE enum bt_status bt_file_replace(bt_str path, bt_str content, struct bt_error *error);

/*
 * Create a new file of mode 0644 less the umask, durably: it appears with all its bytes or not at
 * all. BT_EEXIST: something with that name exists. BT_ENOENT: the directory does not exist.
 * BT_EDENIED: the directory is not writable. BT_EIO: no space, or a write failed. `error` may be
 * NULL.
 */
BT_MUST_USE enum bt_status bt_file_create(bt_str path, bt_str content, struct bt_error *error);
/* Create a new file of mode 0600. Statuses as for bt_file_create(). */
BT_MUST_USE enum bt_status bt_file_create_private(bt_str path, bt_str content,
                                                  struct bt_error *error);

/*
 * Before a file is replaced, keep its bytes under a second name: PATH.orig or, where that exists,
 * PATH.orig.2 to PATH.orig.99. The name is put to `out`. Statuses as for bt_file_create();
 * BT_EEXIST: all of these names exist.
 */
BT_MUST_USE enum bt_status bt_file_back_up(bt_str path, struct bt_buf *out, struct bt_error *error);

/* ---- Writing below a directory --------------------------------------------------------------- */

/*
 * Open a directory below this one, one component at a time, each through the descriptor of its
 * parent, so that replacing a directory by a link in the meantime cannot redirect it. With `make`,
 * missing directories are created (mode 0700). "." and doubled slashes are skipped. On BT_OK the
 * caller must close *out with bt_dir_close().
 *
 * BT_EDENIED: the path is absolute, contains "..", or passes a symbolic link. BT_ENOENT: a
 * component is missing, is not a directory, or is not permitted. BT_EIO: a directory could not be
 * created. `error` may be NULL.
 */
BT_MUST_USE enum bt_status bt_dir_open_subdir(const struct bt_dir *root, bt_str path, bool make,
                                              struct bt_dir **out, struct bt_error *error);
/* True when the directory belongs to this user and has mode 0700. */
bool bt_dir_is_private(const struct bt_dir *root);

/*
 * List the names of everything directly in the directory, sorted by bytes, in the arena. BT_ELIMIT:
 * there are more than 100,000. BT_EIO: reading failed. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_dir_list(const struct bt_dir *root, struct bt_arena *arena,
                                       const bt_str **out, size_t *out_count,
                                       struct bt_error *error);

/*
 * Create a new file of mode 0600 directly in the directory; `name` is one component. Statuses as
 * for bt_file_create().
 */
BT_MUST_USE enum bt_status bt_dir_create_file(const struct bt_dir *root, bt_str name,
                                              bt_str content, struct bt_error *error);

/* How the file of a name compares with given bytes. */
enum bt_file_comparison {
    BT_FILE_COMPARED_ABSENT = 0,
    BT_FILE_COMPARED_EQUAL,     /* a regular file with these bytes */
    BT_FILE_COMPARED_DIFFERENT, /* different bytes, not a regular file, or not readable */
};

/*
 * Compare the file `name` (one component) directly in the directory with `content`. Links are not
 * followed.
 */
enum bt_file_comparison bt_dir_compare_file(const struct bt_dir *root, bt_str name, bt_str content);

/*
 * Make sure that the directory has a file with this name and content, durably: an equal file is
 * kept, a missing one is created as by bt_dir_create_file(). BT_EEXIST: there is a different file.
 * Other statuses as for bt_file_create().
 */
BT_MUST_USE enum bt_status bt_dir_ensure_file(const struct bt_dir *root, bt_str name,
                                              bt_str content, struct bt_error *error);

#endif
