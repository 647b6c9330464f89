/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - the extension module `baton._core`: initialisation and state.
 *
 * Each interpreter has its own instance of the module. The slots that say so are younger than the
 * limited API we are written against, and an older Python refuses a slot that it does not know, so
 * they are chosen by the version of the Python that runs.
 */
#include "core.h"

#include <baton/call.h>
#include <baton/version.h>

enum {
    PYTHON_3_12 = 0x030C0000,
    PYTHON_3_13 = 0x030D0000,
    SLOT_MULTIPLE_INTERPRETERS = 3, /* Py_mod_multiple_interpreters, since 3.12 */
    SLOT_GIL = 4,                   /* Py_mod_gil, since 3.13 */
};

/* Py_MOD_PER_INTERPRETER_GIL_SUPPORTED and Py_MOD_GIL_NOT_USED */
#define OWN_GIL_SUPPORTED ((void *)2)
#define GIL_NOT_USED ((void *)1)

struct core_state *core_state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self)); /* our types have no subclasses */
}

PyObject *core_raise_status(struct core_state *state, enum bt_status status, const char *text)
{
    PyObject *error =
        PyObject_CallFunction(state->from_status, "iss", (int)status, bt_status_text(status), text);
    if (error) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
    }
    return NULL;
}

static PyObject *import_name(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *value = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return value;
}

PyObject *core_decimal(struct core_state *state, bool must_import)
{
    if (state->decimal) {
        return state->decimal;
    }
    PyObject *name = PyUnicode_FromString("decimal");
    PyObject *module = NULL;
    if (name) {
        module = must_import ? PyImport_Import(name) : PyImport_GetModule(name);
    }
    if (module) {
        state->decimal = PyObject_GetAttrString(module, "Decimal");
    }
    Py_XDECREF(module);
    Py_XDECREF(name);
    return state->decimal;
}

static int import_names(struct core_state *state)
{
    const struct {
        PyObject **place;
        const char *module_name;
        const char *name;
    } rows[] = {
        {&state->not_json, "baton._errors", "NotJSON"},
        {&state->from_status, "baton._errors", "from_status"},
        {&state->budget_spent, "baton._errors", "BudgetSpent"},
        {&state->enum_type, "enum", "Enum"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        *rows[i].place = import_name(rows[i].module_name, rows[i].name);
        if (!*rows[i].place) {
            return -1;
        }
    }
    state->value_name = PyUnicode_InternFromString("value");
    return state->value_name ? 0 : -1;
}

static int core_exec(PyObject *module)
{
    struct core_state *state = PyModule_GetState(module);
    struct bt_error error = {0};
    if (import_names(state) < 0) {
        return -1;
    }
    const enum bt_status made = bt_engine_create(BT_STR(""), &state->engine, &error);
    if (made != BT_OK) {
        core_raise_status(state, made, error.text);
        return -1;
    }
    state->validator = PyType_FromModuleAndSpec(module, &core_validator_spec, NULL);
    PyObject *engine =
        state->validator ? PyType_FromModuleAndSpec(module, &core_engine_spec, NULL) : NULL;
    if (!engine) {
        return -1;
    }
    const int status = PyModule_AddType(module, (PyTypeObject *)engine);
    Py_DECREF(engine);
    return status < 0 ? -1 : PyModule_AddStringConstant(module, "version", bt_version());
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct core_state *state = PyModule_GetState(module);
    Py_VISIT(state->not_json);
    Py_VISIT(state->from_status);
    Py_VISIT(state->enum_type);
    Py_VISIT(state->decimal);
    Py_VISIT(state->value_name);
    Py_VISIT(state->budget_spent);
    Py_VISIT(state->validator);
    return 0;
}

static int core_clear(PyObject *module)
{
    struct core_state *state = PyModule_GetState(module);
    Py_CLEAR(state->not_json);
    Py_CLEAR(state->from_status);
    Py_CLEAR(state->enum_type);
    Py_CLEAR(state->decimal);
    Py_CLEAR(state->value_name);
    Py_CLEAR(state->budget_spent);
    Py_CLEAR(state->validator);
    return 0;
}

/* Validators have a reference to their type, and types to the module: none is left here. */
static void core_free(void *module)
{
    struct core_state *state = PyModule_GetState(module);
    (void)core_clear(module);
    core_counters_free(state);
    bt_engine_destroy(state->engine);
    state->engine = NULL;
}

PyDoc_STRVAR(compile_doc,
             "compile_schema(sources, draft, assert_formats, /)\n--\n\n"
             "Compile the schema of the first pair of URI and schema; references may\n"
             "lead to the others. Gives a Validator, a list of findings, or the index\n"
             "of a source that cannot be read.");
PyDoc_STRVAR(count_doc, "count_tokens(text, encoding, /)\n--\n\nThe number of tokens.");
PyDoc_STRVAR(fit_doc, "fit_tokens(text, budget, encoding, /)\n--\n\n"
                      "True when there are at most `budget` tokens.");

static PyMethodDef core_methods[] = {
    {"compile_schema", core_compile_schema, METH_VARARGS, compile_doc},
    {"count_tokens", core_count_tokens, METH_VARARGS, count_doc},
    {"fit_tokens", core_fit_tokens, METH_VARARGS, fit_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots_3_11[] = {{Py_mod_exec, core_exec}, {0, NULL}};
static PyModuleDef_Slot slots_3_12[] = {
    {Py_mod_exec, core_exec}, {SLOT_MULTIPLE_INTERPRETERS, OWN_GIL_SUPPORTED}, {0, NULL}};
static PyModuleDef_Slot slots_3_13[] = {{Py_mod_exec, core_exec},
                                        {SLOT_MULTIPLE_INTERPRETERS, OWN_GIL_SUPPORTED},
                                        {SLOT_GIL, GIL_NOT_USED},
                                        {0, NULL}};

PyModuleDef core_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "baton._core",
    .m_doc = "The native part of the package baton. Use baton instead.",
    .m_size = sizeof(struct core_state),
    .m_methods = core_methods,
    .m_slots = slots_3_11,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    if (Py_Version >= PYTHON_3_12) {
        core_module.m_slots = Py_Version >= PYTHON_3_13 ? slots_3_13 : slots_3_12;
    }
    return PyModuleDef_Init(&core_module);
}
