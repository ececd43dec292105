// Model files: what is written is read, whatever device, layout and dtype; loads are ordered like other tasks; files
// that the Python package safetensors wrote. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "model_files/model_file.h"

namespace conformance {
namespace {

class ModelFiles : public OnModelFiles {};
CONFORMANCE_ENGINE_SUITE(ModelFiles);

const char* format_name(rondo_dtype dtype) {
  const char* const names[] = {"BOOL", "U8",  "I8",  "I32", "I64", "F16",     "BF16",   "F32",
                               "F64",  "I16", "U16", "U32", "U64", "F8_E4M3", "F8_E5M2"};
  return names[dtype];
}

TEST_P(ModelFiles, RoundTripOfEveryDtypeAndShape) {
  std::vector<Array> arrays;
  std::vector<Tensor> tensors;
  Named named;
  for (const rondo_dtype dtype : kStoredDtypes)
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{0}, Shape{4099}, Shape{3, 0, 2}, Shape{1, 2, 1, 3, 1, 2, 1, 2}}) {
      arrays.push_back(random_array(dtype, shape, static_cast<uint32_t>(arrays.size()), 0, 100));
      tensors.push_back(up(arrays.back()));
      named.emplace_back("t" + std::to_string(arrays.size() - 1), tensors.back());
    }
  must(write(path(), named, {{"format", "rondo"}, {"", "\xc3\xa9 \"\\\n\x01"}}));
  EXPECT_EQ(files(), 1u) << "no temporary file is left";

  const ModelFile file = open_model(path());
  rondo_model_file_info facts = RONDO_MODEL_FILE_INFO_INIT;
  must(rondo_model_file_query(file.get(), &facts));
  EXPECT_EQ(facts.tensors, static_cast<int64_t>(arrays.size()));
  EXPECT_EQ(facts.metadata, 2);
  const char *key = nullptr, *value = nullptr;
  must(rondo_model_file_metadata(file.get(), 1, &key, &value));
  EXPECT_STREQ(key, "");
  EXPECT_STREQ(value, "\xc3\xa9 \"\\\n\x01");
  int64_t bytes = 0;
  for (const Listed& each : list(file)) {
    const Array& array = arrays[std::stoul(each.name.substr(1))];
    EXPECT_EQ(each.info.loadable, 1);
    EXPECT_EQ(each.info.dtype, array.dtype);
    EXPECT_STREQ(each.info.format_dtype, format_name(array.dtype));
    EXPECT_EQ(Shape(each.info.shape, each.info.shape + each.info.ndim), array.shape);
    EXPECT_EQ(each.info.bytes, static_cast<int64_t>(array.bytes.size()));
    bytes += each.info.bytes;
    expect_same_bits(download(load(file, each.name)), array, each.name);
  }
  EXPECT_EQ(facts.bytes, bytes);
}

TEST_P(ModelFiles, IndexOfEachName) {
  const Tensor a = up(range(RONDO_F32, {3})), b = up(range(RONDO_F64, {2}));
  must(write(path(), {{"a", a}, {"b", b}}));
  const ModelFile file = open_model(path());
  const std::vector<Listed> all = list(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "b") << "sorted by dtype";
  for (const char* name : {"a", "b"}) {
    int64_t index = -1;
    must(rondo_model_file_find(file.get(), name, &index));
    EXPECT_EQ(all[static_cast<size_t>(index)].name, name);
  }
}

TEST_P(ModelFiles, ViewsAreWrittenAsTheyLook) {
  const Array x = range(RONDO_I32, {4, 6});
  const Tensor a = up(x), turned = transpose(a, {1, 0}), part = slice(a, 1, 4, 0, -2),
               wide = broadcast(slice(a, 0, 0, 1), {3, 6}), rows = slice(a, 0, 1, 3);
  must(write(path(), {{"turned", turned}, {"part", part}, {"wide", wide}, {"rows", rows}}));
  const ModelFile file = open_model(path());
  expect_same_bits(download(load(file, "turned")), download(turned), "turned");
  expect_same_bits(download(load(file, "part")), download(part), "part");
  expect_same_bits(download(load(file, "wide")), download(wide), "wide");
  expect_same_bits(download(load(file, "rows")), host_slice(x, 0, 1, 2, 1), "rows");
}

