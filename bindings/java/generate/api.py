"""What of the public Java interface follows from the C interface: enums, exceptions, options, facts, operators."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re

from names import BOOLEANS, GETTER_NAMES, PEERS, camel, class_name, exception_name, java_name, method_name, native_class, value_names

NUMBERS = {"int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long", "double": "double", "float": "float"}
NULLABLE = "@org.jspecify.annotations.Nullable"  # in front of a type, but behind that of an array's elements
GETTERS = {"int": "getInt", "long": "getLong", "double": "getDouble", "float": "getFloat"}


def java_file(text):
    return "package dev.rondo;\n\n" + text


# --- enums and exceptions


def enum_file(texts, enum):
    name, short = class_name(enum["name"]), value_names(enum)
    values = []
    for value in enum["values"]:
        words = texts.sentence(value["text"], f"`{value['name']}`")
        values.append(f"{texts.block(words)}  {short[value['name']]}({value['value']})")
    about = texts.inline(enum["text"]) or f"The values of {{@code {enum['name']}}}."
    return name, java_file(f"""{texts.block(about, indent="")}public enum {name} {{
{(","+chr(10)+chr(10)).join(values)};

  private static final {name}[] constants = values();
  private final int value;

  {name}(int value) {{
    this.value = value;
  }}

  /**
   * The number of this constant in the C interface.
   *
   * @return the number
   */
  public int value() {{
    return value;
  }}

  /**
   * The constant of a number of the C interface.
   *
   * @param value the number
   * @return the constant
   * @throws IllegalArgumentException if the number is none of this enum's
   */
  public static {name} of(int value) {{
    for (final {name} each : constants) {{
      if (each.value == value) {{
        return each;
      }}
    }}
    throw new IllegalArgumentException(value + " is no {name}");
  }}
}}
""")


def exception_files(texts, statuses):
    cases = ""
    for status in statuses["values"]:
        if status["value"] == 0:
            continue
        name, short = exception_name(status["name"]), value_names(statuses)[status["name"]]
        about = f"{{@link Status#{short}}}: " + (texts.inline(status["text"]) or f"{{@code {status['name']}}}")
        yield name, java_file(f"""{texts.block(about + ".", indent="")}public final class {name} extends RondoException {{
  private static final long serialVersionUID = 1;

  {name}(String message, Throwable cause) {{
    super(Status.{short}, message, cause);
  }}
}}
""")
        cases += f"      case {status['value']}:\n        return new {name}(message, cause);\n"
    yield "Exceptions", java_file(f"""/** Makes the exception of a status. */
final class Exceptions {{
  private Exceptions() {{}}

  static RondoException of(int status, String message, Throwable cause) {{
    switch (status) {{
{cases}      default: // of a newer library
        return new RondoException(Status.INTERNAL, "status " + status + ": " + message, cause);
    }}
  }}
}}
""")


def value_methods(name, members):
    """equals, hashCode and toString of a class that is what its members are: pairs of a Java type and a name."""
    equal = [f"java.util.Arrays.equals({own}, same.{own})" if java.endswith("[]") else
             f"{own} == same.{own}" if java in ("int", "long", "boolean") else
             f"{java.capitalize()}.compare({own}, same.{own}) == 0" if java in ("double", "float") else
             f"java.util.Objects.equals({own}, same.{own})" for java, own in members]
    hashed = [f"java.util.Arrays.hashCode({own})" if java.endswith("[]") else own for java, own in members]
    shown = [f'"{own}=" + ' + (f"java.util.Arrays.toString({own})" if java.endswith("[]") else own) for java, own in members]
    return f"""
  @Override
  public boolean equals(Object other) {{
    if (!(other instanceof {name})) {{
      return false;
    }}
    final {name} same = ({name}) other;
    return {(chr(10) + "        && ").join(equal) or "same != null"};
  }}

  @Override
  public int hashCode() {{
    return java.util.Objects.hash({", ".join(hashed)});
  }}

  @Override
  public String toString() {{
    return "{name}[" + {' + ", " + '.join(shown) or '""'} + "]";
  }}
