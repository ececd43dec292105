// Writes and reads the attributes of every kind by the members that their structs name.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/attributes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "base/json_text.h"
#include "base/machine/decimal.h"
#include "base/text.h"
#include "program_files/check.h"
#include "program_files/expression_text.h"
#include "program_files/program_text.h"
#include "program_files/words.h"

namespace rondo::program_files {

using models::JsonReader;
using ops::Fused;

namespace {

constexpr uint64_t kNan = 0x7ff8000000000000;

template <class Enumeration>
concept HasWords = requires {
  Words<Enumeration>::words;
};

// --- Members by their names. One routine writes and reads those of all kinds; a kind has only the list.

struct Fields;
enum class Form : uint8_t { truth, real, bits, whole, word, row, fused, shape, members, truths, numbers, expressions };
struct Type {
  Form form;
  uint8_t bytes;                 // of a number, a truth or a word
  bool negative;                 // it has numbers below 0
  uint8_t count;                 // of words
  const char* const* words;      // of an enumeration, from 0 on
  void (*list)(void*, Fields*);  // of a struct: its members
};
struct Field {
  const char* name;
  const Type* type;
  void* at;
  size_t count;  // of several in a row
  bool several;
};
struct Fields {
  SmallVector<Field, 24> all;
  [[gnu::noinline]] void add(const char* name, const Type& type, void* at, size_t count = 1, bool several = false) {
    all.push_back({name, &type, at, count, several});
  }
};

template <class Members>
void list_members(void* at, Fields* fields);
void list_windows(void* at, Fields* fields);
void list_window_axis(void* at, Fields* fields);

// A type that has no form does not compile.
template <class Value>
constexpr Type type_of() {
  constexpr uint8_t bytes = sizeof(Value) < 256 ? sizeof(Value) : 0;
  if constexpr (HasMembers<Value>) {
    return {Form::members, bytes, false, 0, nullptr, list_members<Value>};
  } else if constexpr (std::is_same_v<Value, ops::Windows>) {
    return {Form::members, 0, false, 0, nullptr, list_windows};
  } else if constexpr (std::is_same_v<Value, ops::WindowAxis>) {
    return {Form::members, bytes, false, 0, nullptr, list_window_axis};
  } else if constexpr (HasWords<Value>) {
    return {Form::word, bytes, false, std::size(Words<Value>::words), Words<Value>::words, nullptr};
  } else {
    Form form = Form::whole;
    if constexpr (std::is_same_v<Value, bool>)
      form = Form::truth;
    else if constexpr (std::is_same_v<Value, double>)
      form = Form::real;
    else if constexpr (std::is_same_v<Value, uint64_t>)
      form = Form::bits;
    else if constexpr (std::is_same_v<Value, const ops::Operator*>)
      form = Form::row;
    else if constexpr (std::is_same_v<Value, std::shared_ptr<const Fused>>)
      form = Form::fused;
    else if constexpr (std::is_same_v<Value, Layout>)
      form = Form::shape;
    else if constexpr (std::is_same_v<Value, std::vector<bool>>)
      form = Form::truths;
    else if constexpr (std::is_same_v<Value, std::vector<int64_t>>)
      form = Form::numbers;
    else if constexpr (std::is_same_v<Value, std::vector<std::shared_ptr<const Fused>>>)
      form = Form::expressions;
    else
      static_assert(std::is_integral_v<Value>, "an attribute of this type has no form in files");
    return {form, bytes, std::is_signed_v<Value>, 0, nullptr, nullptr};
  }
}
template <class Value>
constexpr Type kType = type_of<Value>();

template <class Members>
void list_members(void* at, Fields* fields) {
  Members::each_member(*static_cast<Members*>(at), [fields](const char* name, auto&& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_array_v<Member>)
      fields->add(name, kType<std::remove_extent_t<Member>>, member, std::size(member), true);
    else if constexpr (std::is_same_v<Member, std::span<uint64_t>>)  // as many as the operator has, once it is read
      fields->add(name, kType<uint64_t>, member.data(), member.size(), true);
    else
      fields->add(name, kType<Member>, &member);
  });
}
void list_windows(void* at, Fields* fields) {
  auto& windows = *static_cast<ops::Windows*>(at);
  fields->add("first", kType<int>, &windows.first);
  fields->add("count", kType<int>, &windows.count);
  // As many as there are, once that is read.
  const auto count = static_cast<size_t>(std::clamp(windows.count, 0, ops::kMostSpatial));
  fields->add("axis", kType<ops::WindowAxis>, windows.axis, count, true);
}
void list_window_axis(void* at, Fields* fields) {
  auto& axis = *static_cast<ops::WindowAxis*>(at);
  fields->add("rule", kType<ops::WindowRule>, &axis.rule);
  fields->add("origin", kType<device::WindowOrigin>, &axis.origin);
  const struct {
    const char* name;
    device::i64* at;
  } sizes[] = {{"in", &axis.in},
               {"out", &axis.out},
               {"size", &axis.size},
               {"stride", &axis.stride},
               {"padding", &axis.padding},
               {"padding_end", &axis.padding_end},
               {"dilation", &axis.dilation}};
  for (const auto& each : sizes) fields->add(each.name, kType<device::i64>, each.at);
  fields->add("counts_padding", kType<int32_t>, &axis.counts_padding);
}
constexpr bool is_plain(Form form) {
  return form <= Form::word;
}
char* item_at(const Field& field, size_t i) {
  return static_cast<char*>(field.at) + i * field.type->bytes;
}
int64_t load(const Type& type, const void* at) {
  int8_t one = 0;
  int16_t two = 0;
  int32_t four = 0;
  int64_t eight = 0;
  switch (type.bytes) {
    case 1: std::memcpy(&one, at, 1); return type.negative ? int64_t{one} : static_cast<uint8_t>(one);
    case 2: std::memcpy(&two, at, 2); return type.negative ? int64_t{two} : static_cast<uint16_t>(two);
    case 4: std::memcpy(&four, at, 4); return type.negative ? int64_t{four} : static_cast<uint32_t>(four);
    default: std::memcpy(&eight, at, 8); return eight;
  }
}
void store(const Type& type, uint64_t value, void* at) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(at, &value, type.bytes);
}