TEST_P(ModelFiles, LoadsIntoTensorsAndViews) {
  const Array x = range(RONDO_F32, {2, 3});
  must(write(path(), {{"x", up(x)}}));
  const ModelFile file = open_model(path());
  const auto load_into = [&](rondo_tensor* out) {
    into(out, rondo_model_file_load, file.get(), "x", engine(), device());
  };
  const Tensor whole = up(full(RONDO_F32, {2, 3}, 7));
  load_into(whole);
  expect_same_bits(download(whole), x, "a whole tensor");

  const Tensor large = up(full(RONDO_F32, {4, 3}, 7)), rows = slice(large, 0, 1, 3);
  load_into(rows);
  Array expected = full(RONDO_F32, {4, 3}, 7);
  std::copy(x.bytes.begin(), x.bytes.end(), expected.bytes.begin() + 12);
  expect_same_bits(download(large), expected, "rows of a tensor");

  const Tensor tall = up(full(RONDO_F32, {3, 2}, 7)), turned = transpose(tall, {1, 0});
  load_into(turned);
  expect_same_bits(download(tall), host_transpose(x, {1, 0}), "a transposed view");

  const Tensor adds = make(rondo_tensor_accumulator, whole);
  load_into(adds);
  expect_same_bits(download(whole), range(RONDO_F32, {2, 3}, 2), "a view that accumulates");
}

// The tensor's turn comes when what is submitted before is done; what comes after sees what was loaded.
TEST_P(ModelFiles, LoadsAreOrderedLikeOtherTasks) {
  must(write(path(), {{"x", up(full(RONDO_F32, {1000}, 5))}}));
  ModelFile file = open_model(path());
  const Tensor x = up(full(RONDO_F32, {1000}, 1));
  Gate gate;
  must(push(engine(), waiting(gate), {variable_of(x)}, {}));
  const Tensor before = make(rondo_unary, RONDO_NEG, x);
  into(x, rondo_model_file_load, file.get(), "x", engine(), device());
  const Tensor after = make(rondo_unary, RONDO_NEG, x);
  file.reset();  // loads in flight go on
  std::filesystem::remove(path());
  gate.open = true;
  expect_same_bits(download(before), full(RONDO_F32, {1000}, -1), "before");
  expect_same_bits(download(after), full(RONDO_F32, {1000}, -5), "after");
}

