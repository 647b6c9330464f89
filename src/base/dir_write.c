/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir_write.c - new files and folders: nothing is overwritten, no link is followed, and a file is
 * there with all its bytes or not at all.
 *
 * A new file is written under a hidden name beside its own, made durable, and linked to its name,
 * which fails if the name is taken. Everything goes through descriptors of open folders, so that a
 * folder that is swapped for a link meanwhile changes nothing.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"

enum {
    FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    FOLDER_MODE = 0700,
    PRIVATE_MODE = 0600,
    USUAL_MODE = 0644,
    TRIES_MAX = 100, /* names to try when others take them */
    COPIES_MAX = 99,
    COMPARE_BYTES = 16 * 1024,
};

bool bt_fd_write(int fd, bt_str content)
{
    while (content.len > 0) {
        const ssize_t count = write(fd, content.ptr, content.len);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        content.ptr += count;
        content.len -= (size_t)count;
    }
    return true;
}

bool bt_fd_sync_dir(int fd)
{
    /* Some file systems cannot sync a folder and say EINVAL; there is nothing better to do. */
    return fsync(fd) == 0 || errno == EINVAL;
}

/* Why something could not be made. */
static enum bt_status fail_making(struct bt_error *error, int number)
{
    enum bt_status status = BT_EIO;
    if (number == EEXIST) {
        return bt_error_set(error, BT_EEXIST, "%s", bt_status_text(BT_EEXIST));
    }
    if (number == ENOENT || number == ENOTDIR) {
        status = BT_ENOENT;
    } else if (number == EACCES || number == EPERM || number == EROFS || number == EOPNOTSUPP) {
        status = BT_EDENIED;
    }
    return bt_error_set(error, status, "%s", strerror(number));
}

static enum bt_status name_text(bt_str name, char out[NAME_MAX + 1], struct bt_error *error)
{
    const bool is_component = name.len > 0 && !memchr(name.ptr, '/', name.len) &&
                              !memchr(name.ptr, '\0', name.len) && !bt_str_eq(name, BT_STR(".")) &&
                              !bt_str_eq(name, BT_STR(".."));
    if (!is_component) {
        return bt_error_set(error, BT_EINVAL, "not the name of a file");
    }
    if (name.len > NAME_MAX) {
        return bt_error_set(error, BT_EINVAL, "the name is longer than %d bytes", NAME_MAX);
    }
    memcpy(out, name.ptr, name.len);
    out[name.len] = '\0';
    return BT_OK;
}

struct dir_temp_file {
    int fd;
    char name[40];
};

