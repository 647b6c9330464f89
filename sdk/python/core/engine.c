/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - the type _core.Engine: a pool of native engines with the same settings and roots.
 *
 * A native engine belongs to one thread at a time. A call takes one from the pool, or makes one
 * when all are in use, and puts it back.
 *
 * An engine with a seed numbers the identifiers that it makes, so it has one native engine for
 * which calls wait; with two, both would make the same identifiers.
 */
#include "core.h"

#include <time.h>
#include <unistd.h>

#include <baton/call.h>

enum {
    REQUEST_BYTES_MAX = (1 << 30) + 1, /* the library refuses what reaches it */
    WAIT_NS = 50000,
};

struct core_engine {
    PyObject_HEAD PyObject *settings; /* bytes */
    PyObject *roots;                  /* tuple of pairs of str: name and folder */
    unsigned depth_max;
    size_t document_bytes_max;
    bool is_seeded;
    pid_t pid; /* of the process in which a call that finds no free engine may wait for one */
    struct core_pool natives;
};

/* ---- Pool ------------------------------------------------------------------------------------ */

static int add_root(struct core_state *state, struct bt_engine *native, PyObject *pair)
{
    bt_str texts[2];
    PyObject *owners[2] = {NULL, NULL};
    struct bt_error error = {0};
    for (int i = 0; i < 2; i++) {
        PyObject *text = PyTuple_GetItem(pair, i);
        if (!text || core_str_bytes(text, &texts[i], &owners[i]) < 0) {
            Py_XDECREF(owners[0]);
            return -1;
        }
    }
    const enum bt_status status = bt_engine_root(native, texts[0], texts[1], &error);
    Py_XDECREF(owners[0]);
    Py_XDECREF(owners[1]);
    if (status != BT_OK) {
        core_raise_status(state, status, error.text);
        return -1;
    }
    return 0;
}

static struct bt_engine *create_native(struct core_state *state, const struct core_engine *engine)
{
    struct bt_engine *native = NULL;
    struct bt_error error = {0};
    char *settings = NULL;
    Py_ssize_t len = 0;
    if (PyBytes_AsStringAndSize(engine->settings, &settings, &len) < 0) {
        return NULL;
    }
    const enum bt_status status =
        bt_engine_create((bt_str){settings, (size_t)len}, &native, &error);
    if (status != BT_OK) {
        core_raise_status(state, status, error.text);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_Size(engine->roots); i++) {
        if (add_root(state, native, PyTuple_GetItem(engine->roots, i)) < 0) {
            bt_engine_destroy(native);
            return NULL;
        }
    }
    return native;
}

static struct bt_engine *take_native(struct core_state *state, struct core_engine *engine)
{
    static const struct timespec pause = {.tv_nsec = WAIT_NS};
    struct bt_engine *native = core_pool_take(&engine->natives);
    /* Ends, since every call gives back what it took. After a fork none does, so we make one. */
    while (!native && engine->is_seeded && engine->pid == getpid()) {
        Py_BEGIN_ALLOW_THREADS;
        (void)nanosleep(&pause, NULL);
        Py_END_ALLOW_THREADS;
        if (PyErr_CheckSignals() < 0) {
            return NULL;
        }
        native = core_pool_take(&engine->natives);
    }
    return native ? native : create_native(state, engine);
}

