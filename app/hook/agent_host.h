/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_host.h - the supported agent hosts: the form of their answers, and where their settings
 * are.
 */
#ifndef BATON_APP_HOOK_AGENT_HOST_H
#define BATON_APP_HOOK_AGENT_HOST_H

#include <baton/base.h>

enum { HOOK_EVENTS_MAX = 3 };

/* What an agent host can do. */
struct agent_host_traits {
    bool takes_messages;      /* it reads systemMessage and continue */
    bool takes_start_context; /* it accepts context when an agent starts */
    bool takes_plain_context; /* it accepts context as the only member of the answer */
    bool reports_id_late;     /* an agent does not know its id before its turn ends */
    bool uses_exit_code;      /* it understands exit code 2 */
    bool groups;              /* an entry of its settings is {"hooks":[COMMAND]} */
    bool matches;             /* such a group may have a matcher */
    bool has_type;            /* a command has a member `type` */
    bool has_version;         /* the settings have "version":1 */
};

struct agent_host {
    const char *name;

    /* Answers. */
    const char *actor;
    const char *observer;
    const char *pass_line;    /* a line, or "" */
    const char *retry_prefix; /* the answer up to its text */
    const char *deny;         /* the answer that denies a tool, up to its text */
    /* between the text and a second copy of it; NULL: there is no second copy */
    const char *deny_too;

    /* Settings. */
    const char *project_file; /* below the project directory */
    const char *user_file;    /* below the home directory */
    /* lists below `hooks`, in the order in which they are added */
    const char *events[HOOK_EVENTS_MAX];
    const char *command; /* the member with the command line */
    const char *limit;   /* one more member, and its number */
    uint64_t limit_number;

    const char *text_member;      /* one more member that may hold the agent's text, or NULL */
    const char *project_variable; /* environment variable with the project directory, or NULL */

    struct agent_host_traits traits;
};

/* The agent host called `name`, or NULL. */
const struct agent_host *hook_host_find(const char *name);
/* The agent host at `index`, or NULL after the last. */
const struct agent_host *hook_host_at(size_t index);

#endif