TEST_P(ModelFiles, ManyThreadsLoadFromOneFile) {
  std::vector<Tensor> tensors;
  Named named;
  for (int i = 0; i < 8; ++i) {
    tensors.push_back(up(full(RONDO_F32, {100 + i}, i)));
    named.emplace_back("t" + std::to_string(i), tensors.back());
  }
  must(write(path(), named));
  const ModelFile file = open_model(path());
  std::vector<std::thread> threads;
  std::vector<std::string> failures(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      try {
        for (int turn = 0; turn < 10; ++turn)
          if (download(load(file, "t" + std::to_string(i))).bytes != full(RONDO_F32, {100 + i}, i).bytes)
            failures[static_cast<size_t>(i)] = "other values";
      } catch (const std::exception& failure) {
        failures[static_cast<size_t>(i)] = failure.what();
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(failures, std::vector<std::string>(8));
}

// Larger than one piece of staging, with an end that does not fit.
TEST_P(ModelFiles, LargeTensors) {
  if (share() > 0) GTEST_SKIP() << "copies of 70 MiB: under one order of the simulated driver";
  const int64_t size = (int64_t{70} << 20) + 3;
  Array x(RONDO_U8, {size});
  for (size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
  must(write(path(), {{"x", up(x)}}));
  const ModelFile file = open_model(path());
  EXPECT_TRUE(download(load(file, "x")).bytes == x.bytes);
}

TEST_P(ModelFiles, EqualContentsAreEqualBytes) {
  const Tensor a = up(range(RONDO_F32, {2, 2})), b = up(range(RONDO_I64, {1})), c = up(range(RONDO_BOOL, {2}));
  must(write(path("one"), {{"a", a}, {"b", b}, {"c", c}}, {{"k", "v"}}));
  must(write(path("two"), {{"c", c}, {"b", b}, {"a", a}}, {{"k", "v"}}));
  const std::string bytes = bytes_of(path("one"));
  EXPECT_EQ(bytes, bytes_of(path("two")));
  EXPECT_EQ(bytes.substr(8, bytes.find_last_of('}') - 7),
            "{\"__metadata__\":{\"k\":\"v\"},"
            "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
            "\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[8,24]},"
            "\"c\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[24,26]}}");
  must(write(path("none"), {}));
  EXPECT_EQ(bytes_of(path("none")), file_bytes("{}      ", ""));
  EXPECT_TRUE(list(open_model(path("none"))).empty());
}

TEST_P(ModelFiles, AFileIsReplacedAsAWhole) {
  must(write(path(), {{"x", up(range(RONDO_F32, {3}))}}));
  ASSERT_EQ(chmod(path().c_str(), 0640), 0);
  const ModelFile former = open_model(path());
  must(write(path(), {{"x", up(range(RONDO_F32, {5}))}}));
  EXPECT_EQ(query(load(former, "x")).elements, 3) << "who has the former one open still reads it";
  EXPECT_EQ(query(load(open_model(path()), "x")).elements, 5);
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);

  // A tensor with an error: the file stays.
  const Tensor bad = up(range(RONDO_F32, {3}));
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(bad)});
  EXPECT_EQ(write(path(), {{"bad", bad}}), RONDO_USER_ERROR);
  EXPECT_TRUE(has_word(rondo_last_error(), "bad")) << rondo_last_error();
  EXPECT_EQ(query(load(open_model(path()), "x")).elements, 5);
  EXPECT_EQ(files(), 1u);
  (void)rondo_engine_wait_all(engine());
}

// tests/models/make.py has written them with the Python package, and says what is in them.
TEST_P(ModelFiles, FilesOfThePythonPackage) {
  const std::string folder = RONDO_MODEL_FILES;
  const ModelFile file = open_model(folder + "/dtypes.safetensors");
  std::vector<Tensor> loaded;
  Named named;
  size_t unsupported = 0;
  for (const Listed& each : list(file)) {
    if (!each.info.loadable) {
      rondo_tensor* none = nullptr;
      expect_refused(rondo_model_file_load(file.get(), each.name.c_str(), engine(), device(), &none), RONDO_UNSUPPORTED,
                     "rondo_model_file_load", each.info.ndim > RONDO_MAX_DIMS ? "dimensions" : each.info.format_dtype);
      ++unsupported;
      continue;
    }
    Array expected(each.info.dtype, Shape(each.info.shape, each.info.shape + each.info.ndim));
    for (size_t i = 0; i < expected.bytes.size(); ++i)
      expected.bytes[i] = static_cast<unsigned char>(each.info.dtype == RONDO_BOOL ? i % 2 : 7 * i + 3);
    loaded.push_back(load(file, each.name));
    const Array actual = download(loaded.back());
    EXPECT_EQ(actual.shape, expected.shape);
    EXPECT_TRUE(actual.bytes == expected.bytes) << each.name;
    named.emplace_back(each.name, loaded.back());
  }
  EXPECT_GT(unsupported, 5u);
  EXPECT_GT(loaded.size(), 9u);

  // What Rondo writes has the very bytes that the package writes.
  const ModelFile other = open_model(folder + "/rondo.safetensors");
  loaded.clear();
  named.clear();
  for (const Listed& each : list(other)) {
    loaded.push_back(load(other, each.name));
    named.emplace_back(each.name, loaded.back());
  }
  const char *key = nullptr, *value = nullptr;
  must(rondo_model_file_metadata(other.get(), 0, &key, &value));
  must(write(path(), named, {{key, value}}));
  EXPECT_EQ(bytes_of(path()), bytes_of(folder + "/rondo.safetensors"));
}

}  // namespace
}  // namespace conformance
