/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - the order of the checks, and their results as text and JSON. */
#include "doctor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>
#include <baton/version.h>

#include "base/buf.h"
#include "base/build_options.h"
#include "doctor_run.h"
#include "json/emit.h"
#include "release.h"

enum { MESSAGE_BYTES_MAX = 4096 };

static const char *const status_names[SETUP_STATUS__MAX] = {
    [SETUP_OK] = "ok", [SETUP_WARN] = "warn", [SETUP_FAIL] = "fail", [SETUP_SKIP] = "skip"};

/* ---- Results --------------------------------------------------------------------------------- */

/* True when a path can begin or end between these two bytes. */
static bool is_path_edge(char byte)
{
    return byte == '\0' || byte == ' ' || byte == '"' || byte == '\'' || byte == ':' ||
           byte == ',' || byte == ';' || byte == '=' || byte == '(' || byte == ')';
}

/* True when the path of the home directory, or of something below it, begins at `at`. */
static bool begins_home(bt_str text, size_t at, bt_str home)
{
    const char before = at > 0 ? text.ptr[at - 1] : '\0';
    const char after = at + home.len < text.len ? text.ptr[at + home.len] : '\0';
    return home.len > 1 && bt_str_starts_with(bt_str_slice(text, at, text.len), home) &&
           is_path_edge(before) && (after == '/' || is_path_edge(after));
}

/* Escape what a terminal could take for a command, and write the home directory as `~`. */
static enum bt_status copy_text(struct setup_doctor *doctor, bt_str text, bt_str *out)
{
    struct bt_buf printable;
    struct bt_buf buf;
    bt_buf_init(&printable, (size_t)8 * MESSAGE_BYTES_MAX);
    bt_buf_init(&buf, (size_t)8 * MESSAGE_BYTES_MAX);
    bt_buf_put_printable(&printable, text, MESSAGE_BYTES_MAX);
    const bt_str shown = bt_buf_str(&printable);
    for (size_t i = 0; i < shown.len;) {
        const bool is_home = begins_home(shown, i, doctor->home);
        bt_buf_put_char(&buf, is_home ? '~' : shown.ptr[i]);
        i += is_home ? doctor->home.len : 1;
    }
    bt_buf_free(&printable);
    return bt_buf_finish(&buf, doctor->arena, out);
}

enum bt_status setup_add_check(struct setup_doctor *doctor, bt_str id, enum setup_status status,
                               bt_str message, const char *hint)
{
    struct setup_report *report = doctor->report;
    assert(report->count < SETUP_CHECKS_MAX);
    struct setup_check *check = &report->checks[report->count++];
    *check = (struct setup_check){.id = id, .status = status, .hint = BT_STR("")};
    report->totals[status]++;
    BT_TRY(copy_text(doctor, message, &check->message));
    return hint ? copy_text(doctor, bt_str_of(hint), &check->hint) : BT_OK;
}

/* ---- Small checks ---------------------------------------------------------------------------- */

enum bt_status setup_check_sandbox(struct setup_doctor *doctor,
                                   const struct bt_sandbox_support *support)
{
    const struct {
        const char *name;
        bool is_there;
    } mechanisms[] = {{"no_new_privs", support->no_new_privs},
                      {"rlimits", support->rlimits},
                      {"Landlock", support->landlock > 0},
                      {"seccomp", support->seccomp}};
    struct bt_buf missing;
    bt_str message;
    bt_buf_init(&missing, MESSAGE_BYTES_MAX);
    for (size_t i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++) {
        if (!mechanisms[i].is_there) {
            bt_buf_printf(&missing, "%s%s",
                          missing.len > 0 ? ", " : "missing in the kernel: ", mechanisms[i].name);
        }
    }
    const bool is_whole = missing.len == 0;
    if (is_whole) {
        bt_buf_printf(&missing, "rlimits, seccomp and Landlock %u are there", support->landlock);
    }
    BT_TRY(bt_buf_finish(&missing, doctor->arena, &message));
    return setup_add_check(doctor, BT_STR("sandbox"), is_whole ? SETUP_OK : SETUP_WARN, message,
                           is_whole ? NULL
                                    : "handlers of a pump are confined less; sandbox: required "
                                      "in the organism refuses to run them");
}

enum bt_status setup_check_clock(struct setup_doctor *doctor, bt_str release)
{
    const bt_instant now = bt_env_now(doctor->env);
    bt_instant released = {0, 0};
    bt_str message;
    const bool is_dated = bt_date_parse(release, &released) == BT_OK;
    if (is_dated && now.seconds < released.seconds) {
        BT_TRY(bt_arena_printf(doctor->arena, &message,
                               "the clock is before %.*s, the date of this release",
                               BT_STR_ARG(release)));
        return setup_add_check(doctor, BT_STR("clock"), SETUP_FAIL, message,
                               "set the clock: expiry dates and the times of entries depend on it");
    }
    return setup_add_check(doctor, BT_STR("clock"), SETUP_OK,
                           is_dated ? BT_STR("the clock is after the date of this release")
                                    : BT_STR("this build is not a release and has no date"),
                           NULL);
}

