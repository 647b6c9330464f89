/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - the type _core.Validator: a compiled JSON Schema, and a pool of what a run needs.
 *
 * A value is given to a builder and a text to the reader; both make a document, which the schema
 * judges. All of them have the hash seed of the module's engine, so that names are looked up fast.
 */
#include "core.h"

#include <time.h>

#include <baton/json.h>
#include <baton/report.h>
#include <baton/schema.h>

enum {
    ARENA_BYTES_MAX = 512 << 20,
    DEPTH_MAX = 128, /* the defaults of the library */
    NODES_MAX = 1000000,
    GIL_BYTES_MIN = 1024,     /* a shorter text is judged faster than the GIL is given up */
    KEPT_BYTES_MAX = 1 << 20, /* memory for larger documents is not kept for the next one */
    KEPT_NODES_MAX = 1 << 15,
};

/* What one run needs. */
struct schema_worker {
    struct bt_arena *arena;
    struct bt_arena *scratch;
    struct bt_builder *builder;
    struct bt_schema_runner *runner;
    bool is_large; /* it has judged a large document */
};

struct core_validator {
    PyObject_HEAD struct bt_schema *schema;
    struct core_pool workers;
};

static uint64_t read_clock(void *context)
{
    struct timespec now = {0};
    (void)context;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void destroy_worker(struct schema_worker *worker)
{
    if (worker) {
        bt_schema_runner_destroy(worker->runner);
        bt_builder_destroy(worker->builder);
        bt_arena_destroy(worker->scratch);
        bt_arena_destroy(worker->arena);
        PyMem_Free(worker);
    }
}

/* NULL: no memory, with an exception. */
static struct schema_worker *create_worker(struct core_state *state)
{
    struct bt_schema_limits limits = BT_INIT(struct bt_schema_limits);
    struct schema_worker *worker = PyMem_Calloc(1, sizeof(*worker));
    limits.clock = read_clock;
    if (worker) {
        worker->arena = bt_arena_create(ARENA_BYTES_MAX);
        worker->scratch = bt_arena_create(ARENA_BYTES_MAX);
        worker->builder = worker->arena ? bt_builder_create(state->engine, worker->arena) : NULL;
        if (worker->scratch && worker->builder &&
            bt_schema_runner_create(&limits, &worker->runner) == BT_OK) {
            return worker;
        }
        destroy_worker(worker);
    }
    core_raise_status(state, BT_ENOMEM, "");
    return NULL;
}

static struct schema_worker *take_worker(struct core_state *state, struct core_validator *validator)
{
    struct schema_worker *worker = core_pool_take(&validator->workers);
    return worker ? worker : create_worker(state);
}

static void give_worker(struct core_validator *validator, struct schema_worker *worker)
{
    bt_arena_reset(worker->arena);
    if (worker->is_large || !core_pool_give(&validator->workers, worker)) {
        destroy_worker(worker);
    }
}

/* ---- Documents ------------------------------------------------------------------------------- */

/* Read a text. Touches no Python object. */
static enum bt_status read_text(const struct bt_engine *engine, struct schema_worker *worker,
                                bt_str text, const struct bt_json_doc **out)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_json_options options = BT_INIT(struct bt_json_options);
    options.engine = engine;
    options.scratch = worker->scratch;
    worker->is_large = text.len > KEPT_BYTES_MAX;
    const enum bt_status status = bt_json_read(worker->arena, text, &options, &read);
    *out = status == BT_OK ? read.document : NULL;
    return status;
}

