/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.h - a dialect as the engine sees it: one row of the table in dialects.c. */
#ifndef BATON_SRC_ENGINE_DIALECT_H
#define BATON_SRC_ENGINE_DIALECT_H

#include <baton/check.h>

#include "dialect/governed/governed_root.h"
#include "engine/check.h"
#include "ledger/ledger.h"

/*
 * True when the content alone shows that a document is of this dialect. It must not allocate, so
 * that recognition can neither fail nor be made expensive.
 */
typedef bool bt_recognise_fn(bt_str content);

/* A member that the root object of a JSON document has when it is of this dialect. */
struct bt_dialect_member {
    bt_str name;
    char first; /* byte of its value; '\0': any */
};

/*
 * Run every stage of a dialect over `content`: add findings, in any order, to `findings` and set
 * *out_facts to a compact JSON object in the arena of the findings. A status other than BT_OK means
 * that the document could not be judged.
 */
struct bt_judge_input {
    struct bt_env *env;
    const struct bt_dialect *row;
    struct bt_checker *checker;
    const struct bt_check_options *options;
    bt_str path; /* as shown to users */
    bt_str content;
    struct bt_findings *findings;
    bt_str *excerpt_text; /* what excerpts show: the content, or a text of the same length without
                        * secrets */
    const struct bt_json_doc **document; /* set by dialects that read the content as JSON: the
                                          * document */
    struct bt_identity *identity;        /* cleared; the judge fills in what the document says */
    uint32_t *skipped;                   /* empty; the judge adds checks that it did not make */
    uint64_t *tokens;                    /* 0; the judge may set how many the document has */
};

typedef enum bt_status bt_judge_fn(const struct bt_judge_input *judging, bt_str *out_facts);

struct bt_fix_input;
struct bt_fix_result;

/* Make the fixes that were chosen; fix.h describes the result. */
typedef enum bt_status bt_fix_fn(const struct bt_fix_input *input, struct bt_arena *arena,
                                 struct bt_fix_result *out);

/* Where accepted documents go. */
enum bt_deliverable {
    BT_DELIVERABLE_NONE = 0,
    BT_DELIVERABLE_INBOX, /* to the inbox of their target */
    BT_DELIVERABLE_PUMP,  /* to the pump, which records them */
};

/* Lists of patterns (see pattern.h) end with an empty one; NULL is an empty list. */
struct bt_dialect {
    bt_str name;
    enum bt_dialect_id reported_as; /* its dialect in reports; none: itself */
    bt_str summary;
    const bt_str *exact_names;  /* a path like this selects the dialect, whatever the content is */
    const bt_str *usual_names;  /* a path like this selects the dialect unless the content says
                                 * otherwise */
    bt_recognise_fn *recognise; /* NULL: not by a function ... */
    const struct bt_dialect_member *members; /* ... but by these, up to one without a name; NULL:
                                              * not by content */
    bt_str source_pointer;                   /* where a document has its source; "": nowhere */
    bt_judge_fn *judge;                      /* NULL: it cannot be checked */
    bt_fix_fn *fix;                          /* NULL: it has no fixes */
    enum bt_governed_kind governed_kind;     /* of the documents of a governed root */
    bt_record_fn *decide; /* in the transaction; NULL: the judgement is the decision */
    /* in the transaction, before the entry, when an accepted document sets a budget or its trace
     * has one: compare with what came before; NULL: nothing to do */
    bt_record_fn *compare;
    enum bt_deliverable deliverable;
};

/* The row of a dialect. */
const struct bt_dialect *bt_dialect_row(enum bt_dialect_id dialect);

/* The first element is `message` in the namespace of the envelope. */
bt_recognise_fn bt_sign_envelope;
/* The keys `organism` and `listeners`, at the first column or in a JSON object. */
bt_recognise_fn bt_sign_organism;

/* The dialect `json`: plain JSON, judged by the read stage alone. */
bt_judge_fn bt_json_judge_document;
/* A configuration, judged key by key. */
bt_judge_fn bt_config_judge_document;
bt_judge_fn bt_plan_judge_document;
bt_judge_fn bt_universal_judge_document;
bt_judge_fn bt_contract_judge_document;
bt_judge_fn bt_message_judge_document;
bt_judge_fn bt_organism_judge_document;
/* A governed handoff or its answer, or a file of a governed root: by the kind in the row. */
bt_judge_fn bt_governed_judge_document;
bt_judge_fn bt_governed_judge_file;

/* fix.c */
bt_fix_fn bt_plan_fix_document;
bt_fix_fn bt_universal_fix_document;
bt_fix_fn bt_contract_fix_document;
bt_fix_fn bt_message_fix_document;

#endif
