// Model files that are wrong: each way of being so has its case, then thousands of mutations; files that change while
// they are open; misuse. Never a crash, always a status with a reason. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "model_files/model_file.h"

namespace conformance {
namespace {

class ModelFilesHostile : public OnModelFiles {
 protected:
  // What opening a file with these bytes is told, or "" if it opens.
  std::string refusal(const std::string& bytes, rondo_status expected = RONDO_IO_ERROR) {
    rondo_model_file* file = nullptr;
    const rondo_status status = rondo_model_file_open(put(bytes).c_str(), &file);
    rondo_model_file_destroy(file);
    if (status == RONDO_OK) return "";
    EXPECT_EQ(file, nullptr);
    EXPECT_EQ(status, expected) << rondo_last_error();
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_model_file_open")) << rondo_last_error();
    return rondo_last_error();
  }
  void refused(const std::string& header, const std::string& data, const std::string& why) {
    const std::string text = refusal(file_bytes(header, data));
    EXPECT_NE(text, "") << header << " was opened";
    EXPECT_NE(text.find(why), std::string::npos) << header << ": " << text;
  }
  // Of a tensor that is well but for one thing.
  static std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return "{\"x\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}";
  }
};
CONFORMANCE_ENGINE_SUITE(ModelFilesHostile);

const std::string kFour(4, '\1');

TEST_P(ModelFilesHostile, LengthsAndTruncation) {
  const std::string good = file_bytes(tensor("U8", "[4]", "[0,4]"), kFour);
  ASSERT_EQ(refusal(good), "");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length)), "") << length << " of " << good.size() << " bytes";
  EXPECT_NE(refusal(good + "x"), "");
  for (const uint64_t length : {uint64_t{0}, uint64_t{1}, uint64_t{good.size()}, uint64_t{good.size() - 7},
                                uint64_t{100'000'001}, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 7}) {
    std::string bytes = good;
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_NE(refusal(bytes), "") << length;
  }
}

TEST_P(ModelFilesHostile, FilesOfOtherKindsAreNamed) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> kinds[] = {
      {"<!DOCTYPE html><html><body>404</body></html>", "a page of HTML"},
      {"\n  <html>", "a page of HTML"},
      {"version https://git-lfs.example/spec/v1\noid sha256:0\n", "a pointer of Git LFS"},
      {"PK\x03\x04\x14\x00\x00\x00\x08\x00"s, "a zip archive"},
      {"PK", "a zip archive"},
      {"\x80\x02}q\x00(X\x06\x00\x00\x00"s, "a Python pickle"},
      {"\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00"s, "a Python pickle"},
      {"GGUF\x03\x00\x00\x00\x00\x00"s, "a GGUF file"},
      {"\x89HDF\r\n\x1a\n\x00", "an HDF5 file"},
      {"\x93NUMPY\x01\x00v\x00{"s, "a NumPy array"},
      {"{\"metadata\": {\"total_size\": 1}}", "JSON"},
  };
  for (const auto& [bytes, name] : kinds) {
    const std::string text = refusal(bytes);
    EXPECT_NE(text.find("it looks like "s + name), std::string::npos) << text;
  }
}

TEST_P(ModelFilesHostile, Places) {
  const auto two = [](const std::string& a, const std::string& b) {
    return "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" + a +
           "},\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":" + b + "}}";
  };
  EXPECT_EQ(refusal(file_bytes(two("[2,4]", "[0,2]"), kFour)), "") << "in any order";
  refused(two("[0,2]", "[1,3]"), kFour, "overlaps");
  refused(two("[0,2]", "[0,2]"), kFour, "overlaps");
  refused(two("[0,2]", "[3,5]"), kFour + "x", "belong to no tensor");
  refused(two("[1,3]", "[3,5]"), kFour + "x", "belong to no tensor");
  refused(two("[0,2]", "[2,4]"), kFour + "x", "belong to tensors");
  refused(two("[0,2]", "[2,4]"), "abc", "ends at byte 4");
  refused("{}", "abc", "belong to tensors");
  refused(tensor("U8", "[4]", "[4,0]"), kFour, "ends before it begins");
  refused(tensor("U8", "[4]", "[0,4294967300]"), kFour, "data_offsets");
  refused(tensor("U8", "[18446744073709551615]", "[0,18446744073709551615]"), kFour, "beyond 63 bits");
  refused(tensor("U8", "[9223372036854775807]", "[0,9223372036854775807]"), kFour, "beyond 64 bits");
  refused(tensor("U8", "[4]", "[18446744073709551612,18446744073709551616]"), kFour, "beyond 64 bits");
}

