/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixtures_ask.c - fixtures that ask the client: one row each, for both eras.
 *
 * A modern client is asked by a result, in one round or two, and comes back with answers; what is
 * missing or malformed is asked for again. A legacy client is asked in between.
 */
#include <inttypes.h>

#include "mcp/inside.h"

enum { ROUNDS_MAX = 2, QUESTIONS_MAX = 3, TEXT_BYTES_MAX = 1 << 20 };

/* ---- Questions ------------------------------------------------------------------------------- */

struct mcp_fixture_question {
    const char *key;
    enum mcp_client_capability can; /* what the client needs for it */
    const char *params;             /* JSON object, up to the argument */
    const char *argument;           /* of the tool, or NULL */
    const char *params_to;          /* what follows the argument */
    const char *required;           /* member that the form's content must have, or NULL */
};

#define FORM(message, properties, required)                                                        \
    "{\"message\":\"" message                                                                      \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"required\":[" required "]}}"
#define STRING(name) "\"" name "\":{\"type\":\"string\"}"
#define SAMPLE(text, tokens)                                                                       \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text            \
    "\"}}],\"maxTokens\":" tokens "}"

#define DEFAULTS                                                                                   \
    "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\","       \
    "\"default\":30},\"score\":{\"type\":\"number\",\"default\":95.5},\"status\":{\"type\":"       \
    "\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"           \
    "\"verified\":{\"type\":\"boolean\",\"default\":true}"

#define TITLED(word)                                                                               \
    "[{\"const\":\"value1\",\"title\":\"First " word                                               \
    "\"},{\"const\":\"value2\",\"title\":\"Second " word                                           \
    "\"},{\"const\":\"value3\",\"title\":\"Third " word "\"}]"
#define UNTITLED "\"enum\":[\"option1\",\"option2\",\"option3\"]"
#define CHOICES                                                                                    \
    "\"untitledSingle\":{\"type\":\"string\"," UNTITLED                                            \
    "},\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED(                                   \
        "Option") "},\"legacyEnum\":{"                                                             \
                  "\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":["      \
                  "\"Option One\","                                                                \
                  "\"Option Two\",\"Option "                                                       \
                  "Three\"]},\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":"           \
                  "\"string\"," UNTITLED                                                           \
                  "}},\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":" TITLED(           \
                      "Choice") "}}"

enum {
    NONE = 0,
    NAME,
    CAPITAL,
    ROOTS,
    CONFIRM,
    GREETING,
    STEP_1,
    STEP_2,
    CONTEXT,
    PROMPT,
    MESSAGE,
    DEFAULT,
    CHOICE,
};

/* clang-format off */
static const struct mcp_fixture_question questions[] = {
    [NAME] = {"user_name", MCP_CLIENT_CAPABILITY_FORMS, FORM("What is your name?",
        STRING("name"), "\"name\""),
        NULL, "", "name"},
    [CAPITAL] = {"capital_question", MCP_CLIENT_CAPABILITY_SAMPLE,
        SAMPLE("What is the capital of France?", "100"), NULL, "", NULL},
    [ROOTS] = {"client_roots", MCP_CLIENT_CAPABILITY_ROOTS, "{}", NULL, "", NULL},
    [CONFIRM] = {"confirm", MCP_CLIENT_CAPABILITY_FORMS,
        FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\""), NULL, "", "ok"},
    [GREETING] = {"greeting", MCP_CLIENT_CAPABILITY_SAMPLE, SAMPLE("Generate a greeting", "50"),
        NULL, "", NULL},
    [STEP_1] = {"step1", MCP_CLIENT_CAPABILITY_FORMS,
        FORM("Step 1: What is your name?", STRING("name"), "\"name\""), NULL, "", "name"},
    [STEP_2] = {"step2", MCP_CLIENT_CAPABILITY_FORMS,
        FORM("Step 2: What is your favorite color?", STRING("color"), "\"color\""), NULL, "",
        "color"},
    [CONTEXT] = {"user_context", MCP_CLIENT_CAPABILITY_FORMS,
        FORM("What context should the prompt use?", STRING("context"), "\"context\""), NULL, "",
        "context"},
    [PROMPT] = {"sampling", MCP_CLIENT_CAPABILITY_SAMPLE,
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":", "prompt",
        "}}],\"maxTokens\":100}", NULL},
    [MESSAGE] = {"elicitation", MCP_CLIENT_CAPABILITY_FORMS, "{\"message\":", "message",
        ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"username\":{\"type\":"
        "\"string\",\"description\":\"User's response\"},\"email\":{\"type\":\"string\","
        "\"description\":\"User's email address\"}},\"required\":[\"username\",\"email\"]}}", NULL},
    [DEFAULT] = {"elicitation", MCP_CLIENT_CAPABILITY_FORMS,
        FORM("Please review and update the form fields",
        DEFAULTS, ""), NULL, "", NULL},
    [CHOICE] = {"elicitation", MCP_CLIENT_CAPABILITY_FORMS, FORM("Please choose", CHOICES, ""),
        NULL, "", NULL},
};

