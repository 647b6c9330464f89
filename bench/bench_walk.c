/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_walk.c - the floor of `baton check` on a folder: list it, then open, measure, read and
 * close each file, and nothing else. Prints the number of files and of bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20, FILES_MAX = 1000000 };

int main(int argc, char **argv)
{
    static char bytes[FILE_BYTES_MAX];
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    const struct dirent *entry = NULL;
    long files = 0;
    long total = 0;
    if (!folder) {
        fprintf(stderr, "usage: bench_walk FOLDER\n");
        return 2;
    }
    while (files < FILES_MAX && (entry = readdir(folder)) != NULL) {
        struct stat status;
        const int file = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
            total += read(file, bytes, sizeof(bytes));
            files++;
        }
        (void)close(file);
    }
    (void)closedir(folder);
    printf("%ld %ld\n", files, total);
    return 0;
}
