/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c - the parameters of a finding -> its message and hint, by the templates of the rule.
 */
#include "report/add.h"

#include <assert.h>

#include "json/value_pointer.h"

enum { LONG_VALUE_SHOWN = 200 }; /* bytes */

/* ---- Templates ------------------------------------------------------------------------------- */

static bool condition_holds(const struct bt_template_condition *condition,
                            const struct bt_finding_arg *args)
{
    const struct bt_finding_arg *arg = &args[condition->param];
    if (arg->is_absent) {
        return false;
    }
    if (condition->choice == 0) {
        return true;
    }
    return arg->param->type == BT_PARAM_BOOL ? arg->as.truth == (condition->choice == 1)
                                             : arg->as.word == condition->choice;
}

/* The first template whose conditions hold, or NULL. */
static const struct bt_template *choose_template(const struct bt_template *templates, size_t count,
                                                 const struct bt_finding_arg *args)
{
    for (size_t i = 0; i < count; i++) {
        size_t held = 0;
        while (held < templates[i].condition_count &&
               condition_holds(&templates[i].conditions[held], args)) {
            held++;
        }
        if (held == templates[i].condition_count) {
            return &templates[i];
        }
    }
    return NULL;
}

static void put_text_arg(struct bt_buf *buf, bt_str text, enum bt_template_form form)
{
    if (form == BT_TEMPLATE_PLAIN) {
        bt_buf_put_char(buf, '"');
        bt_buf_put_printable(buf, text, BT_VALUE_SHOWN);
        bt_buf_put_char(buf, '"');
    } else {
        bt_buf_put_printable(buf, text,
                             form == BT_TEMPLATE_CUT    ? BT_VALUE_SHOWN
                             : form == BT_TEMPLATE_LONG ? LONG_VALUE_SHOWN
                                                        : SIZE_MAX);
    }
}

static void put_list(struct bt_buf *buf, struct bt_str_list list, enum bt_template_form form)
{
    const char *between = form == BT_TEMPLATE_WORDS ? " " : form == BT_TEMPLATE_OR ? " or " : ", ";
    for (size_t i = 0; i < list.count; i++) {
        bt_buf_put_text(buf, i == 0 ? "" : between);
        bt_buf_put(buf, list.items[i]);
    }
}

static void put_arg(struct bt_buf *buf, const struct bt_finding_arg *arg,
                    enum bt_template_form form)
{
    switch (arg->param->type) {
    case BT_PARAM_TEXT:
        put_text_arg(buf, arg->as.text, form);
        break;
    case BT_PARAM_NUMBER:
        bt_buf_put_printable(buf, arg->as.text, BT_VALUE_SHOWN);
        break;
    case BT_PARAM_NAME:
    case BT_PARAM_JSON:
        bt_buf_put(buf, arg->as.text);
        break;
    case BT_PARAM_INTEGER:
        bt_buf_put_u64(buf, arg->as.integer);
        break;
    case BT_PARAM_BOOL:
        bt_buf_put_text(buf, arg->as.truth ? "true" : "false");
        break;
    case BT_PARAM_TEXTS:
        put_list(buf, arg->as.texts, form);
        break;
    case BT_PARAM_WORD:
        bt_buf_put(buf, arg->param->words[arg->as.word]);
        break;
    }
}

/* Write a text by its template; one without parameters is used where it stands. */
static bt_str write_text(const struct bt_template *template, const struct bt_finding_arg *args,
                         struct bt_buf *buf)
{
    if (template->piece_count == 1 && template->pieces[0].param == BT_TEMPLATE_NO_PARAM) {
        return template->pieces[0].text;
    }
    for (size_t i = 0; i < template->piece_count; i++) {
        const struct bt_template_piece *piece = &template->pieces[i];
        bt_buf_put(buf, piece->text);
        if (piece->param != BT_TEMPLATE_NO_PARAM) {
            put_arg(buf, &args[piece->param], piece->form);
        }
    }
    return bt_buf_str(buf);
}

/* ---- Findings -------------------------------------------------------------------------------- */

struct bt_new_finding bt_new_finding(const struct bt_rule *rule, struct bt_location at)
{
    return (struct bt_new_finding){
        .rule = rule,
        .form = rule->form,
        .severity = rule->severity,
        .fix = rule->fix,
        .security = rule->security,
        .at = at,
        .message = BT_STR(""),
    };
}

static void set_location(struct bt_finding *finding, const struct bt_location *at,
                         struct bt_buf *pointer)
{
    finding->pointer = at->pointer;
    finding->offset = at->offset;
    if (at->is_in_table) {
        bt_json_pointer_put_index(pointer, at->row);
        if (at->column.len > 0) {
            bt_json_pointer_put(pointer, at->column);
        }
        finding->pointer = bt_buf_str(pointer);
    }
    if (!at->value) {
        return;
    }
    finding->offset += bt_json_span(at->document, at->value).begin;
    if (at->pointer.len == 0) {
        bt_json_put_value_pointer(pointer, at->document, at->value);
        finding->pointer = bt_buf_str(pointer);
    }
}

/* A number of a word that the caller left out would be shown as nothing. */
static void check_words(const struct bt_new_finding *added)
{
    for (size_t i = 0; i < added->arg_count; i++) {
        const struct bt_finding_arg *arg = &added->args[i];
        assert(arg->param->type != BT_PARAM_WORD || arg->is_absent ||
               (arg->as.word > 0 && arg->as.word <= arg->param->word_count));
    }
}

/* Fill in the texts; they live as long as the buffers. */
static void write_texts(const struct bt_new_finding *added, struct bt_finding *finding,
                        struct bt_buf *message, struct bt_buf *hint)
{
    const struct bt_rule_form *form = added->form;
    const struct bt_template *template =
        choose_template(form->messages, form->message_count, added->args);
    if (added->message.len > 0) {
        finding->message = added->message;
    } else if (template) {
        finding->message = write_text(template, added->args, message);
    }
    template = choose_template(form->hints, form->hint_count, added->args);
    if (template) {
        finding->hint = write_text(template, added->args, hint);
    }
}

enum bt_status bt_findings_add_new(struct bt_findings *findings, const struct bt_new_finding *added)
{
    assert(added->form);
    BT_TRY(added->at.status);
    check_words(added);
    struct bt_finding finding = bt_finding_from_rule(added->rule);
    struct bt_buf bufs[3];
    for (size_t i = 0; i < 3; i++) {
        bt_buf_init(&bufs[i], SIZE_MAX);
    }
    finding.severity = added->severity;
    finding.fix = added->fix;
    finding.security = added->security;
    finding.args = added->args;
    finding.arg_count = added->arg_count;
    set_location(&finding, &added->at, &bufs[0]);
    write_texts(added, &finding, &bufs[1], &bufs[2]);
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < 3; i++) {
        status = status == BT_OK ? bufs[i].status : status;
    }
    status = status == BT_OK ? bt_findings_add(findings, &finding) : status;
    for (size_t i = 0; i < 3; i++) {
        bt_buf_free(&bufs[i]);
    }
    return status;
}