/* What a fixture asks, in which rounds, and what it says then: `%` is the first answer. */
static const struct mcp_fixture_form {
    const char *name; /* of the tool or prompt */
    uint8_t rounds[ROUNDS_MAX][QUESTIONS_MAX];
    bool is_sealed;   /* a state must come back */
    bool is_modest;   /* asks only what the client can do */
    const char *text;
} forms[] = {
    {"test_sampling", {{PROMPT}}, false, false, "LLM response: %"},
    {"test_elicitation", {{MESSAGE}}, false, false, "User response: %"},
    {"test_elicitation_sep1034_defaults", {{DEFAULT}}, false, false, "Elicitation completed: %"},
    {"test_elicitation_sep1330_enums", {{CHOICE}}, false, false, "Elicitation completed: %"},
    {"test_streaming_elicitation", {{NAME}}, false, false, "Hello, %!"},
    {"test_input_required_result_elicitation", {{NAME}}, false, false, "Hello, %!"},
    {"test_input_required_result_sampling", {{CAPITAL}}, false, false, "%"},
    {"test_input_required_result_list_roots", {{ROOTS}}, false, false, "the first root is %"},
    {"test_input_required_result_request_state", {{CONFIRM}}, true, false, "state-ok"},
    {"test_input_required_result_multiple_inputs", {{NAME, GREETING, ROOTS}}, true, false,
     "Hello, %!"},
    {"test_input_required_result_multi_round", {{STEP_1}, {STEP_2}}, true, false, "%"},
    {"test_input_required_result_tampered_state", {{CONFIRM}}, true, false, "state-ok"},
    {"test_input_required_result_capabilities", {{NAME, GREETING, ROOTS}}, false, true, "done"},
    {"test_input_required_result_prompt", {{CONTEXT}}, false, false, "%"},
};
/* clang-format on */

static const struct mcp_fixture_form *form_of(const struct mcp_request *request)
{
    const bt_str name = mcp_param_text(request, "name");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (bt_str_eq(bt_str_of(forms[i].name), name)) {
            return &forms[i];
        }
    }
    return NULL;
}

static const char *method_of(const struct mcp_fixture_question *question)
{
    return question->can == MCP_CLIENT_CAPABILITY_FORMS    ? "elicitation/create"
           : question->can == MCP_CLIENT_CAPABILITY_SAMPLE ? "sampling/createMessage"
                                                           : "roots/list";
}

