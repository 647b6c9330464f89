/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - measures what a host and its children use, and kills their process group.
 *
 * It reads /proc and the work directory a few times a second. Between two readings use is bounded
 * by the limits of each process: address space, file size, descriptors.
 */
#define _GNU_SOURCE
#include "sandbox/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    FROM_PUMP = 0, /* descriptors of the guard */
    TO_LOG = 1,
    WAIT_MS_MIN = 250,
    WAIT_MS_MAX = 1000,
    WORK_SHARE =
        20, /* the pause after a count, in multiples of its duration, within these bounds */
    ENTRIES_BYTES = 4096,
    STAT_BYTES = 1024,
    EXIT_NOT_STARTED = 126,
};

struct sandbox_guard {
    pid_t host; /* 0: not started yet */
    bool is_tree;
    bool is_exact; /* count shared memory once, which takes longer */
    const char *work;
    uint64_t memory_max;
    uint64_t disk_max;
    /* The current count: */
    uint64_t processes;
    uint64_t memory;
    uint64_t disk;
    uint64_t files;
};

/* Kill the group with this process. Do not wait when the log is full. */
static _Noreturn void end_group(const char *why)
{
    struct pollfd log = {.fd = TO_LOG, .events = POLLOUT};
    if (why && poll(&log, 1, 0) == 1 && (log.revents & POLLOUT)) {
        (void)!write(TO_LOG, why, strlen(why));
    }
    if (getpgrp() == getpid()) {
        (void)kill(0, SIGKILL);
    }
    _exit(EXIT_NOT_STARTED);
}

/* An open folder whose entries are read one by one; opendir() would allocate. */
struct sandbox_guard_folder {
    int fd;
    size_t at;
    size_t end;
    _Alignas(struct dirent64) char entries[ENTRIES_BYTES];
};

static bool open_folder(struct sandbox_guard_folder *folder, int parent, const char *name)
{
    folder->at = 0;
    folder->end = 0;
    folder->fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder->fd >= 0;
}

/* The name of the next entry; NULL after the last. */
static const char *next_entry(struct sandbox_guard_folder *folder)
{
    for (;;) { /* ends at the end of the folder */
        if (folder->at == folder->end) {
            const long size =
                syscall(SYS_getdents64, folder->fd, folder->entries, sizeof(folder->entries));
            folder->at = 0;
            folder->end = size > 0 ? (size_t)size : 0;
        }
        if (folder->end == 0) {
            return NULL;
        }
        const struct dirent64 *entry = (const void *)(folder->entries + folder->at);
        folder->at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            return entry->d_name;
        }
    }
}

/* Enter a folder below; false: it was removed. An unreadable one is made readable. */
static bool open_subfolder(struct sandbox_guard_folder *inner, int parent, const char *name)
{
    if (!open_folder(inner, parent, name) && errno == EACCES &&
        (fchmodat(parent, name, 0700, 0) != 0 || !open_folder(inner, parent, name))) {
        end_group("baton: sandbox: a folder in the work directory cannot be read: killed\n");
    }
    return inner->fd >= 0;
}

