/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - wait until files change, or until a person ends the wait. */
#include "watch.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum {
    QUIET_MS = 100,     /* without an event, before the files are compared */
    BUSY_MS_MAX = 1000, /* with events going on */
    POLL_MS = 1000,
    EVENT_BYTES = 64 * 1024,
};

struct check_watch {
    int events;  /* inotify; -1: not used */
    int signals; /* signalfd */
    sigset_t old_mask;
    bool has_terminal; /* standard input is one, and `old_mode` was its mode */
    struct termios old_mode;
    bool has_events; /* some were dropped since the last wait */
    bool is_polling;
    bool was_polling_reported;
    bool has_ended;
};

/* ---- Begin and end --------------------------------------------------------------------------- */

/* Read keys one at a time and do not show them. Ctrl-C is still a signal. */
static void open_terminal(struct check_watch *watch)
{
    struct termios mode;
    if (isatty(STDIN_FILENO) != 1 || tcgetattr(STDIN_FILENO, &watch->old_mode) != 0) {
        return;
    }
    mode = watch->old_mode;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    watch->has_terminal = tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0;
}

struct check_watch *check_watch_open(struct bt_error *error)
{
    sigset_t mask;
    struct check_watch *watch = calloc(1, sizeof(*watch));
    if (!watch) {
        (void)bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        return NULL;
    }
    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, SIGINT);
    (void)sigaddset(&mask, SIGTERM);
    (void)sigaddset(&mask, SIGHUP);
    watch->events = -1;
    watch->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (watch->signals < 0 || pthread_sigmask(SIG_BLOCK, &mask, &watch->old_mask) != 0) {
        (void)bt_error_set(error, BT_EIO, "%s", strerror(errno));
        if (watch->signals >= 0) {
            (void)close(watch->signals);
        }
        free(watch);
        return NULL;
    }
    open_terminal(watch);
    return watch;
}

static void close_events(struct check_watch *watch)
{
    if (watch->events >= 0) {
        (void)close(watch->events);
        watch->events = -1;
    }
}

void check_watch_close(struct check_watch *watch)
{
    if (!watch) {
        return;
    }
    if (watch->has_terminal) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &watch->old_mode);
    }
    (void)check_watch_has_ended(watch); /* takes a pending signal, which would end the program */
    close_events(watch);
    (void)close(watch->signals);
    (void)pthread_sigmask(SIG_SETMASK, &watch->old_mask, NULL);
    free(watch);
}

/* ---- Folders --------------------------------------------------------------------------------- */

static void poll_from_now_on(struct check_watch *watch)
{
    watch->is_polling = true;
    close_events(watch);
}

void check_watch_reset(struct check_watch *watch)
{
    close_events(watch);
    if (!watch->is_polling) {
        watch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (watch->events < 0) {
            poll_from_now_on(watch);
        }
    }
}

void check_watch_add(struct check_watch *watch, const char *folder)
{
    const uint32_t what = IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_DELETE_SELF |
                          IN_MODIFY | IN_MOVE_SELF | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;
    if (watch->is_polling || inotify_add_watch(watch->events, folder, what) >= 0) {
        return;
    }
    if (errno == ENOSPC || errno == ENOMEM || errno == EMFILE || errno == ENFILE) {
        poll_from_now_on(watch);
    }
}

bool check_watch_has_begun_polling(struct check_watch *watch)
{
    const bool is_news = watch->is_polling && !watch->was_polling_reported;
    watch->was_polling_reported = watch->is_polling;
    return is_news;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void drop_events(struct check_watch *watch)
{
    char bytes[EVENT_BYTES];
    while (watch->events >= 0 && read(watch->events, bytes, sizeof(bytes)) > 0) {
    }
}

/* Read the keys that were pressed. The end of standard input is not a key. */
static void read_keys(struct check_watch *watch)
{
    char keys[64];
    const ssize_t count = read(STDIN_FILENO, keys, sizeof(keys));
    for (ssize_t i = 0; i < count; i++) {
        watch->has_ended = watch->has_ended || keys[i] == 'q' || keys[i] == 'Q';
    }
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        watch->has_terminal = false; /* it is gone */
        watch->has_ended = true;
    }
}

/* Wait for an event for some time. True when a folder has changed. */
static bool wait_once(struct check_watch *watch, int timeout_ms)
{
    struct pollfd fds[] = {
        {.fd = watch->signals, .events = POLLIN},
        {.fd = watch->has_terminal ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = watch->events, .events = POLLIN},
    };
    struct signalfd_siginfo signal;
    if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms) <= 0) {
        return false;
    }
    if (fds[0].revents != 0 && read(watch->signals, &signal, sizeof(signal)) > 0) {
        watch->has_ended = true;
    }
    if (fds[1].revents != 0) {
        read_keys(watch);
    }
    if (fds[2].revents != 0) {
        drop_events(watch);
        watch->has_events = true;
    }
    return fds[2].revents != 0;
}

bool check_watch_has_ended(struct check_watch *watch)
{
    (void)wait_once(watch, 0);
    return watch->has_ended;
}

enum check_watch_event check_watch_wait(struct check_watch *watch)
{
    assert(watch);
    bool has_changed = watch->has_events;
    while (!has_changed && !watch->has_ended) { /* ends with an event, or by a person */
        has_changed = wait_once(watch, watch->is_polling ? POLL_MS : -1) || watch->is_polling;
    }
    const uint64_t until = bt_clock_monotonic_ms() + BUSY_MS_MAX;
    while (!watch->is_polling && !watch->has_ended && wait_once(watch, QUIET_MS) &&
           bt_clock_monotonic_ms() < until) {
    }
    watch->has_events = false;
    return watch->has_ended ? CHECK_WATCH_ENDED : CHECK_WATCH_CHANGED;
}