static void give_native(struct core_engine *engine, struct bt_engine *native)
{
    if (!core_pool_give(&engine->natives, native)) {
        bt_engine_destroy(native);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Run an operation without the GIL. Gives (status, done, bytes). */
static PyObject *run_call(struct core_state *state, struct core_engine *engine, bt_str operation,
                          bt_str request)
{
    struct bt_reply *reply = NULL;
    struct bt_error error = {0};
    enum bt_status status = BT_EINTERNAL;
    struct bt_engine *native = take_native(state, engine);
    if (!native) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = bt_call(native, operation, request, &reply, &error);
    Py_END_ALLOW_THREADS;
    if (status == BT_EINTERNAL) {
        bt_engine_destroy(native); /* it must not be used again; the next call makes another */
        engine->pid = 0;           /* and does not wait for this one */
    } else {
        give_native(engine, native);
    }
    if (status != BT_OK) {
        return core_raise_status(state, status, error.text);
    }
    const bt_str json = bt_reply_json(reply);
    PyObject *answer =
        Py_BuildValue("(INy#)", bt_reply_status(reply), PyBool_FromLong(bt_reply_is_done(reply)),
                      json.ptr, (Py_ssize_t)json.len);
    bt_reply_destroy(reply);
    return answer;
}

/* The bytes of a str or an object with a buffer; release *view when its `obj` is set. */
static int borrow_bytes(PyObject *value, bt_str *out, Py_buffer *view, PyObject **out_owner)
{
    *out_owner = NULL;
    if (PyUnicode_Check(value)) {
        return core_str_bytes(value, out, out_owner);
    }
    if (PyObject_GetBuffer(value, view, PyBUF_SIMPLE) < 0) {
        return -1;
    }
    *out = (bt_str){view->len > 0 ? view->buf : "", (size_t)view->len};
    return 0;
}

PyDoc_STRVAR(call_doc, "call(operation, request, /)\n--\n\n"
                       "Run an operation. The request is its JSON as str or bytes.");

static PyObject *engine_call(PyObject *self, PyObject *args)
{
    struct core_state *state = core_state_of(self);
    PyObject *operation = NULL;
    PyObject *request = NULL;
    PyObject *owners[2] = {NULL, NULL};
    Py_buffer view = {0};
    bt_str name;
    bt_str text;
    PyObject *answer = NULL;
    if (!state || !PyArg_ParseTuple(args, "UO:call", &operation, &request)) {
        return NULL;
    }
    if (core_str_bytes(operation, &name, &owners[0]) == 0 &&
        borrow_bytes(request, &text, &view, &owners[1]) == 0) {
        answer = run_call(state, (struct core_engine *)self, name, text);
    }
    if (view.obj) {
        PyBuffer_Release(&view);
    }
    Py_XDECREF(owners[0]);
    Py_XDECREF(owners[1]);
    return answer;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static void put_content(struct core_text *request, bt_str content)
{
    if (bt_utf8_check(content) == content.len) {
        core_text_put_literal(request, "\"text\":");
        core_text_put_string(request, content.ptr, content.len);
    } else {
        core_text_put_literal(request, "\"base64\":");
        core_text_put_base64(request, content.ptr, content.len);
    }
}

/* Put the content of a document: bytes and str as they are, other values as their compact JSON. */
static int put_document(struct core_state *state, const struct core_engine *engine,
                        struct core_text *request, PyObject *document)
{
    PyObject *owner = NULL;
    Py_buffer view = {0};
    bt_str content;
    if (PyUnicode_Check(document) || PyObject_CheckBuffer(document)) {
        if (borrow_bytes(document, &content, &view, &owner) < 0) {
            return -1;
        }
        put_content(request, content);
        if (view.obj) {
            PyBuffer_Release(&view);
        }
        Py_XDECREF(owner);
        return 0;
    }
    struct core_text json;
    core_text_init(&json, engine->document_bytes_max + 1);
    const int status = core_value_put(state, &json, document, engine->depth_max);
    if (status == 0) {
        /* What is above the limit is refused for its size, so its rest is not needed. */
        put_content(request, (bt_str){json.bytes, json.len});
    }
    core_text_free(&json);
    return status;
}

static int put_member(struct core_text *request, const char *name, PyObject *text)
{
    if (text == Py_None) {
        return 0;
    }
    core_text_put_literal(request, name);
    if (core_text_put_str(request, text) < 0) {
        return -1;
    }
    core_text_put(request, ",", 1);
    return 0;
}

static int put_envelope(struct core_state *state, const struct core_engine *engine,
                        struct core_text *request, PyObject *const parts[4])
{
    char *members = NULL;
    Py_ssize_t members_len = 0;
    core_text_put_literal(request, "{\"documents\":[{");
    if (PyBytes_AsStringAndSize(parts[3], &members, &members_len) < 0 ||
        put_member(request, "\"as\":", parts[1]) < 0 ||
        put_member(request, "\"path\":", parts[2]) < 0 ||
        put_document(state, engine, request, parts[0]) < 0) {
        return -1;
    }
    core_text_put_literal(request, "}]");
    core_text_put(request, members, (size_t)members_len);
    core_text_put_literal(request, "}");
    if (request->failed && !request->is_full) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static bool is_text_or_none(PyObject *value)
{
    return value == Py_None || PyUnicode_Check(value);
}

PyDoc_STRVAR(judge_doc, "judge(operation, document, dialect, path, members, /)\n--\n\n"
                        "Run an operation on one document. `members` are further members of the\n"
                        "request as JSON, each after a comma.");

static PyObject *engine_judge(PyObject *self, PyObject *args)
{
    struct core_state *state = core_state_of(self);
    struct core_engine *engine = (struct core_engine *)self;
    PyObject *parts[4] = {NULL, NULL, NULL, NULL};
    const char *operation = NULL;
    PyObject *answer = NULL;
    struct core_text request;
    if (!state || !PyArg_ParseTuple(args, "sOOOS:judge", &operation, &parts[0], &parts[1],
                                    &parts[2], &parts[3])) {
        return NULL;
    }
    if (!is_text_or_none(parts[1]) || !is_text_or_none(parts[2])) {
        PyErr_SetString(PyExc_TypeError, "a dialect and a path are str or None");
        return NULL;
    }
    core_text_init(&request, REQUEST_BYTES_MAX);
    if (put_envelope(state, engine, &request, parts) == 0) {
        answer = request.is_full
                     ? core_raise_status(state, BT_ELIMIT, "the request has 2^30 bytes or more")
                     : run_call(state, engine, bt_str_of(operation),
                                (bt_str){request.bytes, request.len});
    }
    core_text_free(&request);
    return answer;
}

PyDoc_STRVAR(dumps_doc, "dumps(value, /)\n--\n\nThe compact JSON of a value, as bytes.");

static PyObject *engine_dumps(PyObject *self, PyObject *value)
{
    struct core_state *state = core_state_of(self);
    struct core_text text;
    PyObject *json = NULL;
    if (!state) {
        return NULL;
    }
    core_text_init(&text, REQUEST_BYTES_MAX);
    if (core_value_put(state, &text, value, ((struct core_engine *)self)->depth_max) == 0) {
        json = text.is_full
                   ? core_raise_status(state, BT_ELIMIT, "the value has 2^30 bytes or more")
                   : PyBytes_FromStringAndSize(text.bytes, (Py_ssize_t)text.len);
    }
    core_text_free(&text);
    return json;
}

/* ---- Type ------------------------------------------------------------------------------------ */

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *settings = NULL;
    PyObject *roots = NULL;
    unsigned depth_max = 0;
    Py_ssize_t document_bytes_max = 0;
    int is_seeded = 0;
    if (kwargs && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "Engine takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "SO!Inp:Engine", &settings, &PyTuple_Type, &roots, &depth_max,
                          &document_bytes_max, &is_seeded)) {
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *self = alloc(type, 0);
    struct core_engine *engine = (struct core_engine *)self;
    if (!engine) {
        return NULL;
    }
    Py_INCREF(settings);
    engine->settings = settings;
    Py_INCREF(roots);
    engine->roots = roots;
    engine->depth_max = depth_max;
    engine->document_bytes_max = (size_t)document_bytes_max;
    engine->is_seeded = is_seeded != 0;
    engine->pid = getpid();
    struct core_state *state = core_state_of(self);
    struct bt_engine *native = state ? create_native(state, engine) : NULL;
    if (!native) {
        Py_DECREF(self);
        return NULL;
    }
    give_native(engine, native);
    return self;
}

static void engine_dealloc(PyObject *self)
{
    struct core_engine *engine = (struct core_engine *)self;
    PyTypeObject *type = Py_TYPE(self);
    struct bt_engine *native = core_pool_take(&engine->natives);
    while (native) { /* ends: nothing is put back any more */
        bt_engine_destroy(native);
        native = core_pool_take(&engine->natives);
    }
    Py_CLEAR(engine->settings);
    Py_CLEAR(engine->roots);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef engine_methods[] = {
    {"call", engine_call, METH_VARARGS, call_doc},
    {"judge", engine_judge, METH_VARARGS, judge_doc},
    {"dumps", engine_dumps, METH_O, dumps_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot engine_slots[] = {
    {Py_tp_new, engine_new},
    {Py_tp_dealloc, engine_dealloc},
    {Py_tp_methods, engine_methods},
    {0, NULL},
};

PyType_Spec core_engine_spec = {
    .name = "baton._core.Engine",
    .basicsize = sizeof(struct core_engine),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = engine_slots,
};
