/* SPDX-License-Identifier: Apache-2.0 */
/* check_project.c - the program itself, the configuration, the store and Git. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <baton/version.h>

#include "base/buf.h"
#include "base/civil_time.h"
#include "base/file.h"
#include "base/path.h"
#include "check/gitignore.h"
#include "config/memory.h"
#include "doctor_run.h"
#include "hook/program.h"
#include "operation/rule_codes.h"
#include "self_test.h"

enum { FREE_MIB_MIN = 100, BYTES_PER_MIB = 1 << 20, DEADLINE_MS = 2000 };

/* ---- The program ----------------------------------------------------------------------------- */

enum bt_status setup_check_program(struct setup_doctor *doctor)
{
    const bt_str id = BT_STR("program");
    struct hook_program program;
    const char *failed = NULL;
    size_t count = 0;
    bt_str message;
    const struct setup_self_test *tests = setup_self_tests(&count);
    BT_TRY(setup_self_test_run(doctor->arena, tests, count, &failed));
    if (failed) {
        BT_TRY(bt_arena_printf(doctor->arena, &message, "the self-test of %s failed", failed));
        return setup_add_check(doctor, id, SETUP_FAIL, message,
                               "this program is damaged: install it again");
    }
    BT_TRY(hook_program_find(doctor->arena, BT_STR("baton"), BT_STR(""), &program));
    if (program.path.len > 0 && !program.is_same) {
        BT_TRY(bt_arena_printf(doctor->arena, &message,
                               "%.*s comes first on PATH, and this program is %.*s",
                               BT_STR_ARG(program.path), BT_STR_ARG(program.own)));
        return setup_add_check(doctor, id, SETUP_WARN, message,
                               "hooks and scripts run the other one: change PATH or remove it");
    }
    BT_TRY(bt_arena_printf(doctor->arena, &message, "baton %s, %.*s%s", bt_version(),
                           BT_STR_ARG(program.own), program.path.len > 0 ? "" : ", not on PATH"));
    return setup_add_check(doctor, id, SETUP_OK, message, NULL);
}

/* ---- The configuration ----------------------------------------------------------------------- */

static const struct {
    enum bt_config_kind kind;
    bt_str id;
} config_checks[] = {{BT_CONFIG_PROJECT, BT_STR_INIT("config.project")},
                     {BT_CONFIG_USER, BT_STR_INIT("config.user")},
                     {BT_CONFIG_SYSTEM, BT_STR_INIT("config.system")}};

static const struct config_load_file *find_file(const struct setup_doctor *doctor,
                                                enum bt_config_kind kind)
{
    for (size_t i = 0; i < doctor->loaded.count; i++) {
        if (doctor->loaded.files[i].kind == kind) {
            return &doctor->loaded.files[i];
        }
    }
    return NULL;
}

/* True for findings that make a file unusable, or leave a part of it without effect. */
static bool is_shown(const struct bt_finding *finding)
{
    return finding->severity == BT_SEVERITY_HARD || finding->severity == BT_SEVERITY_WARN;
}

/*
 * Add the result for one file: its first finding by code and place, because the message of a
 * finding may hold a value of the file.
 */
