/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_document.h - commands whose result is a document: where the document and the report go.
 *
 *     -o OUT         the document, to a file that must not exist
 *     --in-place     the document, replacing FILE, whose old bytes stay as FILE.orig
 *     --diff         the changes, instead of the document
 *     none of them   the document, to standard output, unless a report is requested with -f
 *
 * The report goes to standard output when the document does not.
 */
#ifndef BATON_APP_CLI_WRITE_DOCUMENT_H
#define BATON_APP_CLI_WRITE_DOCUMENT_H

#include "cli.h"
#include "dialect/universal/universal.h"
#include "input.h"
#include "run.h"

struct cli_document_out {
    const char *path; /* of -o, or NULL */
    bool in_place;
    bool diff;
};

/*
 * Read these flags for the document `operand`. False after an error message: flags that exclude
 * each other, --in-place on standard input, an OUT that exists. Call it before any work is done.
 */
bool cli_document_write_init(const struct cli_options *options, const char *operand,
                             struct cli_document_out *out);

/*
 * Write the result of a change to `input` and print the rest. A document that was not accepted is
 * not written. `result->judged` gets the member `written` when a file was written. Returns the exit
 * code: CLI_DONE, CLI_REJECTED, or CLI_FAILED after an error message.
 */
int cli_document_write(const struct cli_options *options, const struct cli_document_out *out,
                       struct bt_arena *arena, const struct cli_input *input,
                       struct bt_universal_result *result);

/*
 * Replace the file at `path` atomically; with `keep` its old bytes stay as FILE.orig, FILE.orig.2
 * and so on. False after an error message.
 */
bool cli_document_replace(bt_str path, bt_str text, bool keep);

/*
 * Create the file `name` below the folder `root`, and the folders on its path that are missing;
 * nothing is overwritten. *out_path is its path, with a NUL byte behind it. False after an error
 * message.
 */
bool cli_create_below(struct cli_run *run, bt_str root, bt_str name, bt_str text, bt_str *out_path);

/*
 * Put the unified diff of the pretty forms of two documents, both called `path`. `arena` is working
 * memory.
 */
BT_MUST_USE enum bt_status cli_document_diff(struct bt_buf *buf, struct bt_arena *arena,
                                             bt_str path, bt_str before, bt_str after);

/* A document that a command has made, or made from another one. */
struct cli_made_document {
    const char *operand; /* the file of the other one, for --in-place */
    bt_str old;          /* its bytes */
    bt_str text;
    struct bt_judgement *judged; /* with at least one member of its own; gets `written` */
};

/*
 * Write a document if it was accepted, as the flags say, and print it or the report. Returns the
 * exit code as cli_document_write() does.
 */
int cli_document_write_made(struct cli_run *run, const struct cli_document_out *where,
                            const struct cli_made_document *made);

/*
 * Print the result for a document that the library has written: its path, or the report when one
 * was requested or the document was rejected; `members` are more members of a JSON report, or "".
 * Returns the exit code as cli_document_write() does.
 */
int cli_document_written(const struct cli_options *options, struct bt_arena *arena,
                         const struct bt_universal_result *result, bt_str members);

#endif