"""


# --- options: what the user sets


def option_type(struct, field):
    """(Java type, default in Java, expression that gives what a native method takes)."""
    name, default = camel(field["name"]), field["default"]
    if (struct["name"], field["name"]) in BOOLEANS:
        return "boolean", "true" if default else "false", f"{name} ? 1 : 0"
    if field.get("count"):  # as many as are given; the others keep their default
        return "long[]", "{}", name
    if field["kind"] == "enum":
        constant = f"{class_name(field['base'])}.of({default})"
        return class_name(field["base"]), constant, f"{name}.value()"
    if field.get("enum"):
        kind = class_name(field["enum"])
        return f"java.util.Set<{kind}>", "java.util.Collections.emptySet()", \
            f"{name}.stream().mapToInt({kind}::value).reduce(0, (a, b) -> a | b)"
    if field["base"] == "rondo_device":
        return "Device", f"Device.of(DeviceKind.of({default[0]}), {default[1]})", name
    if field["kind"] == "text":
        return "String", "null", name
    if field["kind"] == "handle":
        return class_name(field["base"]), "null", f"{name} == null ? 0 : {name}.address()"
    if field["pointers"]:
        return "long", "0", name
    return NUMBERS[field["base"]], str(default), name


def options_file(texts, struct):
    name = class_name(struct["name"])
    fields, copies, methods, members = "", "", "", []
    for field in struct["fields"]:
        if field["name"] in ("size", "reserved") or field["kind"] == "callback":
            continue
        java, default, value = option_type(struct, field)
        own = camel(field["name"])
        fields += f"  private {NULLABLE + ' ' if default == 'null' else ''}{java} {own} = {default};\n"
        copies += f"    {own} = from.{own};\n"
        members.append((java, own))
        about = texts.sentence(field["text"], f"`{field['name']}`")
        number = {"enum": "int", "scalar": NUMBERS.get(field["base"]), "handle": "long"}.get(field["kind"], java)
        may_be_null = NULLABLE + " " if default == "null" else ""
        check = "" if field.get("nullable") or java in ("int", "long", "double", "float", "boolean") else \
            f"    java.util.Objects.requireNonNull({own}, \"{own}\");\n"
        taken, given, got = java, own, own
        if java == "long[]":
            taken, given, got = "long...", f"{own}.clone()", f"{own}.clone()"
            number = java
        if java.startswith("java.util.Set"):
            taken = java[java.index("<") + 1 : -1] + "..."
            given = f"java.util.Collections.unmodifiableSet(new java.util.LinkedHashSet<>(java.util.Arrays.asList({own})))"
        methods += f"""
{texts.block(about, ["@param " + own + " the value", "@return this"])}  public {name} {own}({may_be_null}{taken} {own}) {{
{check}    this.{own} = {given};
    return this;
  }}

{texts.block(about, ["@return the value"])}  public {may_be_null}{java} {own}() {{
    return {got};
  }}

  {number} {own}Value() {{
    return {value};
  }}
