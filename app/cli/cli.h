/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - the program `baton` as tables: its commands, their flags, and the options of a run.
 *
 * The rows are written in *.ops and compiled by tools/gen_commands.py. The parser, --help, the man
 * page and the completions of three shells are all made from them, so that they always agree.
 */
#ifndef BATON_APP_CLI_CLI_H
#define BATON_APP_CLI_CLI_H

#include <baton/check.h>
#include <baton/schema.h>

#include "base/civil_time.h"
#include "commands.h"
#include "config/config.h"
#include "config/load.h"

/* Exit codes of every command. */
enum cli_exit {
    CLI_DONE = 0,     /* accepted, or done */
    CLI_REJECTED = 1, /* findings at the fail level, or a negative answer */
    CLI_FAILED = 2,   /* usage, input or output: nothing was judged */
};

struct cli_command;

/* ---- Options of a run ------------------------------------------------------------------------ */

/* One rendering of the report and its destination. */
struct cli_output {
    enum bt_report_format format;
    const char *path; /* NULL: standard output */
};

enum { CLI_OUTPUTS_MAX = 16 };

/* A flag as it was given. */
struct cli_given {
    const struct cli_flag *flag;
    const char *value; /* NULL for a switch */
    size_t operands_before;
};

/* The flags and operands of one run. */
struct cli_options {
    const struct cli_command *command;
    struct cli_given *given; /* every flag, in the order of the words; see cli_given() */
    size_t given_count;
    char **operands;
    size_t operand_count;
    size_t operands_before_dashes; /* those before `--`; all when it was not given */
    enum bt_schema_draft draft;    /* schema: where $schema is absent; 0: the default */
    uint64_t budget;               /* schema: units of work; 0: the default */
    uint64_t timeout_ns;           /* schema: 0: the default */
    enum bt_dialect_id dialect;
    enum bt_severity fail_level; /* set before a command runs */
    const char *root;
    const struct bt_config *config;         /* in force; never NULL */
    const struct config_load_loaded *files; /* the files it was made from; NULL: no file was read */
    struct bt_limits limits;
    bool now_given;
    bool today_given;
    bool seed_given;
    bt_instant now;
    bt_instant today; /* midnight; the clock is fixed there unless `now` is given */
    uint64_t seed;
    struct cli_output outputs[CLI_OUTPUTS_MAX];
    size_t output_count;
    /* of the run: what could not be judged is added here, see failing.h */
    struct bt_report *report;
};

/*
 * Make the environment for these options. False, after an error message, when the system provided
 * no randomness.
 */
bool cli_env_init(const struct cli_options *options, struct bt_env *out);
/* Write the day of a run as YYYY-MM-DD: --today, else that of --now, else that of the clock. */
void cli_today(const struct cli_options *options, char out[BT_DATE_BYTES + 1]);

/* ---- Kinds of values ------------------------------------------------------------------------- */

/* The words of a kind: a list that ends with "", or a function; both NULL: it has none. */
struct cli_kind_words {
    const bt_str *list;
    bt_str (*at)(size_t index);
    const char *noun;       /* what errors call a value: "dialect" */
    bool is_open;           /* other values are allowed too */
    const bt_str *suffixes; /* of files of this kind; ends with ""; NULL: it is not a file */
};
extern const struct cli_kind_words cli_kinds[CLI_KIND__MAX];

/*
 * The word at `index` of a kind, or "" after the last one and for kinds without words. A word may
 * occur twice, in consecutive places.
 */
bt_str cli_kind_word(enum cli_kind kind, size_t index);
/* The number of words of a kind. */
size_t cli_kind_count(enum cli_kind kind);
/* Find the index of a word of a kind. False when it is not one of them. */
bool cli_kind_find(enum cli_kind kind, const char *word, size_t *out);

/* ---- Flags ----------------------------------------------------------------------------------- */

/*
 * Check and store the value of a flag; `value` is NULL for a switch. False after an error message.
 */
typedef bool cli_parse_flag_fn(struct cli_options *options, const char *value);

struct cli_flag {
    const char *name;     /* without its dashes; "": it has only a letter */
    char letter;          /* 0: none */
    const char *argument; /* the name of its value in help; NULL: a switch */
    enum cli_kind kind;   /* of the value */
    const char *help;
    /* NULL: any value is allowed, and the command reads it with cli_given() */
    cli_parse_flag_fn *take;
    unsigned id; /* what it means: flags of several commands can have one id and different help */
    enum cli_flag_heading heading;
    bool is_short; /* -h shows it */
};

/*
 * The flags of this build by their numbers, of which lists of flags consist: pointers would have to
 * be relocated at every start. Number 0 ends a list; its row is NULL.
 */
extern const struct cli_flag *const cli_flag_rows[];

/* The value of the last occurrence of `flag`; "" for a switch; NULL when it was not given. */
const char *cli_given(const struct cli_options *options, const struct cli_flag *flag);
/* The value of occurrence `index` of a flag that may be repeated, or NULL after the last. */
const char *cli_given_at(const struct cli_options *options, const struct cli_flag *flag,
                         size_t index);
