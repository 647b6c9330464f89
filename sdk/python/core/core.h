/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - the parts of the extension `baton._core`: text, values, engines.
 *
 * The extension is written against the limited API of CPython 3.11 and the stable headers of
 * libbaton. Every function that takes or gives a Python object is called with the GIL held; those
 * that return int give -1 with a Python exception set.
 */
#ifndef BATON_PYTHON_CORE_H
#define BATON_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <baton/base.h>

#include "pool.h"

/* ---- Module ---------------------------------------------------------------------------------- */

enum { CORE_ENCODINGS = 3 }; /* of enum bt_encoding */

/* What one instance of the module owns; there is one for each interpreter. */
struct core_state {
    PyObject *not_json;     /* class baton.NotJSON */
    PyObject *from_status;  /* function baton._errors.from_status */
    PyObject *enum_type;    /* enum.Enum */
    PyObject *decimal;      /* decimal.Decimal, or NULL: see core_decimal() */
    PyObject *value_name;   /* "value", the attribute of an Enum */
    PyObject *budget_spent; /* class baton.schema.BudgetSpent */
    PyObject *validator;    /* the type _core.Validator */
    /* Its limits and hash seed are those of validators; it makes no calls, so threads share it. */
    struct bt_engine *engine;
    struct core_pool counters[CORE_ENCODINGS]; /* of tokens */
};

extern PyModuleDef core_module;

/* The state of the module that defines the type of `self`. NULL with an exception. */
struct core_state *core_state_of(PyObject *self);
/* Set the exception for a status other than BT_OK. Returns NULL. */
PyObject *core_raise_status(struct core_state *state, enum bt_status status, const char *text);
/*
 * The class decimal.Decimal, borrowed. Its module is imported only when `must_import`, since a
 * program that has not imported it has no such value. NULL: not imported, or an exception is set.
 */
PyObject *core_decimal(struct core_state *state, bool must_import);

extern PyType_Spec core_engine_spec;
extern PyType_Spec core_validator_spec;

/* Functions of the module; see the docstrings in module.c. */
PyObject *core_compile_schema(PyObject *module, PyObject *args);
PyObject *core_count_tokens(PyObject *module, PyObject *args);
PyObject *core_fit_tokens(PyObject *module, PyObject *args);
/* Destroy the counters of tokens. */
void core_counters_free(struct core_state *state);

/* ---- Text ------------------------------------------------------------------------------------ */

/*
 * Bytes that grow, up to `max`. Failure sticks: the first put that cannot be done sets `failed`,
 * and later puts do nothing. One that passes `max` puts what fits and also sets `is_full`.
 */
struct core_text {
    char *bytes;
    size_t len;
    size_t size;
    size_t max;
    bool failed;
    bool is_full;
};

void core_text_init(struct core_text *text, size_t max);
void core_text_free(struct core_text *text);
void core_text_put(struct core_text *text, const char *bytes, size_t len);
void core_text_put_literal(struct core_text *text, const char *literal);
/*
 * Put a JSON string. `bytes` is UTF-8; a surrogate may stand in it as three bytes and is escaped.
 */
void core_text_put_string(struct core_text *text, const char *bytes, size_t len);
/* Put a str as a JSON string; its lone surrogates are escaped. */
int core_text_put_str(struct core_text *text, PyObject *str);
/* Put bytes in base64, in quotes. */
void core_text_put_base64(struct core_text *text, const char *bytes, size_t len);
/* The str in UTF-8. *out_owner is NULL or owns the bytes and must be released. */
int core_str_bytes(PyObject *str, bt_str *out, PyObject **out_owner);
/* What core_str_bytes() does after PyUnicode_AsUTF8AndSize() has failed. */
int core_str_encode(PyObject *str, bt_str *out, PyObject **out_owner);
/*
 * The bytes of an object with a buffer, for reading without the GIL: those of `bytes` cannot
 * change, and anything else is copied. *out_owner keeps them and must be released.
 */
int core_bytes_borrow(PyObject *buffer, bt_str *out, PyObject **out_owner);

/* ---- Values ---------------------------------------------------------------------------------- */

/*
 * Put the compact JSON of a Python value. At most `depth_max` containers may stand inside each
 * other. When the text reaches its maximum, it is left unfinished with `is_full` set, which is not
 * an error here.
 */
int core_value_put(struct core_state *state, struct core_text *text, PyObject *value,
                   unsigned depth_max);

struct bt_builder;

/*
 * Give a Python value to a builder. At most `depth_max` containers may stand inside each other. A
 * value with more than `nodes_max` items is given up to the first item above, for the builder to
 * refuse. After a failure the builder must still be finished, which empties it.
 */
int core_value_build(struct core_state *state, struct bt_builder *builder, PyObject *value,
                     unsigned depth_max, size_t nodes_max);

#endif
