/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - run an organism file through the groups of checks: read, keys, meaning, load. A HARD
 * finding ends the run after its group.
 */
#include <assert.h>

#include <baton/file.h>

#include "organism/organism.h"

enum { FILE_BYTES_MAX = 1 << 20, FILE_DEPTH_MAX = 16, FILE_NODES_MAX = 1000000, STEP_MS = 1000 };

static enum bt_status add_yaml_finding(struct bt_organism_reader *reading,
                                       const struct bt_yaml_read_result *read)
{
    const struct bt_location at = bt_location_pointer(read->pointer, read->offset);
    switch (read->code) {
    case BT_YAML_UNSUPPORTED:
        return bt_add_xml_yaml_unsupported(reading->findings, at, read->feature, read->detail);
    case BT_YAML_DUPLICATE_KEY:
        return bt_add_xml_yaml_duplicate_key(reading->findings, at, read->key, read->detail);
    case BT_YAML_LIMIT:
        return bt_add_xml_yaml_limit(reading->findings, at, read->limit, read->detail);
    case BT_YAML_ERROR_NONE:
    case BT_YAML_SYNTAX:
        break;
    }
    return bt_add_xml_yaml_syntax(reading->findings, at, read->detail);
}

static enum bt_status read_yaml(struct bt_organism_reader *reading, bt_str text)
{
    const struct bt_yaml_options options = {
        .bytes_max = FILE_BYTES_MAX, .nodes_max = FILE_NODES_MAX, .depth_max = FILE_DEPTH_MAX};
    struct bt_yaml_read_result read;
    BT_TRY(bt_yaml_read(reading->arena, text, &options, &read));
    if (!read.root) {
        return add_yaml_finding(reading, &read);
    }
    if (read.root->kind != BT_YAML_MAPPING) {
        read.code = BT_YAML_SYNTAX;
        read.offset = read.root->offset;
        read.detail = BT_STR("an organism file is a mapping with the keys organism and listeners");
        return add_yaml_finding(reading, &read);
    }
    reading->document = read.root;
    return BT_OK;
}

/* Everything that can be said before handlers are looked at; this ends with their start. */
static enum bt_status check_before_load(struct bt_organism_reader *reading, bt_str text)
{
    BT_TRY(read_yaml(reading, text));
    if (bt_organism_reader_has_hard(reading)) {
        return BT_OK;
    }
    BT_TRY(bt_organism_check_keys(reading));
    if (bt_organism_reader_has_hard(reading)) {
        return BT_OK;
    }
    BT_TRY(bt_organism_build(reading));
    BT_TRY(bt_organism_check_files(reading));
    BT_TRY(bt_organism_check_semantics(reading));
    BT_TRY(bt_organism_check_governance(reading));
    return !bt_organism_reader_has_hard(reading) && reading->options->hosts
               ? bt_organism_load_begin(reading)
               : BT_OK;
}

/* The folder that a file lies in, "" for the working directory. */
static bt_str folder_of(bt_str path)
{
    size_t end = path.len;
    while (end > 0 && path.ptr[end - 1] != '/') {
        end--;
    }
    return bt_str_slice(path, 0, end);
}

enum bt_status bt_organism_reader_begin(struct bt_organism_reader *reading, bt_str path,
                                        bt_str text)
{
    const bt_str folder = folder_of(path);
    reading->folder = folder.len > 0 ? folder : BT_STR(".");
    reading->arena = bt_findings_arena(reading->findings);
    reading->file = bt_str_slice(path, folder.len, path.len);
    bt_buf_init(&reading->path, SIZE_MAX);
    bt_sandbox_detect_support(&reading->sandbox);
    reading->sandbox.seccomp = reading->sandbox.seccomp && !reading->options->without_seccomp;
    reading->sandbox.landlock = reading->options->without_landlock ? 0 : reading->sandbox.landlock;
    if (reading->options->has_files) {
        BT_TRY(bt_dir_open(reading->folder, &reading->root, NULL));
    }
    return check_before_load(reading, text);
}

enum bt_status bt_organism_reader_step(struct bt_organism_reader *reading, uint32_t wait_ms,
                                       bool *out_done)
{
    return bt_organism_load_step(reading, wait_ms, out_done);
}

int bt_organism_reader_fd(const struct bt_organism_reader *reading)
{
    return bt_organism_load_fd(reading);
}

enum bt_status bt_organism_reader_finish(struct bt_organism_reader *reading, bt_str *out_facts)
{
    BT_TRY(bt_organism_load_end(reading));
    if (!reading->organism) {
        return BT_OK;
    }
    if (!bt_organism_reader_has_hard(reading)) {
        BT_TRY(bt_organism_check_drift(reading));
    }
    return bt_organism_facts(reading, out_facts);
}

void bt_organism_reader_free(struct bt_organism_reader *reading)
{
    bt_organism_load_free(reading);
    bt_dir_close(reading->root);
    reading->root = NULL;
    bt_buf_free(&reading->path);
}

enum bt_status bt_organism_judge(struct bt_organism_reader *reading, bt_str path, bt_str text,
                                 bt_str *out_facts)
{
    bool is_done = false;
    enum bt_status status = bt_organism_reader_begin(reading, path, text);
    while (status == BT_OK && !is_done) {
        status = bt_organism_reader_step(reading, STEP_MS, &is_done);
    }
    if (status == BT_OK) {
        status = bt_organism_reader_finish(reading, out_facts);
    }
    bt_organism_reader_free(reading);
    return status;
}

enum bt_status bt_organism_read(struct bt_env *env, struct bt_arena *arena,
                                const struct bt_organism_source *source,
                                const struct bt_organism_options *options, struct bt_judgement *out,
                                const struct bt_organism **out_organism)
{
    assert(env);
    assert(source);
    assert(options);
    assert(out);
    struct bt_organism_reader reading = {
        .env = env, .options = options, .findings = bt_findings_new(arena)};
    bt_str facts = BT_STR("");
    if (!reading.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_organism_judge(&reading, source->path, source->text, &facts));
    BT_TRY(bt_findings_finish(reading.findings, source->text));
    *out = (struct bt_judgement){
        .path = source->path,
        .dialect = BT_DIALECT_XML,
        .source = source->text,
        .verdict = bt_verdict_of(reading.findings,
                                 options->fail_level ? options->fail_level : BT_SEVERITY_HARD),
        .findings = reading.findings,
        .facts = facts,
    };
    if (out_organism) {
        *out_organism = bt_organism_reader_has_hard(&reading) ? NULL : reading.organism;
    }
    return BT_OK;
}
