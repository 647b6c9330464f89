/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.c - count the tokens of a str or of bytes. A counter belongs to one thread at a time, so
 * the module keeps a pool of them for each encoding.
 */
#include "core.h"

#include <baton/tokens.h>

enum { GIL_BYTES_MIN = 1024 }; /* a shorter text is counted faster than the GIL is given up */

/* A text whose tokens are counted, and what was found out about it. */
struct token_count {
    enum bt_encoding encoding;
    bt_str text;
    PyObject *owner; /* of the bytes of the text, or NULL */
    uint64_t budget;
    bool only_fits; /* tell whether the budget is enough, instead of how many there are */
    bool is_within;
    uint64_t count;
};

static enum bt_status count_with(struct bt_tokens *counter, struct token_count *work)
{
    return work->only_fits
               ? bt_tokens_fit_budget(counter, work->text, work->budget, &work->is_within)
               : bt_tokens_count(counter, work->text, &work->count);
}

static int count_text(struct core_state *state, struct token_count *work)
{
    struct core_pool *pool = &state->counters[work->encoding];
    struct bt_tokens *counter = core_pool_take(pool);
    enum bt_status status = counter ? BT_OK : bt_tokens_create(work->encoding, &counter);
    if (status == BT_OK && work->text.len < GIL_BYTES_MIN) {
        status = count_with(counter, work);
    } else if (status == BT_OK) {
        Py_BEGIN_ALLOW_THREADS;
        status = count_with(counter, work);
        Py_END_ALLOW_THREADS;
    }
    if (counter && !core_pool_give(pool, counter)) {
        bt_tokens_destroy(counter);
    }
    if (status != BT_OK) {
        core_raise_status(state, status, "");
        return -1;
    }
    return 0;
}

/* Borrow the text of a str or of bytes, which must be UTF-8. */
static int borrow_text(struct core_state *state, struct token_count *work, PyObject *text)
{
    const int kind = PyUnicode_Check(text) ? core_str_bytes(text, &work->text, &work->owner)
                                           : core_bytes_borrow(text, &work->text, &work->owner);
    if (kind < 0) {
        return -1;
    }
    /* A str has an owner only when it holds lone surrogates. */
    if (work->owner && bt_utf8_check(work->text) != work->text.len) {
        core_raise_status(state, BT_EINVAL, "JSON_UTF8 at : the text is not UTF-8");
        return -1;
    }
    return 0;
}

static int count_object(struct core_state *state, struct token_count *work, PyObject *text,
                        PyObject *encoding)
{
    PyObject *name_owner = NULL;
    bt_str name;
    if (!PyUnicode_Check(encoding)) {
        PyErr_SetString(PyExc_TypeError, "an encoding is a str");
        return -1;
    }
    int status = core_str_bytes(encoding, &name, &name_owner);
    if (status == 0 && bt_encoding_parse(name, &work->encoding) != BT_OK) {
        core_raise_status(state, BT_EINVAL,
                          "PARAMETER_INVALID at /encoding: the encoding is unknown; allowed: "
                          "o200k_base, cl100k_base, chars4");
        status = -1;
    }
    Py_XDECREF(name_owner);
    status = status == 0 ? borrow_text(state, work, text) : status;
    status = status == 0 ? count_text(state, work) : status;
    Py_XDECREF(work->owner);
    return status;
}

PyObject *core_count_tokens(PyObject *module, PyObject *args)
{
    struct token_count work = {0};
    PyObject *text = NULL;
    PyObject *encoding = NULL;
    if (!PyArg_ParseTuple(args, "OO:count_tokens", &text, &encoding) ||
        count_object(PyModule_GetState(module), &work, text, encoding) < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(work.count);
}

PyObject *core_fit_tokens(PyObject *module, PyObject *args)
{
    struct token_count work = {.only_fits = true};
    PyObject *text = NULL;
    PyObject *encoding = NULL;
    unsigned long long budget = 0;
    if (!PyArg_ParseTuple(args, "OKO:fit_tokens", &text, &budget, &encoding)) {
        return NULL;
    }
    work.budget = budget;
    if (count_object(PyModule_GetState(module), &work, text, encoding) < 0) {
        return NULL;
    }
    return PyBool_FromLong(work.is_within);
}

void core_counters_free(struct core_state *state)
{
    for (size_t i = 0; i < CORE_ENCODINGS; i++) {
        struct bt_tokens *counter = core_pool_take(&state->counters[i]);
        while (counter) { /* ends: nothing is put back any more */
            bt_tokens_destroy(counter);
            counter = core_pool_take(&state->counters[i]);
        }
    }
}
