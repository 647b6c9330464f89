/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - a main for a fuzz target: runs it over the files of a folder and tells them in TAP.
 *
 * So old failures stay fixed without a fuzzing engine. Each input lies in a block of exactly its
 * size, where a sanitizer sees one byte too many.
 */
#include <dirent.h>

#include "fuzz.h"

#define INPUT_BYTES_MAX ((long)1 << 20)
#define PATH_BYTES_MAX 4096

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Read a whole file into memory that the caller frees, or return NULL. */
static uint8_t *slurp(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    uint8_t *bytes = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        if (size >= 0 && size <= INPUT_BYTES_MAX && fseek(file, 0, SEEK_SET) == 0) {
            bytes = malloc(size > 0 ? (size_t)size : 1);
            *out_size = (size_t)size;
        }
    }
    if (bytes && fread(bytes, 1, *out_size, file) != *out_size) {
        free(bytes);
        bytes = NULL;
    }
    (void)fclose(file);
    return bytes;
}

static bool replay(const char *folder, const char *name)
{
    char path[PATH_BYTES_MAX];
    const int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof(path)) {
        return false;
    }
    size_t size = 0;
    uint8_t *bytes = slurp(path, &size);
    if (!bytes) {
        return false;
    }
    /* A broken promise ends the program here, and the name on stderr says at which input. */
    (void)fprintf(stderr, "%s\n", name);
    const bool fine = LLVMFuzzerTestOneInput(bytes, size) == 0;
    free(bytes);
    return fine;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    const int count = argc == 2 ? scandir(argv[1], &entries, is_shown, alphasort) : -1;
    if (count <= 0) {
        (void)fprintf(stderr, "usage: %s FOLDER (with at least one file)\n", argv[0]);
        return 2;
    }
    int failed = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        const bool fine = replay(argv[1], entries[i]->d_name);
        failed += !fine;
        printf("%s %d - %s\n", fine ? "ok" : "not ok", i + 1, entries[i]->d_name);
        (void)fflush(stdout);
        free(entries[i]);
    }
    free(entries);
    return failed == 0 ? 0 : 1;
}