"""
    about = texts.inline(struct["text"]) or f"Options as {{@code {struct['name']}}} has them; a new one has the defaults."
    return name, java_file(f"""{texts.block(about, indent="")}public final class {name} {{
{fields}
  /** The defaults. */
  public {name}() {{}}

  {name}({name} from) {{
{copies}  }}
{methods}{value_methods(name, members)}}}
""")


# --- facts: what the library tells


def fact_of(struct, field):
    """(Java type, expression that reads it from `bytes`) of a field."""
    at, boolean = field["offset"], (struct["name"], field["name"]) in BOOLEANS
    if field["kind"] == "text" and field.get("count"):
        return "String", f"Memory.text(data, {at}, {field['count']})"
    if field["kind"] == "text":
        return "String", f"Memory.text(from.getLong({at}))"
    if field.get("count"):
        java = NUMBERS[field["base"]]
        ndim = next((f"from.getInt({each['offset']})" for each in struct["fields"] if each["name"] == "ndim"), field["count"])
        return java + "[]", f"Memory.{java}s(from, {at}, {ndim})"  # of a shape what it has
    if field["base"] == "rondo_device":
        return "Device", f"Device.of(DeviceKind.of(from.getInt({at})), from.getInt({at + 4}))"
    if field["kind"] == "enum":
        return class_name(field["base"]), f"{class_name(field['base'])}.of(from.getInt({at}))"
    if field["pointers"]:
        return "long", f"from.getLong({at})"
    java = NUMBERS[field["base"]]
    return ("boolean", f"from.getInt({at}) != 0") if boolean else (java, f"from.{GETTERS[java]}({at})")


def method_alias(texts, java, own, name):
    return f"""
{texts.block(f"{{@link #{own}()}}.", ["@return the value"])}  public {java} {name}() {{
    return {own}();
  }}
"""


def facts_file(texts, struct):
    name, fields, reads, methods, members = class_name(struct["name"]), "", "", "", []
    for field in struct["fields"]:
        if field["name"] == "size" and struct["versioned"] or field["kind"] not in ("scalar", "enum", "text", "struct"):
            continue
        java, read = fact_of(struct, field)
        own = camel(field["name"])
        fields += f"  private final {java} {own};\n"
        reads += f"    this.{own} = {read};\n"
        get = f"{own}.clone()" if java.endswith("[]") else own
        members.append((java, own))
        about = texts.sentence(field["text"], f"`{field['name']}`")
        methods += f"""
{texts.block(about, ["@return the value"])}  public {java} {own}() {{
    return {get};
  }}
"""
        if (struct["name"], field["name"]) in GETTER_NAMES:  # as others call it
            methods += method_alias(texts, java, own, GETTER_NAMES[struct["name"], field["name"]])
    about = texts.inline(struct["text"]) or f"Facts as {{@code {struct['name']}}} has them, at the moment they were asked for."
    return name, java_file(f"""import java.nio.ByteBuffer;
import java.nio.ByteOrder;

{texts.block(about, indent="")}public final class {name} {{
{fields}
  {name}(byte[] data) {{
    final ByteBuffer from = ByteBuffer.wrap(data).order(ByteOrder.nativeOrder());
{reads}  }}
{methods}{value_methods(name, members)}}}
""")


# --- messages


def words_file(abi):
    """What Java calls functions and constants of C that messages name."""
    words = {}
    for function in abi["functions"]:
        words[function["name"]] = java_name(function["name"], Operator.is_one(function))
    for enum in abi["enums"]:
        for name, short in value_names(enum).items():
            words[name] = f"{class_name(enum['name'])}.{short}"
    lines = "".join(f'      WORDS.put("{name}", "{java}");\n' for name, java in sorted(words.items()) if java)
    return "Words", java_file(f"""import java.util.HashMap;
import java.util.Map;

/** What Java calls the functions and constants of the C interface, for {{@link Messages}}. */
final class Words {{
  static final Map<String, String> WORDS = new HashMap<>();

  static {{
{lines.replace("      WORDS", "    WORDS")}  }}

