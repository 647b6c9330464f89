/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.h - findings made from the parameters of their rule.
 *
 * The functions bt_add_CODE() of report/rules.h are made from *.rules; each passes its parameters
 * to bt_findings_add_new(), which writes message and hint from the templates of the rule.
 */
#ifndef BATON_SRC_REPORT_ADD_H
#define BATON_SRC_REPORT_ADD_H

#include <baton/json.h>
#include <baton/report.h>

#include "report/report.h"

/* ---- Places ---------------------------------------------------------------------------------- */

/* The place in a document that a finding is about. */
struct bt_location {
    const struct bt_json_doc *document;
    const bt_json_value *value; /* stands in the document; NULL: pointer and offset say all */
    bt_str pointer;             /* "" with a value: the pointer of the value */
    size_t offset;              /* with a value: is added to the offset of the value */
    bool is_in_table;           /* the pointer is /ROW or /ROW/COLUMN instead */
    size_t row;
    bt_str column;         /* the name of the column, or "" */
    enum bt_status status; /* not BT_OK: the pointer could not be written; adding returns it */
};

/* The whole document, without a position. */
static inline struct bt_location bt_location_whole(void)
{
    return (struct bt_location){.pointer = BT_STR(""), .offset = BT_OFFSET_NONE};
}

/* A value of a document; NULL: the whole document. */
static inline struct bt_location bt_location_value(const struct bt_json_doc *document,
                                                   const bt_json_value *value)
{
    return value ? (struct bt_location){.document = document, .value = value, .pointer = BT_STR("")}
                 : bt_location_whole();
}

/* A pointer that is known, and the offset or BT_OFFSET_NONE. */
static inline struct bt_location bt_location_pointer(bt_str pointer, size_t offset)
{
    return (struct bt_location){.pointer = pointer, .offset = offset};
}

/* A row of a table, or with the name of a column a cell of it. */
static inline struct bt_location bt_location_cell(size_t row, bt_str column, size_t offset)
{
    return (struct bt_location){
        .pointer = BT_STR(""), .offset = offset, .is_in_table = true, .row = row, .column = column};
}

/* ---- What a rule says about its findings ----------------------------------------------------- */

enum bt_param_type {
    BT_PARAM_TEXT = 1, /* of the document: quoted and cut in messages */
    BT_PARAM_NAME,     /* ours: as it stands */
    BT_PARAM_NUMBER,   /* the text of a JSON number */
    BT_PARAM_INTEGER,
    BT_PARAM_BOOL,
    BT_PARAM_TEXTS,
    BT_PARAM_JSON, /* the text of any JSON value */
    BT_PARAM_WORD, /* an enum; its words are those of the rule */
};

struct bt_rule_param {
    bt_str name;
    enum bt_param_type type;
    bool is_optional;
    bool is_null;     /* an absent one is written as null */
    bool is_hidden;   /* for message and hint alone, not in params */
    bool is_topology; /* only for callers who may see agents */
    bool is_cut;      /* in params it has at most BT_VALUE_SHOWN bytes */
    const bt_str *words;
    size_t word_count; /* words are numbered from 1 */
};

/*
 * Templates are texts with control characters, one template behind the other. Two letters follow a
 * condition, its parameter and its choice, and a parameter, which one it is and its form; A is 0.
 */
enum bt_template_control {
    BT_TEMPLATE_CONDITION = 1, /* before the text. Choices: 0, it is there; of a bool 1 true, 2
                                * false; of a word its number */
    BT_TEMPLATE_PARAM,
    BT_TEMPLATE_END,
};

enum bt_template_form {
    BT_TEMPLATE_PLAIN = 0,
    BT_TEMPLATE_RAW,
    BT_TEMPLATE_CUT,
    BT_TEMPLATE_LONG,  /* cut at 200 bytes */
    BT_TEMPLATE_LIST,  /* joined by a comma and a space */
    BT_TEMPLATE_WORDS, /* joined by a space */
    BT_TEMPLATE_OR,    /* joined by " or " */
};

enum bt_refusal_kind {
    BT_REFUSAL_NONE = 0,
    BT_REFUSAL_MALFORMED,
    BT_REFUSAL_UNPROCESSABLE,
    BT_REFUSAL_FORBIDDEN,
    BT_REFUSAL_CONFLICT,
    BT_REFUSAL_TOO_LARGE,
    BT_REFUSAL_UNAVAILABLE,
    BT_REFUSAL_GONE,
};

