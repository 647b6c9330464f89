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

struct question {
    const char *key;
    enum mcp_can can;      /* what the client needs for it */
    const char *params;    /* JSON object, up to the argument */
    const char *argument;  /* of the tool, or NULL */
    const char *params_to; /* what follows the argument */
    const char *required;  /* member that the form's content must have, or NULL */
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
static const struct question questions[] = {
    [NAME] = {"user_name", MCP_CAN_FORMS, FORM("What is your name?", STRING("name"), "\"name\""),
        NULL, "", "name"},
    [CAPITAL] = {"capital_question", MCP_CAN_SAMPLE,
        SAMPLE("What is the capital of France?", "100"), NULL, "", NULL},
    [ROOTS] = {"client_roots", MCP_CAN_ROOTS, "{}", NULL, "", NULL},
    [CONFIRM] = {"confirm", MCP_CAN_FORMS,
        FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\""), NULL, "", "ok"},
    [GREETING] = {"greeting", MCP_CAN_SAMPLE, SAMPLE("Generate a greeting", "50"), NULL, "", NULL},
    [STEP_1] = {"step1", MCP_CAN_FORMS,
        FORM("Step 1: What is your name?", STRING("name"), "\"name\""), NULL, "", "name"},
    [STEP_2] = {"step2", MCP_CAN_FORMS,
        FORM("Step 2: What is your favorite color?", STRING("color"), "\"color\""), NULL, "",
        "color"},
    [CONTEXT] = {"user_context", MCP_CAN_FORMS,
        FORM("What context should the prompt use?", STRING("context"), "\"context\""), NULL, "",
        "context"},
    [PROMPT] = {"sampling", MCP_CAN_SAMPLE,
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":", "prompt",
        "}}],\"maxTokens\":100}", NULL},
    [MESSAGE] = {"elicitation", MCP_CAN_FORMS, "{\"message\":", "message",
        ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"username\":{\"type\":"
        "\"string\",\"description\":\"User's response\"},\"email\":{\"type\":\"string\","
        "\"description\":\"User's email address\"}},\"required\":[\"username\",\"email\"]}}", NULL},
    [DEFAULT] = {"elicitation", MCP_CAN_FORMS, FORM("Please review and update the form fields",
        DEFAULTS, ""), NULL, "", NULL},
    [CHOICE] = {"elicitation", MCP_CAN_FORMS, FORM("Please choose", CHOICES, ""), NULL, "", NULL},
};

/* What a fixture asks, in which rounds, and what it says then: `%` is the first answer. */
static const struct form {
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

static const struct form *form_of(const struct mcp_ask *ask)
{
    const bt_str name = mcp_param_text(ask, "name");
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (bt_str_eq(bt_str_of(forms[i].name), name)) {
            return &forms[i];
        }
    }
    return NULL;
}

static const char *method_of(const struct question *question)
{
    return question->can == MCP_CAN_FORMS    ? "elicitation/create"
           : question->can == MCP_CAN_SAMPLE ? "sampling/createMessage"
                                             : "roots/list";
}