  private Words() {{}}
}}
""")


# --- operators


class Operator:
    """A static method of Operators for a C function that has an output."""

    def __init__(self, abi, texts, native):
        self.native, self.function, self.texts = native, native.function, texts
        self.options = {struct["name"]: struct for struct in abi["structs"]}
        self.outs = [p for p in self.function["parameters"] if p.get("created")]
        self.counts = {p["length"] for p in self.function["parameters"] if p.get("length")}

    @staticmethod
    def is_one(function):
        handles = {p["base"] for p in function["parameters"] if p["kind"] == "handle"}
        return handles <= {"rondo_engine", "rondo_tensor"} and any(p.get("created") for p in function["parameters"])

    def signature(self, with_outs):
        parameters = []
        for p in self.function["parameters"]:
            name = camel(p["name"])
            if p["name"] in self.counts or p.get("created") and not with_outs:
                continue
            if p["kind"] == "handle" and p["pointers"] == 2 and not p.get("created"):
                java = class_name(p["base"]) + "[]"
            elif p["kind"] in ("handle", "enum", "struct"):
                java = class_name(p["base"])
            elif p["kind"] == "text":
                java = "String"
            elif (self.function["name"], p["name"]) in BOOLEANS:
                java = "boolean"
            else:
                java = NUMBERS[p["base"]] + ("[]" if p["pointers"] else "")
            parameters.append((p, name, java))
        return parameters

    def written(self, p, java):
        """The type of a parameter, as its declaration has it."""
        if java.endswith("[]") and p["kind"] == "scalar":
            return f"{java[:-2]} {NULLABLE} []" if p.get("nullable") else java
        may_be_null = p.get("created") or p["kind"] == "handle" and p.get("nullable") or p["kind"] == "struct" and p["pointers"]
        return f"{NULLABLE} {java}" if may_be_null and not java.endswith("[]") else java

    def javadoc(self, with_outs):
        tags = []
        for p, name, _ in self.signature(with_outs):
            tags.append(f"@param {name} " + (self.texts.inline(" ".join((p["brief"] or p["text"]).split())) if not p.get("created")
                        else "null, or the tensor that the result is written into"))
        made = "the result" if len(self.outs) == 1 else f"the results: {', '.join(camel(p['name']) for p in self.outs)}"
        tags += [f"@return {made}", "@throws RondoException if an argument does not fit, or in naive mode if the task failed"]
        if self.function["name"] in PEERS:
            tags.append(f'@see "DJL: {PEERS[self.function["name"]]}"')
        return self.texts.block(self.texts.inline(self.function["text"]) + f"\n\n{{@code {self.function['name']}}}.", tags)

    def java_methods(self):
        name = method_name(self.function["name"])
        result = "Tensor" if len(self.outs) == 1 else "Tensor[]"
        short = ", ".join(f"{self.written(p, java)} {own}" for p, own, java in self.signature(False))
        if self.signature(False)[-1][2] == "Tensor[]":
            short = "...".join(short.rsplit("[]", 1))
        given = ", ".join("null" if p.get("created") else camel(p["name"])
                          for p, _, _ in self.signature(True))
        text = f"{self.javadoc(False)}  public static {result} {name}({short}) {{\n    return {name}({given});\n  }}\n\n"
        full = ", ".join(f"{self.written(p, java)} {own}" for p, own, java in self.signature(True))
        return text + f"{self.javadoc(True)}  public static {result} {name}({full}) {{\n{self.body(result)}  }}\n"

    def body(self, result):
        uses, arguments, prelude = [], {}, ""
        engine = None
        for p, name, java in self.signature(True):
            arguments[name] = name
            if p["kind"] == "handle" and java.endswith("[]"):
                own = f"{name}Given"
                prelude += f"    final {java} {own} = {name}.clone();\n"  # another thread may write the array
                uses.append(("array", own))
                arguments[name] = f"{own}Uses.addresses()"
                engine = engine or f"Tensor.engineOf({own})"
            elif p["kind"] == "handle":
                uses.append(("maybe" if p.get("created") or p.get("nullable") else "one", name))
                arguments[name] = f"{name}Address"
                engine = engine or (name if p["base"] == "rondo_engine" else f"{name}.engine()")
            elif p["kind"] == "struct" and p["pointers"]:
                has_handle = any(field["kind"] == "handle" for field in self.options[p["base"]]["fields"])
                own_copy = f"new {java}({name})" if has_handle else name  # so that what is in use is what C gets, whoever sets another meanwhile
                prelude += f"    final {java} {name}Set = {name} == null ? new {java}() : {own_copy};\n"
                arguments[name] = f"{name}Set"
                for field in self.options[p["base"]]["fields"]:
                    if field["kind"] == "handle":
                        own = f"{name}{class_name(field['base'])}{len(uses)}"
                        prelude += f"    final {class_name(field['base'])} {own} = {name}Set.{camel(field['name'])}();\n"
                        uses.append(("maybe", own))
            elif java == "boolean":
                arguments[name] = f"{name} ? 1 : 0"
            elif p["kind"] == "scalar" and p["pointers"] and not p.get("nullable"):
                prelude += f"    java.util.Objects.requireNonNull({name}, \"{name}\");\n"
        order = [slot.source for slot in self.native.slots]
        call = ", ".join(arguments.get(name, name) for name in dict.fromkeys(order))
        method = f"{native_class(self.function['header'])}.{self.native.name}"
        last = f"Tensor.result({engine}, {method}({call}), {camel(self.outs[0]['name'])})"
        if result == "Tensor":
            body = [f"return {last};"]
        else:
            outs = [camel(p["name"]) for p in self.outs]
            call = ", ".join(arguments.get(name, name) for name in dict.fromkeys(order) if name != "results")
            body = [f"final long[] results = new long[{len(outs)}];", f"{method}({call}, results);",
                    "return new Tensor[] {" + ", ".join(f"Tensor.result({engine}, results[{i}], {out})"
                                                         for i, out in enumerate(outs)) + "};"]
        one = [name for kind, name in uses if kind != "array"]
        if one:
            begin = [f"final long {name}Address = {f'NativeObject.addressOf({name})' if kind == 'maybe' else f'{name}.address()'};"
                     for kind, name in uses if kind != "array"]
            body = begin + ["final InUse inUse = InUse.current();", f"inUse.begin({', '.join(one)});", "try {",
                            *("  " + line for line in body), "} finally {", f"  inUse.end({', '.join(one)});", "}"]
        for name in reversed([name for kind, name in uses if kind == "array"]):
            body = [f"final NativeObject.Uses {name}Uses = NativeObject.use({name});", "try {", *("  " + line for line in body),
                    "} finally {", f"  {name}Uses.end();", "}"]
        return prelude + "".join(f"    {line}\n" for line in body)


def operators_file(texts, operators):
    methods = "\n".join(operator.java_methods() for operator in operators)
    return "Operators", java_file(f"""/**
 * Every operator of the C interface, as it is there. {{@link Tensor}} has the common ones as methods; here are all of them, with
 * and without an output to write into.
 *
 * <p>Where {{@code out}} is null, a tensor is created. Otherwise the result is written there: it must have the result's shape,
 * dtype and device. If it is a {{@linkplain Tensor#accumulator() view that accumulates}}, the result is added to it. Operands
 * of one call are of one engine and one device. Calls return once the task is submitted; a failure while it runs is reported
 * by the waits on its outputs.
 */