TEST_P(ModelFilesHostile, SizesShapesAndDtypes) {
  refused(tensor("F32", "[4]", "[0,4]"), kFour, "4 bytes by its data_offsets and 16");
  refused(tensor("F32", "[2,2]", "[0,4]"), kFour, "dtype F32 and shape");
  refused(tensor("U8", "[0]", "[0,4]"), kFour, "and 0 by");
  refused(tensor("F4", "[3]", "[0,2]"), "ab", "12 bits");
  refused(tensor("U8", "[-4]", "[0,4]"), kFour, "a number is expected");
  refused(tensor("U8", "[4.0]", "[0,4]"), kFour, "a whole number");
  refused(tensor("U8", "[4e0]", "[0,4]"), kFour, "a whole number");
  refused(tensor("U8", "[04]", "[0,4]"), kFour, "zero in front");
  refused(tensor("U8", "[\"4\"]", "[0,4]"), kFour, "a number is expected");
  refused(tensor("U8", "[[4]]", "[0,4]"), kFour, "a number is expected");
  refused(tensor("U8", "4", "[0,4]"), kFour, "'[' is expected");
  refused(tensor("U8", "null", "[0,4]"), kFour, "'[' is expected");
  refused(tensor("U8", "[4]", "[0]"), kFour, "two numbers");
  refused(tensor("U8", "[4]", "[0,4,4]"), kFour, "more than two");
  refused(tensor("U8", "[4]", "[]"), kFour, "two numbers");
  refused(tensor("U8", "[4,]", "[0,4]"), kFour, "a number is expected");
  refused(tensor("I64", "[4294967296,4294967296,4294967296]", "[0,4]"), kFour, "beyond 64 bits");
  refused(tensor("C64", "[288230376151711745]", "[0,8]"), kFour + kFour, "beyond 64 bits");
  refused(tensor("", "[4]", "[0,4]"), kFour, "characters");
  refused(tensor("A_DTYPE_OF_16_CH", "[4]", "[0,4]"), kFour, "characters");
}

