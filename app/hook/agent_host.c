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
    .deny_too = "},\"systemMessage\":"

static const struct agent_host hosts[] = {
    {NAMES("claude"), DENY_TOOL, .project_variable = "CLAUDE_PROJECT_DIR", .pass_line = "",
     .retry_prefix = "{\"decision\":\"block\",\"reason\":", .traits.takes_messages = true,
     .traits.takes_start_context = true, .traits.uses_exit_code = true,
     .project_file = ".claude/settings.json", .user_file = ".claude/settings.json",
     .events = {"SubagentStart", "SubagentStop"}, .traits.groups = true, .traits.matches = true,
     .traits.has_type = true, .command = "command", .limit = "timeout", .limit_number = 10},
    {NAMES("codex"), DENY_TOOL, .pass_line = "{}\n",
     .retry_prefix = "{\"decision\":\"block\",\"reason\":", .traits.takes_messages = true,
     .traits.takes_start_context = true, .project_file = ".codex/hooks.json",
     .user_file = ".codex/hooks.json", .events = {"SubagentStart", "SubagentStop"},
     .traits.groups = true, .traits.matches = true, .traits.has_type = true, .command = "command",
     .limit = "timeout", .limit_number = 10},
    {NAMES("copilot"), .deny = "{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":",
     .text_member = "response", .traits.takes_plain_context = true, .traits.reports_id_late = true,
     .pass_line = "{}\n", .retry_prefix = "{\"decision\":\"block\",\"reason\":",
     .project_file = ".github/hooks/baton.json", .user_file = ".copilot/hooks/baton.json",
     .events = {"subagentStop"}, .traits.has_type = true, .traits.has_version = true,
     .command = "bash", .limit = "timeoutSec", .limit_number = 10},
    {NAMES("cursor"), .deny = "{\"permission\":\"deny\",\"user_message\":",
     .text_member = "summary", .traits.reports_id_late = true, .deny_too = ",\"agent_message\":",
     .project_variable = "CURSOR_PROJECT_DIR", .pass_line = "{}\n",
     .retry_prefix = "{\"followup_message\":", .project_file = ".cursor/hooks.json",
     .user_file = ".cursor/hooks.json", .events = {"subagentStop"}, .traits.has_version = true,
     .command = "command", .limit = "loop_limit", .limit_number = 3},
    {NAMES("gemini"), .deny = "{\"decision\":\"deny\",\"reason\":",
     .deny_too = ",\"systemMessage\":", .project_variable = "CLAUDE_PROJECT_DIR",
     .pass_line = "{}\n",
     .retry_prefix = "{\"decision\":\"deny\",\"reason\":", .traits.takes_messages = true,
     .traits.uses_exit_code = true, .project_file = ".gemini/settings.json",
     .user_file = ".gemini/settings.json", .events = {"AfterAgent"}, .traits.groups = true,
     .traits.has_type = true, .command = "command", .limit = "timeout", .limit_number = 10000},
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
