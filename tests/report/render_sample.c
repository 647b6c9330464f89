/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_sample.c - print the sample report: render_sample FORMAT [colour]
 *
 * This is how the golden files are made, and what check_formats.py reads.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "sample.h"

int main(int argc, char **argv)
{
    struct bt_report_render_options options = {.extra_members = SAMPLE_MEMBERS};
    if (argc < 2 || bt_report_format_parse(bt_str_of(argv[1]), &options.format) != BT_OK) {
        (void)fprintf(stderr, "usage: render_sample FORMAT [colour]\n");
        return 2;
    }
    options.colour = argc > 2 && strcmp(argv[2], "colour") == 0;
    struct bt_arena arena;
    struct bt_buf buf;
    bt_arena_init(&arena, SIZE_MAX);
    bt_buf_init(&buf, SIZE_MAX);
    const struct bt_report *report = sample_report(&arena);
    const bool done = report && bt_report_render(report, &options, &buf) == BT_OK &&
                      fwrite(buf.ptr, 1, buf.len, stdout) == buf.len && fflush(stdout) == 0;
    bt_buf_free(&buf);
    bt_arena_free(&arena);
    return done ? 0 : 2;
}
