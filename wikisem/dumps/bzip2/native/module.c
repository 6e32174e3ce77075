/* What Python sees.
 *
 * Only the stable ABI of Python 3.11 is used (the first with the buffer protocol in it), so that one wheel serves all
 * later versions. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bzip2.h"

/* ---- BlockDecoder ---- */

typedef struct {
    PyObject_HEAD
    struct workspace *workspace;
    int busy; /* a call has released the GIL and uses the workspace */
} Decoder;

static PyObject *decoder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"portable", NULL};
    int portable = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:BlockDecoder", names, &portable))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Decoder *self = (Decoder *)allocate(type, 0); /* zeros */
    if (!self)
        return NULL;
    self->workspace = new_workspace(portable);
    if (!self->workspace) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void decoder_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((Decoder *)self)->workspace)
        free_workspace(((Decoder *)self)->workspace);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type); /* an instance of a heap type owns a reference to it */
}

static PyObject *refuse(unsigned long long bit, enum outcome outcome)
{
    PyErr_Format(PyExc_ValueError, "expected a bzip2 block at bit %llu, refused: %s", bit, describe(outcome));
    return NULL;
}

/* Decode the block into a new bytes object, its last step going straight into it. The object may still be written
 * without the GIL, since no other code has seen it.
 *
 * ``data`` might be changed by another thread meanwhile if it is a bytearray. The text is then refused or wrong, but no
 * bounds are broken: whatever is read is checked before it is used, and is not read again. */
static PyObject *decode_into_bytes(struct workspace *workspace, const Py_buffer *data, uint64_t *bit)
{
    const uint64_t start = *bit;
    enum outcome outcome;
    size_t text_size = 0;
    Py_BEGIN_ALLOW_THREADS
    outcome = decode_block(workspace, data->buf, (size_t)data->len, bit, &text_size);
    Py_END_ALLOW_THREADS
    if (outcome)
        return refuse(start, outcome);
    PyObject *text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)text_size);
    if (!text)
        return NULL;
    uint8_t *bytes = (uint8_t *)PyBytes_AsString(text);
    Py_BEGIN_ALLOW_THREADS
    outcome = write_text(workspace, bytes, text_size);
    Py_END_ALLOW_THREADS
    if (outcome) {
        Py_DECREF(text);
        return refuse(start, outcome);
    }
    return text;
}

static PyObject *decoder_decode(PyObject *self, PyObject *args)
{
    Decoder *decoder = (Decoder *)self;
    Py_buffer data;
    PyObject *bit_object;
    if (!PyArg_ParseTuple(args, "y*O!:decode", &data, &PyLong_Type, &bit_object))
        return NULL;
    PyObject *result = NULL;
    uint64_t bit = PyLong_AsUnsignedLongLong(bit_object);
    if (bit == (uint64_t)-1 && PyErr_Occurred())
        goto done;
    if (decoder->busy) {
        PyErr_SetString(PyExc_RuntimeError, "expected one call of a BlockDecoder at a time, saw a second thread");
        goto done;
    }
    decoder->busy = 1;
    PyObject *text = decode_into_bytes(decoder->workspace, &data, &bit);
    decoder->busy = 0;
    if (text)
        result = Py_BuildValue("NK", text, (unsigned long long)bit);
done:
    PyBuffer_Release(&data);
    return result;
}

static PyObject *decoder_instructions(PyObject *self, void *closure)
{
    (void)closure;
    int portable = ((Decoder *)self)->workspace->decode_symbols == decode_symbols_portable;
    return PyUnicode_FromString(portable ? "portable" : "avx2");
}

static PyMethodDef decoder_methods[] = {
    {"decode", decoder_decode, METH_VARARGS,
     "decode(data, bit, /)\n--\n\n"
     "The text of the block whose mark begins at a bit of ``data``, and the bit at which the block ends.\n\n"
     "The block may be of any level, and its checksum has been verified; at most 46.6 MB come of it. Raises\n"
     "ValueError for whatever is damaged, cut off or odd: Python's ``bz2`` then knows whether it can be used."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef decoder_properties[] = {
    {"instructions", decoder_instructions, NULL, "The instructions that were chosen: \"avx2\" or \"portable\".", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot decoder_slots[] = {
    {Py_tp_doc, "BlockDecoder(*, portable=False)\n--\n\n"
                "Decodes bzip2 blocks one by one, in a workspace of about 31 MB that it keeps.\n\n"
                "A decoder is for one thread at a time; others run meanwhile, as the GIL is released. ``portable``\n"
                "keeps it from using vector instructions."},
    {Py_tp_new, decoder_new},
    {Py_tp_dealloc, decoder_dealloc},
    {Py_tp_methods, decoder_methods},
    {Py_tp_getset, decoder_properties},
    {0, NULL},
};

static PyType_Spec decoder_spec = {
    .name = "wikisem.dumps.bzip2._native.BlockDecoder",
    .basicsize = sizeof(Decoder),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = decoder_slots,
};

/* ---- find_marks ---- */

static int append_bit(PyObject *list, int64_t bit)
{
    PyObject *number = PyLong_FromLongLong(bit);
    if (!number)
        return -1;
    int failed = PyList_Append(list, number);
    Py_DECREF(number);
    return failed;
}

static PyObject *find_marks(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data;
    unsigned long long mark;
    if (!PyArg_ParseTuple(args, "y*K:find_marks", &data, &mark))
        return NULL;
    struct mark_search search;
    begin_search(&search, data.buf, (size_t)data.len, mark);
    PyObject *bits = PyList_New(0);
    while (bits) {
        int64_t bit;
        Py_BEGIN_ALLOW_THREADS
        bit = next_mark(&search);
        Py_END_ALLOW_THREADS
        if (bit < 0)
            break;
        if (append_bit(bits, bit))
            Py_CLEAR(bits);
    }
    PyBuffer_Release(&data);
    return bits;
}

/* ---- the module ---- */

static int module_exec(PyObject *module)
{
    prepare_tables();
    PyObject *type = PyType_FromModuleAndSpec(module, &decoder_spec, NULL);
    if (!type)
        return -1;
    int failed = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return failed;
}

static PyMethodDef module_methods[] = {
    {"find_marks", find_marks, METH_VARARGS,
     "find_marks(data, mark, /)\n--\n\n"
     "The bit offsets at which a mark of 48 bits occurs in ``data``, ascending."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Decoding of bzip2 blocks from any bit of a file.",
    .m_methods = module_methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module_definition);
}