static enum bt_status params_of(struct mcp_request *request,
                                const struct mcp_fixture_question *question, bt_str *out)
{
    const bt_json_value *arguments = mcp_param(request, "arguments");
    const bt_json_value *value =
        question->argument && arguments
            ? bt_json_get(request->document, arguments, bt_str_of(question->argument))
            : NULL;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, MCP_MESSAGE_BYTES_MAX);
    bt_buf_put_text(&buf, question->params);
    if (question->argument) {
        bt_emit_init(&emit, &buf, false);
        bt_emit_string(&emit, value ? bt_json_text(value) : BT_STR(""));
    }
    bt_buf_put_text(&buf, question->params_to);
    const enum bt_status status = bt_buf_copy(&buf, &request->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static const bt_json_value *find_value(const struct bt_json_doc *document,
                                       const bt_json_value *value, const char *pointer)
{
    return value ? bt_json_resolve(document, value, bt_str_of(pointer)) : NULL;
}

static bool is_type(const bt_json_value *value, enum bt_json_type type)
{
    return value && bt_json_type(value) == type;
}

static bt_str source_of(const struct bt_json_doc *document, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

/* What an answer says, in the arena. *out_text has a NULL pointer when it is malformed. */
static enum bt_status form_text(struct mcp_request *request,
                                const struct mcp_fixture_question *question,
                                const bt_json_value *answer, bt_str *out_text)
{
    const bt_json_value *action = find_value(request->document, answer, "/action");
    const bt_json_value *content = find_value(request->document, answer, "/content");
    *out_text = (bt_str){NULL, 0};
    if (!is_type(action, BT_JSON_STRING)) {
        return BT_OK;
    }
    if (question->required) {
        const bt_json_value *member =
            is_type(content, BT_JSON_OBJECT)
                ? bt_json_get(request->document, content, bt_str_of(question->required))
                : NULL;
        const bool is_accepted = bt_str_eq(bt_json_text(action), BT_STR("accept"));
        if (member || !is_accepted) {
            *out_text = is_type(member, BT_JSON_STRING) ? bt_json_text(member) : BT_STR("nobody");
        }
        return BT_OK;
    }
    return bt_arena_printf(
        &request->arena, out_text, "action=%.*s, content=%.*s", BT_STR_ARG(bt_json_text(action)),
        BT_STR_ARG(content ? source_of(request->document, content) : BT_STR("{}")));
}

static enum bt_status answer_text(struct mcp_request *request,
                                  const struct mcp_fixture_question *question,
                                  const bt_json_value *answer, bt_str *out_text)
{
    if (question->can == MCP_CLIENT_CAPABILITY_FORMS) {
        return form_text(request, question, answer, out_text);
    }
    const bool is_sample = question->can == MCP_CLIENT_CAPABILITY_SAMPLE;
    const bt_json_value *text =
        find_value(request->document, answer, is_sample ? "/content/text" : "/roots/0/uri");
    const bool has_none =
        !is_sample && is_type(find_value(request->document, answer, "/roots"), BT_JSON_ARRAY);
    *out_text = is_type(text, BT_JSON_STRING) ? bt_json_text(text)
                : has_none                    ? BT_STR("none")
                                              : (bt_str){NULL, 0};
    return BT_OK;
}

/* The fixture's text with the first answer in it. */
static enum bt_status fill_form_text(struct mcp_request *request,
                                     const struct mcp_fixture_form *form, bt_str answer,
                                     bt_str *out)
{
    const bt_str text = bt_str_of(form->text);
    const size_t place = bt_str_find_byte(text, '%', 0);
    if (place == text.len) {
        *out = text;
        return BT_OK;
    }
    return bt_arena_printf(&request->arena, out, "%.*s%.*s%.*s", (int)place, text.ptr,
                           BT_STR_ARG(answer), BT_STR_ARG(bt_str_slice(text, place + 1, text.len)));
}

/* ---- Modern ---------------------------------------------------------------------------------- */

static enum bt_status sealed_text(struct mcp_request *request, const struct mcp_fixture_form *form,
                                  size_t round, bt_str *out)
{
    return bt_arena_printf(&request->arena, out, "%s\nround %zu", form->name, round);
}

/* Whether every question of a round is one that the client can answer. False after an error. */
static bool can_answer(struct mcp_request *request, const struct mcp_fixture_form *form)
{
    static const char *const names[] = {[MCP_CLIENT_CAPABILITY_FORMS] = "elicitation",
                                        [MCP_CLIENT_CAPABILITY_SAMPLE] = "sampling",
                                        [MCP_CLIENT_CAPABILITY_ROOTS] = "roots"};
    bt_str data = BT_STR("");
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[0][i] != NONE; i++) {
        const enum mcp_client_capability can = questions[form->rounds[0][i]].can;
        if (!(request->can & can) && !form->is_modest) {
            const enum bt_status status = bt_arena_printf(
                &request->arena, &data, "{\"requiredCapabilities\":{\"%s\":{}}}", names[can]);
            mcp_error(request, MCP_CAPABILITY_MISSING, "the client did not declare what this needs",
                      status == BT_OK ? data : BT_STR(""));
            return false;
        }
    }
    return true;
}

static enum bt_status prompt_round(struct mcp_request *request, const struct mcp_fixture_form *form,
                                   size_t round)
{
    struct bt_emit *emit = &request->emit;
    struct bt_buf state;
    bt_str what;
    bt_str params[QUESTIONS_MAX] = {{NULL, 0}};
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        BT_TRY(params_of(request, &questions[form->rounds[round][i]], &params[i]));
    }
    BT_TRY(sealed_text(request, form, round, &what));
    bt_buf_init(&state, 256);
    const enum bt_status status = mcp_seal_state(request, what, &state);
    mcp_result(request, "input_required");
    bt_emit_name(emit, "inputRequests");
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        const struct mcp_fixture_question *question = &questions[form->rounds[round][i]];
        if (request->can & question->can) {
            bt_emit_name(emit, question->key);
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "method", bt_str_of(method_of(question)));
            bt_emit_name(emit, "params");
            bt_emit_raw(emit, params[i]);
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
    if (form->is_sealed) {
        bt_emit_member_string(emit, "requestState", bt_buf_str(&state));
    }
    mcp_result_end(request, MCP_UNCACHED);
    bt_buf_free(&state);
    return status;
}

