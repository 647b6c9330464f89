/* SPDX-License-Identifier: Apache-2.0 */
/* organism_file.c - the organism of a command. */
#include "organism_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "input.h"
#include "output.h"

enum { ARENA_BYTES = 256 << 20, FILE_BYTES_MAX = 1 << 20 };

extern char **environ;

void organism_file_begin(struct cli_organism_file *file)
{
    *file = (struct cli_organism_file){.organism = NULL};
    bt_arena_init(&file->arena, ARENA_BYTES);
}

void organism_file_end(struct cli_organism_file *file)
{
    bt_arena_free(&file->arena);
}

/*
 * Set what hosts are started with. If the path of this program is unknown, only C handlers cannot
 * be loaded.
 */
static void find_hosts(struct cli_organism_file *file)
{
    const char *path = getenv("PATH");
    const char *temporary = getenv("TMPDIR");
    const ssize_t length = readlink("/proc/self/exe", file->program, sizeof(file->program) - 1);
    file->program[length > 0 ? length : 0] = '\0';
    file->hosts = (struct bt_host_launch_options){
        .search_path = bt_str_of(path ? path : "/usr/bin:/bin"),
        .environment = environ,
        .baton = bt_str_of(file->program),
        .temporary_dir = bt_str_of(temporary && temporary[0] == '/' ? temporary : "/tmp")};
}

static bool judge_source(struct cli_organism_file *file, const struct bt_organism_source *source,
                         struct bt_env *env, enum cli_organism_depth loading,
                         struct bt_organism_options wanted)
{
    find_hosts(file);
    wanted.hosts = loading == ORGANISM_NOT_LOADED ? NULL : &file->hosts;
    const enum bt_status status =
        bt_organism_read(env, &file->arena, source, &wanted, &file->judged, &file->organism);
    return status == BT_OK ||
           cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(source->path), bt_status_text(status));
}

bool organism_file_read(struct cli_organism_file *file, const char *path, struct bt_env *env,
                        enum cli_organism_depth loading, struct bt_organism_options wanted)
{
    struct cli_input input;
    if (!cli_input_read(&file->arena, path, FILE_BYTES_MAX, &input)) {
        return false;
    }
    wanted.has_files = !cli_is_stdin(path);
    wanted.only_classes = loading == ORGANISM_CLASSES;
    const struct bt_organism_source source = {input.path, input.content};
    return judge_source(file, &source, env, loading, wanted);
}

bool organism_file_judge(struct cli_organism_file *file, const struct bt_organism_source *source,
                         struct bt_env *env, struct bt_organism_options wanted)
{
    wanted.has_files = true;
    return judge_source(file, source, env, ORGANISM_LOADED, wanted);
}

bool organism_file_is_usable(struct cli_organism_file *file, const char *path)
{
    if (!file->organism) {
        cli_report_complain(&file->arena, &file->judged);
        cli_print_error("the organism %s cannot be used", path);
    }
    return file->organism != NULL;
}

bool organism_file_require(struct cli_organism_file *file, const char *path, struct bt_env *env,
                           enum cli_organism_depth loading)
{
    const struct bt_organism_options wanted = {.has_files = true};
    return organism_file_read(file, path, env, loading, wanted) &&
           organism_file_is_usable(file, path);
}

/* Add the failure of an organism file to the report; the error was printed already. */
static void note_unusable(const struct cli_options *options, const char *path)
{
    struct bt_arena arena;
    struct cli_input input;
    struct bt_error error;
    bt_arena_init(&arena, FILE_BYTES_MAX * 2);
    const enum bt_status status = cli_input_try(&arena, path, FILE_BYTES_MAX, &input, &error);
    if (status == BT_OK) {
        cli_note_failure(options, bt_str_of(path), BT_FAILURE_CONFIG,
                         "the organism cannot be used; baton pump check says why");
    } else {
        cli_note_failure(options, bt_str_of(path), cli_reason_of_path(path, status), error.text);
    }
    bt_arena_free(&arena);
}

bool cli_message_options_init(const struct cli_options *options, struct bt_env *env,
                              struct cli_message_options *out)
{
    const char *path = cli_given(options, &flag_organism);
    const char *client = cli_given(options, &flag_client);
    organism_file_begin(&out->file);
    out->organisms = (struct bt_organism_options){.has_files = true};
    out->options = (struct bt_message_options){.client = bt_str_of(client),
                                               .organism_options = &out->organisms};
    if (client && !path) {
        return cli_refuse_usage(options, "--client needs --organism");
    }
    if (path) {
        if (!organism_file_require(&out->file, path, env, ORGANISM_CLASSES)) {
            note_unusable(options, path);
            return false;
        }
        out->options.organism = out->file.organism;
    }
    return true;
}

void cli_message_options_free(struct cli_message_options *xml)
{
    organism_file_end(&xml->file);
}
