/* SPDX-License-Identifier: Apache-2.0 */
/* agent_host.c - the table of agent hosts, one row each. */
#include "agent_host.h"

#include <string.h>

/* The names of an agent host: its own, and those of the entries that its hooks make. */
#define NAMES(word) .name = word, .actor = "hook/" word, .observer = "hook/" word "/observe"

/* The answer with which Claude Code and those after its model deny a tool. */
#define DENY_TOOL                                                                                  \
    .deny = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":"    \
            "\"deny\",\"permissionDecisionReason\":",                                              \
    .deny_too = "},\"systemMessage\":",                                                            \
    .deny_briefly = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","                   \
                    "\"permissionDecision\":\"deny\"}}\n"

static const struct agent_host hosts[] = {
    {NAMES("claude"),
     .traits.names_event = true,
     .traits.has_transcripts = true,
     .traits.has_agent_files = true,
     DENY_TOOL,
     .project_variable = "CLAUDE_PROJECT_DIR",
     .pass_line = "",
     .retry_prefix = "{\"decision\":\"block\",\"reason\":",
     .traits.takes_messages = true,
     .traits.takes_start_context = true,
     .traits.uses_exit_code = true,
     .project_file = ".claude/settings.json",
     .local_file = ".claude/settings.local.json",
     .user_file = ".claude/settings.json",
     .skills = ".claude/skills",
     .user_skills = ".claude/skills",
     .events = {"SubagentStart", "SubagentStop"},
     .traits.groups = true,
     .traits.matches = true,
     .traits.has_type = true,
     .command = "command",
     .limit = "timeout",
     .limit_number = 10,
     .tools = {.events = {"PreToolUse"},
               .entries = 1,
               .shell = {"Bash"},
               .files = {"Write", "Edit", "MultiEdit", "NotebookEdit"},
               .paths = {"file_path", "notebook_path"}}},
    {NAMES("codex"),
     .traits.names_event = true,
     .traits.has_transcripts = true,
     DENY_TOOL,
     .pass_line = "{}\n",
     .retry_prefix = "{\"decision\":\"block\",\"reason\":",
     .traits.takes_messages = true,
     .traits.takes_start_context = true,
     .project_file = ".codex/hooks.json",
     .user_file = ".codex/hooks.json",
     .skills = ".agents/skills",
     .user_skills = ".agents/skills",
     .events = {"SubagentStart", "SubagentStop"},
     .traits.groups = true,
     .traits.matches = true,
     .traits.has_type = true,
     .command = "command",
     .limit = "timeout",
     .limit_number = 10,
     .tools = {.events = {"PreToolUse"},
               .entries = 1,
               .shell = {"Bash"},
               .files = {"apply_patch"},
               .has_patches = true}},
    {NAMES("copilot"), .deny = "{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":",
     .traits.text_member = "response", .traits.takes_plain_context = true,
     .traits.reports_id_late = true, .deny_briefly = "{\"permissionDecision\":\"deny\"}\n",
     .pass_line = "{}\n", .retry_prefix = "{\"decision\":\"block\",\"reason\":",
     .project_file = ".github/hooks/baton.json", .user_file = ".copilot/hooks/baton.json",
     .skills = ".github/skills", .user_skills = ".copilot/skills",
     .events = {"subagentStart", "subagentStop"}, .traits.has_type = true,
     .traits.has_version = true, .command = "bash", .limit = "timeoutSec", .limit_number = 10,
     .tools = {.events = {"preToolUse", "PreToolUse"},
               .entries = 1,
               .shell = {"bash", "Bash"},
               .files = {"create", "edit", "str_replace_editor", "Write", "Edit"},
               .paths = {"path", "file_path"}}},
    {NAMES("cursor"),
     .traits.names_event = true,
     .traits.text_member = "summary",
     .traits.reports_id_late = true,
     .deny = "{\"permission\":\"deny\",\"user_message\":",
     .deny_too = ",\"agent_message\":",
     .deny_briefly = "{\"permission\":\"deny\"}\n",
     .traits.denies_to_user_first = true,
     .project_variable = "CURSOR_PROJECT_DIR",
     .pass_line = "{}\n",
     .retry_prefix = "{\"followup_message\":",
     .traits.limits_stops_only = true,
     .project_file = ".cursor/hooks.json",
     .user_file = ".cursor/hooks.json",
     .skills = ".cursor/skills",
     .user_skills = ".cursor/skills",
     .events = {"subagentStop"},
     .traits.has_version = true,
     .command = "command",
     .limit = "loop_limit",
     .limit_number = 3,
     .tools = {.events = {"beforeShellExecution", "preToolUse"},
               .entries = 2,
               .command_event = "beforeShellExecution",
               .files = {"Write", "StrReplace", "Edit", "Delete"},
               .paths = {"path", "file_path"},
               .passed = {"Shell"}}},
    {NAMES("gemini"),
     .traits.names_event = true,
     .deny = "{\"decision\":\"deny\",\"reason\":",
     .deny_too = ",\"systemMessage\":",
     .deny_briefly = "{\"decision\":\"deny\"}\n",
     .project_variable = "CLAUDE_PROJECT_DIR",
     .pass_line = "{}\n",
     .retry_prefix = "{\"decision\":\"deny\",\"reason\":",
     .traits.takes_messages = true,
     .traits.uses_exit_code = true,
     .project_file = ".gemini/settings.json",
     .user_file = ".gemini/settings.json",
     .skills = ".gemini/skills",
     .user_skills = ".gemini/skills",
     .events = {"AfterAgent"},
     .traits.groups = true,
     .traits.has_type = true,
     .command = "command",
     .limit = "timeout",
     .limit_number = 10000,
     .tools = {.events = {"BeforeTool"},
               .entries = 1,
               .shell = {"run_shell_command"},
               .files = {"write_file", "replace"},
               .paths = {"file_path"}}},
};

enum { HOSTS = sizeof(hosts) / sizeof(hosts[0]) };

const struct agent_host *hook_host_at(size_t index)
{
    return index < HOSTS ? &hosts[index] : NULL;
}

const struct agent_host *hook_host_find(const char *name)
{
    for (size_t i = 0; i < HOSTS; i++) {
        if (strcmp(hosts[i].name, name) == 0) {
            return &hosts[i];
        }
    }
    return NULL;
}

const char *hook_host_stop_event(const struct agent_host *host)
{
    size_t last = 0;
    while (last + 1 < HOOK_EVENTS_MAX && host->events[last + 1]) {
        last++;
    }
    return host->events[last];
}
