/* SPDX-License-Identifier: Apache-2.0 */
/* skills.c - the catalogue of skills that --skills and --registry name. */
#include "universal_run.h"

#include "base/file.h"
#include "output.h"

enum { FINDINGS_SHOWN_MAX = 20 }; /* for people; JSON has all */

/* Add the failure for the first directory that does not exist, else for the first one. */
static void note_unreadable(const struct cli_options *options,
                            const struct bt_skill_catalogue_options *wanted, enum bt_status status,
                            const char *message)
{
    size_t index = 0;
    while (index < wanted->folder_count &&
           bt_file_kind_of(wanted->folders[index]) == BT_FILE_DIRECTORY) {
        index++;
    }
    const bt_str path = wanted->folders[index < wanted->folder_count ? index : 0];
    cli_note_failure(options, path, cli_reason_of_path(path.ptr, status), message);
}

bool cli_skills_open(const struct cli_options *options, struct bt_arena *arena,
                     const struct bt_skill_catalogue **out)
{
    size_t count = 0;
    *out = NULL;
    while (cli_given_at(options, &flag_skills, count)) {
        count++;
    }
    const bool is_flagged = count > 0;
    count = is_flagged ? count : bt_config_count(options->config, "skills");
    const char *registry = cli_given(options, &flag_registry);
    if (count == 0 && registry) {
        return cli_refuse_usage(options, "--registry adds to skills: give --skills DIR as well");
    }
    bt_str *folders = BT_NEW_ARRAY(arena, bt_str, count);
    if (count == 0 || !folders) {
        return count == 0;
    }
    for (size_t i = 0; i < count; i++) {
        folders[i] = bt_str_of(cli_given_at(options, &flag_skills, i));
        if (!is_flagged &&
            bt_config_item_path(options->config, "skills", i, arena, &folders[i]) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    const struct bt_skill_catalogue_options wanted = {
        .folders = folders, .folder_count = count, .registry = bt_str_of(registry)};
    struct bt_error error;
    const enum bt_status status = bt_skill_catalogue_open(arena, &wanted, out, &error);
    if (status != BT_OK) {
        cli_print_error("cannot read the skills: %s", error.text);
        note_unreadable(options, &wanted, status, error.text);
    }
    return status == BT_OK;
}

void cli_emit_texts(struct bt_emit *emit, const struct bt_optional_str_list *texts)
{
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < texts->count; i++) {
        bt_emit_string(emit, texts->items[i]);
    }
    bt_emit_end(emit);
}

struct bt_findings *cli_skills_findings(const struct bt_skill_catalogue *catalogue,
                                        struct bt_arena *arena)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const bool complete = findings &&
                          bt_skill_catalogue_add_findings(catalogue, findings) == BT_OK &&
                          bt_findings_finish(findings, BT_STR("")) == BT_OK;
    return complete ? findings : NULL;
}

void cli_skills_complain(const struct bt_findings *findings)
{
    const size_t count = bt_findings_count(findings);
    for (size_t i = 0; i < count && i < FINDINGS_SHOWN_MAX; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        cli_print_error("%.*s: %.*s", BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->message));
    }
    if (count > FINDINGS_SHOWN_MAX) {
        cli_print_error("and %zu more; baton registry lint shows all", count - FINDINGS_SHOWN_MAX);
    }
}
