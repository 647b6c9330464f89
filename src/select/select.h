/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which findings `baton check` and the language server show, and how severe they are.
 *
 *     struct bt_select_result shown;
 *     BT_TRY(bt_select_apply(select, arena, path, judged->findings, &shown));
 *     judged->findings = shown.findings;
 *     judged->suppressed = shown.suppressed;
 *     judged->verdict = bt_verdict_of(shown.findings, fail_level);
 *
 * Levels (`rules`, --rule), `ignore` entries and the baseline remove findings or change their
 * severity. Nothing else uses these settings: a recorded decision follows the registry of rules.
 *
 * Paths of documents are absolute and without links, as realpath() gives them; "" is a document
 * without a path, which no pattern and no baseline entry matches. `struct bt_select` is immutable
 * once it is made, so many threads may use one at a time. app/config/select.h makes one from the
 * configuration and flags of a command.
 */
#ifndef BATON_SRC_SELECT_SELECT_H
#define BATON_SRC_SELECT_SELECT_H

#include <baton/report.h>

#include "pattern/ignore.h"
#include "report/suppressed.h"

/* ---- Levels ---------------------------------------------------------------------------------- */

/* In ascending order; INFO to HARD are the severities of the same name. */
enum bt_select_level {
    BT_SELECT_LEVEL_NONE = 0, /* not set; for a lowest level: never a finding */
    BT_SELECT_LEVEL_OFF,
    BT_SELECT_LEVEL_INFO,
    BT_SELECT_LEVEL_WARN,
    BT_SELECT_LEVEL_HARD,
};

static inline enum bt_select_level bt_select_level_of(enum bt_severity severity)
{
    return severity == BT_SEVERITY_NONE ? BT_SELECT_LEVEL_NONE
                                        : (enum bt_select_level)((int)severity + 1);
}

/* The severity of a level; NONE for "off" and "not set". */
static inline enum bt_severity bt_select_severity_of(enum bt_select_level level)
{
    return level <= BT_SELECT_LEVEL_OFF ? BT_SEVERITY_NONE : (enum bt_severity)((int)level - 1);
}

/* Parse off, info, warning (warn) or error (hard) in any letter case. BT_EINVAL: it is neither. */
BT_MUST_USE enum bt_status bt_select_level_parse(bt_str text, enum bt_select_level *out);
/* "off", "INFO", "WARN" or "HARD", as JSON has them; "" for none. A constant. */
bt_str bt_select_level_name(enum bt_select_level level);
/* "off", "info", "warning" or "error", as texts for people have them; "" for none. A constant. */
bt_str bt_select_level_word(enum bt_select_level level);

/* Why a rule has its lowest level; the words are those of params.reason. */
enum bt_select_reason {
    BT_SELECT_REASON_NONE = 0, /* the rule can be turned off, or is never a finding */
    BT_SELECT_REASON_SECURITY,
    BT_SELECT_REASON_READ, /* HARD in this stage ... */
    BT_SELECT_REASON_GOVERNANCE,
    BT_SELECT_REASON_RECORD,
    BT_SELECT_REASON_DELIVER,
    BT_SELECT_REASON_PLAN,
    BT_SELECT_REASON_SEAL,
    BT_SELECT_REASON_REPORT, /* it reports what was not checked */
    BT_SELECT_REASON_HARD,   /* every other HARD rule: it can become a warning */
};

struct bt_select_lowest {
    enum bt_select_level level;
    enum bt_select_reason reason;
    bool is_protected; /* no setting shows it below the severity that its finding has */
};

/* The lowest level of a code (enum bt_code), computed from its rows. */
struct bt_select_lowest bt_select_lowest(unsigned code);
/* "security", "read" and so on; "" for none. A constant. */
bt_str bt_select_reason_name(enum bt_select_reason reason);

/* The codes (enum bt_code) from `first` to before `end`, without words that are never findings. */
struct bt_select_codes {
    unsigned first;
    unsigned end;
    size_t prefix; /* bytes before the star of a prefix; SIZE_MAX for an exact code */
};

/* The codes that a code or a prefix ending in * names. BT_ENOENT: there is none. */
BT_MUST_USE enum bt_status bt_select_find_codes(bt_str name, struct bt_select_codes *out);

/*
 * Whether a map may set this level: always for a prefix, which leaves protected rules as they are
 * and lowers other HARD rules to WARN at most; for an exact code when it is not below `lowest`.
 */
bool bt_select_level_is_allowed(struct bt_select_codes codes, enum bt_select_level level);

/* ---- Settings -------------------------------------------------------------------------------- */

/* One map of codes and prefixes to levels, resolved: the level of every code (enum bt_code). */
struct bt_select_rules {
    uint8_t *levels;  /* enum bt_select_level; NULL: the map is empty */
    size_t *prefixes; /* how exactly a level was set, see struct bt_select_codes */
};

/*
 * Set the level of the codes that `name` names, in a map that was zero at first: an exact code
 * beats a prefix, a longer prefix a shorter one, and of equals the later one. BT_ENOENT: the name
 * is unknown. BT_EINVAL: the level is below the lowest one of the code. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_select_rules_set(struct bt_arena *arena,
                                               struct bt_select_rules *rules, bt_str name,
                                               enum bt_select_level level);

/* One entry of `ignore`. */
struct bt_select_ignore {
    bt_str code; /* as written */
    struct bt_select_codes codes;
    struct bt_ignore_list paths;
    bool has_pointer;
    bt_str pointer; /* it covers itself and what lies below */
    bt_str reason;
    bool has_expired; /* its last day has passed, so it has no effect */
    size_t offset;    /* of the entry in its file */
};