/* Open a file under a hidden name that is free; leftovers of other runs are skipped. */
static bool open_hidden(int folder, mode_t mode, struct dir_temp_file *out)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        (void)snprintf(out->name, sizeof(out->name), ".baton-%ld-%d", (long)getpid(), i);
        out->fd =
            openat(folder, out->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (out->fd >= 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    errno = EIO; /* not EEXIST: it is not the wanted name that is taken */
    return false;
}

/* Link the hidden file to its name and make that durable; what failed half-way is taken back. */
static bool publish_file(int folder, const char *hidden, const char *name)
{
    if (linkat(folder, hidden, folder, name, 0) != 0) {
        return false;
    }
    if (bt_fd_sync_dir(folder)) {
        return true;
    }
    const int kept = errno;
    (void)unlinkat(folder, name, 0);
    errno = kept;
    return false;
}

static enum bt_status add_at(int folder, const char *name, mode_t mode, bt_str content,
                             struct bt_error *error)
{
    struct dir_temp_file hidden;
    if (!open_hidden(folder, mode, &hidden)) {
        return fail_making(error, errno);
    }
    bool done = bt_fd_write(hidden.fd, content) && fsync(hidden.fd) == 0;
    int number = errno;
    if (close(hidden.fd) != 0 && done) {
        done = false;
        number = errno;
    }
    if (done && !publish_file(folder, hidden.name, name)) {
        done = false;
        number = errno;
    }
    (void)unlinkat(folder, hidden.name, 0); /* a hidden file that stays does no harm */
    return done ? BT_OK : fail_making(error, number);
}

/* The folder of a path, open, and the name in it. */
static enum bt_status open_folder_of(bt_str path, int *out_fd, char out_name[NAME_MAX + 1],
                                     struct bt_error *error)
{
    char text[PATH_MAX];
    BT_TRY(bt_path_to_cstr(path, text, error));
    size_t name = path.len;
    while (name > 0 && path.ptr[name - 1] != '/') {
        name--;
    }
    BT_TRY(name_text(bt_str_slice(path, name, path.len), out_name, error));
    text[name > 1 ? name - 1 : name] = '\0';
    const int fd = open(name == 0 ? "." : text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fail_making(error, errno);
    }
    *out_fd = fd;
    return BT_OK;
}

static enum bt_status create_file(bt_str path, mode_t mode, bt_str content, struct bt_error *error)
{
    int folder = -1;
    char name[NAME_MAX + 1];
    BT_TRY(open_folder_of(path, &folder, name, error));
    const enum bt_status status = add_at(folder, name, mode, content, error);
    (void)close(folder);
    return status;
}

enum bt_status bt_file_create(bt_str path, bt_str content, struct bt_error *error)
{
    return create_file(path, USUAL_MODE, content, error);
}

enum bt_status bt_file_create_private(bt_str path, bt_str content, struct bt_error *error)
{
    return create_file(path, PRIVATE_MODE, content, error);
}

enum bt_status bt_dir_create_file(const struct bt_dir *root, bt_str name, bt_str content,
                                  struct bt_error *error)
{
    assert(root);
    char text[NAME_MAX + 1];
    BT_TRY(name_text(name, text, error));
    return add_at(root->fd, text, PRIVATE_MODE, content, error);
}

/* A second name for the file: links of the file itself, so that mode and owner stay too. */
static enum bt_status link_old(int folder, const char *name, struct bt_buf *suffix,
                               struct bt_error *error)
{
    for (unsigned i = 1; i <= COPIES_MAX; i++) {
        char old[NAME_MAX + 1];
        bt_buf_clear(suffix);
        bt_buf_put_text(suffix, ".orig");
        if (i > 1) {
            bt_buf_printf(suffix, ".%u", i);
        }
        const int size = snprintf(old, sizeof(old), "%s%.*s", name, BT_STR_ARG(bt_buf_str(suffix)));
        if (size < 0 || (size_t)size >= sizeof(old)) {
            return bt_error_set(error, BT_EINVAL, "the name is longer than %d bytes", NAME_MAX);
        }
        if (linkat(folder, name, folder, old, 0) == 0) {
            return bt_fd_sync_dir(folder) ? BT_OK : fail_making(error, errno);
        }
        if (errno != EEXIST) {
            return fail_making(error, errno);
        }
    }
    return fail_making(error, EEXIST);
}

enum bt_status bt_file_back_up(bt_str path, struct bt_buf *out, struct bt_error *error)
{
    assert(out);
    int folder = -1;
    char name[NAME_MAX + 1];
    struct bt_buf suffix;
    BT_TRY(open_folder_of(path, &folder, name, error));
    bt_buf_init(&suffix, 16);
    const enum bt_status status = link_old(folder, name, &suffix, error);
    (void)close(folder);
    if (status == BT_OK) {
        bt_buf_put(out, path);
        bt_buf_put(out, bt_buf_str(&suffix));
    }
    bt_buf_free(&suffix);
    return status == BT_OK ? out->status : status;
}

/* Why a folder could not be entered. A link is told from other things, because it may be a trap. */
static enum bt_status fail_entering(struct bt_error *error, int folder, const char *name,
                                    int number)
{
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) {
        return bt_error_set(error, BT_EDENIED, "%s is a symbolic link", name);
    }
    switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case EACCES:
    case EPERM:
    case EROFS:
    case ENAMETOOLONG:
        return bt_error_set(error, BT_ENOENT, "%s: %s", name, strerror(number));
    default:
        return bt_error_set(error, BT_EIO, "%s: %s", name, strerror(number));
    }
}

/* Open a folder in a folder; with `make`, make it where it is missing. */
static enum bt_status enter_one(int folder, const char *name, bool make, int *out_fd,
                                struct bt_error *error)
{
    int fd = openat(folder, name, FOLDER_FLAGS);
    if (fd < 0 && errno == ENOENT && make) {
        const bool made = mkdirat(folder, name, FOLDER_MODE) == 0;
        if ((!made && errno != EEXIST) || (made && !bt_fd_sync_dir(folder))) {
            return fail_entering(error, folder, name, errno);
        }
        fd = openat(folder, name, FOLDER_FLAGS);
    }
    if (fd < 0) {
        return fail_entering(error, folder, name, errno);
    }
    *out_fd = fd;
    return BT_OK;
}

/* Go from `fd`, which is closed, along the path. */
static enum bt_status enter_path(int fd, bt_str path, bool make, int *out_fd,
                                 struct bt_error *error)
{
    size_t at = 0;
    for (bt_str part = bt_path_next_component(path, &at); part.len > 0;
         part = bt_path_next_component(path, &at)) {
        char name[NAME_MAX + 1];
        int next = -1;
        enum bt_status status = BT_OK;
        if (bt_str_eq(part, BT_STR(".."))) {
            status = bt_error_set(error, BT_EDENIED, "the path climbs with ..");
        } else if (part.len > NAME_MAX) {
            status = bt_error_set(error, BT_ENOENT, "%s", strerror(ENAMETOOLONG));
        } else {
            status = name_text(part, name, error);
        }
        if (status == BT_OK) {
            status = enter_one(fd, name, make, &next, error);
        }
        (void)close(fd);
        if (status != BT_OK) {
            return status;
        }
        fd = next;
    }
    *out_fd = fd;
    return BT_OK;
}