public final class Operators {{
  private Operators() {{}}

{methods}}}
""")


def parameters_of(value):
    """(names, whether they have defaults) of an operation's parameters, which its text tells: `parameters low, high`."""
    match = re.search(r"\bparameters? ([\w, ]+?)(?:, (default)\b|$|;)", value["text"])
    return (match[1].split(", "), bool(match[2])) if match else ([], True)


def method(texts, about, tags, name, parameters, call):
    return f"""
{texts.block(about, [*tags, "@return a new tensor"])}  public Tensor {name}({", ".join(parameters)}) {{
    return Operators.{call};
  }}
"""


def into(texts, about, tags, name, parameters, call):
    return f"""
{texts.block(about + " Written into a tensor.", [*tags, "@param out what is written, of the result's shape, dtype and device: this tensor too",
                                                 "@return out"])}  public Tensor {name}Into({", ".join([*parameters, "Tensor out"])}) {{
    return Operators.{call};
  }}
"""


def with_parameters(texts, enum, value, what, operands, tags):
    """The methods of one operation: with its parameters, and without where they have defaults."""
    kind, short, name = class_name(enum["name"]), value_names(enum)[value["name"]], method_name(value["name"].lower())
    function = method_name(enum["name"].removesuffix("_op"))
    words = texts.sentence(value["text"], "").rstrip(".") + "." if value["text"] else ""
    about = f"{{@link {kind}#{short}}} {what} {words}"
    given = "".join(", " + operand.split()[-1] for operand in operands)
    names, defaults = parameters_of(value)
    made = ""
    if defaults:
        made += method(texts, about, tags, name, operands, f"{function}({kind}.{short}, self(){given})")
        made += into(texts, about, tags, name, operands, f"{function}({kind}.{short}, self(){given}, out)")
    if names:
        made += method(texts, about, tags + [f"@param {own} a parameter of the operation" for own in names], name,
                       operands + [f"double {own}" for own in names],
                       f"{function}With({kind}.{short}, self(){given}, new double[] {{{', '.join(names)}}})")
    return made, about, name, short