/* Count the files of the work directory. */
static void count_work(struct sandbox_guard *guard)
{
    struct sandbox_guard_folder folders[BT_GUARD_DEPTH_MAX];
    size_t depth = 0;
    if (!open_subfolder(&folders[0], AT_FDCWD, guard->work)) {
        return;
    }
    for (;;) { /* ends, because folders do and files are counted */
        struct stat about;
        const char *name = next_entry(&folders[depth]);
        if (!name) {
            (void)close(folders[depth].fd);
            if (depth-- == 0) {
                return;
            }
            continue;
        }
        if (fstatat(folders[depth].fd, name, &about, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        guard->disk += (uint64_t)about.st_blocks * 512;
        if (++guard->files > BT_GUARD_FILES_MAX) {
            end_group("baton: sandbox: more than 20000 files in the work directory: killed\n");
        }
        if (S_ISDIR(about.st_mode) && depth + 1 == BT_GUARD_DEPTH_MAX) {
            end_group("baton: sandbox: more than 32 folders in one another: killed\n");
        }
        if (S_ISDIR(about.st_mode) &&
            open_subfolder(&folders[depth + 1], folders[depth].fd, name)) {
            depth++;
        }
    }
}

/* Open files without a name use disk or memory, too. */
static void count_unnamed(struct sandbox_guard *guard, int process_fd)
{
    struct sandbox_guard_folder open_files;
    struct stat about;
    const char *name;
    if (!open_folder(&open_files, process_fd, "fd")) {
        return;
    }
    while ((name = next_entry(&open_files))) {
        if (fstatat(open_files.fd, name, &about, 0) == 0 && S_ISREG(about.st_mode) &&
            about.st_nlink == 0) {
            guard->disk += (uint64_t)about.st_blocks * 512;
        }
    }
    (void)close(open_files.fd);
}

/* The number at the n-th word of `text`, from 1. */
static uint64_t word_at(const char *text, int n)
{
    for (int i = 1; i < n && *text; text++) {
        i += *text == ' ';
    }
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        value = 10 * value + (uint64_t)(*text - '0');
    }
    return value;
}

/* Read a file of /proc/N; "" when the process has ended. */
static void read_text(int process_fd, const char *name, char text[STAT_BYTES])
{
    const int fd = openat(process_fd, name, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, text, STAT_BYTES - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    text[size > 0 ? size : 0] = '\0';
}

/* The memory of a process with its share of shared memory, or `resident` when that is unknown. */
static uint64_t exact_memory(int process_fd, uint64_t resident)
{
    static const char key[] = "\nPss:";
    char text[STAT_BYTES];
    read_text(process_fd, "smaps_rollup", text);
    const char *found = strstr(text, key);
    if (!found) {
        return resident;
    }
    found += sizeof(key) - 1;
    while (*found == ' ') {
        found++;
    }
    return word_at(found, 1) * 1024;
}

/* proc(5): what follows the name in /proc/N/stat; NULL: the process has ended. */
static const char *read_stat(int process_fd, char text[STAT_BYTES])
{
    read_text(process_fd, "stat", text);
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

/* Count one process of /proc, if it belongs to the group. */
static void count_process(struct sandbox_guard *guard, int proc_fd, const char *name)
{
    enum { GROUP = 3, RESIDENT_PAGES = 22 };
    char text[STAT_BYTES];
    const int fd = openat(proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *words = fd >= 0 ? read_stat(fd, text) : NULL;
    const uint64_t self = (uint64_t)getpid();
    if (words && word_at(words, GROUP) == self && word_at(name, 1) != self) {
        guard->processes++;
        const uint64_t resident = word_at(words, RESIDENT_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
        guard->memory += guard->is_exact ? exact_memory(fd, resident) : resident;
        count_unnamed(guard, fd);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static bool put_number(char out[16], pid_t number)
{
    size_t size = 0;
    for (pid_t unit = 1000000000; unit > 0; unit /= 10) {
        if (size > 0 || number >= unit) {
            out[size++] = (char)('0' + number / unit % 10);
        }
    }
    out[size] = '\0';
    return size > 0;
}

/* Count all processes of the group; without `exec` that is the host alone. */
static void count_processes(struct sandbox_guard *guard)
{
    struct sandbox_guard_folder proc;
    char number[16];
    const char *name;
    if (!open_folder(&proc, AT_FDCWD, "/proc")) {
        if (guard->is_tree) {
            end_group("baton: sandbox: allow: [exec] needs /proc: killed\n");
        }
        return;
    }
    if (!guard->is_tree && guard->host > 0 && put_number(number, guard->host)) {
        count_process(guard, proc.fd, number);
    }
    while (guard->is_tree && (name = next_entry(&proc))) {
        if (name[0] >= '1' && name[0] <= '9') {
            count_process(guard, proc.fd, name);
        }
    }
    (void)close(proc.fd);
}

static void begin_count(struct sandbox_guard *guard, bool is_exact)
{
    guard->is_exact = is_exact;
    guard->processes = 0;
    guard->memory = 0;
    guard->disk = 0;
    guard->files = 0;
}

static void count_all(struct sandbox_guard *guard)
{
    begin_count(guard, false);
    count_processes(guard);
    if (guard->is_tree && guard->memory > guard->memory_max) {
        begin_count(guard, true);
        count_processes(guard);
    }
    count_work(guard);
    if (guard->processes > BT_GUARD_PROCESSES_MAX) {
        end_group("baton: sandbox: more than 64 processes: killed\n");
    }
    if (guard->is_tree && guard->memory > guard->memory_max) {
        end_group("baton: sandbox: its processes take more than memory_mb together: killed\n");
    }
    if (guard->disk > guard->disk_max) {
        end_group("baton: sandbox: the work directory is too large: killed; remove files there\n");
    }
}

/* Wait for the next count; the pump sends the process id of the host, or has ended. */
static void wait_for_pump(struct sandbox_guard *guard, int wait_ms)
{
    struct pollfd pump = {.fd = FROM_PUMP, .events = POLLIN};
    if (poll(&pump, 1, wait_ms) != 1) {
        return;
    }
    const ssize_t size = read(FROM_PUMP, &guard->host, sizeof(guard->host));
    if (size == 0 || (size < 0 && errno != EINTR)) {
        end_group(NULL);
    }
}

void bt_host_guard_run(const struct bt_host_launch *launch, const struct bt_host_guard_fds *fds)
{
    struct sandbox_guard guard = {.is_tree = launch->allow_exec,
                                  .work = launch->work,
                                  .memory_max = (uint64_t)launch->memory_mb << 20,
                                  .disk_max = (uint64_t)launch->disk_mb << 20};
    if ((setpgid(0, 0) != 0 && getpgrp() != getpid()) || dup2(fds->pump, FROM_PUMP) < 0 ||
        dup2(fds->log, TO_LOG) < 0 || syscall(SYS_close_range, 2U, ~0U, 0U) != 0) {
        _exit(EXIT_NOT_STARTED);
    }
    (void)prctl(PR_SET_NAME, "baton-guard", 0, 0, 0);
    int wait_ms = WAIT_MS_MIN;
    for (;;) { /* until the pump ends, or kills this group */
        wait_for_pump(&guard, wait_ms);
        const uint64_t from = bt_clock_monotonic_ms();
        count_all(&guard);
        const uint64_t rest = (bt_clock_monotonic_ms() - from) * WORK_SHARE;
        wait_ms = rest < WAIT_MS_MIN ? WAIT_MS_MIN : rest < WAIT_MS_MAX ? (int)rest : WAIT_MS_MAX;
    }
}