/* Build a value. *out is NULL when it passes a limit. */
static int build_value(struct core_state *state, struct schema_worker *worker, PyObject *value,
                       const struct bt_json_doc **out)
{
    struct bt_json_read_result made = BT_INIT(struct bt_json_read_result);
    const int failed = core_value_build(state, worker->builder, value, DEPTH_MAX, NODES_MAX);
    const enum bt_status status = bt_builder_finish(worker->builder, &made);
    if (failed) {
        return -1;
    }
    if (status != BT_OK) {
        core_raise_status(state, status, "");
        return -1;
    }
    *out = made.document;
    worker->is_large = !made.document || bt_json_node_count(made.document) > KEPT_NODES_MAX;
    return 0;
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* The text as a str; None when it is empty and may be missing. */
static PyObject *make_text(bt_str text, bool may_miss)
{
    if (may_miss && text.len == 0) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8(text.ptr, (Py_ssize_t)text.len, "surrogatepass");
}

static PyObject *make_number(unsigned long number)
{
    if (number == 0) {
        Py_RETURN_NONE;
    }
    return PyLong_FromUnsignedLong(number);
}

/* The arguments of the class Finding; the last are the params as JSON. */
static PyObject *make_finding(const struct bt_finding *finding)
{
    const struct bt_position place = bt_finding_place(finding);
    const bt_str params = bt_finding_params(finding);
    return Py_BuildValue(
        "(NNNNNNNNNNy#)", make_text(bt_finding_code(finding), false),
        make_text(bt_severity_name(bt_finding_severity(finding)), false),
        make_text(bt_stage_name(bt_finding_stage(finding)), false),
        make_text(bt_finding_pointer(finding), false),
        make_text(bt_finding_message(finding), false), make_number(place.line),
        make_number(place.line > 0 ? place.column : 0), make_text(bt_finding_hint(finding), true),
        PyBool_FromLong(bt_finding_is_security(finding)),
        make_text(bt_fix_name(bt_finding_fix(finding)), true), params.ptr, (Py_ssize_t)params.len);
}

static PyObject *make_findings(const struct bt_findings *findings)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < bt_findings_count(findings); i++) {
        PyObject *item = make_finding(bt_findings_at(findings, i));
        if (!item || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* One judgement: what it is about, and what came of it. */
struct schema_run {
    struct core_state *state;
    const struct bt_schema *schema;
    struct schema_worker *worker;
    struct bt_findings *findings; /* NULL: the result is enough */
    enum bt_status status;
    bool is_unreadable; /* it is not JSON, or above a limit of documents */
    enum bt_schema_result result;
};

/* Judge a document. Touches no Python object. */
static void judge_document(struct schema_run *run, const struct bt_json_doc *document)
{
    if (!document) {
        run->is_unreadable = true;
        run->result = BT_SCHEMA_INVALID;
    } else if (run->findings) {
        run->status = bt_schema_validate(run->schema, run->worker->runner, document, run->findings,
                                         &run->result);
    } else {
        run->result = bt_schema_run(run->schema, run->worker->runner, document);
    }
}

static void judge_text(struct schema_run *run, bt_str text)
{
    const struct bt_json_doc *document = NULL;
    run->status = read_text(run->state->engine, run->worker, text, &document);
    if (run->status == BT_OK) {
        judge_document(run, document);
    }
}

static int judge_instance(struct schema_run *run, PyObject *instance)
{
    const struct bt_json_doc *document = NULL;
    PyObject *owner = NULL;
    bt_str text;
    const bool is_text = PyObject_CheckBuffer(instance);
    if (is_text ? core_bytes_borrow(instance, &text, &owner) < 0
                : build_value(run->state, run->worker, instance, &document) < 0) {
        return -1;
    }
    if (is_text && text.len < GIL_BYTES_MIN) {
        judge_text(run, text);
    } else {
        Py_BEGIN_ALLOW_THREADS;
        if (is_text) {
            judge_text(run, text);
        } else {
            judge_document(run, document);
        }
        Py_END_ALLOW_THREADS;
    }
    Py_XDECREF(owner);
    return 0;
}

static const char *limit_name(enum bt_schema_limit_kind kind)
{
    return kind == BT_SCHEMA_LIMIT_TIME     ? "time"
           : kind == BT_SCHEMA_LIMIT_MEMORY ? "memory"
                                            : "work";
}

/* 0 when there is a verdict; otherwise the exception that says why there is none. */
static int require_verdict(const struct schema_run *run)
{
    const enum bt_schema_limit_kind kind = bt_schema_limit_reached(run->worker->runner);
    if (run->status != BT_OK ||
        (run->result == BT_SCHEMA_UNDECIDED && kind == BT_SCHEMA_LIMIT_SYSTEM)) {
        core_raise_status(run->state, run->status != BT_OK ? run->status : BT_ENOMEM, "");
        return -1;
    }
    if (run->result == BT_SCHEMA_UNDECIDED) {
        PyObject *error = PyObject_CallFunction(run->state->budget_spent, "s", limit_name(kind));
        if (error) {
            PyErr_SetObject(run->state->budget_spent, error);
            Py_DECREF(error);
        }
        return -1;
    }
    return 0;
}

/* Begin a run, judge, and give the worker back. */
static int run_schema(struct schema_run *run, PyObject *self, PyObject *instance)
{
    struct core_validator *validator = (struct core_validator *)self;
    run->state = core_state_of(self);
    run->schema = validator->schema;
    run->worker = run->state ? take_worker(run->state, validator) : NULL;
    if (!run->worker) {
        return -1;
    }
    int status = judge_instance(run, instance);
    status = status == 0 ? require_verdict(run) : status;
    give_worker(validator, run->worker);
    return status;
}

PyDoc_STRVAR(is_valid_doc, "is_valid(instance, /)\n--\n\n"
                           "True when the instance is valid. Bytes are JSON text.");

static PyObject *validator_is_valid(PyObject *self, PyObject *instance)
{
    struct schema_run run = {0};
    if (run_schema(&run, self, instance) < 0) {
        return NULL;
    }
    return PyBool_FromLong(run.result == BT_SCHEMA_VALID);
}

PyDoc_STRVAR(findings_doc, "findings(instance, /)\n--\n\n"
                           "What is wrong with the instance, as arguments of Finding. None: it\n"
                           "cannot be read.");

static PyObject *validator_findings(PyObject *self, PyObject *instance)
{
    struct schema_run run = {.findings = bt_findings_create()};
    PyObject *list = NULL;
    if (!run.findings) {
        return PyErr_NoMemory();
    }
    if (run_schema(&run, self, instance) == 0) {
        list = run.is_unreadable ? Py_NewRef(Py_None) : make_findings(run.findings);
    }
    bt_findings_destroy(run.findings);
    return list;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

/* The documents that a schema is compiled from: the schema first, then those it may refer to. */
struct schema_sources {
    struct schema_worker *worker;
    struct bt_schema_document *documents; /* `count`; the first one is the schema */
    PyObject **owners;                    /* of what the documents point into */
    Py_ssize_t count;
};

static void free_sources(struct schema_sources *sources)
{
    for (Py_ssize_t i = 0; sources->owners && i < sources->count; i++) {
        Py_XDECREF(sources->owners[i]);
    }
    PyMem_Free(sources->owners);
    PyMem_Free(sources->documents);
    destroy_worker(sources->worker);
}

static int read_source(struct core_state *state, struct schema_sources *sources, Py_ssize_t index,
                       PyObject *pair)
{
    struct bt_schema_document *document = &sources->documents[index];
    PyObject *uri_owner = NULL;
    bt_str text;
    bt_str uri;
    int status = core_str_bytes(PyTuple_GetItem(pair, 0), &uri, &uri_owner);
    if (status == 0 && bt_arena_copy(sources->worker->arena, uri, &document->uri) != BT_OK) {
        PyErr_NoMemory();
        status = -1;
    }
    Py_XDECREF(uri_owner);
    PyObject *value = PyTuple_GetItem(pair, 1);
    if (status < 0 || !PyObject_CheckBuffer(value)) {
        return status < 0 ? -1 : build_value(state, sources->worker, value, &document->document);
    }
    if (core_bytes_borrow(value, &text, &sources->owners[index]) < 0) {
        return -1;
    }
    const enum bt_status read =
        read_text(state->engine, sources->worker, text, &document->document);
    if (read != BT_OK) {
        core_raise_status(state, read, "");
        return -1;
    }
    return 0;
}

/* The index of the first document that cannot be read, `count` when all can; -1: exception. */
static Py_ssize_t read_sources(struct core_state *state, struct schema_sources *sources,
                               PyObject *pairs)
{
    sources->count = PyTuple_Size(pairs);
    sources->documents = PyMem_Calloc((size_t)sources->count, sizeof(*sources->documents));
    sources->owners = PyMem_Calloc((size_t)sources->count, sizeof(*sources->owners));
    sources->worker = create_worker(state);
    if (!sources->documents || !sources->owners || !sources->worker) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < sources->count; i++) {
        if (read_source(state, sources, i, PyTuple_GetItem(pairs, i)) < 0) {
            return -1;
        }
        if (!sources->documents[i].document) {
            return i;
        }
    }
    return sources->count;
}

static PyObject *make_validator(struct core_state *state, struct bt_schema *schema)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)state->validator, Py_tp_alloc);
    PyObject *self = alloc((PyTypeObject *)state->validator, 0);
    if (!self) {
        bt_schema_destroy(schema);
        return NULL;
    }
    ((struct core_validator *)self)->schema = schema;
    return self;
}