// --- writing

bool is_nothing(const Type& type, const void* at) {
  switch (type.form) {
    case Form::truth:
    case Form::real:
    case Form::bits:
    case Form::whole: return load(type, at) == 0;
    case Form::row: return !*static_cast<const ops::Operator* const*>(at);
    case Form::fused: return !*static_cast<const std::shared_ptr<const Fused>*>(at);
    case Form::truths: return static_cast<const std::vector<bool>*>(at)->empty();
    case Form::numbers: return static_cast<const std::vector<int64_t>*>(at)->empty();
    case Form::expressions: return static_cast<const std::vector<std::shared_ptr<const Fused>>*>(at)->empty();
    default: return false;
  }
}
size_t used_count(const Field& field) {
  size_t count = field.count;
  while (count > 0 && is_nothing(*field.type, item_at(field, count - 1))) --count;
  return count;
}

void write_one(std::string* json, const Type& type, void* at);

void write_members(std::string* json, void (*list)(void*, Fields*), void* at) {
  Fields fields;
  list(at, &fields);
  *json += '{';
  bool first = true;
  for (const Field& each : fields.all) {
    const size_t count = used_count(each);
    if (count == 0) continue;
    *json += format("%s\"%s\":", first ? "" : ",", each.name);
    first = false;
    if (each.several)
      write_list(json, count, [&](size_t i) { write_one(json, *each.type, item_at(each, i)); });
    else
      write_one(json, *each.type, each.at);
  }
  *json += '}';
}

void write_one(std::string* json, const Type& type, void* at) {
  const auto number = [&](int64_t value) { *json += format("%lld", printable(value)); };
  const auto truth = [&](bool value) { *json += value ? "true" : "false"; };
  const auto expression = [&](const Fused& fused) { write_expression(json, fused); };
  switch (type.form) {
    case Form::truth: return truth(load(type, at) != 0);
    case Form::real: *json += real_text(*static_cast<double*>(at)); return;
    case Form::bits: *json += bits_text(static_cast<uint64_t>(load(type, at))); return;
    case Form::whole: return number(load(type, at));
    case Form::word: *json += format("\"%s\"", type.words[load(type, at)]); return;
    case Form::row: *json += json_text((*static_cast<const ops::Operator**>(at))->name); return;
    case Form::fused: return expression(**static_cast<std::shared_ptr<const Fused>*>(at));
    case Form::shape: {  // how something lies is not written
      const Layout& layout = *static_cast<Layout*>(at);
      return write_list(json, static_cast<size_t>(layout.ndim), [&](size_t d) { number(layout.shape[d]); });
    }
    case Form::members: return write_members(json, type.list, at);
    case Form::truths: {
      const auto& list = *static_cast<std::vector<bool>*>(at);
      return write_list(json, list.size(), [&](size_t i) { truth(list[i]); });
    }
    case Form::numbers: {
      const auto& list = *static_cast<std::vector<int64_t>*>(at);
      return write_list(json, list.size(), [&](size_t i) { number(list[i]); });
    }
    case Form::expressions: {
      const auto& list = *static_cast<std::vector<std::shared_ptr<const Fused>>*>(at);
      return write_list(json, list.size(), [&](size_t i) { expression(*list[i]); });
    }
  }
}

// --- reading

