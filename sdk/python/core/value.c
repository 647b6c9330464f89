/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - a Python value -> compact JSON, or a document.
 *
 * Containers are walked with a stack of our own, so depth costs no C stack. A subclass counts by
 * its base value: overridden methods are not called. Only an Enum, a Decimal and a very large int
 * run Python code, which may change a container; a container whose size changed is a RuntimeError.
 */
#include "core.h"

#include <stdio.h>

#include <baton/json.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { FRAMES_MIN = 16, ENUM_NESTING_MAX = 16 };

/* What a value is, by its own class or by the one it is derived from. */
enum value_kind {
    KIND_OTHER,
    KIND_STR,
    KIND_DICT,
    KIND_LIST,
    KIND_TUPLE,
    KIND_INT,
    KIND_FLOAT,
    KIND_BOOL,
    KIND_NONE,
};

/* A container that is being walked. */
struct value_frame {
    PyObject *container; /* owned */
    enum value_kind kind;
    Py_ssize_t size;  /* when the walk began */
    Py_ssize_t next;  /* PyDict_Next()'s position, or the index of the next item */
    Py_ssize_t last;  /* PyDict_Next()'s position of the current item */
    Py_ssize_t count; /* items that were begun */
};

struct value_walk {
    struct core_state *state;
    struct core_text *text;     /* where the JSON goes ... */
    struct bt_builder *builder; /* ... or, without a text, the values */
    struct value_frame *frames;
    unsigned depth;
    unsigned frames_size;
    unsigned depth_max;
    size_t nodes_left; /* for a builder, which does not say that it has failed */
    bool has_run_code; /* of Python, since the sizes of the containers were compared */
};

/* ---- Errors ---------------------------------------------------------------------------------- */

static int put_token(struct core_text *pointer, const struct value_frame *frame)
{
    char index[24];
    PyObject *owner = NULL;
    PyObject *key = NULL;
    PyObject *value = NULL;
    Py_ssize_t place = frame->last;
    bt_str name;
    core_text_put(pointer, "/", 1);
    if (frame->kind != KIND_DICT || !PyDict_Next(frame->container, &place, &key, &value)) {
        (void)snprintf(index, sizeof(index), "%zd", frame->count - 1);
        core_text_put_literal(pointer, index);
        return 0;
    }
    if (core_str_bytes(key, &name, &owner) < 0) {
        return -1;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '~') {
            core_text_put(pointer, "~0", 2);
        } else if (name.ptr[i] == '/') {
            core_text_put(pointer, "~1", 2);
        } else {
            core_text_put(pointer, name.ptr + i, 1);
        }
    }
    Py_XDECREF(owner);
    return 0;
}

/* Raise NotJSON; takes over `message`. The place is that of the current item of `depth` frames. */
static int raise_not_json(const struct value_walk *walk, unsigned depth, PyObject *message)
{
    struct core_text pointer;
    PyObject *place = NULL;
    PyObject *args = NULL;
    int status = message ? 0 : -1;
    core_text_init(&pointer, (size_t)PY_SSIZE_T_MAX);
    for (unsigned i = 0; i < depth && status == 0; i++) {
        status = put_token(&pointer, &walk->frames[i]);
    }
    if (status == 0 && pointer.failed) {
        PyErr_NoMemory();
        status = -1;
    }
    if (status == 0) {
        place = PyUnicode_DecodeUTF8(pointer.bytes ? pointer.bytes : "", (Py_ssize_t)pointer.len,
                                     "surrogatepass");
        args = place ? PyTuple_Pack(2, message, place) : NULL;
        if (args) {
            PyErr_SetObject(walk->state->not_json, args);
        }
    }
    core_text_free(&pointer);
    Py_XDECREF(args);
    Py_XDECREF(place);
    Py_XDECREF(message);
    return -1;
}

static int raise_bad_type(const struct value_walk *walk, PyObject *value)
{
    PyObject *name = PyType_GetQualName(Py_TYPE(value));
    PyObject *message = name ? PyUnicode_FromFormat("%U is not a JSON type", name) : NULL;
    Py_XDECREF(name);
    return raise_not_json(walk, walk->depth, message);
}