def methods_file(texts, abi):
    """TensorOperators: a method of a tensor for each elementwise operation and each reduction, from the values of the enums."""
    enums = {enum["name"]: enum for enum in abi["enums"]}
    methods = ""
    for value in enums["rondo_unary_op"]["values"]:
        methods += with_parameters(texts, enums["rondo_unary_op"], value, "of each element.", [], [])[0]
    for value in enums["rondo_binary_op"]["values"]:
        made, about, name, short = with_parameters(texts, enums["rondo_binary_op"], value,
                                                   "of this tensor and another, element by element, broadcast.", ["Tensor b"],
                                                   ["@param b the second operand"])
        methods += made + method(texts, about.replace("another, element by element, broadcast", "a number"),
                                 ["@param scalar the second operand; it takes this tensor's dtype"], name, ["double scalar"],
                                 f"binaryScalar(BinaryOp.{short}, self(), scalar)")
        methods += into(texts, about.replace("another, element by element, broadcast", "a number"),
                        ["@param scalar the second operand; it takes this tensor's dtype"], name, ["double scalar"],
                        f"binaryScalar(BinaryOp.{short}, self(), scalar, out)")
    for value in enums["rondo_ternary_op"]["values"]:
        methods += with_parameters(texts, enums["rondo_ternary_op"], value, "of this tensor and two others, broadcast.",
                                   ["Tensor b", "Tensor c"], ["@param b the second operand", "@param c the third operand"])[0]
    for value in enums["rondo_reduce_op"]["values"]:
        short = value_names(enums["rondo_reduce_op"])[value["name"]]
        words = texts.sentence(value["text"], "").rstrip(".") + "." if value["text"] else ""
        about, axes = f"{{@link ReduceOp#{short}}} over axes. {words}", "axes.length == 0 ? null : axes"
        tag = "@param axes which; negative counts from the end; none: all"
        methods += method(texts, about, [tag], camel(short.lower()), ["int... axes"],
                          f"reduce(ReduceOp.{short}, self(), {axes}, false)")
        methods += method(texts, about, [tag, "@param keepDims whether they stay, with one element each"], camel(short.lower()),
                          ["int[] axes", "boolean keepDims"], f"reduce(ReduceOp.{short}, self(), {axes}, keepDims)")
        names, _ = parameters_of(value)
        if names:
            methods += method(texts, about, [f"@param {own} a parameter of the operation" for own in names] + [tag],
                              camel(short.lower()) + "With", [f"double {own}" for own in names] + ["int... axes"],
                              f"reduceWith(ReduceOp.{short}, self(), {axes}, false, new double[] {{{', '.join(names)}}})")
    return "TensorOperators", java_file(f"""/** The operations of a tensor that follow from the enums of the C interface. */
abstract class TensorOperators extends NativeObject {{
  TensorOperators(long address, Gate gate, Handle.Destroyer destroyer) {{
    super("tensor", address, gate, destroyer);
  }}

  abstract Tensor self();
{methods}}}
""")