/* Open a folder below one that lies in memory, where none is made. */
static enum bt_status open_in_memory(const struct bt_dir *root, bt_str path, struct bt_dir **out,
                                     struct bt_error *error)
{
    struct bt_memory_entry entry = {.kind = BT_FILE_DIRECTORY, .path = root->below};
    if (bt_path_has_parent(path)) {
        return bt_error_set(error, BT_EDENIED, "the path climbs with ..");
    }
    if (path.len > 0) {
        BT_TRY(bt_memory_files_find(root->memory, root->below, path, &entry, error));
    }
    return entry.kind == BT_FILE_DIRECTORY
               ? bt_dir_from_memory(root->memory, entry.path, out, error)
               : bt_error_set(error, BT_ENOENT, "%s", strerror(ENOENT));
}

enum bt_status bt_dir_open_subdir(const struct bt_dir *root, bt_str path, bool make,
                                  struct bt_dir **out, struct bt_error *error)
{
    assert(root);
    assert(out);
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return bt_error_set(error, BT_EDENIED, "the path is absolute");
    }
    if (root->memory) {
        return open_in_memory(root, path, out, error);
    }
    int fd = openat(root->fd, ".", FOLDER_FLAGS);
    if (fd < 0) {
        return bt_error_set(error, BT_ENOENT, "%s", strerror(errno));
    }
    BT_TRY(enter_path(fd, path, make, &fd, error));
    return bt_dir_from_fd(fd, out, error);
}

bool bt_dir_is_private(const struct bt_dir *root)
{
    assert(root);
    struct stat info;
    return !root->memory && fstat(root->fd, &info) == 0 && info.st_uid == geteuid() &&
           (info.st_mode & 07777) == FOLDER_MODE;
}

static int open_plain(const struct bt_dir *root, const char *name)
{
    return openat(root->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Whether what can be read from the descriptor is `content` and nothing more. */
static bool reads_as(int fd, bt_str content)
{
    char block[COMPARE_BYTES];
    for (;;) {
        const ssize_t count = read(fd, block, sizeof(block));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count == 0 && content.len == 0;
        }
        if ((size_t)count > content.len || memcmp(block, content.ptr, (size_t)count) != 0) {
            return false;
        }
        content = bt_str_slice(content, (size_t)count, content.len);
    }
}

static bool is_equal(int fd, bt_str content)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= 0 &&
           (size_t)info.st_size == content.len && reads_as(fd, content);
}

enum bt_file_comparison bt_dir_compare_file(const struct bt_dir *root, bt_str name, bt_str content)
{
    assert(root);
    char text[NAME_MAX + 1];
    if (name_text(name, text, NULL) != BT_OK) {
        return BT_FILE_COMPARED_DIFFERENT;
    }
    if (root->memory) {
        return bt_dir_file_kind_of(root, name) == BT_FILE_NONE ? BT_FILE_COMPARED_ABSENT
                                                               : BT_FILE_COMPARED_DIFFERENT;
    }
    const int fd = open_plain(root, text);
    if (fd < 0) {
        return errno == ENOENT ? BT_FILE_COMPARED_ABSENT : BT_FILE_COMPARED_DIFFERENT;
    }
    const bool equal = is_equal(fd, content);
    (void)close(fd);
    return equal ? BT_FILE_COMPARED_EQUAL : BT_FILE_COMPARED_DIFFERENT;
}

/* Take a file that is there: the one that was compared is the one that is made durable. */
static enum bt_status take_equal(const struct bt_dir *root, const char *name, bt_str content,
                                 struct bt_error *error)
{
    const int fd = open_plain(root, name);
    if (fd < 0) {
        return bt_error_set(error, BT_EEXIST, "%s", bt_status_text(BT_EEXIST));
    }
    enum bt_status status = BT_OK;
    if (!is_equal(fd, content)) {
        status = bt_error_set(error, BT_EEXIST, "%s", bt_status_text(BT_EEXIST));
    } else if (fsync(fd) != 0 || !bt_fd_sync_dir(root->fd)) {
        status = bt_error_errno(error, NULL, NULL);
    }
    (void)close(fd);
    return status;
}

enum bt_status bt_dir_ensure_file(const struct bt_dir *root, bt_str name, bt_str content,
                                  struct bt_error *error)
{
    assert(root);
    char text[NAME_MAX + 1];
    BT_TRY(name_text(name, text, error));
    if (bt_dir_compare_file(root, name, content) == BT_FILE_COMPARED_EQUAL) {
        return take_equal(root, text, content, error);
    }
    const enum bt_status status = add_at(root->fd, text, PRIVATE_MODE, content, error);
    /* Somebody else may have made it meanwhile, with the same bytes. */
    return status == BT_EEXIST ? take_equal(root, text, content, error) : status;
}
