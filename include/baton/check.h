/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - judge a document: bytes -> document -> checks -> findings -> verdict.
 *
 *     struct bt_report *report = NULL;
 *     if (bt_check(engine, BT_STR("h.json"), content, NULL, &report, &error) == BT_OK) {
 *         enum bt_verdict verdict = bt_judgement_verdict(bt_report_at(report, 0));
 *         ...
 *     }
 *     bt_report_destroy(report);
 *
 * One entry for all dialects. The same bytes give the same judgement through every entry point:
 * library, command line, hook, server.
 *
 * Threads: an engine, and options while they are set, belong to one thread at a time. A report may
 * be read by many threads.
 */
#ifndef BATON_CHECK_H
#define BATON_CHECK_H

#include <baton/report.h>
#include <baton/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Dialects -------------------------------------------------------------------------------- */

/* The number of dialects that bt_check() can judge. */
BT_API size_t bt_dialects_count(void);
/* The dialect with this index, which must be below the count. */
BT_API enum bt_dialect_id bt_dialects_at(size_t index);
/* One line about a dialect that bt_check() can judge. A constant. */
BT_API bt_str bt_dialect_summary(enum bt_dialect_id dialect);
/*
 * The dialect that the path of a file alone shows, or BT_DIALECT_NONE. Walks through folders take
 * the files for which there is one.
 */
BT_API enum bt_dialect_id bt_dialect_for_path(bt_str path);
/*
 * The dialect that the path or, where that does not settle it, the content shows, or
 * BT_DIALECT_NONE.
 */
BT_API enum bt_dialect_id bt_dialect_recognise(bt_str path, bt_str content);

/* ---- Checking -------------------------------------------------------------------------------- */

struct bt_engine; /* see call.h */

/* How documents are judged. */
struct bt_options;

/* Make options that are all unset. On BT_OK the caller destroys *out. BT_ENOMEM: no memory. */
BT_API BT_MUST_USE enum bt_status bt_options_create(struct bt_options **out);
/* Destroy them. NULL is allowed. */
BT_API void bt_options_destroy(struct bt_options *options);
/*
 * Set an option by its name in a request to the server, with the value that the query of the
 * request would have: `as`, `fail_level`, `now`, `root`, `budget` and so on. Both texts are copied;
 * a second value takes the place of the first. BT_EINVAL: the option or the value does not exist;
 * `error`, which may be NULL, names it. BT_ENOMEM: no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_options_set(struct bt_options *options, bt_str name,
                                                 bt_str value, struct bt_error *error);

/*
 * Judge `content`, which messages call `path` ("": the option `path`, or "document"); nothing of
 * that name is opened. `options` may be NULL: the settings of the engine. Texts are copied. On
 * BT_OK the report has one document, and the caller destroys it with bt_report_destroy(), before or
 * after the engine. BT_ENOENT: the dialect is neither named (`as`) nor recognised. BT_EINVAL: the
 * engine has no root of the name that the options give. BT_ENOMEM: no memory. BT_EIO: a root cannot
 * be read. After any status other than BT_OK nothing was decided, and *out is unchanged. `error`
 * may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_check(struct bt_engine *engine, bt_str path, bt_str content,
                                           const struct bt_options *options, struct bt_report **out,
                                           struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