Status read_whole(JsonReader* json, const Type& type, void* value) {
  int64_t number = 0;
  RONDO_TRY(json->integer(&number));
  store(type, static_cast<uint64_t>(number), value);
  if (load(type, value) == number) return {};
  store(type, 0, value);
  return json->wrong("a number is out of its range");
}

Status read_word(JsonReader* json, const char* what, const Type& type, void* value) {
  std::string word;
  RONDO_TRY(json->text(&word));
  for (size_t i = 0; i < type.count; ++i)
    if (word == type.words[i]) {
      store(type, i, value);
      return {};
    }
  return unknown(*json, what, word);
}

Status read_shape(JsonReader* json, Layout* layout) {
  int64_t shape[kMaxDims] = {};
  int ndim = 0;
  RONDO_TRY(json->array([&]() -> Status {
    if (ndim == kMaxDims) return json->wrong(format("a shape has more than %d dimensions", kMaxDims));
    RONDO_TRY(json->integer(&shape[ndim]));
    return shape[ndim++] < 0 ? json->wrong("a size below 0") : Status();
  }));
  *layout = Layout::row_major(ndim, shape);
  return {};
}

Status read_one(JsonReader* json, const Type& type, void* at);

// A member that is not in the file has this value: nothing.
void clear(const Fields& fields) {
  for (const Field& each : fields.all)
    if (is_plain(each.type->form)) std::memset(each.at, 0, each.count * each.type->bytes);
}

// List: lists the members anew, as what is read may decide what there is. A member that comes twice is an error.
Status read_fields(JsonReader* json, void (*list)(void*, Fields*), void* at) {
  Fields fields;
  list(at, &fields);
  clear(fields);
  uint32_t seen = 0;
  return json->object([&](const std::string& key) -> Status {
    Fields now;
    list(at, &now);
    uint32_t bit = 1;
    for (const Field& each : now.all) {
      if (key == each.name) {
        if (seen & bit) return json->wrong("'" + key + "' comes twice");
        seen |= bit;
        if (!each.several) return read_one(json, *each.type, each.at);
        size_t count = 0;
        return json->array([&]() -> Status {
          if (count == each.count) return json->wrong(format("a list of more than %zu members", count));
          return read_one(json, *each.type, item_at(each, count++));
        });
      }
      bit <<= 1;
    }
    return unknown(*json, "attribute", key);
  });
}

Status read_list(JsonReader* json, const Type& type, void* at) {
  constexpr size_t kMost = 1u << 16;
  size_t count = 0;
  return json->array([&]() -> Status {
    if (count++ == kMost) return json->wrong("a list of more than 65536 members");
    if (type.form == Form::truths) {
      bool truth = false;
      RONDO_TRY(json->boolean(&truth));
      static_cast<std::vector<bool>*>(at)->push_back(truth);
      return {};
    }
    if (type.form == Form::numbers) return json->integer(&static_cast<std::vector<int64_t>*>(at)->emplace_back());
    return read_expression(json, &static_cast<std::vector<std::shared_ptr<const Fused>>*>(at)->emplace_back());
  });
}

Status read_one(JsonReader* json, const Type& type, void* at) {
  switch (type.form) {
    case Form::truth: return json->boolean(static_cast<bool*>(at));
    case Form::real: return read_real(json, static_cast<double*>(at));
    case Form::bits: return read_bits(json, static_cast<uint64_t*>(at));
    case Form::whole: return read_whole(json, type, at);
    case Form::word: return read_word(json, "word", type, at);
    case Form::row: {
      ops::Op op;
      RONDO_TRY(read_op(json, &op));
      if (static_cast<int>(op) >= ops::kOperators) return json->wrong("an operator that is in no table");
      *static_cast<const ops::Operator**>(at) = &ops::operator_of(op);
      return {};
    }
    case Form::fused: return read_expression(json, static_cast<std::shared_ptr<const Fused>*>(at));
    case Form::shape: return read_shape(json, static_cast<Layout*>(at));
    case Form::members: return read_fields(json, type.list, at);
    default: return read_list(json, type, at);
  }
}

// Writes a call of the kind, or where there is none reads one.
template <class OneKind>
Status use_kind(const ops::Call* written, std::string* text, JsonReader* json, Ref<const ops::Call>* made) {
  OneKind of = written ? *std::get_if<OneKind>(&written->of) : OneKind{};
  if (written) {
    write_members(text, list_members<OneKind>, &of);
    return {};
  }
  RONDO_TRY(read_fields(json, list_members<OneKind>, &of));
  *made = make_ref<const ops::Call>(of);
  return {};
}
using UseKind = Status (*)(const ops::Call*, std::string*, JsonReader*, Ref<const ops::Call>*);
// Null for a kind that files do not have, neither as operators nor as views. One that they have and that has a member
// without a form does not compile.
template <class OneKind>
constexpr UseKind use_of() {
  if constexpr (kInFiles<OneKind> || kIsView<OneKind>)
    return use_kind<OneKind>;
  else
    return nullptr;
}
// By the kind's number.
constexpr UseKind kUses[] = {
#define RONDO_KIND(Name, ...) use_of<ops::Name##Call>(),
#include "ops/program/kinds.def"
#undef RONDO_KIND
};

}  // namespace

