/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.c - grants -> a Landlock rule set.
 *
 * The numbers are the kernel's. They are repeated here because the headers of the build machine may
 * be older than the running kernel; rights that a kernel does not support are masked by its ABI
 * version.
 */
#define _GNU_SOURCE
#include "sandbox/landlock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

enum {
    SYS_CREATE_RULESET = 444,
    SYS_ADD_RULE = 445,
    SYS_RESTRICT_SELF = 446,
    CREATE_VERSION = 1,
    RULE_PATH_BENEATH = 1,
};

/* Rights over files, and the ABI that brought them. */
#define FS_EXECUTE (UINT64_C(1) << 0)
#define FS_WRITE_FILE (UINT64_C(1) << 1)
#define FS_READ_FILE (UINT64_C(1) << 2)
#define FS_READ_DIR (UINT64_C(1) << 3)
#define FS_FIRST ((UINT64_C(1) << 13) - 1) /* ABI 1: everything up to making symbolic links */
#define FS_REFER (UINT64_C(1) << 13)       /* ABI 2 */
#define FS_TRUNCATE (UINT64_C(1) << 14)    /* ABI 3 */
#define FS_IOCTL_DEV (UINT64_C(1) << 15)   /* ABI 5 */
/* Making device files is never granted. */
#define FS_MAKE_CHAR (UINT64_C(1) << 6)
#define FS_MAKE_BLOCK (UINT64_C(1) << 11)
#define FS_ON_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_TCP UINT64_C(3)   /* ABI 4: bind and connect */
#define SCOPE_ALL UINT64_C(3) /* ABI 6: abstract sockets and signals */

struct sandbox_landlock_ruleset_attributes {
    uint64_t handled_fs;
    uint64_t handled_net;
    uint64_t scoped;
};

struct sandbox_landlock_path_beneath {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

uint32_t bt_landlock_abi(void)
{
    const long abi = syscall(SYS_CREATE_RULESET, NULL, 0, CREATE_VERSION);
    return abi > 0 ? (uint32_t)abi : 0;
}

static uint64_t known_rights(uint32_t abi)
{
    return FS_FIRST | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) |
           (abi >= 5 ? FS_IOCTL_DEV : 0);
}

static uint64_t rights_of(unsigned access)
{
    uint64_t rights = 0;
    if (access & BT_GRANT_READ) {
        rights |= FS_READ_FILE | FS_READ_DIR;
    }
    if (access & BT_GRANT_EXECUTE) {
        rights |= FS_EXECUTE;
    }
    if (access & BT_GRANT_WRITE) {
        rights |= (FS_FIRST | FS_REFER | FS_TRUNCATE) &
                  ~(FS_EXECUTE | FS_READ_FILE | FS_READ_DIR | FS_MAKE_CHAR | FS_MAKE_BLOCK);
    }
    return rights;
}

static int open_grant(const struct bt_sandbox_grants *grants, const struct bt_sandbox_grant *grant)
{
    if (!grant->beneath) {
        return open(grant->path, O_PATH | O_CLOEXEC);
    }
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    return (int)syscall(SYS_openat2, grants->root_fd, grant->path, &how, sizeof(how));
}

static enum bt_status add_grant(int ruleset_fd, uint64_t handled,
                                const struct bt_sandbox_grants *grants,
                                const struct bt_sandbox_grant *grant, struct bt_error *error)
{
    const int fd = open_grant(grants, grant);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return BT_OK;
    }
    if (fd < 0) {
        return bt_error_set(error, errno == EXDEV ? BT_EDENIED : BT_EIO, "%s: %s", grant->path,
                            strerror(errno));
    }
    struct stat about;
    uint64_t rights = rights_of(grant->access) & handled;
    if (fstat(fd, &about) != 0 || !S_ISDIR(about.st_mode)) {
        rights &= FS_ON_FILES;
    }
    const struct sandbox_landlock_path_beneath rule = {.allowed = rights, .parent_fd = fd};
    const long added = syscall(SYS_ADD_RULE, ruleset_fd, RULE_PATH_BENEATH, &rule, 0);
    const int why = errno;
    (void)close(fd);
    return added == 0 ? BT_OK
                      : bt_error_set(error, BT_EIO, "Landlock: %s: %s", grant->path, strerror(why));
}

enum bt_status bt_landlock_prepare(uint32_t abi, const struct bt_sandbox_grants *grants,
                                   int *out_fd, struct bt_error *error)
{
    assert(abi > 0);
    const struct sandbox_landlock_ruleset_attributes attributes = {
        .handled_fs = known_rights(abi),
        .handled_net = abi >= 4 && !grants->tcp ? NET_TCP : 0,
        .scoped = abi >= 6 ? SCOPE_ALL : 0,
    };
    const size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    const int fd = (int)syscall(SYS_CREATE_RULESET, &attributes, size, 0);
    if (fd < 0) {
        return bt_error_errno(error, "Landlock", NULL);
    }
    for (size_t i = 0; i < grants->count; i++) {
        const enum bt_status status =
            add_grant(fd, attributes.handled_fs, grants, &grants->items[i], error);
        if (status != BT_OK) {
            (void)close(fd);
            return status;
        }
    }
    *out_fd = fd;
    return BT_OK;
}

bool bt_landlock_enter(int ruleset_fd)
{
    return syscall(SYS_RESTRICT_SELF, ruleset_fd, 0) == 0;
}
