/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - wait until files change, or until a person ends the wait.
 *
 * Folders are watched with inotify. An event only says that something happened in a folder; whether
 * a file of interest changed is found by comparing what the file system says about all of them
 * before and after (watch_files.h). So no event has to be understood, lost events do no
 * harm, and where inotify cannot be used, the comparison is made every second.
 */
#ifndef BATON_APP_CHECK_WATCH_H
#define BATON_APP_CHECK_WATCH_H

#include <baton/base.h>

struct check_watch;

/*
 * Begin: from now on SIGINT and SIGTERM are blocked and end the wait, and so does the key q when
 * standard input is a terminal, whose mode is changed. NULL when the system refuses; `error` says
 * why. End it with check_watch_close().
 */
struct check_watch *check_watch_open(struct bt_error *error);
/* Restore the terminal and the signals. NULL is allowed. */
void check_watch_close(struct check_watch *watch);

/* Watch nothing any more; folders are added again. */
void check_watch_reset(struct check_watch *watch);
/* Watch the entries of a folder; what does not exist is ignored. */
void check_watch_add(struct check_watch *watch, const char *folder);
/* True, once, when a limit of inotify was reached: from then on there is an event every second. */
bool check_watch_has_begun_polling(struct check_watch *watch);

enum check_watch_event {
    CHECK_WATCH_NONE = 0,
    CHECK_WATCH_CHANGED, /* something happened in a folder, and then nothing for 100 ms */
    CHECK_WATCH_ENDED,
};

/* Wait for an event, at most one second longer while events go on. */
enum check_watch_event check_watch_wait(struct check_watch *watch);
/* True when the wait was ended, now or before. Does not wait. */
bool check_watch_has_ended(struct check_watch *watch);

#endif
