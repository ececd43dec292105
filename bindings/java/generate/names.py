"""Java's names for what the C interface declares, and its texts as Javadoc."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import html
import os
import re
import textwrap

KEYWORDS = {"abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue", "default",
            "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if", "implements", "import",
            "instanceof", "int", "interface", "long", "native", "new", "package", "private", "protected", "public", "return",
            "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "try",
            "void", "volatile", "while", "true", "false", "null"}
CLASSES = {"rondo_dtype": "DType", "rondo_task_flags": "TaskFlag",  # where the rule gives no good name, or one of java.util.concurrent's
           "rondo_callable": "GraphFunction", "rondo_callable_options": "GraphFunctionOptions", "rondo_callable_info": "GraphFunctionInfo",
           "rondo_callable_flags": "GraphFunctionFlags"}

# Numbers that are yes or no: the C interface has no type for them.
BOOLEANS = {("rondo_matmul_options", "transpose_a"), ("rondo_matmul_options", "transpose_b"),
            ("rondo_matmul_options", "allow_tf32"), ("rondo_convolution_options", "transposed"),
            ("rondo_convolution_options", "allow_tf32"), ("rondo_convolution_options", "deterministic"),
            ("rondo_tensor_info", "contiguous"), ("rondo_reduce", "keep_dims"),
            ("rondo_reduce_with", "keep_dims"), ("rondo_sort", "descending"), ("rondo_argsort", "descending"),
            ("rondo_topk", "largest"), ("rondo_linspace", "endpoint"), ("rondo_cumulative", "reverse"),
            ("rondo_task_is_capturing", ""), ("rondo_tape_info", "open"),
            ("rondo_attention_options", "causal"), ("rondo_attention_options", "aligned_last"),
            ("rondo_rotary_options", "interleaved"), ("rondo_rotary_options", "inverse"),
            ("rondo_recurrent_options", "bidirectional"), ("rondo_recurrent_options", "batch_first"), ("rondo_recurrent_options", "relu"),
            ("rondo_dot_interaction", "keep_first"), ("rondo_pool_options", "ceil_mode"), ("rondo_pool_options", "count_include_pad"),
            ("rondo_buckets_options", "sum"), ("rondo_optimizer_options", "nesterov"),
            ("rondo_optimizer_options", "amsgrad"), ("rondo_optimizer_options", "master_weights"), ("rondo_program_tensor_info", "state"), ("rondo_program_function_info", "varies")}

# What DJL calls operators that have no method of the same name on a tensor here.
PEERS = {"rondo_topk": "NDArray.topK", "rondo_cumulative": "NDArray.cumSum, NDArray.cumProd", "rondo_select": "NDArray.booleanMask",
         "rondo_one_hot": "NDArray.oneHot", "rondo_stack": "NDArrays.stack", "rondo_concat": "NDArrays.concat", "rondo_where": "NDArrays.where",
         "rondo_take": "NDArray.take", "rondo_sort": "NDArray.sort", "rondo_argsort": "NDArray.argSort"}

# Facts that users of ONNX Runtime know by another name.
GETTER_NAMES = {("rondo_tensor_info", "shape"): "getShape"}

# What Java calls functions that the headers' texts tell of, besides operators.
NAMED = {"rondo_engine_seed": "{@link Engine#seed}", "rondo_record_output": "{@link Recording#keep}",
         "rondo_record_input": "{@link Recording#input}", "rondo_graph_call": "{@link Graph#call}", "rondo_callable_report": "{@link GraphFunction#report}",
         "rondo_tape_gradients": "{@link Tape#gradients}", "rondo_embedding_bag_descend": "{@link EmbeddingBag#descend}", "rondo_optimizer_set_rate": "{@link Optimizer#setRate}", "rondo_optimizer_step": "{@link Optimizer#step}", "rondo_tensor_create": "{@link Engine#empty}",
         "rondo_graph_set": "{@link Graph#set(String, double)}", "rondo_graph_enable": "{@link Graph#enable}",
         "rondo_last_error()": "the exception's message"}

# What Java calls functions in messages where the rule of java_name gives another name.
METHODS = {"device_count": "Device.count", "device_parse": "Device.parse", "device_query": "Device.info", "dtype_size": "Rondo.elementSize",
           "engine_get_mode": "Engine.mode", "engine_push": "Engine.submit", "engine_push_tensors": "Engine.submit",
           "engine_wait_all": "Engine.awaitAll", "engine_wait_all_for": "Engine.awaitAll", "engine_notify": "Engine.awaitAllAsync", "variable_notify": "Variable.awaitAsync",
           "fill_i64": "Tensor.fill",
           "memory_query": "Engine.memory", "memory_set_limit": "Engine.setMemoryLimit", "memory_trim": "Engine.trimMemory",
           "tensor_create": "Engine.empty", "tensor_from_host": "Engine.tensor", "tensor_from_dlpack": "Engine.fromDlpack",
           "tensor_from_dlpack_v0": "Engine.fromDlpackV0", "tensor_wait": "Tensor.await", "tensor_wait_for": "Tensor.await",
           "tensor_query": "Tensor.info", "tensor_variable": "Tensor.await", "copy_to": "Tensor.to",
           "variable_create": "Engine.variable", "variable_wait": "Variable.await", "variable_wait_for": "Variable.await",
           "record_begin": "Engine.record", "record_end": "Engine.record", "record_abort": "Engine.record",
           "record_is_open": "Engine.isRecording", "record_output": "Recording.keep", "record_input": "Recording.input",
           "record_parameter": "Recording.parameter", "record_section_begin": "Recording.section", "record_section_end": "Recording.section",
           "record_site": "RecordFlags.SITES", "graph_set_i64": "Graph.set", "trace_begin": "Engine.beginTrace",
           "trace_end": "Engine.endTrace", "graph_query": "Graph.info", "if": "Control.ifElse", "while": "Control.whileTrue", "switch": "Control.switchTo", "tape_begin": "Engine.tape", "tape_custom": "Tape.customGradient",
           "callable_create": "Engine.graphFunction", "callable_query": "GraphFunction.info", "tape_pause": "NoGradients.open", "tape_resume": "NoGradients.close", "tape_query": "Tape.info",
           "buckets_query": "Buckets.info", "optimizer_query": "Optimizer.info", "optimizer_state": "Optimizer.states", "loss_scaler_state": "LossScaler.states", "autocast_begin": "Engine.autocast", "autocast_end": "Autocast.close", "cache_query": "KernelCache.info", "cache_export": "KernelCache.save",
           "cache_import": "KernelCache.load", "set_compile_progress": "KernelCache.setProgress", "set_log": "Rondo.setLog",
           "set_reclaim": "-Ddev.rondo.memoryLimit", "comm_create_all": "Comm.createAll", "comm_create_with_hooks": "Comm.create",
           "comm_query": "Comm.info", "comm_wait": "Comm.await", "comm_group_begin": "Comm.group", "comm_group_end": "Comm.group",
           "completion_complete": "Task.async", "completion_destroy": "Task.async", "completion_fail_cause": "Task.async",
           "task_defer": "Task.async", "task_stream": "TaskContext.stream", "task_auxiliary_stream": "TaskContext.auxiliaryStream",
           "task_device": "TaskContext.device", "task_is_capturing": "TaskContext.isCapturing", "task_operand": "TaskContext.input",
           "task_fail": "Task.run", "task_fail_cause": "Task.run", "module_create": "CudaModule", "module_launch": "CudaModule.launch",
           "expression_create": "Expression", "expression_operand": "Expression.operands", "expression_result": "Expression.results",
           "expression_run_each": "Expression.run", "model_file_query": "ModelFile.info", "model_file_find": "ModelFile.tensor", "model_file_tensor": "ModelFile.tensors",
           "program_save": "ProgramWriter.write", "program_query": "Program.info", "program_function": "Program.functions", "program_find": "Program.function",
           "program_input": "Program.functions", "program_output": "Program.functions", "program_weight": "Program.weights",
           "program_create_instance": "Program.instance", "program_create_instance_with": "Program.instance", "program_save_with_dims": "ProgramWriter.write", "program_add_check": "ProgramWriter.addCheck",
           "program_dim": "Program.dims", "program_callable": "ProgramInstance.function", "program_call": "ProgramInstance.call", "program_call_within": "ProgramInstance.callWithin", "program_call_named": "ProgramInstance.callNamed", "program_open_bytes": "Program.open", "program_graph": "ProgramInstance.graph",
           "embedding_bag_descend": "EmbeddingBag.descend", "put": "Tensor.put", "put_along_axis": "Tensor.putAlongAxis", "fill": "Tensor.fill", "feature": "Rondo.feature",
           "ranks_query": "Comm.ranks", "version": "Rondo.version", "version_string": "Rondo.version"}
TENSORS = {"cast", "copy", "matmul", "softmax", "dropout"}  # operators that a tensor has as methods of the same name


def java_name(function, operator):
    """What messages call a function of C: Tensor.reshape for rondo_tensor_reshape; None where Java has no such thing."""
    short = function.removeprefix("rondo_")
    if short in METHODS:
        return METHODS[short]
    if operator:
        return f"{'Tensor' if short in TENSORS else 'Operators'}.{camel(short)}"
    kind = next((kind for kind in ("engine", "tensor", "variable", "graph", "callable", "tape", "comm", "buckets", "optimizer", "loss_scaler", "autocast", "expression", "module", "model_file",
                             "program_instance", "program")
                 if short.startswith(kind + "_")), None)
    if not kind:
        return None
    method = camel(short.removeprefix(kind + "_"))
    return f"{'CudaModule' if kind == 'module' else class_name('rondo_' + kind)}.{ {'destroy': 'close'}.get(method, method)}"


def camel(name):
    first, *rest = name.split("_")
    joined = first + "".join(part[:1].upper() + part[1:] for part in rest)
    return joined + "_" if joined in KEYWORDS else joined


def class_name(c_name):
    """rondo_engine_options: EngineOptions."""
    return CLASSES.get(c_name) or "".join(part.capitalize() for part in c_name.removeprefix("rondo_").split("_"))


def method_name(function):
    return camel(function.removeprefix("rondo_"))


def native_class(header):
    """rondo/data_parallel.h: NativeDataParallel."""
    return "Native" + class_name("rondo_" + os.path.basename(header).removesuffix(".h"))


def value_names(enum):
    """{RONDO_ENGINE_ASYNC: ASYNC}: without the words that all of the enum's values begin with."""
    names = [value["name"] for value in enum["values"]]
    prefix = os.path.commonprefix(names) if len(names) > 1 else "RONDO_"
    prefix = prefix[: prefix.rfind("_") + 1]
    return {name: name[len(prefix):] for name in names}