static enum bt_status add_config(struct setup_doctor *doctor, bt_str id,
                                 const struct config_load_file *file)
{
    const struct bt_finding *worst = NULL;
    size_t more = 0;
    bt_str message;
    for (size_t i = 0; i < bt_findings_count(file->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(file->findings, i);
        const bool is_first =
            is_shown(finding) && (!worst || (worst->severity != BT_SEVERITY_HARD &&
                                             finding->severity == BT_SEVERITY_HARD));
        more += is_shown(finding);
        worst = is_first ? finding : worst;
    }
    if (!worst) {
        return setup_add_check(doctor, id, SETUP_OK, file->path, NULL);
    }
    BT_TRY(bt_arena_printf(doctor->arena, &message, "%.*s:%u: %.*s at %.*s: %.*s",
                           BT_STR_ARG(file->path), worst->position.line,
                           BT_STR_ARG(worst->rule->code),
                           BT_STR_ARG(worst->pointer.len > 0 ? worst->pointer : BT_STR("the top")),
                           BT_STR_ARG(worst->rule->meaning)));
    if (more > 1) {
        BT_TRY(bt_arena_printf(doctor->arena, &message, "%.*s; and %zu more", BT_STR_ARG(message),
                               more - 1));
    }
    return setup_add_check(doctor, id,
                           worst->severity == BT_SEVERITY_HARD ? SETUP_FAIL : SETUP_WARN, message,
                           "see baton config check");
}

/* The kind of the file that could not be read. */
static enum bt_status unreadable_kind(struct setup_doctor *doctor, enum bt_config_kind *out)
{
    bt_str user;
    BT_TRY(config_user_path(doctor->arena, "config.yaml", &user));
    *out = bt_str_eq(doctor->loaded.unreadable, user)                         ? BT_CONFIG_USER
           : bt_str_eq(doctor->loaded.unreadable, BT_STR(CONFIG_SYSTEM_PATH)) ? BT_CONFIG_SYSTEM
                                                                              : BT_CONFIG_PROJECT;
    return BT_OK;
}

/* Load all files; one that cannot be read is left out, and its error is kept. */
static enum bt_status load_files(struct setup_doctor *doctor, const struct config_load_options *how,
                                 bt_str errors[BT_CONFIG_KINDS])
{
    struct config_load_options options = *how;
    for (size_t i = 0; i < BT_CONFIG_KINDS; i++) {
        struct bt_error error = {0};
        enum bt_config_kind kind = BT_CONFIG_FILE;
        const enum bt_status status = config_load(doctor->arena, &options, &doctor->loaded, &error);
        if (status == BT_OK || status == BT_ENOMEM) {
            return status;
        }
        if (!options.file) {
            BT_TRY(unreadable_kind(doctor, &kind));
        }
        BT_TRY(bt_arena_copy(doctor->arena, bt_str_of(error.text), &errors[kind]));
        options.skipped |= 1U << kind;
    }
    return BT_OK;
}

static enum bt_status add_kind(struct setup_doctor *doctor, bt_str id, enum bt_config_kind kind,
                               bt_str error, const char *unread)
{
    const struct config_load_file *file = find_file(doctor, kind);
    if (error.len > 0) {
        return setup_add_check(doctor, id, SETUP_FAIL, error,
                               "correct the file or its permissions");
    }
    return file ? add_config(doctor, id, file)
                : setup_add_check(doctor, id, SETUP_SKIP, bt_str_of(unread ? unread : "no file"),
                                  NULL);
}

enum bt_status setup_check_configs(struct setup_doctor *doctor)
{
    const char *named = config_named(doctor->options->config);
    const bool without = doctor->options->without_config;
    char today[BT_DATE_BYTES + 1];
    bt_civil_date_format(bt_env_now(doctor->env).seconds, today);
    const struct config_load_options how = {.use = BT_CONFIG_JUDGES,
                                            .without_files = without,
                                            .file = without ? NULL : named,
                                            .today = bt_str_of(today)};
    const char *unread = without ? "not read, because of --no-config"
                         : named ? "not read, because --config or BATON_CONFIG names another file"
                                 : NULL;
    bt_str errors[BT_CONFIG_KINDS] = {{NULL, 0}};
    BT_TRY(load_files(doctor, &how, errors));
    if (how.file) {
        BT_TRY(add_kind(doctor, BT_STR("config.file"), BT_CONFIG_FILE, errors[BT_CONFIG_FILE],
                        unread));
    }
    for (size_t i = 0; i < sizeof(config_checks) / sizeof(config_checks[0]); i++) {
        const enum bt_config_kind kind = config_checks[i].kind;
        BT_TRY(add_kind(doctor, config_checks[i].id, kind, errors[kind], unread));
    }
    return BT_OK;
}

/* ---- The store ------------------------------------------------------------------------------- */

/* Find the store as the commands do; *out_named is false for the one of the project. */
static enum bt_status find_store(struct setup_doctor *doctor, struct bt_ledger_options *out,
                                 bool *out_named)
{
    const struct bt_config *config =
        doctor->loaded.config ? doctor->loaded.config : bt_config_defaults();
    const char *outer = getenv("BATON_STORE");
    bt_str configured = BT_STR("");
    struct bt_ledger_memory memory;
    const char *agent = NULL;
    BT_TRY(bt_config_path(config, "store", doctor->arena, &configured));
    BT_TRY(config_find_memory(doctor->arena, config, &memory));
    BT_TRY(config_find_agent(doctor->arena, config, &agent));
    *out = (struct bt_ledger_options){
        .store = doctor->options->store                                ? doctor->options->store
                 : outer && outer[0] != '\0' && !doctor->options->root ? outer
                 : configured.len > 0 && !doctor->options->root        ? configured.ptr
                                                                       : NULL,
        .root = doctor->options->root,
        .agent = agent,
        .deadline_ms = DEADLINE_MS,
        .memory = memory,
    };
    *out_named = out->store != NULL;
    return BT_OK;
}

/* The number of MiB that are free beside the store, or the largest number when it is not known. */
static uint64_t free_mib(struct setup_doctor *doctor)
{
    struct statvfs about;
    bt_str folder;
    const bt_str parent = bt_path_parent(doctor->store.path);
    if (bt_arena_copy(doctor->arena, parent.len > 0 ? parent : BT_STR("."), &folder) != BT_OK ||
        statvfs(folder.ptr, &about) != 0 || about.f_frsize == 0) {
        return UINT64_MAX;
    }
    return (uint64_t)about.f_bavail /
           (BYTES_PER_MIB / about.f_frsize > 0 ? BYTES_PER_MIB / (uint64_t)about.f_frsize : 1);
}

static enum bt_status add_store(struct setup_doctor *doctor, enum setup_status status, bt_str text,
                                const char *hint)
{
    bt_str message;
    BT_TRY(bt_arena_printf(doctor->arena, &message, "%.*s: %.*s", BT_STR_ARG(doctor->store.url),
                           BT_STR_ARG(text)));
    return setup_add_check(doctor, BT_STR("store"), status, message, hint);
}

/* Look at a store that could be opened. */
static enum bt_status judge_store(struct setup_doctor *doctor, struct bt_ledger *ledger)
{
    struct bt_findings *alarms = bt_findings_new(doctor->arena);
    struct bt_error error = {0};
    bt_str text;
    if (!alarms) {
        return BT_ENOMEM;
    }
    const enum bt_status status = bt_ledger_check_memory(ledger, doctor->arena, alarms, &error);
    if (status != BT_OK) {
        return status == BT_ENOMEM
                   ? status
                   : add_store(doctor, SETUP_FAIL, bt_str_of(error.text), "see baton store check");
    }
    if (bt_findings_count(alarms) > 0) {
        const struct bt_rule *rule = bt_findings_at(alarms, 0)->rule;
        BT_TRY(bt_arena_printf(doctor->arena, &text, "%.*s: %.*s", BT_STR_ARG(rule->code),
                               BT_STR_ARG(rule->meaning)));
        return add_store(
            doctor, SETUP_FAIL, text,
            "keep the store as it is and find out who changed it: baton ledger verify");
    }
    const uint64_t free_space = free_mib(doctor);
    if (free_space < FREE_MIB_MIN) {
        BT_TRY(bt_arena_printf(doctor->arena, &text, "%" PRIu64 " MiB are free on its disk",
                               free_space));
        return add_store(doctor, SETUP_WARN, text, "nothing is recorded on a full disk");
    }
    return bt_ledger_has_test_key(ledger)
               ? add_store(doctor, SETUP_WARN,
                           BT_STR("it has a test key, which anyone can compute"),
                           "make a store with its own key for real work: baton ledger init")
               : add_store(doctor, SETUP_OK, bt_ledger_origin(ledger), NULL);
}

static enum bt_status open_store(struct setup_doctor *doctor, const struct bt_ledger_options *where)
{
    struct bt_ledger *ledger = NULL;
    struct bt_error error = {0};
    if (bt_ledger_open(where, false, &ledger, &error) != BT_OK) {
        return setup_add_check(doctor, BT_STR("store"), SETUP_FAIL, bt_str_of(error.text),
                               doctor->store_exists ? "see baton store check"
                                                    : "baton ledger init --origin NAME makes one");
    }
    const enum bt_status status = judge_store(doctor, ledger);
    bt_ledger_close(ledger);
    return status;
}

enum bt_status setup_check_store(struct setup_doctor *doctor)
{
    const bt_str id = BT_STR("store");
    struct bt_ledger_options where;
    struct bt_error error = {0};
    bool is_named = false;
    BT_TRY(find_store(doctor, &where, &is_named));
    const enum bt_status status = bt_ledger_locate(doctor->arena, &where, &doctor->store, &error);
    if (status != BT_OK) {
        return status == BT_ENOMEM ? status
                                   : setup_add_check(doctor, id, SETUP_FAIL, bt_str_of(error.text),
                                                     "name a store with --store");
    }
    doctor->has_store_location = true;
    if (doctor->store.path.len == 0) {
        return setup_add_check(doctor, id, SETUP_SKIP,
                               BT_STR("the store is a database server, which is not contacted"),
                               "baton store check looks at it");
    }
    doctor->store_exists = bt_file_kind_of(doctor->store.path) != BT_FILE_NONE;
    if (!doctor->store_exists && !is_named) {
        return setup_add_check(doctor, id, SETUP_SKIP, BT_STR("none found"), NULL);
    }
    return open_store(doctor, &where);
}

/* ---- Permissions ----------------------------------------------------------------------------- */

enum bt_status setup_check_permissions(struct setup_doctor *doctor)
{
    const bt_str id = BT_STR("store.permissions");
    const struct bt_rule *rule = bt_rule_of_code(BT_CODE_STORE_KEY_MODE);
    struct stat key;
    struct stat about;
    bt_str folder;
    bt_str message;
    if (!doctor->has_store_location || stat(doctor->store.key.ptr, &key) != 0) {
        return setup_add_check(doctor, id, SETUP_SKIP, BT_STR("no private key found"), NULL);
    }
    BT_TRY(bt_arena_copy(doctor->arena, bt_path_parent(doctor->store.key), &folder));
    const bool has_folder = stat(folder.len > 0 ? folder.ptr : ".", &about) == 0;
    const bool is_key_open = (key.st_mode & (S_IRWXG | S_IRWXO)) != 0 || key.st_uid != geteuid();
    const bool is_folder_open =
        has_folder && (about.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (about.st_mode & S_ISVTX) == 0;
    if (!is_key_open && !is_folder_open) {
        return setup_add_check(doctor, id, SETUP_OK,
                               BT_STR("only this account can use the private key"), NULL);
    }
    BT_TRY(bt_arena_printf(doctor->arena, &message, "%.*s: %s has mode %04o%s",
                           BT_STR_ARG(rule->code), is_key_open ? doctor->store.key.ptr : folder.ptr,
                           (unsigned)(is_key_open ? key.st_mode : about.st_mode) & 07777U,
                           is_key_open && key.st_uid != geteuid() ? " and another owner" : ""));
    return setup_add_check(doctor, id, SETUP_FAIL, message,
                           is_key_open ? "chmod 600 the key, and consider it lost"
                                       : "chmod go-w the folder");
}

/* ---- Git ------------------------------------------------------------------------------------- */

/* Find out whether Git ignores an absolute path below the repository. */
static enum bt_status is_ignored(struct setup_doctor *doctor, bt_str path, bool *out)
{
    const struct bt_ignore_list *list = NULL;
    const char *too_large = NULL;
    const enum bt_status status = check_gitignore_above(doctor->arena, path, &list, &too_large);
    *out = list && bt_ignore_cover(list, path);
    return status == BT_ELIMIT ? BT_OK : status;
}

/* The absolute path of something that exists, with the links of its folder resolved; else "". */
static enum bt_status find_real(struct setup_doctor *doctor, bt_str path, bt_str *out)
{
    char real[PATH_MAX];
    bt_str folder;
    const bt_str parent = bt_path_parent(path);
    const size_t slash =
        parent.len == 0 || bt_str_eq(parent, BT_STR("/")) ? parent.len : parent.len + 1;
    *out = BT_STR("");
    BT_TRY(bt_arena_copy(doctor->arena, parent.len > 0 ? parent : BT_STR("."), &folder));
    if (bt_file_kind_of(path) == BT_FILE_NONE || !realpath(folder.ptr, real)) {
        return BT_OK;
    }
    const bt_str name = bt_str_slice(path, slash, path.len);
    return bt_arena_printf(doctor->arena, out, "%s/%.*s", strcmp(real, "/") == 0 ? "" : real,
                           BT_STR_ARG(name));
}

static bool is_within(bt_str path, bt_str folder)
{
    return path.len > folder.len && bt_str_starts_with(path, folder) && path.ptr[folder.len] == '/';
}

/* Find a folder .baton whose content Git would take; *out is its path, or "". */
static enum bt_status find_open_folder(struct setup_doctor *doctor, bt_str repository, bt_str *out)
{
    bt_str candidates[2];
    bt_str inside;
    BT_TRY(find_real(doctor, BT_STR(".baton"), &candidates[0]));
    BT_TRY(bt_arena_printf(doctor->arena, &inside, "%.*s/.baton", BT_STR_ARG(repository)));
    BT_TRY(find_real(doctor, inside, &candidates[1]));
    *out = BT_STR("");
    for (size_t i = 0; i < 2 && out->len == 0; i++) {
        bool is_covered = true;
        if (is_within(candidates[i], repository)) {
            BT_TRY(bt_arena_printf(doctor->arena, &inside, "%.*s/x", BT_STR_ARG(candidates[i])));
            BT_TRY(is_ignored(doctor, inside, &is_covered));
        }
        *out = is_covered ? *out : candidates[i];
    }
    return BT_OK;
}

enum bt_status setup_check_git(struct setup_doctor *doctor)
{
    const bt_str id = BT_STR("git");
    bt_str repository;
    bt_str key = BT_STR("");
    bt_str open_folder;
    bt_str message;
    bool is_covered = true;
    BT_TRY(config_find_repository(doctor->arena, ".", true, &repository));
    if (repository.len == 0) {
        return setup_add_check(doctor, id, SETUP_SKIP, BT_STR("no Git repository"), NULL);
    }
    if (doctor->has_store_location) {
        BT_TRY(find_real(doctor, doctor->store.key, &key));
    }
    if (is_within(key, repository)) {
        BT_TRY(is_ignored(doctor, key, &is_covered));
    }
    if (!is_covered) {
        BT_TRY(bt_arena_printf(doctor->arena, &message,
                               "Git does not ignore %.*s, the private key of the store",
                               BT_STR_ARG(key)));
        return setup_add_check(doctor, id, SETUP_FAIL, message,
                               "add it to .gitignore; a key that was committed is lost");
    }
    BT_TRY(find_open_folder(doctor, repository, &open_folder));
    if (open_folder.len > 0) {
        BT_TRY(bt_arena_printf(doctor->arena, &message, "Git does not ignore the folder %.*s",
                               BT_STR_ARG(open_folder)));
        return setup_add_check(doctor, id, SETUP_WARN, message,
                               "baton init adds .baton/ to .gitignore");
    }
    return setup_add_check(doctor, id, SETUP_OK,
                           BT_STR("no file of Baton can be committed by mistake"), NULL);
}
