/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_host.h - the supported agent hosts: the form of their answers, and where their settings
 * are.
 */
#ifndef BATON_APP_HOOK_AGENT_HOST_H
#define BATON_APP_HOOK_AGENT_HOST_H

#include <baton/base.h>

enum { HOOK_EVENTS_MAX = 3, HOOK_TOOLS_MAX = 6 };

/* The tools of an agent host, and the events before their use. Lists end with NULL. */
struct agent_host_tools {
    const char *events[HOOK_TOOLS_MAX];
    size_t entries;                     /* so many of them get an entry in the settings */
    const char *command_event;          /* the event itself has the command; NULL: none has */
    const char *shell[HOOK_TOOLS_MAX];  /* they run the member `command` */
    const char *files[HOOK_TOOLS_MAX];  /* they write ... */
    const char *paths[HOOK_TOOLS_MAX];  /* ... what these members name */
    bool has_patches;                   /* `command` of a file tool is a patch with paths in it */
    const char *passed[HOOK_TOOLS_MAX]; /* judged at the command event */
};

/* What an agent host can do. */
struct agent_host_traits {
    bool takes_messages;       /* it reads systemMessage and continue */
    bool takes_start_context;  /* it accepts context when an agent starts */
    bool takes_plain_context;  /* it accepts context as the only member of the answer */
    bool reports_id_late;      /* an agent does not know its id before its turn ends */
    bool uses_exit_code;       /* it understands exit code 2 */
    bool denies_to_user_first; /* `deny` is followed by the text for the person */
    bool groups;               /* an entry of its settings is {"hooks":[COMMAND]} */
    bool matches;              /* such a group may have a matcher */
    bool has_type;             /* a command has a member `type` */
    bool has_version;          /* the settings have "version":1 */
    bool names_event;          /* its events tell their names */
    bool limits_stops_only;    /* `limit` is not for tools */
    bool has_transcripts;      /* its transcripts can be read */
    bool has_agent_files;      /* the file of an agent lies beside that of its session */
    const char *text_member;   /* one more member that may hold the agent's text, or NULL */
};

struct agent_host {
    const char *name;

    /* Answers. */
    const char *actor;
    const char *observer;
    const char *pass_line;    /* a line, or "" */
    const char *retry_prefix; /* the answer up to its text */
    const char *deny;         /* the answer that denies a tool, up to its text for the agent */
    /* between that and the text for the person; NULL: it has none */
    const char *deny_too;
    const char *deny_briefly; /* the whole answer when memory runs out */

    /* Settings. */
    const char *project_file; /* below the project directory */
    const char *local_file;   /* of this user below the project directory; NULL: none */
    const char *user_file;    /* below the home directory */
    const char *skills;       /* folder of skills, below the project directory ... */
    const char *user_skills;  /* ... and below the home directory */
    /* lists below `hooks`, in the order in which they are added; the last is of the stop event */
    const char *events[HOOK_EVENTS_MAX];
    const char *command; /* the member with the command line */
    const char *limit;   /* one more member, and its number */
    uint64_t limit_number;

    const char *project_variable; /* environment variable with the project directory, or NULL */

    struct agent_host_traits traits;
    struct agent_host_tools tools;
};

/* The event at which its agents end their turns. */
const char *hook_host_stop_event(const struct agent_host *host);
/* The agent host called `name`, or NULL. */
const struct agent_host *hook_host_find(const char *name);
/* The agent host at `index`, or NULL after the last. */
const struct agent_host *hook_host_at(size_t index);

#endif