/* Put a str: the name of a member, or a value. */
static ALWAYS_INLINE int put_str(struct value_walk *walk, PyObject *str, bool is_name)
{
    PyObject *owner = NULL;
    Py_ssize_t len = 0;
    bt_str text = {PyUnicode_AsUTF8AndSize(str, &len), 0};
    text.len = (size_t)len;
    if (!text.ptr && core_str_encode(str, &text, &owner) < 0) {
        return -1;
    }
    if (!walk->builder) {
        core_text_put_string(walk->text, text.ptr, text.len);
        if (is_name) {
            core_text_put(walk->text, ":", 1);
        }
    } else if (is_name) {
        bt_builder_name(walk->builder, text);
    } else {
        bt_builder_string(walk->builder, text);
    }
    Py_XDECREF(owner);
    return 0;
}

/* ---- Scalars --------------------------------------------------------------------------------- */

static void put_number(struct value_walk *walk, const char *text, size_t len)
{
    if (walk->builder) {
        bt_builder_number(walk->builder, (bt_str){text, len});
    } else {
        core_text_put(walk->text, text, len);
    }
}

/* Put the text of a number; takes over `text`, which may be NULL with an exception. */
static int put_number_text(struct value_walk *walk, PyObject *text)
{
    Py_ssize_t len = 0;
    const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, &len) : NULL;
    if (bytes) {
        put_number(walk, bytes, (size_t)len);
    }
    Py_XDECREF(text);
    return bytes ? 0 : -1;
}

/* The text of a Decimal by its class, whatever a subclass does. */
static PyObject *decimal_text(struct core_state *state, PyObject *decimal)
{
    return PyObject_CallMethod(state->decimal, "__str__", "O", decimal);
}

static int put_int(struct value_walk *walk, PyObject *value)
{
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow && walk->builder) {
        bt_builder_i64(walk->builder, number);
        return number == -1 && PyErr_Occurred() ? -1 : 0;
    }
    if (!overflow) {
        char digits[24];
        const int len = snprintf(digits, sizeof(digits), "%lld", number);
        core_text_put(walk->text, digits, (size_t)len);
        return number == -1 && PyErr_Occurred() ? -1 : 0;
    }
    PyObject *text = PyNumber_ToBase(value, 10);
    if (!text && PyErr_ExceptionMatches(PyExc_ValueError)) {
        /* Python limits the digits of an int, but not those of a Decimal, which is exact. */
        PyErr_Clear();
        walk->has_run_code = true;
        Py_INCREF(value); /* what is run may take it out of its container */
        PyObject *type = core_decimal(walk->state, true);
        PyObject *decimal = type ? PyObject_CallFunctionObjArgs(type, value, NULL) : NULL;
        Py_DECREF(value);
        text = decimal ? decimal_text(walk->state, decimal) : NULL;
        Py_XDECREF(decimal);
    }
    return put_number_text(walk, text);
}

static int put_float(struct value_walk *walk, PyObject *value)
{
    const double number = PyFloat_AsDouble(value);
    if (!(number - number == 0.0)) { /* NaN or an infinity */
        char *name = PyOS_double_to_string(number, 'r', 0, 0, NULL);
        PyObject *message = PyUnicode_FromFormat("%s is not a JSON number", name ? name : "it");
        PyMem_Free(name);
        return raise_not_json(walk, walk->depth, message);
    }
    if (walk->builder) {
        bt_builder_double(walk->builder, number);
        return 0;
    }
    char *digits = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (!digits) {
        return -1;
    }
    core_text_put_literal(walk->text, digits);
    PyMem_Free(digits);
    return 0;
}

static int put_decimal(struct value_walk *walk, PyObject *value)
{
    PyObject *finite = PyObject_CallMethod(walk->state->decimal, "is_finite", "O", value);
    const int is_finite = finite ? PyObject_IsTrue(finite) : -1;
    Py_XDECREF(finite);
    if (is_finite == 0) {
        PyObject *message =
            PyUnicode_FromString("a Decimal that is not finite is not a JSON number");
        return raise_not_json(walk, walk->depth, message);
    }
    return is_finite < 0 ? -1 : put_number_text(walk, decimal_text(walk->state, value));
}

/* ---- Containers ------------------------------------------------------------------------------ */

/* The kind of a value of one of the classes themselves; KIND_OTHER for every other class. */
static enum value_kind find_exact_kind(PyObject *value)
{
    const PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        return KIND_STR;
    }
    if (type == &PyLong_Type) {
        return KIND_INT;
    }
    if (type == &PyDict_Type) {
        return KIND_DICT;
    }
    if (type == &PyList_Type) {
        return KIND_LIST;
    }
    if (type == &PyFloat_Type) {
        return KIND_FLOAT;
    }
    if (type == &PyBool_Type) {
        return KIND_BOOL;
    }
    if (value == Py_None) {
        return KIND_NONE;
    }
    return type == &PyTuple_Type ? KIND_TUPLE : KIND_OTHER;
}