std::string real_text(double value) {
  const uint64_t bits = bit_cast<uint64_t>(value);
  if (value == value || bits == kNan) return format("\"%a\"", value);
  return format("\"nan:%llx\"", static_cast<unsigned long long>(bits));
}

std::string bits_text(uint64_t bits) {
  return format("\"0x%llx\"", static_cast<unsigned long long>(bits));
}

namespace {

// "0x1p+0/(B*T)"
Status read_varying(JsonReader* json, std::string_view text, double* value) {
  const size_t open = text.find('(');
  const bool closes = open != std::string_view::npos && open > 0 && text.back() == ')';
  if (!closes || (text[open - 1] != '*' && text[open - 1] != '/'))
    return json->wrong("a real number that varies is one times an expression in parentheses, or divided by it");
  const std::string number(text.substr(0, open - 1));
  const double first = read_decimal(number.c_str());
  if ("\"" + number + "\"" != real_text(first)) return json->wrong("a real number in hexadecimal notation is expected");
  int64_t by = 0;
  const Status status = json->texts()->read(text.substr(open + 1, text.size() - open - 2), &by);
  if (!status.ok()) return json->wrong(status.message());
  *value = vary(first, text[open - 1] == '/', by);
  return {};
}
Status read_varying_bits(JsonReader* json, std::string_view text, uint64_t* bits) {
  const bool single = text.substr(0, 4) == "f32:";
  if (single || text.substr(0, 4) == "f64:") {
    double value = 0;
    RONDO_TRY(read_varying(json, text.substr(4), &value));
    *bits = single ? bit_cast<uint32_t>(static_cast<float>(value)) : bit_cast<uint64_t>(value);
    return {};
  }
  int64_t whole = 0;
  const Status status = json->texts()->read(text, &whole);
  if (!status.ok()) return json->wrong(status.message());
  *bits = static_cast<uint64_t>(whole);
  return {};
}

}  // namespace

Status read_bits(JsonReader* json, uint64_t* bits) {
  std::string text;
  RONDO_TRY(json->text(&text));
  if (json->texts() && text.compare(0, 2, "0x") != 0) return read_varying_bits(json, text, bits);
  const char *const begin = text.c_str(), *const end = begin + text.size();
  if (text.size() > 2 && text.compare(0, 2, "0x") == 0)
    if (const auto [at, failed] = std::from_chars(begin + 2, end, *bits, 16); at == end && failed == std::errc())
      return {};
  return json->wrong("a hexadecimal number such as \"0x3f\" is expected");
}

Status read_real(JsonReader* json, double* value) {
  std::string text;
  RONDO_TRY(json->text(&text));
  if (json->texts() && !text.empty() && text.back() == ')') return read_varying(json, text, value);
  uint64_t bits = kNan;
  const bool nan = text.compare(0, 3, "nan") == 0;
  if (nan && text.size() > 4) {
    const auto [at, failed] = std::from_chars(text.c_str() + 4, text.c_str() + text.size(), bits, 16);
    if (failed != std::errc()) bits = kNan;
  }
  *value = nan ? bit_cast<double>(bits) : read_decimal(text.c_str());
  if ("\"" + text + "\"" == real_text(*value)) return {};
  return json->wrong("a real number in hexadecimal notation, such as \"0x1.8p-3\", is expected");
}

Status read_dtype(JsonReader* json, rondo_dtype* dtype) {
  return read_word(json, "dtype", kType<rondo_dtype>, dtype);
}

bool write_attributes(const ops::Call& call, std::string* json) {
  const UseKind use = kUses[call.of.index()];
  return use && use(&call, json, nullptr, nullptr).ok();
}

Status read_attributes(const std::string& kind, std::string_view text, models::NumberTexts* texts,
                       Ref<const ops::Call>* call) {
  JsonReader json(text, "its attributes", texts);
  for (size_t i = 0; i < std::size(kUses); ++i) {
    if (kind != ops::kKinds[i].name) continue;
    if (!kUses[i]) return error(RONDO_UNSUPPORTED, "a node of the kind %s cannot be in a file", kind.c_str());
    RONDO_TRY(kUses[i](nullptr, nullptr, &json, call));
    return json.end();
  }
  return unknown(json, "kind", kind);
}

}  // namespace rondo::program_files