/* Which round the request's state was sealed for; ROUNDS_MAX when for none. */
static enum bt_status round_of(struct mcp_request *request, const struct mcp_fixture_form *form,
                               size_t *out)
{
    bt_str what;
    bool is_it = false;
    *out = form->is_sealed ? ROUNDS_MAX : 0;
    for (size_t i = 0; i < ROUNDS_MAX && form->is_sealed && *out == ROUNDS_MAX; i++) {
        BT_TRY(sealed_text(request, form, i, &what));
        BT_TRY(mcp_open_state(request, what, &is_it));
        *out = is_it ? i : *out;
    }
    return BT_OK;
}

/* The answers to a round. The first one's text; a NULL pointer when one is missing. */
static enum bt_status take_round(struct mcp_request *request, const struct mcp_fixture_form *form,
                                 size_t round, bt_str *out_text)
{
    const bt_json_value *responses = mcp_param(request, "inputResponses");
    *out_text = BT_STR("");
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        const struct mcp_fixture_question *question = &questions[form->rounds[round][i]];
        const bt_json_value *answer =
            is_type(responses, BT_JSON_OBJECT)
                ? bt_json_get(request->document, responses, bt_str_of(question->key))
                : NULL;
        bt_str text;
        if (form->is_modest && !(request->can & question->can)) {
            continue;
        }
        BT_TRY(answer_text(request, question, answer, &text));
        if (!text.ptr) {
            *out_text = text;
            return BT_OK;
        }
        *out_text = out_text->len > 0 ? *out_text : text;
    }
    return BT_OK;
}

/* Ask, or take the answers: `out_text` is what is to be said, or has a NULL pointer when something
 * was said already. */