/* True when the locale of the environment is one of UTF-8. */
static bool uses_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value && value[0] != '\0') {
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
        }
    }
    return false;
}

enum bt_status setup_check_terminal(struct setup_doctor *doctor)
{
    const struct setup_terminal *terminal = &doctor->options->terminal;
    bt_str message;
    if (!terminal->is_terminal) {
        return setup_add_check(doctor, BT_STR("terminal"), SETUP_SKIP,
                               BT_STR("standard output is not a terminal"), NULL);
    }
    BT_TRY(bt_arena_printf(doctor->arena, &message, "colour: %s, hyperlinks: %s, UTF-8: %s",
                           terminal->has_colour ? "yes" : "no", terminal->has_links ? "yes" : "no",
                           uses_utf8() ? "yes" : "no"));
    return setup_add_check(doctor, BT_STR("terminal"), SETUP_OK, message, NULL);
}

/* ---- All checks ------------------------------------------------------------------------------ */

static enum bt_status check_hosts(struct setup_doctor *doctor)
{
    for (size_t i = 0; hook_host_at(i); i++) {
        BT_TRY(setup_check_hook(doctor, hook_host_at(i)));
    }
    for (size_t i = 0; hook_host_at(i); i++) {
        BT_TRY(setup_check_servers(doctor, hook_host_at(i)));
    }
    return BT_OK;
}

/* The store and its key, in a build that has stores. */
static enum bt_status check_store(struct setup_doctor *doctor)
{
#if BT_HAS_STORE
    BT_TRY(setup_check_store(doctor));
    return setup_check_permissions(doctor);
#else
    return setup_add_check(doctor, BT_STR("store"), SETUP_SKIP, BT_STR("this build has no store"),
                           "");
#endif
}

/* What confines handlers, in a build that runs them. */
static enum bt_status check_sandbox(struct setup_doctor *doctor)
{
#if BT_HAS_STORE
    struct bt_sandbox_support support;
    bt_sandbox_detect_support(&support);
    return setup_check_sandbox(doctor, &support);
#else
    return setup_add_check(doctor, BT_STR("sandbox"), SETUP_SKIP,
                           BT_STR("this build has no sandbox"), "");
#endif
}

enum bt_status setup_doctor_run(struct bt_env *env, struct bt_arena *arena,
                                const struct setup_doctor_options *options,
                                struct setup_report *out)
{
    assert(env);
    assert(options);
    assert(out);
    const char *home = getenv("HOME");
    struct setup_doctor doctor = {.env = env,
                                  .arena = arena,
                                  .options = options,
                                  .report = out,
                                  .home = bt_str_of(home && home[0] == '/' ? home : "")};
    *out = (struct setup_report){.count = 0};
    BT_TRY(setup_check_program(&doctor));
    BT_TRY(setup_check_configs(&doctor));
    BT_TRY(check_store(&doctor));
    BT_TRY(setup_check_git(&doctor));
    BT_TRY(check_hosts(&doctor));
    BT_TRY(check_sandbox(&doctor));
    BT_TRY(setup_check_clock(&doctor, BT_STR(SETUP_RELEASE_DATE)));
    return setup_check_terminal(&doctor);
}

/* ---- Output ---------------------------------------------------------------------------------- */

void setup_doctor_put_json(struct bt_buf *buf, const struct setup_report *report)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_object(&emit, "doctor");
    bt_emit_member_string(&emit, "version", bt_str_of(bt_version()));
    bt_emit_member_array(&emit, "checks");
    for (size_t i = 0; i < report->count; i++) {
        const struct setup_check *check = &report->checks[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "id", check->id);
        bt_emit_member_string(&emit, "status", bt_str_of(status_names[check->status]));
        bt_emit_member_string(&emit, "message", check->message);
        if (check->hint.len > 0) {
            bt_emit_member_string(&emit, "hint", check->hint);
        }
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_member_object(&emit, "summary");
    for (enum setup_status status = SETUP_OK; status < SETUP_STATUS__MAX; status++) {
        bt_emit_member_u64(&emit, status_names[status], report->totals[status]);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

void setup_doctor_put_text(struct bt_buf *buf, const struct setup_report *report)
{
    size_t width = 0;
    for (size_t i = 0; i < report->count; i++) {
        width = report->checks[i].id.len > width ? report->checks[i].id.len : width;
    }
    for (size_t i = 0; i < report->count; i++) {
        const struct setup_check *check = &report->checks[i];
        bt_buf_printf(buf, "%-4s  %.*s", status_names[check->status], BT_STR_ARG(check->id));
        bt_buf_put_repeat(buf, ' ', width - check->id.len + 2);
        bt_buf_put(buf, check->message);
        bt_buf_put_char(buf, '\n');
        if (check->hint.len > 0) {
            bt_buf_put_repeat(buf, ' ', width + 8);
            bt_buf_put(buf, check->hint);
            bt_buf_put_char(buf, '\n');
        }
    }
    bt_buf_printf(buf, "%zu ok, %zu warn, %zu fail, %zu skip\n", report->totals[SETUP_OK],
                  report->totals[SETUP_WARN], report->totals[SETUP_FAIL],
                  report->totals[SETUP_SKIP]);
}
