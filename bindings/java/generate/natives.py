"""The lowest part of the Java library: for each header a class of native methods, and the C file that has their bodies. A body
converts what it is given, makes the one call, and hands a failure to rondo_jni_fail.

Above each native method stands one with Java's types in place of numbers. Handles are numbers in both.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

from names import camel, class_name, method_name, native_class

NUMBERS = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "size_t": "long", "double": "double",
           "float": "float"}
# Functions of the user that the support code can call; followed by arg and destroy.
CALLBACKS = {"rondo_task_fn": "Task", "rondo_gradient_fn": "TensorCallback", "rondo_callable_fn": "TensorCallback"}
ARRAYS = {"int32_t": "int", "int64_t": "long", "double": "double"}  # of which the support code can take arrays


class Unfit(Exception):
    """A function whose body has to be written by hand."""


class Slot:
    """One parameter of a native method: its Java type, the type in front of it, and how that becomes this one."""

    def __init__(self, name, java, typed=None, convert=None, source=None):
        self.name, self.java, self.typed = name, java, typed or java
        self.convert = convert or name
        self.source = source or name  # the parameter of the typed method that it comes from


class Native:
    """The native method of one C function, and its C body."""

    def __init__(self, abi, function):
        self.structs = {struct["name"]: struct for struct in abi["structs"]}
        self.enums = {enum["name"]: enum for enum in abi["enums"]}
        self.function, self.name = function, method_name(function["name"])
        self.slots, self.arguments = [], []  # of the native method; of the C call
        self.before, self.gets, self.backs, self.puts, self.after = [], [], [], [], []  # lines of the body
        self.callback, self.last_gets = False, []  # C owns what these get, so they come last
        self.outs = []  # (expression, Java type, C kind, base) of what comes back
        self.raws = []  # (parameter, class) of structs that come back as bytes
        counts = {p["length"] for p in function["parameters"]
                  if p.get("length") and (p["kind"] in ("scalar", "handle", "enum", "struct") or p["pointers"] > 1)}
        for parameter in function["parameters"]:
            if parameter["name"] not in counts:
                self._parameter(parameter)
            else:
                self.arguments.append(f"({parameter['type']}){self._count(parameter['name'])}")
        self.gets += self.last_gets
        self._returns(function["returns"])

    def _count(self, count):
        array = next(p for p in self.function["parameters"] if p.get("length") == count)
        items = f"{camel(array['name'])}_.count"
        return f"({items} / 2)" if array["base"] == "rondo_device" else items  # which has two numbers

    def _parameter(self, p):
        name, kind, pointers = camel(p["name"]), p["kind"], p["pointers"]
        if p["base"] in CALLBACKS:
            self.slots.append(Slot(name, CALLBACKS[p["base"]]))
            self.before.append(f"rondo_jni_callback* {name}_ = NULL;")
            self.last_gets.append(f"rondo_jni_callback_get(env, {name}, &{name}_)")
            self.arguments += [f"rondo_jni_call_{p['base']}", f"{name}_", "rondo_jni_callback_destroy"]
            self.callback = True
            return
        if self.callback and p["name"] in ("arg", "destroy"):
            return
        if kind == "callback":
            raise Unfit("has a callback")
        if p["direction"] in ("out", "inout") and kind == "handle" and p.get("length"):
            self._array(name, "long")  # what is made comes back in it
            self.backs.append(f"if (returned == RONDO_OK) (*env)->SetLongArrayRegion(env, {name}, 0, {name}_.count, "
                              f"{name}_.items);")
            self.arguments.append(f"({p['type']})(void*){name}_.items")
        elif pointers == 0:
            self.arguments.append(self._value(name, p, p["base"]))
        elif p["direction"] == "inout" and kind == "handle" or p["direction"] == "out" and pointers == 2:
            given = f"({p['base_type']}*)(intptr_t){name}" if p["direction"] == "inout" else "NULL"
            pointee = p["type"][:-1].strip()
            if p["direction"] == "inout":
                self.slots.append(Slot(name, "long"))
            self.before.append(f"{pointee} {name}_ = {given};")
            self.arguments.append(f"&{name}_")
            self.outs.append((f"(jlong)(intptr_t){name}_", "long", kind, p["base"]))
        elif p["direction"] in ("out", "inout") and kind == "struct":
            struct = self.structs[p["base"]]
            self.slots.append(Slot(name, "byte[]"))
            self.raws.append((name, p["base"]))
            self.before.append(f"{p['base']} {name}_ = {struct['initializer'] or '{0}'};")
            self.arguments.append(f"&{name}_")
            self.after.append(f"(*env)->SetByteArrayRegion(env, {name}, 0, (jsize)sizeof {name}_, (const jbyte*)&{name}_);")
        elif p["direction"] == "out" and kind in ("scalar", "enum"):
            java = "int" if kind == "enum" else NUMBERS.get(p["base"])
            if not java:
                raise Unfit(f"gives a {p['base']}")
            self.before.append(f"{p['base']} {name}_ = ({p['base']})0;")
            self.arguments.append(f"&{name}_")
            self.outs.append((f"(j{java}){name}_", java, kind, p["base"]))
        elif kind in ("memory", "foreign") and pointers == 1 or kind == "text" and p["direction"] == "out":
            self.slots.append(Slot(name, "long"))
            self.arguments.append(f"({p['type']})(intptr_t){name}")
        elif kind == "handle" and pointers == 1 and p["direction"] == "in":
            self.slots.append(Slot(name, "long"))
            self.arguments.append(f"({p['type']})(intptr_t){name}")
        elif kind == "handle" and pointers == 2 and p.get("length"):
            self._array(name, "long")
            self.arguments.append(f"({p['type']})(const void*){name}_.items")
        elif kind == "text" and pointers == 2 and p.get("length"):
            self._texts(name)
            self.arguments.append(f"({p['type']}){name}_.items")
        elif kind == "text" and pointers == 1:
            self._text(name)
            self.arguments.append(f"{name}_.text")
        elif kind == "scalar" and p["const"] and p["base"] in ARRAYS:
            self._array(name, ARRAYS[p["base"]])
            self.arguments.append(f"(const {p['base']}*){name}_.items")
        elif p["base"] == "rondo_device" and p["const"] and p.get("length"):
            self._array(name, "int", f"Device.numbers({name})")
            self.slots[-1].typed = "Device[]"
            self.arguments.append(f"({p['type']})(const void*){name}_.items")
        elif kind == "struct" and p["const"] and self.structs[p["base"]]["initializer"]:
            self._options(name, p["base"])
            self.arguments.append(f"&{name}_")
        else:
            raise Unfit(f"takes {p['type']} {p['name']}")

    def _value(self, name, p, source, convert=None, owner=None):
        """C for a value that is passed as one number or, a device, as two."""
        convert = convert or name
        if p["kind"] == "enum":
            self.slots.append(Slot(name, "int", class_name(p["base"]), f"{convert}.value()", owner))
            return f"({p['base']}){name}"
        if p["base"] == "rondo_device":
            self.slots.append(Slot(name + "Kind", "int", "Device", f"{convert}.kind().value()", owner or name))
            self.slots.append(Slot(name + "Index", "int", "Device", f"{convert}.index()", owner or name))
            self.before.append(f"const rondo_device {name}_ = {{{name}Kind, {name}Index}};")
            return f"{name}_"
        if p["kind"] == "scalar" and p["base"] in NUMBERS:
            self.slots.append(Slot(name, NUMBERS[p["base"]], None, convert, owner))
            return f"({p['base']}){name}"
        raise Unfit(f"takes a {p['type']}")

    def _array(self, name, java, convert=None, owner=None):
        self.slots.append(Slot(name, java + "[]", None, convert or name, owner))
        self.before.append(f"rondo_jni_{java}s {name}_ = {{0}};")
        self.gets.append(f"rondo_jni_{java}s_get(env, {name}, &{name}_)")
        self.puts.append(f"rondo_jni_{java}s_put(&{name}_);")

    def _text(self, name, convert=None, owner=None):
        self.slots.append(Slot(name, "byte[]", "String", f"Memory.bytes({convert or name})", owner or name))
        self.before.append(f"rondo_jni_text {name}_ = {{0}};")
        self.gets.append(f"rondo_jni_text_get(env, {name}, &{name}_)")
        self.puts.append(f"rondo_jni_text_put(&{name}_);")

    def _texts(self, name, convert=None):
        self.slots.append(Slot(name, "byte[][]", "String[]", f"Memory.bytes({convert or name})"))
        self.before.append(f"rondo_jni_texts {name}_ = {{0}};")
        self.gets.append(f"rondo_jni_texts_get(env, {name}, &{name}_)")
        self.puts.append(f"rondo_jni_texts_put(&{name}_);")

    def _options(self, name, base, given=None, source=None):
        """A struct of options: each field is a parameter, so the compiler knows both ends. given: the Java object that has them, of the
        parameter `source`, which has the type of the outermost one."""
        struct = self.structs[base]
        given = given or name
        java, owner = source or (class_name(base), name)
        count = None  # the field that has the number of the lists behind it
        self.before.append(f"{base} {name}_ = {struct['initializer']};")
        for field in struct["fields"]:
            if field["name"] in ("size", "reserved"):
                continue
            own, get = f"{name}{camel(field['name'])[0].upper()}{camel(field['name'])[1:]}", f"{given}.{camel(field['name'])}Value()"
            if field["name"].startswith("n_") and field["base"] == "size_t":
                count = field["name"]
                continue
            if count and (field["pointers"] == 2 or field["pointers"] == 1 and field["base"] in ARRAYS):
                mark = len(self.slots)
                if field["kind"] == "text":
                    self._texts(own, get)
                else:
                    self._array(own, "long" if field["kind"] == "handle" else ARRAYS[field["base"]], get, owner)
                for slot in self.slots[mark:]:
                    slot.typed, slot.source = java, owner
                self.gets.append(f"((void)({name}_.{field['name']} = ({field['type']})(const void*){own}_.items), "
                                 f"(void)({name}_.{count} = (size_t){own}_.count), JNI_TRUE)")
                continue
            if field["kind"] == "struct" and field["pointers"] == 1 and self.structs[field["base"]]["initializer"]:
                self._options(own, field["base"], get, (java, owner))
                self.gets.append(f"((void)({name}_.{field['name']} = &{own}_), JNI_TRUE)")
                continue
            if field.get("count") and field["base"] == "int64_t" and not field["pointers"]:
                self.slots.append(Slot(own, "long[]", java, get, owner))
                self.gets.append(f"rondo_jni_longs_into(env, {own}, {name}_.{field['name']}, {field['count']})")
                continue
            if field.get("count") or field["kind"] == "callback" or field["pointers"] > 1:
                raise Unfit(f"has options with {field['type']} {field['name']}")
            mark = len(self.slots)
            if field["kind"] == "handle":
                self.slots.append(Slot(own, "long", None, get, owner))
                value = f"({field['type']})(intptr_t){own}"
            elif field["kind"] == "text":
                self._text(own, get, owner)
                value = f"{own}_.text"
            elif field["pointers"]:
                self.slots.append(Slot(own, "long", None, get, owner))
                value = f"({field['type']})(intptr_t){own}"
            elif field["kind"] == "struct":
                value = self._value(own, field, own, get, owner)
            else:  # numbers and enums: the options give the number itself
                self.slots.append(Slot(own, "int" if field["kind"] == "enum" else NUMBERS[field["base"]], None, get, owner))
                value = f"({field['base']}){own}"
            for slot in self.slots[mark:]:
                slot.typed, slot.source = java, owner
            self.gets.append(f"((void)({name}_.{field['name']} = {value}), JNI_TRUE)")

    def _returns(self, returns):
        self.status = returns["type"] == "rondo_status" and self.function["name"] != "rondo_status_name"
        self.plain = None
        if not self.status and returns["kind"] != "none":
            if returns["base"] == "rondo_device":
                self.slots.append(Slot("result", "byte[]"))
                self.raws.append(("result", "rondo_device"))
                self.after.append("(*env)->SetByteArrayRegion(env, result, 0, (jsize)sizeof returned, (const jbyte*)&returned);")
                self.plain = (None, "void", "struct", "rondo_device")
            elif returns["pointers"]:
                self.plain = ("(jlong)(intptr_t)returned", "long", returns["kind"], returns["base"])
            elif returns["base"] in NUMBERS:
                java = NUMBERS[returns["base"]]
                self.plain = (f"(j{java})returned", java, "scalar", returns["base"])
            else:
                raise Unfit(f"returns {returns['type']}")
        self.results = len(self.outs) > 1 or bool(self.outs and self.raws)  # come back in an array
        if self.results:
            self.slots.append(Slot("results", "long[]"))

    # --- texts

    def java_return(self):
        if self.plain:
            return self.plain[1]
        return self.outs[0][1] if self.outs and not self.results else "void"

    def c_body(self, java_class):
        types = {**dict.fromkeys(CALLBACKS.values(), "jobject"), "int": "jint", "long": "jlong", "double": "jdouble", "float": "jfloat",
                 "byte[]": "jbyteArray", "byte[][]": "jobjectArray", "long[]": "jlongArray", "int[]": "jintArray", "double[]": "jdoubleArray", "void": "void"}
        parameters = "".join(f", {types[slot.java]} {slot.name}" for slot in self.slots)
        result = self.java_return()
        failed = "return;" if result == "void" else "return 0;"
        lines = [f"JNIEXPORT {types[result]} JNICALL Java_dev_rondo_{java_class}_{self.name}0(JNIEnv* env, jclass self{parameters}) {{"]
        lines += [f"  {line}" for line in self.before]
        returned = self.function["returns"]["type"]
        if returned != "void":
            lines.append(f"  {returned} returned{' = RONDO_INTERNAL' if self.status else ''};")
        lines.append("  (void)self;")
        if "env" not in "".join(self.gets + self.after) and not self.status and not self.results:
            lines.append("  (void)env;")
        call = f"{self.function['name']}({', '.join(self.arguments)});"
        call = call if returned == "void" else "returned = " + call
        if self.gets:
            ok = "\n      && ".join(self.gets)
            lines.append(f"  if (!({ok})) {{")
            lines += [f"    {line}" for line in self.puts] + [f"    {failed}", "  }"]
        lines.append(f"  {call}")
        lines += [f"  {line}" for line in self.backs + self.puts]
        if self.status:
            lines += ["  if (returned != RONDO_OK) {", "    rondo_jni_fail(env, returned);", f"    {failed}", "  }", "  rondo_jni_called(env);"]
        lines += [f"  {line}" for line in self.after]
        if self.results:
            lines.append(f"  {{ const jlong values[{len(self.outs)}] = {{{', '.join('(jlong)' + out[0] for out in self.outs)}}};")
            lines.append(f"    (*env)->SetLongArrayRegion(env, results, 0, {len(self.outs)}, values); }}")
        elif self.plain and self.plain[0]:
            lines.append(f"  return {self.plain[0]};")
        elif self.outs:
            lines.append(f"  return {self.outs[0][0]};")
        return "\n".join(lines + ["}", ""])

    def java_methods(self):
        """The native method and the one in front of it."""
        raw = ", ".join(f"{slot.java} {slot.name}" for slot in self.slots)
        text = f"  private static native {self.java_return()} {self.name}0({raw});\n\n"
        typed = {}
        raw_names = {name for name, _ in self.raws}
        for slot in self.slots:
            if slot.name not in raw_names:
                typed.setdefault(slot.source, slot.typed)
        call = f"{self.name}0({', '.join(slot.convert for slot in self.slots)})"
        out = self.plain or (self.outs[0] if self.outs and not self.results else None)
        java, value = self.java_return(), call
        if len(self.raws) == 1:
            java = class_name(self.raws[0][1])
        elif out and out[2] == "enum":
            java, value = class_name(out[3]), f"{class_name(out[3])}.of({call})"
        elif out and out[2] == "text":
            java, value = "String", f"Memory.text({call})"
        signature = ", ".join(f"{kind} {name}" for name, kind in typed.items())
        text += f"  /** {self.function['name']}. */\n  static {java} {self.name}({signature}) {{\n"
        if len(self.raws) == 1:
            name, base = self.raws[0]
            text += f"    final byte[] {name} = new byte[{self.structs[base]['size']}];\n    {call};\n    return new {java}({name});\n"
        else:
            text += f"    {'' if java == 'void' else 'return '}{value};\n"
        return text + "  }\n"


def natives(abi):
    """({header: [Native]}, {function: why its body is written by hand})."""
    found, by_hand = {header["name"]: [] for header in abi["headers"] if header["name"] != "rondo/rondo.h"}, {}
    for function in abi["functions"]:
        for p in function["parameters"]:
            p["base_type"] = p["base"]
        try:
            native = Native(abi, function)
            if len(native.raws) > 1 or native.raws and native.plain and native.plain[1] != "void":
                raise Unfit("gives several structs")
            found[function["header"]].append(native)
        except Unfit as unfit:
            by_hand[function["name"]] = str(unfit)
    return found, by_hand


def java_file(header, methods):
    name = native_class(header)
    body = "\n".join(method.java_methods() for method in methods)
    return name, f"""package dev.rondo;

/** The functions of {header}. */
final class {name} {{
  private {name}() {{}}

{body}}}
"""


def c_file(header, methods):
    bodies = "\n".join(method.c_body(native_class(header)) for method in methods) or "typedef int rondo_jni_nothing_here;\n"
    return f'#include "support.h"\n\n{bodies}'