static enum bt_status params_of(struct mcp_ask *ask, const struct question *question, bt_str *out)
{
    const bt_value *arguments = mcp_param(ask, "arguments");
    const bt_value *value =
        question->argument && arguments
            ? bt_json_get(ask->document, arguments, bt_str_of(question->argument))
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
    const enum bt_status status = bt_buf_keep(&buf, &ask->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static const bt_value *at(const struct bt_doc *document, const bt_value *value, const char *pointer)
{
    return value ? bt_json_point(document, value, bt_str_of(pointer)) : NULL;
}

static bool is_type(const bt_value *value, enum bt_json_type type)
{
    return value && bt_json_type(value) == type;
}

static bt_str source_of(const struct bt_doc *document, const bt_value *value)
{
    const struct bt_json_span span = bt_json_span(document, value);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

/* What an answer says, in the arena. *out_text has a NULL pointer when it is malformed. */
static enum bt_status form_text(struct mcp_ask *ask, const struct question *question,
                                const bt_value *answer, bt_str *out_text)
{
    const bt_value *action = at(ask->document, answer, "/action");
    const bt_value *content = at(ask->document, answer, "/content");
    *out_text = (bt_str){NULL, 0};
    if (!is_type(action, BT_JSON_STRING)) {
        return BT_OK;
    }
    if (question->required) {
        const bt_value *member =
            is_type(content, BT_JSON_OBJECT)
                ? bt_json_get(ask->document, content, bt_str_of(question->required))
                : NULL;
        const bool is_accepted = bt_str_eq(bt_json_text(action), BT_STR("accept"));
        if (member || !is_accepted) {
            *out_text = is_type(member, BT_JSON_STRING) ? bt_json_text(member) : BT_STR("nobody");
        }
        return BT_OK;
    }
    return bt_arena_printf(&ask->arena, out_text, "action=%.*s, content=%.*s",
                           BT_STR_ARG(bt_json_text(action)),
                           BT_STR_ARG(content ? source_of(ask->document, content) : BT_STR("{}")));
}

static enum bt_status answer_text(struct mcp_ask *ask, const struct question *question,
                                  const bt_value *answer, bt_str *out_text)
{
    if (question->can == MCP_CAN_FORMS) {
        return form_text(ask, question, answer, out_text);
    }
    const bool is_sample = question->can == MCP_CAN_SAMPLE;
    const bt_value *text = at(ask->document, answer, is_sample ? "/content/text" : "/roots/0/uri");
    const bool has_none = !is_sample && is_type(at(ask->document, answer, "/roots"), BT_JSON_ARRAY);
    *out_text = is_type(text, BT_JSON_STRING) ? bt_json_text(text)
                : has_none                    ? BT_STR("none")
                                              : (bt_str){NULL, 0};
    return BT_OK;
}

/* The fixture's text with the first answer in it. */
static enum bt_status say(struct mcp_ask *ask, const struct form *form, bt_str answer, bt_str *out)
{
    const bt_str text = bt_str_of(form->text);
    const size_t place = bt_str_find(text, '%', 0);
    if (place == text.len) {
        *out = text;
        return BT_OK;
    }
    return bt_arena_printf(&ask->arena, out, "%.*s%.*s%.*s", (int)place, text.ptr,
                           BT_STR_ARG(answer), BT_STR_ARG(bt_str_slice(text, place + 1, text.len)));
}

/* ---- Modern ---------------------------------------------------------------------------------- */

static enum bt_status sealed_text(struct mcp_ask *ask, const struct form *form, size_t round,
                                  bt_str *out)
{
    return bt_arena_printf(&ask->arena, out, "%s\nround %zu", form->name, round);
}

/* Whether every question of a round is one that the client can answer. False after an error. */
static bool can_answer(struct mcp_ask *ask, const struct form *form)
{
    static const char *const names[] = {
        [MCP_CAN_FORMS] = "elicitation", [MCP_CAN_SAMPLE] = "sampling", [MCP_CAN_ROOTS] = "roots"};
    bt_str data = BT_STR("");
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[0][i] != NONE; i++) {
        const enum mcp_can can = questions[form->rounds[0][i]].can;
        if (!(ask->can & can) && !form->is_modest) {
            const enum bt_status status = bt_arena_printf(
                &ask->arena, &data, "{\"requiredCapabilities\":{\"%s\":{}}}", names[can]);
            mcp_error(ask, MCP_CAPABILITY_MISSING, "the client did not declare what this needs",
                      status == BT_OK ? data : BT_STR(""));
            return false;
        }
    }
    return true;
}

static enum bt_status ask_round(struct mcp_ask *ask, const struct form *form, size_t round)
{
    struct bt_emit *emit = &ask->emit;
    struct bt_buf state;
    bt_str what;
    bt_str params[QUESTIONS_MAX] = {{NULL, 0}};
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        BT_TRY(params_of(ask, &questions[form->rounds[round][i]], &params[i]));
    }
    BT_TRY(sealed_text(ask, form, round, &what));
    bt_buf_init(&state, 256);
    const enum bt_status status = mcp_seal(ask, what, &state);
    mcp_result(ask, "input_required");
    bt_emit_name(emit, "inputRequests");
    bt_emit_object(emit);
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        const struct question *question = &questions[form->rounds[round][i]];
        if (ask->can & question->can) {
            bt_emit_name(emit, question->key);
            bt_emit_object(emit);
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
    mcp_result_end(ask, MCP_UNCACHED);
    bt_buf_free(&state);
    return status;
}

/* Which round the request's state was sealed for; ROUNDS_MAX when for none. */
static enum bt_status round_of(struct mcp_ask *ask, const struct form *form, size_t *out)
{
    bt_str what;
    bool is_it = false;
    *out = form->is_sealed ? ROUNDS_MAX : 0;
    for (size_t i = 0; i < ROUNDS_MAX && form->is_sealed && *out == ROUNDS_MAX; i++) {
        BT_TRY(sealed_text(ask, form, i, &what));
        BT_TRY(mcp_is_sealed(ask, what, &is_it));
        *out = is_it ? i : *out;
    }
    return BT_OK;
}

/* The answers to a round. The first one's text; a NULL pointer when one is missing. */
static enum bt_status take_round(struct mcp_ask *ask, const struct form *form, size_t round,
                                 bt_str *out_text)
{
    const bt_value *responses = mcp_param(ask, "inputResponses");
    *out_text = BT_STR("");
    for (size_t i = 0; i < QUESTIONS_MAX && form->rounds[round][i] != NONE; i++) {
        const struct question *question = &questions[form->rounds[round][i]];
        const bt_value *answer =
            is_type(responses, BT_JSON_OBJECT)
                ? bt_json_get(ask->document, responses, bt_str_of(question->key))
                : NULL;
        bt_str text;
        if (form->is_modest && !(ask->can & question->can)) {
            continue;
        }
        BT_TRY(answer_text(ask, question, answer, &text));
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
static enum bt_status ask_modern(struct mcp_ask *ask, const struct form *form, bt_str *out_text)
{
    size_t round = 0;
    bt_str answer;
    *out_text = (bt_str){NULL, 0};
    if (!can_answer(ask, form)) {
        return BT_OK;
    }
    if (!mcp_param(ask, "inputResponses") && !mcp_param(ask, "requestState")) {
        return ask_round(ask, form, 0);
    }
    BT_TRY(round_of(ask, form, &round));
    if (round == ROUNDS_MAX) {
        mcp_error(ask, MCP_INVALID_PARAMS, "requestState is not what was handed out", BT_STR(""));
        return BT_OK;
    }
    BT_TRY(take_round(ask, form, round, &answer));
    if (!answer.ptr) {
        return ask_round(ask, form, round);
    }
    round++;
    return round < ROUNDS_MAX && form->rounds[round][0] != NONE ? ask_round(ask, form, round)
                                                                : say(ask, form, answer, out_text);
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

/* The notes are the number of the form. */
static enum bt_status resume(struct mcp_call *call, const bt_str notes[2], const bt_value *result)
{
    uint64_t number = 0;
    bt_str text = {NULL, 0};
    if (bt_str_to_u64(notes[0], &number) != BT_OK || number >= sizeof(forms) / sizeof(forms[0])) {
        return answer_unusable(&call->work, "nobody knows what was asked");
    }
    const struct form *form = &forms[number];
    BT_TRY(answer_text(call->ask, &questions[form->rounds[0][0]], result, &text));
    if (!text.ptr) {
        return answer_unusable(&call->work, "the client did not answer");
    }
    BT_TRY(say(call->ask, form, text, &text));
    mcp_put_text(call, text);
    return BT_OK;
}

static enum bt_status ask_legacy(struct mcp_call *call, const struct form *form)
{
    const struct question *question = &questions[form->rounds[0][0]];
    struct mcp_wanted wanted = {
        .method = method_of(question), .resume = resume, .notes = {BT_STR(""), BT_STR("")}};
    if (form->rounds[0][1] != NONE || form->is_sealed) {
        return answer_unusable(&call->work, "this fixture is for 2026-07-28");
    }
    if (!(call->ask->can & question->can)) {
        return answer_unusable(&call->work, "the client did not declare what this needs");
    }
    BT_TRY(params_of(call->ask, question, &wanted.params));
    BT_TRY(bt_arena_printf(&call->ask->arena, &wanted.notes[0], "%zu", (size_t)(form - forms)));
    return mcp_question_put(call, &wanted);
}

/* ---- Fixtures -------------------------------------------------------------------------------- */

enum bt_status mcp_fixture_ask(struct mcp_call *call)
{
    const struct form *form = form_of(call->ask);
    bt_str text;
    if (!form) {
        return answer_unusable(&call->work, "there is no such fixture");
    }
    if (!call->ask->is_modern) {
        return ask_legacy(call, form);
    }
    BT_TRY(ask_modern(call->ask, form, &text));
    call->is_said = true;
    if (text.ptr) {
        mcp_put_text(call, text);
    }
    return BT_OK;
}

enum bt_status mcp_fixture_missing(struct mcp_call *call)
{
    if (call->ask->can & MCP_CAN_SAMPLE) {
        mcp_put_text(call, BT_STR("the client can sample"));
    } else if (call->ask->is_modern) {
        mcp_error(call->ask, MCP_CAPABILITY_MISSING, "the client did not declare what this needs",
                  BT_STR("{\"requiredCapabilities\":{\"sampling\":{}}}"));
        call->is_said = true;
    } else {
        return answer_unusable(&call->work, "the client did not declare what this needs");
    }
    return BT_OK;
}

enum bt_status mcp_fixture_ask_prompt(struct mcp_ask *ask)
{
    const struct form *form = form_of(ask);
    bt_str text = BT_STR("no context");
    if (form && ask->is_modern) {
        BT_TRY(ask_modern(ask, form, &text));
    }
    if (text.ptr) {
        mcp_put_message(ask, text);
    }
    return BT_OK;
}