/* A validator, or the list of what is wrong with the schema. */
static PyObject *compile_sources(struct core_state *state, const struct schema_sources *sources,
                                 struct bt_schema_options *options)
{
    struct bt_findings *findings = bt_findings_create();
    struct bt_schema *schema = NULL;
    enum bt_status status = BT_ENOMEM;
    PyObject *made = NULL;
    options->engine = state->engine;
    options->documents = sources->documents + 1;
    options->documents_count = (size_t)sources->count - 1;
    Py_BEGIN_ALLOW_THREADS;
    if (findings) {
        status = bt_schema_compile(sources->documents[0].document, options, findings, &schema);
    }
    Py_END_ALLOW_THREADS;
    if (status != BT_OK) {
        core_raise_status(state, status, "");
    } else {
        made = schema ? make_validator(state, schema) : make_findings(findings);
    }
    bt_findings_destroy(findings);
    return made;
}

PyObject *core_compile_schema(PyObject *module, PyObject *args)
{
    struct core_state *state = PyModule_GetState(module);
    struct bt_schema_options options = BT_INIT(struct bt_schema_options);
    struct schema_sources sources = {0};
    PyObject *pairs = NULL;
    PyObject *made = NULL;
    int draft = 0;
    int assert_formats = 0;
    if (!PyArg_ParseTuple(args, "O!ip:compile_schema", &PyTuple_Type, &pairs, &draft,
                          &assert_formats)) {
        return NULL;
    }
    options.draft = (enum bt_schema_draft)draft;
    options.assert_formats = assert_formats != 0;
    const Py_ssize_t unreadable = read_sources(state, &sources, pairs);
    if (unreadable >= 0) {
        made = unreadable < sources.count ? PyLong_FromSsize_t(unreadable)
                                          : compile_sources(state, &sources, &options);
    }
    free_sources(&sources);
    return made;
}

/* ---- Type ------------------------------------------------------------------------------------ */

static void validator_dealloc(PyObject *self)
{
    struct core_validator *validator = (struct core_validator *)self;
    PyTypeObject *type = Py_TYPE(self);
    struct schema_worker *worker = core_pool_take(&validator->workers);
    while (worker) { /* ends: nothing is put back any more */
        destroy_worker(worker);
        worker = core_pool_take(&validator->workers);
    }
    bt_schema_destroy(validator->schema);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef validator_methods[] = {
    {"is_valid", validator_is_valid, METH_O, is_valid_doc},
    {"findings", validator_findings, METH_O, findings_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot validator_slots[] = {
    {Py_tp_dealloc, validator_dealloc},
    {Py_tp_methods, validator_methods},
    {0, NULL},
};

PyType_Spec core_validator_spec = {
    .name = "baton._core.Validator",
    .basicsize = sizeof(struct core_validator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = validator_slots,
};