static enum bt_status prompt_modern_client(struct mcp_request *request,
                                           const struct mcp_fixture_form *form, bt_str *out_text)
{
    size_t round = 0;
    bt_str answer;
    *out_text = (bt_str){NULL, 0};
    if (!can_answer(request, form)) {
        return BT_OK;
    }
    if (!mcp_param(request, "inputResponses") && !mcp_param(request, "requestState")) {
        return prompt_round(request, form, 0);
    }
    BT_TRY(round_of(request, form, &round));
    if (round == ROUNDS_MAX) {
        mcp_error(request, MCP_INVALID_PARAMS, "requestState is not what was handed out",
                  BT_STR(""));
        return BT_OK;
    }
    BT_TRY(take_round(request, form, round, &answer));
    if (!answer.ptr) {
        return prompt_round(request, form, round);
    }
    round++;
    return round < ROUNDS_MAX && form->rounds[round][0] != NONE
               ? prompt_round(request, form, round)
               : fill_form_text(request, form, answer, out_text);
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

/* The notes are the number of the form. */
static enum bt_status resume_form(struct mcp_call *call, const bt_str notes[2],
                                  const bt_json_value *result)
{
    uint64_t number = 0;
    bt_str text = {NULL, 0};
    if (bt_str_to_u64(notes[0], &number) != BT_OK || number >= sizeof(forms) / sizeof(forms[0])) {
        return bt_result_set_problem(&call->work, "nobody knows what was asked");
    }
    const struct mcp_fixture_form *form = &forms[number];
    BT_TRY(answer_text(call->request, &questions[form->rounds[0][0]], result, &text));
    if (!text.ptr) {
        return bt_result_set_problem(&call->work, "the client did not answer");
    }
    BT_TRY(fill_form_text(call->request, form, text, &text));
    mcp_put_text(call, text);
    return BT_OK;
}

static enum bt_status prompt_legacy_client(struct mcp_call *call,
                                           const struct mcp_fixture_form *form)
{
    const struct mcp_fixture_question *question = &questions[form->rounds[0][0]];
    struct mcp_legacy_question wanted = {
        .method = method_of(question), .resume = resume_form, .notes = {BT_STR(""), BT_STR("")}};
    if (form->rounds[0][1] != NONE || form->is_sealed) {
        return bt_result_set_problem(&call->work, "this fixture is for 2026-07-28");
    }
    if (!(call->request->can & question->can)) {
        return bt_result_set_problem(&call->work, "the client did not declare what this needs");
    }
    BT_TRY(params_of(call->request, question, &wanted.params));
    BT_TRY(bt_arena_printf(&call->request->arena, &wanted.notes[0], "%zu", (size_t)(form - forms)));
    return mcp_question_put(call, &wanted);
}

/* ---- Fixtures -------------------------------------------------------------------------------- */

enum bt_status mcp_fixture_run_questions(struct mcp_call *call)
{
    const struct mcp_fixture_form *form = form_of(call->request);
    bt_str text;
    if (!form) {
        return bt_result_set_problem(&call->work, "there is no such fixture");
    }
    if (!call->request->is_modern) {
        return prompt_legacy_client(call, form);
    }
    BT_TRY(prompt_modern_client(call->request, form, &text));
    call->has_responded = true;
    if (text.ptr) {
        mcp_put_text(call, text);
    }
    return BT_OK;
}

enum bt_status mcp_fixture_missing(struct mcp_call *call)
{
    if (call->request->can & MCP_CLIENT_CAPABILITY_SAMPLE) {
        mcp_put_text(call, BT_STR("the client can sample"));
    } else if (call->request->is_modern) {
        mcp_error(call->request, MCP_CAPABILITY_MISSING,
                  "the client did not declare what this needs",
                  BT_STR("{\"requiredCapabilities\":{\"sampling\":{}}}"));
        call->has_responded = true;
    } else {
        return bt_result_set_problem(&call->work, "the client did not declare what this needs");
    }
    return BT_OK;
}

enum bt_status mcp_fixture_run_prompt(struct mcp_request *request)
{
    const struct mcp_fixture_form *form = form_of(request);
    bt_str text = BT_STR("no context");
    if (form && request->is_modern) {
        BT_TRY(prompt_modern_client(request, form, &text));
    }
    if (text.ptr) {
        mcp_put_message(request, text);
    }
    return BT_OK;
}