/* The kind of a value of a derived class. */
static enum value_kind find_base_kind(PyObject *value)
{
    if (PyUnicode_Check(value)) {
        return KIND_STR;
    }
    if (PyDict_Check(value)) {
        return KIND_DICT;
    }
    if (PyList_Check(value)) {
        return KIND_LIST;
    }
    if (PyTuple_Check(value)) {
        return KIND_TUPLE;
    }
    if (PyLong_Check(value)) {
        return KIND_INT;
    }
    return PyFloat_Check(value) ? KIND_FLOAT : KIND_OTHER;
}

static Py_ssize_t container_size(PyObject *container)
{
    if (PyDict_Check(container)) {
        return PyDict_Size(container);
    }
    return PyList_Check(container) ? PyList_Size(container) : PyTuple_Size(container);
}

/* Begin a container: put its bracket and push its frame. */
static int push_frame(struct value_walk *walk, PyObject *container, enum value_kind kind)
{
    if (walk->depth >= walk->depth_max) {
        return raise_not_json(
            walk, walk->depth,
            PyUnicode_FromFormat("more than %u containers stand inside each other",
                                 walk->depth_max));
    }
    if (walk->depth == walk->frames_size) {
        const unsigned size = walk->frames_size ? walk->frames_size * 2 : FRAMES_MIN;
        struct value_frame *frames = PyMem_Realloc(walk->frames, size * sizeof(*frames));
        if (!frames) {
            PyErr_NoMemory();
            return -1;
        }
        walk->frames = frames;
        walk->frames_size = size;
    }
    Py_INCREF(container);
    walk->frames[walk->depth++] = (struct value_frame){
        .container = container, .kind = kind, .size = container_size(container)};
    if (!walk->builder) {
        core_text_put(walk->text, kind == KIND_DICT ? "{" : "[", 1);
    } else if (kind == KIND_DICT) {
        bt_builder_object(walk->builder);
    } else {
        bt_builder_array(walk->builder);
    }
    return 0;
}

static void pop_frame(struct value_walk *walk)
{
    struct value_frame *frame = &walk->frames[--walk->depth];
    if (walk->builder) {
        bt_builder_end(walk->builder);
    } else {
        core_text_put(walk->text, frame->kind == KIND_DICT ? "}" : "]", 1);
    }
    Py_CLEAR(frame->container);
}

/*
 * The next value of a dict, after its name was put. 1: *out is borrowed; 0: the end; -1: exception.
 */
static int next_member(struct value_walk *walk, struct value_frame *frame, PyObject **out)
{
    PyObject *key = NULL;
    frame->last = frame->next;
    if (!PyDict_Next(frame->container, &frame->next, &key, out)) {
        return 0;
    }
    if (Py_TYPE(key) != &PyUnicode_Type && !PyUnicode_Check(key)) {
        PyObject *name = PyType_GetQualName(Py_TYPE(key));
        PyObject *message = name ? PyUnicode_FromFormat("a key must be a str, not %U", name) : NULL;
        Py_XDECREF(name);
        return raise_not_json(walk, walk->depth - 1, message);
    }
    return put_str(walk, key, true) < 0 ? -1 : 1;
}

/* Compare the sizes of the open containers with those at the beginning. */
static int check_sizes(struct value_walk *walk)
{
    walk->has_run_code = false;
    for (unsigned i = 0; i < walk->depth; i++) {
        if (container_size(walk->frames[i].container) != walk->frames[i].size) {
            PyErr_SetString(PyExc_RuntimeError, "a container changed its size while it was read");
            return -1;
        }
    }
    return 0;
}

/* The next value of the innermost container. 1: *out is borrowed; 0: the end; -1: exception. */
static ALWAYS_INLINE int next_item(struct value_walk *walk, PyObject **out)
{
    struct value_frame *frame = &walk->frames[walk->depth - 1];
    if (walk->has_run_code && check_sizes(walk) < 0) {
        return -1;
    }
    if (frame->count == frame->size) {
        return 0;
    }
    if (frame->count++ > 0 && !walk->builder) {
        core_text_put(walk->text, ",", 1);
    }
    if (frame->kind == KIND_DICT) {
        return next_member(walk, frame, out);
    }
    *out = frame->kind == KIND_LIST ? PyList_GetItem(frame->container, frame->next++)
                                    : PyTuple_GetItem(frame->container, frame->next++);
    return *out ? 1 : -1;
}