TEST_P(ModelFilesHostile, Json) {
  const std::string x = "\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]";
  const std::vector<std::string> wrong = {"[]",
                                          "null",
                                          "\"\"",
                                          " {}",
                                          "{",
                                          "{}}",
                                          "{},",
                                          "{,}",
                                          "{\"x\"}",
                                          "{\"x\":}",
                                          "{\"x\":1}",
                                          "{\"x\":{}}",
                                          "{\"x\":[" + x + "]}",
                                          "{x:{" + x + "}}",
                                          "{'x':{" + x + "}}",
                                          "{\"x\":{" + x + "},}",
                                          "{\"x\":{" + x + ",}}",
                                          "{\"x\":{" + x + ",\"more\":}}",
                                          "{\"x\":{" + x + ",\"more\":01}}",
                                          "{\"x\":{" + x + ",\"more\":1.}}",
                                          "{\"x\":{" + x + ",\"more\":-}}",
                                          "{\"x\":{" + x + ",\"more\":nul}}",
                                          "{\"x\":{" + x + ",\"more\":[1,]}}",
                                          "{\"x\":{" + x + ",\"dtype\":\"U8\"}}",
                                          "{\"x\":{" + x + "} \"y\":{" + x + "}}",
                                          "{\"x\":{" + x + "}}/**/",
                                          "{\"__metadata__\":nulls}",
                                          "{\"__metadata__\":null,\"__metadata__\":null}",
                                          "{\"__metadata__\":{\"a\":1}}",
                                          "{\"__metadata__\":{\"a\":{}}}",
                                          "{\"__metadata__\":[\"a\"]}",
                                          "{\"__metadata__\":{},\"__metadata__\":{}}",
                                          std::string("{}\0", 3)};
  for (const std::string& header : wrong) EXPECT_NE(refusal(file_bytes(header, "")), "") << header << " was opened";
  for (const std::string value :
       {"1", "-2.5e+3", "0", "\"x\"", "true", "null", "[]", "[1, [2, {}]]", "{\"a\": {\"b\": [false]}}"})
    EXPECT_EQ(refusal(file_bytes("{\"x\":{\"note\":" + value + "," + x + ",\"more\":" + value + "}}", "")), "");
  EXPECT_EQ(refusal(file_bytes("{\"__metadata__\": null ,\"x\":{" + x + "}}", "")), "");
  refused("{\"x\":{" + x + ",\"deep\":" + std::string(100'000, '[') + "}}", "", "100 deep");
  EXPECT_EQ(refusal(file_bytes("{ \"x\" :\t{" + x + "}\r\n}  ", "")), "") << "white space";

  refused("{\"x\":{" + x + "},\"x\":{" + x + "}}", "", "'x' comes twice");
  refused("{\"x\":{" + x + "},\"\\u0078\":{" + x + "}}", "", "'x' comes twice");
  refused("{\"__metadata__\":{\"k\":\"\",\"\\u006b\":\"\"}}", "", "'k' twice");
  for (const char* text : {"\\",
                           "\\x",
                           "\\u12",
                           "\\u12g4",
                           "\\ud800",
                           "\\ud800x",
                           "\\ud800\\n",
                           "\\ud800\\u0041",
                           "\\udc00",
                           "\n",
                           "\x01",
                           "\xff",
                           "\xc0\xaf",
                           "\xe0\x80\xaf",
                           "\xed\xa0\x80",
                           "\xf4\x90\x80\x80",
                           "\xf8\x88\x80\x80\x80",
                           "\xc3",
                           "\xe2\x82",
                           "\x80"})
    EXPECT_NE(refusal(file_bytes(std::string("{\"") + text + "\":{" + x + "}}", "")), "") << text;
  EXPECT_NE(refusal(file_bytes("{\"a\\u0000b\":{" + x + "}}", ""), RONDO_UNSUPPORTED), "");

  const ModelFile file = open_model(
      put(file_bytes("{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00\xf0\x9f\x98\x80\":{" + x + "}}", "")));
  EXPECT_EQ(list(file)[0].name, "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80\xf0\x9f\x98\x80");

  // As deep or as long as it may be: neither the stack nor time grows beyond the text.
  for (const char* open : {"[", "{\"x\":"}) {
    std::string deep = "{\"x\":";
    for (int i = 0; i < 200'000; ++i) deep += open;
    EXPECT_NE(refusal(file_bytes(deep, "")), "");
  }
  EXPECT_NE(refusal(file_bytes("{\"" + std::string(1 << 20, 'x') + "\":1}", "")), "");
  EXPECT_LT(std::string(rondo_last_error()).size(), 1000u);
}

// What the format has and Rondo has not is listed, and does not keep the rest from being loaded.
TEST_P(ModelFilesHostile, WhatRondoLacksIsListed) {
  const ModelFile file = open_model(
      put(file_bytes("{\"u\":{\"dtype\":\"F8_E8M0\",\"shape\":[4],\"data_offsets\":[0,4]},"
                     "\"future\":{\"dtype\":\"Q3_K\",\"shape\":[7],\"data_offsets\":[4,5]},"
                     "\"nine\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[5,6]},"
                     "\"bool\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[6,9]},"
                     "\"huge\":{\"dtype\":\"F32\",\"shape\":[0,9223372036854775807,9],\"data_offsets\":[9,9]},"
                     "\"well\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[9,13]}}",
                     std::string("aaaabc\0\1\2", 9) + kFour)));
  const std::vector<Listed> all = list(file);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].info.loadable, 0);
  EXPECT_STREQ(all[1].info.format_dtype, "Q3_K");
  EXPECT_EQ(all[1].info.bytes, 1);
  EXPECT_EQ(all[2].info.ndim, 9);
  EXPECT_EQ(all[2].info.loadable, 0);
  rondo_tensor* out = nullptr;
  const auto load_of = [&](const char* name) {
    return rondo_model_file_load(file.get(), name, engine(), device(), &out);
  };
  expect_refused(load_of("u"), RONDO_UNSUPPORTED, "rondo_model_file_load", "F8_E8M0");
  expect_refused(load_of("future"), RONDO_UNSUPPORTED, "rondo_model_file_load", "Q3_K");
  expect_refused(load_of("nine"), RONDO_UNSUPPORTED, "rondo_model_file_load", "nine");
  expect_refused(load_of("huge"), RONDO_INVALID_ARGUMENT, "rondo_model_file_load", "shape");
  expect_refused(load_of("none"), RONDO_NOT_FOUND, "rondo_model_file_load", "none");
  EXPECT_EQ(out, nullptr);
  expect_same_bits(download(load(file, "well")), full(RONDO_U8, {4}, 1), "well");

  // A byte that is no bool is found when it is read.
  const rondo_status status = load_of("bool");
  EXPECT_EQ(naive() ? status : rondo_tensor_wait(out), RONDO_IO_ERROR);
  EXPECT_TRUE(has_word(rondo_last_error(), "bool")) << rondo_last_error();
  rondo_tensor_destroy(out);
  (void)rondo_engine_wait_all(engine());
}

// Cut or written to while it is open: an error of the tensor, not a signal and not other numbers.
TEST_P(ModelFilesHostile, AFileThatChanges) {
  const Tensor x = up(full(RONDO_F32, {5000}, 3));
  const auto fails = [&](const ModelFile& file, const std::string& label) {
    rondo_tensor* out = nullptr;
    rondo_status status = rondo_model_file_load(file.get(), "x", engine(), device(), &out);
    if (!naive()) {
      EXPECT_EQ(status, RONDO_OK) << rondo_last_error();
      status = rondo_tensor_wait(out);
    }
    EXPECT_EQ(status, RONDO_IO_ERROR) << label;
    EXPECT_NE(std::string(rondo_last_error()).find("since it was opened"), std::string::npos) << rondo_last_error();
    rondo_tensor_destroy(out);
    (void)rondo_engine_wait_all(engine());
  };
  must(write(path(), {{"x", x}}));
  for (const off_t size : {off_t{10'000}, off_t{9}, off_t{0}}) {
    must(write(path(), {{"x", x}}));
    const ModelFile file = open_model(path());
    ASSERT_EQ(truncate(path().c_str(), size), 0);
    fails(file, "cut to " + std::to_string(size));
  }
  must(write(path(), {{"x", x}}));
  const ModelFile file = open_model(path());
  ASSERT_EQ(truncate(path().c_str(), 100'000), 0);
  fails(file, "longer");
  must(write(path(), {{"x", x}}));
  const ModelFile other = open_model(path());
  const timespec times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  fails(other, "written to");
  EXPECT_EQ(list(other).size(), 1u) << "the list was read when it was opened";

  // An existing tensor is poisoned, and may be written again.
  const Tensor y = up(full(RONDO_F32, {5000}, 1));
  rondo_tensor* out = y;
  (void)rondo_model_file_load(other.get(), "x", engine(), device(), &out);
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_IO_ERROR);
  must(rondo_fill(y, 2));
  expect_same_bits(download(y), full(RONDO_F32, {5000}, 2), "written again");
  (void)rondo_engine_wait_all(engine());
}

TEST_P(ModelFilesHostile, WhatIsNoFile) {
  rondo_model_file* file = nullptr;
  const auto open = [&](const std::string& path) { return rondo_model_file_open(path.c_str(), &file); };
  expect_refused(open(path("missing")), RONDO_NOT_FOUND, "rondo_model_file_open", "missing");
  expect_refused(open(put("x") + "/below"), RONDO_NOT_FOUND, "rondo_model_file_open", "below");
  expect_refused(open(folder_.string()), RONDO_IO_ERROR, "rondo_model_file_open", "regular");
  expect_refused(open("/dev/zero"), RONDO_IO_ERROR, "rondo_model_file_open", "regular");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  expect_refused(open(path("pipe")), RONDO_IO_ERROR, "rondo_model_file_open", "regular");
  expect_refused(open(""), RONDO_NOT_FOUND, "rondo_model_file_open", "directory");
  EXPECT_EQ(file, nullptr);

  const Tensor x = up(full(RONDO_F32, {2}, 1));
  expect_refused(write(path("missing/model"), {{"x", x}}), RONDO_IO_ERROR, "rondo_model_file_write", "missing");
  expect_refused(write(folder_.string(), {{"x", x}}), RONDO_IO_ERROR, "rondo_model_file_write", "regular");
  expect_refused(write(path("pipe"), {{"x", x}}), RONDO_IO_ERROR, "rondo_model_file_write", "regular");
  expect_refused(write("/dev/full", {{"x", x}}), RONDO_IO_ERROR, "rondo_model_file_write", "regular");
  EXPECT_EQ(files(), 2u) << "nothing is left behind";
}

TEST_P(ModelFilesHostile, Misuse) {
  const Tensor x = up(full(RONDO_F32, {2}, 1)), unwritten = empty(RONDO_F32, {2}), other = up(full(RONDO_F32, {3}, 1));
  must(write(path(), {{"x", x}}, {{"k", "v"}}));
  ModelFile file = open_model(path());
  const char *text = nullptr, *value = nullptr;
  rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
  for (const int64_t index : {int64_t{-1}, int64_t{1}, INT64_MAX, INT64_MIN}) {
    expect_refused(rondo_model_file_tensor(file.get(), index, &text, &info), RONDO_INVALID_ARGUMENT,
                   "rondo_model_file_tensor", "index");
    expect_refused(rondo_model_file_metadata(file.get(), index, &text, &value), RONDO_INVALID_ARGUMENT,
                   "rondo_model_file_metadata", "index");
  }
  EXPECT_EQ(text, nullptr);

  rondo_tensor* out = other;
  expect_refused(rondo_model_file_load(file.get(), "x", engine(), device(), &out), RONDO_INVALID_ARGUMENT,
                 "rondo_model_file_load", "out");
  EXPECT_EQ(out, other.operator rondo_tensor*());
  out = nullptr;
  EXPECT_NE(rondo_model_file_load(file.get(), "x", engine(), {RONDO_CUDA, 63}, &out), RONDO_OK);
  must(rondo_record_begin(engine(), nullptr));
  expect_refused(rondo_model_file_load(file.get(), "x", engine(), device(), &out), RONDO_INVALID_STATE,
                 "rondo_model_file_load", "recorded");
  expect_refused(write(path("new"), {{"x", x}}), RONDO_INVALID_STATE, "rondo_model_file_write", "recorded");
  must(rondo_record_abort(engine()));
  EXPECT_EQ(out, nullptr);

  const auto refuse = [&](const Named& tensors, const Texts& metadata, const char* word,
                          rondo_status status = RONDO_INVALID_ARGUMENT) {
    expect_refused(write(path("new"), tensors, metadata), status, "rondo_model_file_write", word);
  };
  refuse({{"x", x}, {"y", x}, {"x", other}}, {}, "twice");
  refuse({{"__metadata__", x}}, {}, "__metadata__");
  refuse({{"\xff", x}}, {}, "UTF");
  refuse({{"x", x}}, {{"k", "1"}, {"k", "2"}}, "twice");
  refuse({{"x", x}}, {{"\xc3", "1"}}, "UTF");
  refuse({{"x", x}}, {{"k", "\xc3"}}, "UTF");
  refuse({{"x", unwritten}}, {}, "tensors", RONDO_INVALID_STATE);
  rondo_status inside = RONDO_OK;
  must(push(engine(), [&](rondo_task_context*) { return inside = write(path("new"), {{"x", x}}), RONDO_OK; }, {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_INVALID_STATE);
  EXPECT_EQ(files(), 1u);

  rondo_model_file* gone = file.release();
  rondo_model_file_destroy(gone);
  expect_refused(rondo_model_file_load(gone, "x", engine(), device(), &out), RONDO_INVALID_ARGUMENT,
                 "rondo_model_file_load", "file");
  rondo_model_file_destroy(gone);
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_model_file_destroy")) << rondo_last_error();
  rondo_model_file_destroy(nullptr);
}

// Valid files with random changes: each either opens, and then all that it lists is loaded or refused, or does not.
TEST_P(ModelFilesHostile, Mutations) {
  std::vector<std::string> seeds;
  for (const char* name : {"dtypes", "rondo"})
    seeds.push_back(bytes_of(std::string(RONDO_MODEL_FILES) + "/" + name + ".safetensors"));
  seeds.push_back(
      file_bytes("{\"__metadata__\":{\"k\":\"\\u00e9\"},\"x\":{\"dtype\":\"F32\",\"shape\":[2,1],"
                 "\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[8,9]}}",
                 "\1\2\3\4\5\6\7\10\1"));
  const std::string words[] = {"{",
                               "}",
                               "[",
                               "]",
                               ",",
                               ":",
                               "\"",
                               "\\u0000",
                               "\\ud800",
                               "0",
                               "9",
                               "-1",
                               "1e9",
                               "null",
                               "18446744073709551615",
                               "9223372036854775808",
                               "\"dtype\"",
                               "\"BOOL\"",
                               "F64",
                               "\xff",
                               "\xed\xa0\x80",
                               "data_offsets",
                               "__metadata__",
                               "[[[[",
                               "{\"a\":{\"a\":"};
  std::mt19937 random(20240229u + static_cast<unsigned>(GetParam().mode) +
                      (on_cuda() ? 100 + static_cast<unsigned>(share()) : 0));
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  int opened = 0, tried = 0;
  // The clock ends no run that has not yet seen what it is for, however slow a sanitizer makes it.
  const auto enough = [&] { return tried > 50 && opened > 2 && std::chrono::steady_clock::now() >= until; };
  for (; tried < (on_cuda() ? 300 : 3000) && !enough(); ++tried) {
    std::string bytes = seeds[below(10) < 8 ? 2 : below(2)];
    for (size_t n = 1 + below(3); n > 0; --n) {
      const size_t at = below(bytes.size());
      switch (below(6)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
        case 2: bytes.erase(at, 1 + below(8)); break;
        case 3: bytes.insert(at, words[below(std::size(words))]); break;
        case 4: bytes.insert(at, bytes.substr(below(bytes.size()), below(30))); break;
        default: bytes.replace(at, 1, std::to_string(below(20)));
      }
      if (bytes.empty()) bytes = "x";
    }
    if (below(2) && bytes.size() >= 8) {  // so that not all fail for their length
      const size_t end = bytes.rfind('}');
      const uint64_t length = end == std::string::npos || end < 8 ? 0 : end - 7;
      std::memcpy(bytes.data(), &length, sizeof length);
    }
    rondo_model_file* handle = nullptr;
    const rondo_status status = rondo_model_file_open(put(bytes).c_str(), &handle);
    if (status != RONDO_OK) {
      ASSERT_TRUE(status == RONDO_IO_ERROR || status == RONDO_UNSUPPORTED) << rondo_last_error();
      continue;
    }
    const ModelFile file(handle);
    ++opened;
    for (const Listed& each : list(file)) {
      Tensor out;
      const rondo_status loaded = rondo_model_file_load(file.get(), each.name.c_str(), engine(), device(), out.slot());
      if (loaded == RONDO_OK) {
        ASSERT_EQ(query(out).bytes, each.info.bytes);
        (void)rondo_tensor_wait(out);
      } else {
        ASSERT_TRUE(loaded == RONDO_UNSUPPORTED || loaded == RONDO_INVALID_ARGUMENT ||
                    (naive() && loaded == RONDO_IO_ERROR))
            << rondo_last_error();
      }
    }
    (void)rondo_engine_wait_all(engine());
  }
  EXPECT_GT(tried, 50);
  EXPECT_GT(opened, 2);
  RecordProperty("opened", opened);
}

}  // namespace
}  // namespace conformance
