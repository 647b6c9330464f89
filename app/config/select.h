/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - the settings that choose the findings of `baton check` and of the language server.
 *
 *     struct config_select select;
 *     if (config_select_open(arena, &options, &select, &error) == BT_OK) {
 *         ...
 *         status = config_select_path(&select, arena, path, &real);
 *         status = config_select_judgement(&select, arena, real, fail_level, &judged, &result);
 *         status = config_select_note(&select, real, &result);
 *         ...
 *         status = config_select_finish(&select, emit, &end, &error);
 *     }
 */
#ifndef BATON_APP_CONFIG_SELECT_H
#define BATON_APP_CONFIG_SELECT_H

#include "config/config.h"
#include "config/load.h"
#include "engine/fix.h"
#include "select/select.h"

#define CONFIG_BASELINE_NAME "baton-baseline.json"

enum config_baseline {
    CONFIG_BASELINE_DEFAULT = 0, /* use the file that a flag or the configuration names, if any */
    CONFIG_BASELINE_USE,
    CONFIG_BASELINE_WRITE,
    CONFIG_BASELINE_OFF,
};

struct config_select_options {
    const struct bt_config *config;
    const struct config_load_loaded *files; /* NULL: no file was read */
    const char *const *rules;               /* --rule CODE=LEVEL, ended by NULL; or NULL */
    const bool *set_by_flag;                /* see struct bt_select */
    enum config_baseline baseline;
    const char *baseline_file; /* --baseline-file, or NULL */
    bt_str today;              /* YYYY-MM-DD */
};

/* The settings of one run, and what its documents used of them. */
struct config_select {
    struct bt_select select; /* immutable once it is open: threads may use it */
    const struct config_load_loaded *files;
    struct bt_arena *arena;
    struct bt_select_usage *usage;
    bt_str baseline_path;                    /* as reports show it; "" without a baseline */
    bool needs_paths;                        /* some setting depends on the paths of documents */
    bool is_active;                          /* there is any setting */
    struct bt_select_baseline_totals totals; /* after config_select_finish() */
};

/* What is wrong with the settings. */
enum config_select_error {
    CONFIG_SELECT_NONE = 0,
    CONFIG_SELECT_RULE,     /* a value of --rule */
    CONFIG_SELECT_BASELINE, /* the file of the baseline; its path is out->baseline_path */
    CONFIG_SELECT_MEMORY,
};

/*
 * Make the settings, and read the baseline. Everything lives in the arena; the configuration must
 * outlive it. `error` says what is wrong.
 */
BT_MUST_USE enum config_select_error config_select_open(struct bt_arena *arena,
                                                        const struct config_select_options *options,
                                                        struct config_select *out,
                                                        struct bt_error *error);

/*
 * The absolute path of a document, as patterns and the baseline know it; the file need not exist.
 * "" when no setting depends on paths. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status config_select_path(const struct config_select *select,
                                              struct bt_arena *arena, bt_str path, bt_str *out);

/*
 * Replace the findings of a judged document by those in force, and set what was suppressed and the
 * verdict. Many threads may do this at a time, each with its own arena. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status config_select_judgement(const struct config_select *select,
                                                   struct bt_arena *arena, bt_str path,
                                                   enum bt_severity fail_level,
                                                   struct bt_judgement *judged,
                                                   struct bt_select_result *out);
/*
 * Let a document keep what settings suppress: judge it as it is, and choose no fix of a suppressed
 * finding. A baseline that is about to be written suppresses nothing. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status config_select_leave_suppressed(const struct config_select *select,
                                                          struct bt_arena *arena, bt_str path,
                                                          struct bt_fix_input *document);
/* Count what a document used, for the end of the run. For one thread at a time. BT_ENOMEM. */
BT_MUST_USE enum bt_status config_select_note(struct config_select *select, bt_str path,
                                              const struct bt_select_result *result);

/* Findings about a configuration file or the baseline, for the report. */
struct config_select_about {
    bt_str path;
    const struct bt_findings *findings;
};

enum { CONFIG_SELECT_ABOUT_MAX = CONFIG_FILES_MAX + 2 };

/* The end of a run. */
struct config_select_end {
    struct config_select_about about[CONFIG_SELECT_ABOUT_MAX]; /* those that have findings */
    size_t about_count;
};

/*
 * End a run: write the baseline if that was requested, and put the members "config" and "baseline"
 * of the report into the object that `emit` has open, as far as they apply. BT_EIO, BT_EDENIED: the
 * baseline could not be written; `error` says why, and the members are there. BT_ENOMEM: the arena
 * reached its limit, and the object is not complete.
 */
BT_MUST_USE enum bt_status config_select_finish(struct config_select *select, struct bt_emit *emit,
                                                struct config_select_end *out,
                                                struct bt_error *error);

#endif
