"""librondo and librondo_onnx by ctypes, as much of them as the tests of the converter call."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import ctypes
import pathlib

UNSUPPORTED = 6
ITEM_SIZES = {0: 1, 1: 1, 2: 1, 3: 4, 4: 8, 5: 2, 6: 2, 7: 4, 8: 8, 9: 2, 10: 2, 11: 4, 12: 8, 13: 1, 14: 1}
STATUS_NAMES = {1: "INVALID_ARGUMENT", 2: "INVALID_STATE", 3: "OUT_OF_MEMORY", 4: "NOT_FOUND", 6: "UNSUPPORTED", 12: "IO_ERROR", 13: "INTERNAL"}


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("dtype", ctypes.c_int), ("device", Device), ("ndim", ctypes.c_int32), ("contiguous", ctypes.c_int32),
                ("elements", ctypes.c_int64), ("bytes", ctypes.c_int64), ("shape", ctypes.c_int64 * 8), ("strides", ctypes.c_int64 * 8)]


class FunctionInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("inputs", ctypes.c_int32), ("outputs", ctypes.c_int32), ("nodes", ctypes.c_int64),
                ("parameters", ctypes.c_int32), ("sections", ctypes.c_int32), ("varies", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class GraphInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_int32) for name in ("tasks", "segments", "captured", "nodes", "edges", "branches")] + [
        (name, ctypes.c_int64) for name in ("arena_bytes", "temporary_bytes", "output_bytes", "launches")] + [
        (name, ctypes.c_double) for name in ("record_ms", "prepare_ms", "capture_ms")] + [(name, ctypes.c_int32) for name in ("inputs", "outputs")] + [
        ("call_bytes", ctypes.c_int64)] + [(name, ctypes.c_int32) for name in ("call_kernels", "conditional_nodes", "programmatic", "arenas", "reserved")]


class ConvertOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("n_sizes", ctypes.c_size_t), ("size_names", ctypes.POINTER(ctypes.c_char_p)),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("n_fixed", ctypes.c_size_t), ("fixed_names", ctypes.POINTER(ctypes.c_char_p)),
                ("fixed_counts", ctypes.POINTER(ctypes.c_size_t)), ("fixed_numbers", ctypes.POINTER(ctypes.c_double)), ("function", ctypes.c_char_p), ("memory_limit", ctypes.c_int64),
                ("fewer_roundings", ctypes.c_int32), ("no_patterns", ctypes.c_int32), ("n_dims", ctypes.c_size_t), ("dim_names", ctypes.POINTER(ctypes.c_char_p)),
                ("least", ctypes.POINTER(ctypes.c_int64)), ("most", ctypes.POINTER(ctypes.c_int64)),
                ("n_limits", ctypes.c_size_t), ("limit_names", ctypes.POINTER(ctypes.c_char_p)), ("limits", ctypes.POINTER(ctypes.c_int64)), ("steps", ctypes.POINTER(ctypes.c_int64))]


class Failed(Exception):
    def __init__(self, status, message):
        super().__init__(f"{STATUS_NAMES.get(status, status)}: {message}")
        self.status = status
        self.message = message


def device_of(text):
    """"cpu", "cpu:0", "cuda" or "cuda:1"."""
    kind, _, index = text.partition(":")
    return Device({"cpu": 0, "cuda": 1}[kind], int(index or 0))


class Rondo:
    """Both libraries of a build folder, an engine, and the device that programs are called on."""

    def __init__(self, build, device="cpu"):
        build = pathlib.Path(build)
        self.device = device_of(device)
        self.core = ctypes.CDLL(str(build / "src/librondo.so.0"), mode=ctypes.RTLD_GLOBAL)
        self.onnx = ctypes.CDLL(str(build / "src/onnx/librondo_onnx.so.0"))
        self.core.rondo_last_error.restype = ctypes.c_char_p
        self.onnx.rondo_onnx_last_error.restype = ctypes.c_char_p
        self.onnx.rondo_onnx_last_patterns.restype = ctypes.c_char_p
        for name in ("rondo_tensor_destroy", "rondo_program_destroy", "rondo_program_instance_destroy", "rondo_engine_destroy", "rondo_graph_destroy"):
            getattr(self.core, name).restype = None
        self.engine = ctypes.c_void_p()
        self.check(self.core.rondo_engine_create(None, ctypes.byref(self.engine)))

    def check(self, status):
        if status:
            raise Failed(status, self.core.rondo_last_error().decode(errors="replace"))

    def options(self, sizes=None, fixed=None, memory_limit=0, patterns=True, dims=None, limits=None, fewer_roundings=False):
        """fixed: lists of numbers by the names of inputs that become constants; dims: smallest and largest size, and a step, by name."""
        fixed, dims, limits = fixed or {}, dims or {}, limits or {}
        fixed_names, numbers = [name.encode() for name in fixed], [number for each in fixed.values() for number in each]
        names = [name.encode() for name in (sizes or {})]
        return ConvertOptions(ctypes.sizeof(ConvertOptions), len(names), (ctypes.c_char_p * len(names))(*names),
                                 (ctypes.c_int64 * len(names))(*(sizes or {}).values()), len(fixed),
                                 (ctypes.c_char_p * len(fixed))(*fixed_names), (ctypes.c_size_t * len(fixed))(*map(len, fixed.values())),
                                 (ctypes.c_double * len(numbers))(*numbers), None, memory_limit, int(fewer_roundings), int(not patterns),
                                 len(dims), (ctypes.c_char_p * len(dims))(*(name.encode() for name in dims)),
                                 (ctypes.c_int64 * len(dims))(*(each[0] for each in dims.values())), (ctypes.c_int64 * len(dims))(*(each[1] for each in dims.values())),
                                 len(limits), (ctypes.c_char_p * len(limits))(*(name.encode() for name in limits)), (ctypes.c_int64 * len(limits))(*limits.values()),
                                 (ctypes.c_int64 * len(dims))(*((*each, 1)[2] for each in dims.values())) if dims else None)

    def check_onnx(self, status):
        if status:
            raise Failed(status, self.onnx.rondo_onnx_last_error().decode(errors="replace"))

    def convert(self, model, program, sizes=None, **more):
        self.check_onnx(self.onnx.rondo_onnx_convert(str(model).encode(), str(program).encode(), ctypes.byref(self.options(sizes, **more))))

    def patterns(self):
        """How often each was found, by its name."""
        return {line.split(": ")[0]: int(line.split(": ")[1]) for line in self.onnx.rondo_onnx_last_patterns().decode().splitlines()}

    def open(self, model, sizes=None, **more):
        """A handle of the program that a model becomes."""
        handle = ctypes.c_void_p()
        self.check_onnx(self.onnx.rondo_onnx_open(str(model).encode(), ctypes.byref(self.options(sizes, **more)), ctypes.byref(handle)))
        return handle

    def run(self, program, inputs):
        """What the function "main" of a program gives for these inputs: both lists are of (dtype, shape, bytes). A handle is used up."""
        core, handle, instance, tensors = self.core, ctypes.c_void_p(), ctypes.c_void_p(), []
        results = (ctypes.c_void_p * 64)()
        try:
            if isinstance(program, ctypes.c_void_p):
                handle = program
            else:
                self.check(core.rondo_program_open(str(program).encode(), ctypes.byref(handle)))
            info = FunctionInfo(ctypes.sizeof(FunctionInfo))
            name = ctypes.c_char_p()
            self.check(core.rondo_program_function(handle, ctypes.c_int64(0), ctypes.byref(name), ctypes.byref(info)))
            self.check(core.rondo_program_create_instance(handle, self.engine, self.device, ctypes.byref(instance)))
            for dtype, shape, data in inputs:
                tensor = ctypes.c_void_p()
                self.check(core.rondo_tensor_from_host(self.engine, self.device, dtype, len(shape), (ctypes.c_int64 * len(shape))(*shape),
                                                       data, ctypes.byref(tensor)))
                tensors.append(tensor)
            given = (ctypes.c_void_p * max(len(tensors), 1))(*tensors)
            self.check(core.rondo_program_call(instance, b"main", len(tensors), given, info.outputs, results))
            self.called(instance)
            return [self.read(results[i]) for i in range(info.outputs)]
        finally:
            for tensor in [*tensors, *results]:
                core.rondo_tensor_destroy(tensor if isinstance(tensor, ctypes.c_void_p) else ctypes.c_void_p(tensor))
            core.rondo_program_instance_destroy(instance)
            core.rondo_program_destroy(handle)

    def tasks(self, program):
        """How many tasks the function "main" of a program of one size is on the device."""
        handle, instance = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            self.check(self.core.rondo_program_open(str(program).encode(), ctypes.byref(handle)))
            self.check(self.core.rondo_program_create_instance(handle, self.engine, self.device, ctypes.byref(instance)))
            return self.graph_info(instance).tasks
        finally:
            self.core.rondo_program_instance_destroy(instance)
            self.core.rondo_program_destroy(handle)

    def called(self, instance):
        """For those who want to know more of what was called."""

    def graph_info(self, instance):
        """Figures of the graph of the function "main", of one size."""
        graph, info = ctypes.c_void_p(), GraphInfo(ctypes.sizeof(GraphInfo))
        self.check(self.core.rondo_program_graph(instance, b"main", ctypes.byref(graph)))
        try:
            self.check(self.core.rondo_graph_query(graph, ctypes.byref(info)))
        finally:
            self.core.rondo_graph_destroy(graph)
        return info

    def read(self, tensor):
        info = TensorInfo(ctypes.sizeof(TensorInfo))
        tensor = ctypes.c_void_p(tensor)
        self.check(self.core.rondo_tensor_query(tensor, ctypes.byref(info)))
        data = ctypes.create_string_buffer(max(info.bytes, 1))
        self.check(self.core.rondo_tensor_read(tensor, data, ctypes.c_size_t(info.bytes)))
        return info.dtype, list(info.shape[:info.ndim]), data.raw[:info.bytes]

    def close(self):
        self.core.rondo_engine_destroy(self.engine)
