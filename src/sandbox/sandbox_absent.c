/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox_absent.c - a build that runs no handlers: no mechanism is there, and none is started. */
#include "base/error.h"
#include "sandbox/account.h"
#include "sandbox/handler_probe.h"
#include "sandbox/hello.h"
#include "sandbox/python.h"
#include "sandbox/support.h"

static enum bt_status fail_without_sandbox(struct bt_error *error)
{
    return bt_error_set(error, BT_EINVAL, "this build has no sandbox");
}

void bt_sandbox_detect_support(struct bt_sandbox_support *out)
{
    *out = (struct bt_sandbox_support){0};
}

void bt_sandbox_put(struct bt_emit *emit, const struct bt_sandbox_support *support)
{
    (void)emit;
    (void)support;
}

enum bt_status bt_sandbox_switch_account(struct bt_host_launch_context *context, bt_str name,
                                         struct bt_error *error)
{
    (void)context;
    (void)name;
    return fail_without_sandbox(error);
}

enum bt_status bt_host_python_query_run(struct bt_arena *arena,
                                        const struct bt_host_python_query *question,
                                        struct bt_host_python *out, struct bt_error *error)
{
    (void)out;
    (void)arena;
    (void)question;
    return fail_without_sandbox(error);
}

enum bt_status bt_host_hello_read(struct bt_arena *arena, bt_str body, struct bt_host_hello *out,
                                  const char **out_reason)
{
    (void)out;
    (void)arena;
    (void)body;
    *out_reason = "this build has no sandbox";
    return BT_EINVAL;
}

enum bt_status
bt_handler_probe_run_open(struct bt_arena *arena, const struct bt_host_launch_context *context,
                          const struct bt_handler_probe *load, struct bt_handler_probe_result *out,
                          struct bt_handler_probe_run **out_loading, struct bt_error *error)
{
    (void)arena;
    (void)context;
    (void)load;
    (void)out;
    (void)out_loading;
    return fail_without_sandbox(error);
}

bool bt_handler_probe_run_is_done(const struct bt_handler_probe_run *loading)
{
    (void)loading;
    return true;
}

int bt_handler_probe_run_fd(const struct bt_handler_probe_run *loading)
{
    (void)loading;
    return -1;
}

enum bt_status bt_handler_probe_run_step(struct bt_handler_probe_run *loading, uint32_t wait_ms,
                                         struct bt_error *error)
{
    (void)loading;
    (void)wait_ms;
    return fail_without_sandbox(error);
}

void bt_handler_probe_run_close(struct bt_handler_probe_run *loading)
{
    (void)loading;
}