struct bt_rule_refusal {
    enum bt_refusal_kind kind;
    bt_str param; /* "": always; "pointer": the finding has the pointer `word` */
    bt_str word;
};

struct bt_rule_form {
    const struct bt_rule_param *params;
    size_t param_count;
    bt_str messages; /* templates; the first whose conditions hold; none: the meaning */
    bt_str hints;
    const struct bt_rule_refusal *refusals; /* the first whose condition holds */
    size_t refusal_count;
};

enum { BT_VALUE_SHOWN = 80 }; /* bytes of an offending value that are shown */

/* The beginning of a text, at most BT_VALUE_SHOWN bytes, cut at a character. */
bt_str bt_str_cut_shown(bt_str text);

/* ---- Adding ---------------------------------------------------------------------------------- */

struct bt_finding_arg {
    const struct bt_rule_param *param;
    bool is_absent;
    union {
        bt_str text; /* name, number, json */
        uint64_t integer;
        bool truth;
        unsigned word;
        struct bt_str_list texts;
    } as;
};

/* An optional text that is absent. */
#define BT_STR_ABSENT ((bt_str){NULL, 0})

struct bt_new_finding {
    const struct bt_rule *rule;
    const struct bt_rule_form *form; /* the rule's, or another of the same rule */
    enum bt_severity severity;
    enum bt_fix fix;
    bool security;
    struct bt_location at;
    bt_str message;              /* of a rule whose message is composed, else "" */
    struct bt_finding_arg *args; /* in the order of the form; what they are is set by adding it */
    size_t arg_count;
};

/* A finding of the rule, as the rule has it. */
struct bt_new_finding bt_new_finding(const struct bt_rule *rule, struct bt_location at);
BT_MUST_USE enum bt_status bt_findings_add_new(struct bt_findings *findings,
                                               const struct bt_new_finding *added);
/* Add a finding of the rule, as the rule has it, with all parameters of the form, which is another
 * of the same rule, or NULL. */
BT_MUST_USE enum bt_status bt_findings_add_form(struct bt_findings *findings,
                                                const struct bt_rule *rule,
                                                const struct bt_rule_form *form,
                                                const struct bt_location *at,
                                                struct bt_finding_arg *args);

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The row of a code (enum bt_code) as a dialect means it, or NULL. */
const struct bt_rule *bt_rule_of_dialect_or_null(unsigned code, enum bt_dialect_id dialect);
/* The row of a code (enum bt_code) that the dialect has. */
const struct bt_rule *bt_rule_of_dialect(unsigned code, enum bt_dialect_id dialect);
/* The text of a code (enum bt_code); ends in NUL. */
bt_str bt_code_name(unsigned code);

/* ---- Lists ----------------------------------------------------------------------------------- */

/* True when one of the findings from this index on is HARD. */
bool bt_findings_have_hard(const struct bt_findings *findings, size_t from);

/* ---- Parameters of a finding ----------------------------------------------------------------- */

/* The parameter of a finding, or NULL when it has none of that name. */
const struct bt_finding_arg *bt_finding_arg(const struct bt_finding *finding, bt_str name);
/* Put the member "params" into the object that is being written, if there are any. */
void bt_finding_emit_params(const struct bt_finding *finding, struct bt_emit *emit);
/* Zero when the params of two findings are equal; otherwise an order of them. */
int bt_finding_compare_params(const struct bt_finding *a, const struct bt_finding *b);
/* Add more parameters to a finding that is not in a list yet. Their texts are not copied. */
BT_MUST_USE enum bt_status bt_finding_add_args(struct bt_finding *finding, struct bt_arena *arena,
                                               const struct bt_finding_arg *more, size_t count);
/* Let the members of an object be the parameters of a finding that is not in a list yet. */
BT_MUST_USE enum bt_status bt_finding_set_params(struct bt_finding *finding, struct bt_arena *arena,
                                                 const struct bt_json_doc *document,
                                                 const bt_json_value *object);
/* The value of a parameter as JSON, in the arena. */
BT_MUST_USE enum bt_status bt_finding_arg_json(const struct bt_finding_arg *arg,
                                               struct bt_arena *arena, bt_str *out);
/* Copy the parameters that are shown, with their texts, into the arena. */
BT_MUST_USE enum bt_status bt_finding_copy_args(struct bt_finding *finding, struct bt_arena *arena);

#endif