def exception_name(status):
    """RONDO_INVALID_ARGUMENT: InvalidArgumentException; RONDO_USER_ERROR: UserException."""
    words = status.removeprefix("RONDO_").removesuffix("_ERROR").lower()
    return "".join(word.capitalize() for word in words.split("_")) + "Exception"


class Texts:
    """Turns the headers' text into Javadoc."""

    def __init__(self, abi, operators=()):
        self.links = {}
        self.named = {**NAMED, **{name: f"{{@link Operators#{method_name(name)}}}" for name in operators}}
        self.named.update((each["name"], f"{{@link {class_name(each['name'])}}}") for each in [*abi["enums"], *abi["structs"]])
        self.constants = {constant["name"]: str(constant["value"]) for constant in abi["constants"]}
        for enum in abi["enums"]:
            for name, short in value_names(enum).items():
                self.links[name] = f"{class_name(enum['name'])}#{short}"

    def inline(self, text):
        text = html.escape(text, quote=False).replace("@", "&#64;").replace("*/", "*&#47;")
        text = re.sub(r"`([^`]*)`", r"{@code \1}", text)
        text = re.sub(r"(?<![\w#])RONDO_\w+", lambda m: f"{{@link {self.links[m[0]]}}}" if m[0] in self.links else m[0], text)
        text = re.sub(r"(?<!\{@code )\brondo_\w+(\(\))?", lambda m: self.named.get(m[0], m[0]), text)
        text = re.sub(r"\bRONDO_\w+", lambda m: self.constants.get(m[0], m[0]), text).replace("*out", "out")
        text = re.sub(r"\bRONDO_\w+_INIT\b", "the defaults", text)
        text = re.sub(r"\bNULL\b", "null", text)
        return text

    def sentence(self, text, otherwise):
        """A text that starts with a capital letter and ends with a full stop."""
        text = self.inline(" ".join(text.split()) or otherwise)
        named = re.match(r"\{|\w+_\w", text)  # a name keeps its letters
        text = text if named else text[:1].upper() + text[1:]
        return text if text.endswith((".", ":")) else text + "."

    def block(self, text, tags=(), indent="  "):
        """A Javadoc comment of paragraphs and tags."""
        lines = []
        for i, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
            flat = " ".join(paragraph.split())
            lines += [""] * (i > 0) + textwrap.wrap(("<p>" if i else "") + flat, 118, break_long_words=False,
                                                    break_on_hyphens=False)
        if tags and lines:
            lines.append("")
        for tag in tags:
            lines += textwrap.wrap(tag, 116, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        body = "".join(f"{indent} *{' ' + line if line else ''}\n" for line in lines)
        return f"{indent}/**\n{body}{indent} */\n"