/* All values of a flag that may be repeated, in the arena. False after an error message. */
bool cli_given_list(const struct cli_options *options, const struct cli_flag *flag,
                    struct bt_arena *arena, struct bt_str_list *out);

/* The flag of this command that has the name or, for "", the letter; NULL: there is none. */
const struct cli_flag *cli_find_flag(const struct cli_command *command, bt_str name, char letter);
/* True when the command has a flag with the id of `flag`. */
bool cli_has_flag(const struct cli_command *command, const struct cli_flag *flag);
/* Check and store a flag, as if it stood on the command line. False after an error message. */
bool cli_add_flag(struct cli_options *options, const struct cli_flag *flag, const char *value);

enum { CLI_NEEDED_MAX = 16 };

/*
 * Check that the flags which a command needs were given, and ask for them where its row allows
 * that. False after one error message that names every missing one with its meaning, and shows the
 * first example of the command.
 */
bool cli_check_needed(struct cli_options *options, struct bt_arena *arena);

/* ---- Commands -------------------------------------------------------------------------------- */

struct cli_example {
    const char *command; /* after the prompt; NULL ends a list */
    const char *meaning;
};

typedef int cli_run_fn(const struct cli_options *options);
/* True when a flag that a command needs may be left out, because of other flags or settings. */
typedef bool cli_waive_fn(const struct cli_options *options, const struct cli_flag *flag);

/* One run of a command, see run.h. */
struct cli_run;
/* Make what the commands of a noun share. False after an error message. */
typedef bool cli_begin_fn(struct cli_run *run);
/* Do the work of a command. Returns the exit code. */
typedef int cli_work_fn(struct cli_run *run);

/*
 * A heading above a group of commands in the help of their parent. Lists of pointers end with NULL.
 */
struct cli_heading {
    const struct cli_command *first;
    const char *words;
};

/* The flags that a command needs. */
struct cli_command_needs {
    const uint16_t *flags; /* numbers; NULL: none */
    cli_waive_fn *waives;  /* NULL: they are always needed */
    bool prompts;          /* for their values, on a terminal */
};

/* What a command does with the configuration. */
struct cli_command_config {
    enum bt_config_use use; /* what a project's file may set; 0: as for judging */
    bool is_read;           /* without --config, too */
    bool reports_failures;  /* the report is written even when it cannot be used */
};

struct cli_command {
    const char *name;     /* in full: "baton json fmt" */
    const char *operands; /* as usage shows them; "": none */
    const char *summary;  /* one line without a full stop */
    const char *about;    /* paragraphs, each ended by a line feed, or "" */
    const char *missing;  /* the error for too few operands */
    size_t operands_min;
    size_t operands_max;
    enum cli_kind operand_kind;
    const uint16_t *flags; /* numbers, in the order of their headings */
    struct cli_command_needs needs;
    const struct cli_example *examples;
    const struct cli_command *const *parts; /* sub-commands; NULL: none */
    const struct cli_heading *headings;     /* of the sub-commands; NULL: one list */
    struct cli_command_config config;
    int misused;         /* exit code of usage errors; 0: CLI_FAILED */
    int variant;         /* for functions that several commands share */
    cli_begin_fn *begin; /* called before `work`; NULL: nothing more is needed */
    cli_work_fn *work;   /* NULL: see `run` */
    cli_run_fn *run;     /* instead of `work`; both NULL: a sub-command must be named */
};

/* A command or flag that this build does not have, because it was built without a part. */
struct cli_absent {
    const char *command; /* in full; NULL ends the list */
    const char *flag;    /* without its dashes; NULL: the whole command */
    const char *part;    /* "server" */
};
extern const struct cli_absent cli_absent[];

/* The program itself; all other commands are below it. */
extern const struct cli_command cli_baton;

/* The last word of the name: "fmt". */
const char *cli_command_word(const struct cli_command *command);
/* The sub-command of `command` called `word`, or NULL. */
const struct cli_command *cli_command_part(const struct cli_command *command, const char *word);
/*
 * The command at `index`, every command before its sub-commands, beginning with `baton` itself;
 * NULL after the last one. For texts about every command.
 */
const struct cli_command *cli_command_at(size_t index);

/* ---- Configuration (settings.c) -------------------------------------------------------------- */

/*
 * Load the configuration of a command that has --config, and use it for limits and the fail level
 * where no flag is given. False after an error message: an invalid configuration is not used at
 * all.
 */
bool cli_resolve_settings(struct cli_options *options, struct bt_arena *arena);

/*
 * Load a configuration; *out is unchanged when it cannot be used. False after an error message;
 * `error` is set when a file could not be read.
 */
bool cli_config_load(struct bt_arena *arena, const struct config_load_options *load_options,
                     struct config_load_loaded *loaded, const struct bt_config **out,
                     struct bt_error *error);

/* Parse the words after the program's name, run the command, and return the exit code. */
int cli_main(size_t count, char **words);

#endif
