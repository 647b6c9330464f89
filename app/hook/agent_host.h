/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_host.h - the agent hosts that Baton stands behind: how each is spoken to, and where it
 * looks for its hooks.
 */
#ifndef BATON_APP_HOOK_AGENT_HOST_H
#define BATON_APP_HOOK_AGENT_HOST_H

#include <baton/base.h>

enum { HOOK_EVENTS_MAX = 3 };

struct agent_host {
    const char *name;

    /* Answers. */
    const char *actor;
    const char *observer;
    const char *pass_line;    /* a line, or "" for none */
    const char *retry_prefix; /* the answer up to its text */
    const char *deny;         /* the use of a tool, up to the text */
    const char
        *deny_too; /* between the text and the same for the other reader; NULL: there is none */

    /* Settings. */
    const char *project_file;            /* below the folder of a project */
    const char *user_file;               /* below the home folder */
    const char *events[HOOK_EVENTS_MAX]; /* lists below `hooks`, in the order they are made */
    const char *command;                 /* the member with the words to run */
    const char *limit;                   /* a further member, and its number */
    uint64_t limit_number;

    const char *project_variable; /* in which it names the folder of the project, or NULL */

    /* Traits. */
    bool takes_messages;      /* systemMessage, continue */
    bool takes_start_context; /* takes context at the start of an agent */
    bool uses_exit_code;      /* knows exit 2 */
    bool summarises;          /* `summary` is the text */
    bool groups;              /* an entry of its settings is {"hooks":[COMMAND]} */
    bool matches;             /* such a group may have a matcher */
    bool has_type;            /* a command says that it is one */
    bool has_version;         /* the settings say "version":1 */
};

/* The host called `name`, or NULL. */
const struct agent_host *hook_host_find(const char *name);
/* The host at `index`, or NULL after the last. */
const struct agent_host *hook_host_at(size_t index);

/* For complaints. */
#define HOOK_HOST_NAMES "claude, codex, copilot, cursor or gemini"

#endif