/* ---- Walking --------------------------------------------------------------------------------- */

/* Put a value of another type than the common ones. */
static int put_other(struct value_walk *walk, PyObject *value)
{
    PyObject *decimal = core_decimal(walk->state, false);
    const int is_decimal = decimal ? PyObject_IsInstance(value, decimal) : 0;
    if (is_decimal != 0) {
        return is_decimal < 0 ? -1 : put_decimal(walk, value);
    }
    return PyErr_Occurred() ? -1 : raise_bad_type(walk, value);
}

/* Put None, True or False. */
static void put_constant(struct value_walk *walk, PyObject *value)
{
    if (!walk->builder) {
        core_text_put_literal(walk->text,
                              value == Py_None ? "null" : (value == Py_True ? "true" : "false"));
    } else if (value == Py_None) {
        bt_builder_null(walk->builder);
    } else {
        bt_builder_bool(walk->builder, value == Py_True);
    }
}

/* Put a scalar whole, or begin a container. */
static ALWAYS_INLINE int put_value(struct value_walk *walk, PyObject *value, enum value_kind kind)
{
    switch (kind) {
    case KIND_STR:
        return put_str(walk, value, false);
    case KIND_DICT:
    case KIND_LIST:
    case KIND_TUPLE:
        return push_frame(walk, value, kind);
    case KIND_INT:
        return put_int(walk, value);
    case KIND_FLOAT:
        return put_float(walk, value);
    case KIND_BOOL:
    case KIND_NONE:
        put_constant(walk, value);
        return 0;
    case KIND_OTHER:
        break;
    }
    return put_other(walk, value);
}

/* Put an item of a derived or another class; one of an Enum by its value. */
static __attribute__((noinline)) int put_derived(struct value_walk *walk, PyObject *item)
{
    int status = 0;
    walk->has_run_code = true;
    Py_INCREF(item); /* what is run may take it out of its container */
    for (int nesting = 0; nesting < ENUM_NESTING_MAX; nesting++) {
        const enum value_kind kind = find_exact_kind(item);
        const int is_enum =
            kind != KIND_OTHER ? 0 : PyObject_IsInstance(item, walk->state->enum_type);
        if (is_enum <= 0) {
            status = is_enum < 0
                         ? -1
                         : put_value(walk, item, kind != KIND_OTHER ? kind : find_base_kind(item));
            Py_DECREF(item);
            return status;
        }
        PyObject *value = PyObject_GetAttr(item, walk->state->value_name);
        Py_DECREF(item);
        if (!value) {
            return -1;
        }
        item = value;
    }
    status = raise_bad_type(walk, item);
    Py_DECREF(item);
    return status;
}

/* True when the rest does not matter: the text is full, or the builder has refused so many. */
static bool is_over(const struct value_walk *walk)
{
    return walk->builder ? walk->nodes_left == 0 : walk->text->failed;
}

static int walk_value(struct value_walk *walk, PyObject *item)
{
    int status = 0;
    do { /* ends: each step counts */
        const enum value_kind kind = find_exact_kind(item);
        status = kind == KIND_OTHER ? put_derived(walk, item) : put_value(walk, item, kind);
        walk->nodes_left--;
        while (status == 0 && walk->depth > 0 && !is_over(walk)) {
            status = next_item(walk, &item);
            if (status != 0) {
                break;
            }
            pop_frame(walk);
        }
    } while (status > 0);
    while (walk->depth > 0) {
        pop_frame(walk);
    }
    PyMem_Free(walk->frames);
    return status;
}

int core_value_put(struct core_state *state, struct core_text *text, PyObject *value,
                   unsigned depth_max)
{
    struct value_walk walk = {.state = state, .text = text, .depth_max = depth_max};
    const int status = walk_value(&walk, value);
    if (status == 0 && text->failed && !text->is_full) {
        PyErr_NoMemory();
        return -1;
    }
    return status;
}

int core_value_build(struct core_state *state, struct bt_builder *builder, PyObject *value,
                     unsigned depth_max, size_t nodes_max)
{
    struct value_walk walk = {
        .state = state, .builder = builder, .depth_max = depth_max, .nodes_left = nodes_max + 2};
    return walk_value(&walk, value);
}