/* What is set for a document by its path. Zero is "not set". */
struct bt_select_path {
    enum bt_dialect_id as;
    bt_str tokens;   /* an encoding */
    uint64_t budget; /* tokens */
    enum bt_severity fail_level;
};

/* One entry of `paths`. */
struct bt_select_paths {
    struct bt_ignore_list match;
    struct bt_select_rules rules;
    struct bt_select_path path;
};

enum { BT_SELECT_FILES_MAX = 3 }; /* project, user, system */

enum bt_select_baseline_mode {
    BT_SELECT_BASELINE_OFF = 0,
    BT_SELECT_BASELINE_USE,
    /* what was found becomes the new baseline, and counts as if it had been there */
    BT_SELECT_BASELINE_WRITE,
};

struct bt_select_baseline;

/* The settings of a run. Zero: nothing is set. */
struct bt_select {
    struct bt_select_rules flags;                      /* --rule */
    struct bt_select_rules files[BT_SELECT_FILES_MAX]; /* `rules`, the strongest file first */
    const bool *set_by_flag; /* by code: another flag sets its severity; NULL: none */
    const struct bt_select_paths *paths;
    size_t path_count;
    const struct bt_select_ignore *ignores;
    size_t ignore_count;
    enum bt_select_baseline_mode mode;
    const struct bt_select_baseline *baseline; /* NULL with mode OFF */
};

/* What the `paths` entries set for a document; later entries win member by member. */
struct bt_select_path bt_select_for_path(const struct bt_select *select, bt_str path);

/* ---- One document ---------------------------------------------------------------------------- */

/* A finding that --baseline write puts into the file. */
struct bt_select_baseline_item {
    bt_str code;
    bt_str pointer;
};

/* What a document has to do with the baseline. */
struct bt_select_baseline_match {
    const struct bt_select *select;
    bt_str path;  /* "": no entry can be about the document */
    size_t first; /* the entries about it ... */
    size_t count;
    uint64_t *used; /* ... and how many findings each of them covered */
    struct {        /* mode WRITE: what is in the file from now on */
        struct bt_select_baseline_item *items;
        size_t count;
        size_t capacity;
    } added;
    size_t refused; /* mode WRITE: findings of protected rules */
};

struct bt_select_result {
    const struct bt_findings *findings;     /* those in force, in the same order */
    const struct bt_suppressed *suppressed; /* NULL: none */
    /* What the document used of the settings, for bt_select_usage_add(). By entry of `ignore`: 1
     * its paths match, 2 it suppressed something. */
    const uint8_t *ignores;
    struct bt_select_baseline_match baseline;
};

/*
 * Apply the settings to the finished findings of one document, which must outlive the result. The
 * result is in the arena. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_select_apply(const struct bt_select *select, struct bt_arena *arena,
                                           bt_str path, const struct bt_findings *findings,
                                           struct bt_select_result *out);

/* ---- A run ----------------------------------------------------------------------------------- */

/* What the documents of a run used of the settings. For one thread at a time. */
struct bt_select_usage;

/* Begin; NULL when the arena is exhausted. The settings must outlive the usage. */
BT_MUST_USE struct bt_select_usage *bt_select_usage_new(struct bt_arena *arena,
                                                        const struct bt_select *select);
/*
 * Count a document; the result may end afterwards. The order of documents does not matter.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_select_usage_add(struct bt_select_usage *usage, bt_str path,
                                               const struct bt_select_result *result);

/*
 * Add IGNORE_UNUSED for each entry whose paths matched a document of the run and that suppressed
 * nothing.
 */
BT_MUST_USE enum bt_status bt_select_add_unused(const struct bt_select_usage *usage,
                                                struct bt_findings *findings);

/* ---- Baseline -------------------------------------------------------------------------------- */

enum { BT_SELECT_BASELINE_BYTES_MAX = 64 << 20 };

/*
 * Read a baseline. `folder` is the absolute path of the file's folder, without links. It lives in
 * the arena; text and folder must outlive it. BT_EINVAL: it is not a baseline; `error` says why.
 */
BT_MUST_USE enum bt_status bt_select_baseline_read(struct bt_arena *arena, bt_str folder,
                                                   bt_str text,
                                                   const struct bt_select_baseline **out,
                                                   struct bt_error *error);
/* A baseline without entries, for a file that --baseline write is to make. NULL: no memory. */
BT_MUST_USE const struct bt_select_baseline *bt_select_baseline_empty(struct bt_arena *arena,
                                                                      bt_str folder);

/* Numbers of the report's member `baseline`; `added`, `removed`, `refused` only after WRITE. */
struct bt_select_baseline_totals {
    uint64_t entries;
    uint64_t used;
    uint64_t stale;
    uint64_t added;
    uint64_t removed;
    uint64_t refused;
};

/* True when the document at this absolute path still exists. */
typedef bool bt_select_exists_fn(void *context, bt_str path);

/*
 * Finish the baseline of a run: count, add BASELINE_PROTECTED and BASELINE_STALE to `findings` and,
 * with mode WRITE, put the new file into `buf`. `exists` decides which old entries of documents
 * outside the run are kept; it is called only with mode WRITE. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_select_baseline_finish(struct bt_select_usage *usage,
                                                     bt_select_exists_fn *exists, void *context,
                                                     struct bt_findings *findings,
                                                     struct bt_buf *buf,
                                                     struct bt_select_baseline_totals *out);

#endif
