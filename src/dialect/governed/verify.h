/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - the files of a catalogue as documents of a report.
 */
#ifndef BATON_SRC_DIALECT_GOVERNED_VERIFY_H
#define BATON_SRC_DIALECT_GOVERNED_VERIFY_H

#include "dialect/governed/governed_check.h"

/* A document in the making. */
struct bt_governed_file_report {
    struct bt_report *report;
    struct bt_governed_root *governed_root;
    struct bt_findings *findings; /* of the document that is being judged */
};

/* Begin the next document. */
BT_MUST_USE enum bt_status bt_governed_file_report_begin(struct bt_governed_file_report *out);
/* Add it: its path below the root, its dialect, its bytes, and its facts ("" for none). */
BT_MUST_USE enum bt_status bt_governed_file_report_end(struct bt_governed_file_report *out,
                                                       bt_str path, enum bt_dialect_id dialect,
                                                       bt_str source, bt_str facts);

/* ---- Rules of single files ------------------------------------------------------------------- */

/* ROOT_FILE_UNUSABLE at "", about the manifest or the lock. */
BT_MUST_USE enum bt_status
bt_governed_file_add_unusable_finding(struct bt_findings *findings,
                                      const struct bt_governed_file_document *file, bool is_lock);
/* Everything that a manifest, which satisfies its schema, shows by itself: the roster has its
 * document and nothing else. *out_facts is "" unless it is consistent. */
BT_MUST_USE enum bt_status bt_governed_manifest_judge(struct bt_governed_root *governed_root,
                                                      struct bt_findings *findings,
                                                      bt_str *out_facts);
/* The counts of a lock that satisfies its schema. */
BT_MUST_USE enum bt_status
bt_governed_lock_judge_counts(const struct bt_governed_file_document *lock,
                              struct bt_findings *findings);
/* Judge one file of a catalogue without the others: a manifest, lock or boundaries file, or, for
 * BT_GOVERNED_KIND__MAX, a prompt. Nothing is hashed. */
BT_MUST_USE enum bt_status bt_governed_file_judge(struct bt_governed_checker *governed,
                                                  enum bt_governed_kind kind, bt_str text,
                                                  struct bt_findings *findings, bt_str *out_facts);

/* ---- Rules of the whole ---------------------------------------------------------------------- */

/* Say how lock, manifest and file disagree about an agent that was examined, digests included: for
 * operators only. With `in_lock` the pointers lead into the lock, else they are "". */
BT_MUST_USE enum bt_status
bt_governed_agent_add_integrity_findings(const struct bt_governed_root *governed_root,
                                         const struct bt_governed_agent *agent, bool in_lock,
                                         struct bt_findings *findings);
/* Judge a lock that satisfies its schema: its counts, and against a manifest that can be used. */
BT_MUST_USE enum bt_status bt_governed_lock_judge(struct bt_governed_file_report *out);
/* LOCK_ENTRY_ORPHAN for each. */
BT_MUST_USE enum bt_status
bt_governed_lock_add_orphan_findings(const struct bt_governed_root *governed_root,
                                     struct bt_findings *findings);
/* The facts of a lock whose agents were examined. */
BT_MUST_USE enum bt_status bt_governed_lock_put_facts(const struct bt_governed_root *governed_root,
                                                      bt_str *out);
/* Say again, with findings, what reading a file came to. *out_sound: its content can be judged. */
BT_MUST_USE enum bt_status
bt_governed_file_report_explain(struct bt_governed_file_report *out,
                                const struct bt_governed_file_document *file,
                                enum bt_governed_kind kind, bool *out_sound);
/* The manifest as a document, the way lock commands show one that cannot be used. */
BT_MUST_USE enum bt_status bt_governed_file_report_unusable(struct bt_governed_file_report *out);

/* Negative, zero or positive: semantic-version precedence of two versions. */
int bt_governed_version_compare(bt_str a, bt_str b);

#endif
