/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - run an organism file through the groups of checks: read, keys, meaning, load. A HARD
 * finding ends the run after its group.
 */
#include <assert.h>

#include "base/file.h"
#include "organism/organism.h"

enum { FILE_BYTES_MAX = 1 << 20, FILE_DEPTH_MAX = 16, FILE_NODES_MAX = 1000000, STEP_MS = 1000 };

static enum bt_status add_yaml_finding(struct bt_organism_reader *reader,
                                       const struct bt_yaml_read_result *read)
{
    const struct bt_location at = bt_location_pointer(read->pointer, read->offset);
    switch (read->code) {
    case BT_YAML_UNSUPPORTED:
        return bt_add_xml_yaml_unsupported(reader->findings, at, read->feature, read->detail);
    case BT_YAML_DUPLICATE_KEY:
        return bt_add_xml_yaml_duplicate_key(reader->findings, at, read->key, read->detail);
    case BT_YAML_LIMIT:
        return bt_add_xml_yaml_limit(reader->findings, at, read->limit, read->detail);
    case BT_YAML_ERROR_NONE:
    case BT_YAML_SYNTAX:
        break;
    }
    return bt_add_xml_yaml_syntax(reader->findings, at, read->detail);
}

static enum bt_status read_yaml(struct bt_organism_reader *reader, bt_str text)
{
    const struct bt_yaml_options options = {
        .bytes_max = FILE_BYTES_MAX, .nodes_max = FILE_NODES_MAX, .depth_max = FILE_DEPTH_MAX};
    struct bt_yaml_read_result read;
    BT_TRY(bt_yaml_read(reader->arena, text, &options, &read));
    if (!read.root) {
        return add_yaml_finding(reader, &read);
    }
    if (read.root->kind != BT_YAML_MAPPING) {
        read.code = BT_YAML_SYNTAX;
        read.offset = read.root->offset;
        read.detail = BT_STR("an organism file is a mapping with the keys organism and listeners");
        return add_yaml_finding(reader, &read);
    }
    reader->document = read.root;
    return BT_OK;
}

enum bt_status bt_organism_check_form(struct bt_organism_reader *reader, bt_str text)
{
    BT_TRY(read_yaml(reader, text));
    return bt_organism_reader_has_hard(reader) ? BT_OK : bt_organism_check_keys(reader);
}

/* Run the checks before handlers are loaded, and start loading them. */
static enum bt_status check_before_load(struct bt_organism_reader *reader, bt_str text)
{
    BT_TRY(bt_organism_check_form(reader, text));
    if (bt_organism_reader_has_hard(reader)) {
        return BT_OK;
    }
    BT_TRY(bt_organism_build(reader));
    BT_TRY(bt_organism_check_files(reader));
    BT_TRY(bt_organism_check_semantics(reader));
    BT_TRY(bt_organism_check_governance(reader));
    return !bt_organism_reader_has_hard(reader) && reader->options->hosts
               ? bt_organism_load_begin(reader)
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

enum bt_status bt_organism_reader_begin(struct bt_organism_reader *reader, bt_str path, bt_str text)
{
    const bt_str folder = folder_of(path);
    reader->folder = folder.len > 0 ? folder : BT_STR(".");
    reader->arena = bt_findings_arena(reader->findings);
    reader->file = bt_str_slice(path, folder.len, path.len);
    bt_buf_init(&reader->path, SIZE_MAX);
    bt_sandbox_detect_support(&reader->sandbox);
    reader->sandbox.seccomp = reader->sandbox.seccomp && !reader->options->without_seccomp;
    reader->sandbox.landlock = reader->options->without_landlock ? 0 : reader->sandbox.landlock;
    if (reader->options->has_files) {
        BT_TRY(bt_dir_open(reader->folder, &reader->root, NULL));
    }
    return check_before_load(reader, text);
}

enum bt_status bt_organism_reader_step(struct bt_organism_reader *reader, uint32_t wait_ms,
                                       bool *out_done)
{
    return bt_organism_load_step(reader, wait_ms, out_done);
}

int bt_organism_reader_fd(const struct bt_organism_reader *reader)
{
    return bt_organism_load_fd(reader);
}

enum bt_status bt_organism_reader_finish(struct bt_organism_reader *reader, bt_str *out_facts)
{
    BT_TRY(bt_organism_load_end(reader));
    if (!reader->organism) {
        return BT_OK;
    }
    if (!bt_organism_reader_has_hard(reader)) {
        BT_TRY(bt_organism_check_drift(reader));
    }
    return bt_organism_facts(reader, out_facts);
}

void bt_organism_reader_free(struct bt_organism_reader *reader)
{
    bt_organism_load_free(reader);
    bt_dir_close(reader->root);
    reader->root = NULL;
    bt_buf_free(&reader->path);
}

enum bt_status bt_organism_judge(struct bt_organism_reader *reader, bt_str path, bt_str text,
                                 bt_str *out_facts)
{
    bool is_done = false;
    enum bt_status status = bt_organism_reader_begin(reader, path, text);
    while (status == BT_OK && !is_done) {
        status = bt_organism_reader_step(reader, STEP_MS, &is_done);
    }
    if (status == BT_OK) {
        status = bt_organism_reader_finish(reader, out_facts);
    }
    bt_organism_reader_free(reader);
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
    struct bt_organism_reader reader = {
        .env = env, .options = options, .findings = bt_findings_new(arena)};
    bt_str facts = BT_STR("");
    BT_TRY(reader.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_organism_judge(&reader, source->path, source->text, &facts));
    BT_TRY(bt_findings_finish(reader.findings, source->text));
    *out = (struct bt_judgement){
        .path = source->path,
        .dialect = BT_DIALECT_XML,
        .source = source->text,
        .verdict = bt_verdict_of(reader.findings,
                                 options->fail_level ? options->fail_level : BT_SEVERITY_HARD),
        .findings = reader.findings,
        .facts = facts,
    };
    if (out_organism) {
        *out_organism = bt_organism_reader_has_hard(&reader) ? NULL : reader.organism;
    }
    return BT_OK;
}
