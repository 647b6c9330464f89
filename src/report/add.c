/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c - the parameters of a finding -> its message and hint, by the templates of the rule.
 */
#include "report/add.h"

#include <assert.h>

#include "json/value_pointer.h"

enum { LONG_VALUE_SHOWN = 200 }; /* bytes */

/* ---- Templates ------------------------------------------------------------------------------- */

enum { CONTROL_BYTES = 3 }; /* a control character and two letters */

/* The number that a letter of a template stands for. */
static unsigned letter_number(char letter)
{
    return (unsigned)(letter - 'A');
}

/* Whether the condition at the beginning of `template` holds. */
static bool condition_holds(const char *template, const struct bt_finding_arg *args)
{
    const struct bt_finding_arg *arg = &args[letter_number(template[1])];
    const unsigned choice = letter_number(template[2]);
    if (arg->is_absent) {
        return false;
    }
    if (choice == 0) {
        return true;
    }
    return arg->param->type == BT_PARAM_BOOL ? arg->as.truth == (choice == 1)
                                             : arg->as.word == choice;
}

/* The text of the first template whose conditions hold; "" when there is none. */
static bt_str choose_template(bt_str templates, const struct bt_finding_arg *args)
{
    for (size_t at = 0; at < templates.len;) {
        bool holds = true;
        for (; templates.ptr[at] == BT_TEMPLATE_CONDITION; at += CONTROL_BYTES) {
            holds = holds && condition_holds(templates.ptr + at, args);
        }
        const size_t end = bt_str_find_byte(templates, BT_TEMPLATE_END, at);
        if (holds) {
            return bt_str_slice(templates, at, end);
        }
        at = end + 1;
    }
    return BT_STR("");
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
static bt_str write_text(bt_str template, const struct bt_finding_arg *args, struct bt_buf *buf)
{
    size_t hole = bt_str_find_byte(template, BT_TEMPLATE_PARAM, 0);
    if (hole == template.len) {
        return template;
    }
    size_t at = 0;
    for (; hole < template.len; hole = bt_str_find_byte(template, BT_TEMPLATE_PARAM, at)) {
        bt_buf_put(buf, bt_str_slice(template, at, hole));
        put_arg(buf, &args[letter_number(template.ptr[hole + 1])],
                (enum bt_template_form)letter_number(template.ptr[hole + 2]));
        at = hole + CONTROL_BYTES;
    }
    bt_buf_put(buf, bt_str_slice(template, at, template.len));
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
    const bt_str template = choose_template(form->messages, added->args);
    if (added->message.len > 0) {
        finding->message = added->message;
    } else if (template.len > 0) {
        finding->message = write_text(template, added->args, message);
    }
    finding->hint = write_text(choose_template(form->hints, added->args), added->args, hint);
}

enum bt_status bt_findings_add_new(struct bt_findings *findings, const struct bt_new_finding *added)
{
    assert(added->form);
    assert(added->arg_count <= added->form->param_count);
    BT_TRY(added->at.status);
    for (size_t i = 0; i < added->arg_count; i++) {
        added->args[i].param = &added->form->params[i];
    }
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

enum bt_status bt_findings_add_form(struct bt_findings *findings, const struct bt_rule *rule,
                                    const struct bt_rule_form *form, const struct bt_location *at,
                                    struct bt_finding_arg *args)
{
    struct bt_new_finding added = bt_new_finding(rule, *at);
    added.form = form ? form : rule->form;
    added.args = args;
    added.arg_count = added.form->param_count;
    return bt_findings_add_new(findings, &added);
}
