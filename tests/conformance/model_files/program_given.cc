// Programs that are given as bytes in place of a file, and tensors that are given by names in place of their order:
// both give the bits of the others, and what is wrong is refused with the place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "model_files/programs.h"

namespace conformance {
namespace {

class ProgramGiven : public ProgramFiles {
 protected:
  // f(x, y) = (x - y * w, x * w), which is another function if its inputs or outputs change places; w is written.
  void write(const char* weights_into = nullptr) const {
    const Tensor w = up(numbers({3}));
    const Graph graph = callable({{RONDO_F32, {3}}, {RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) {
      into(w, rondo_binary_scalar, RONDO_MUL, w, 2.0);
      const Tensor scaled = make(rondo_binary, RONDO_MUL, in[1], w);
      std::vector<Tensor> outputs = list(make(rondo_binary, RONDO_SUB, in[0], scaled));
      outputs.push_back(make(rondo_binary, RONDO_MUL, in[0], w));
      return outputs;
    });
    const char *const inputs[] = {"x", "y"}, *const outputs[] = {"difference", "product"}, *const name = "w";
    rondo_tensor* const weight = w;
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.inputs = inputs;
    options.outputs = outputs;
    options.n_weights = 1;
    options.weight_names = &name;
    options.weights = &weight;
    options.weights_into = weights_into;
    must(save(path(), graph.get(), &options));
  }
  std::string bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Program open_bytes(const std::string& bytes) {
    rondo_program* program = nullptr;
    must(rondo_program_open_bytes(bytes.data(), bytes.size(), &program));
    return Program(program);
  }
  static void bytes_refused(const std::string& bytes, rondo_status status, const std::string& why) {
    rondo_program* program = nullptr;
    EXPECT_EQ(rondo_program_open_bytes(bytes.data(), bytes.size(), &program), status) << rondo_last_error();
    EXPECT_EQ(program, nullptr);
    EXPECT_NE(std::string(rondo_last_error()).find("the bytes: "), std::string::npos) << rondo_last_error();
    EXPECT_NE(std::string(rondo_last_error()).find(why), std::string::npos) << rondo_last_error();
  }
  struct Named {
    std::vector<const char*> inputs, outputs;
    std::vector<rondo_tensor*> given;
    int64_t timeout_ms = 0;
  };
  // made: null, or tensors that are there; owned by the caller.
  static rondo_status call_named(const Instance& instance, const Named& named, std::vector<rondo_tensor*>* made) {
    made->resize(named.outputs.size(), nullptr);
    return rondo_program_call_named(instance.get(), "f", named.timeout_ms, static_cast<int32_t>(named.inputs.size()),
                                    named.inputs.data(), named.given.data(), static_cast<int32_t>(named.outputs.size()),
                                    named.outputs.data(), made->data());
  }
  static void names_refused(const Instance& instance, const Named& named, rondo_status status, const char* why) {
    std::vector<rondo_tensor*> made;
    expect_refused(call_named(instance, named, &made), status, "rondo_program_call_named", why);
    for (rondo_tensor* each : made) EXPECT_EQ(each, nullptr);
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramGiven);

TEST_P(ProgramGiven, BytesHaveTheBitsOfTheFile) {
  write();
  std::string whole = bytes();
  const Program file = open(path()), given = open_bytes(whole);
  std::fill(whole.begin(), whole.end(), '?');  // the library has a copy
  std::filesystem::remove(path());
  EXPECT_EQ(text(given), text(file));
  const Instance a = instance(file), b = instance(given), late = instance(given);
  const Tensor x = up(numbers({3})), y = up(full(RONDO_F32, {3}, 7));
  for (int i = 0; i < 2; ++i) {
    const std::vector<Tensor> expected = call(a, "f", {x, y}, 2), actual = call(b, "f", {x, y}, 2);
    for (size_t k = 0; k < 2; ++k) expect_same_bits(download(actual[k]), download(expected[k]), "bytes");
  }
  (void)call(late, "f", {x, y}, 2);
}

TEST_P(ProgramGiven, BytesAreCheckedAsAFileIs) {
  write();
  const std::string whole = bytes();
  bytes_refused("", RONDO_IO_ERROR, "it has 0 bytes");
  bytes_refused("{}", RONDO_IO_ERROR, "it looks like JSON");
  bytes_refused("PK\3\4", RONDO_IO_ERROR, "a zip archive");
  bytes_refused(std::string(16, '\xff'), RONDO_IO_ERROR, "its first 8 bytes tell a header of");
  bytes_refused(whole.substr(0, whole.size() - 1), RONDO_IO_ERROR, "");
  bytes_refused(whole + "x", RONDO_IO_ERROR, "");
  std::string other = whole;
  other.replace(other.find("rondo.program"), 13, "rondo.pragram");
  bytes_refused(other, RONDO_IO_ERROR, "no 'rondo.program'");
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::string text = mutated(whole, &random);
    rondo_program* program = nullptr;
    if (rondo_program_open_bytes(text.data(), text.size(), &program) != RONDO_OK) continue;
    const Program owned(program);
    rondo_program_instance* made = nullptr;
    if (rondo_program_create_instance(program, engine(), device(), &made) == RONDO_OK)
      rondo_program_instance_destroy(made);
  }
}

TEST_P(ProgramGiven, BytesOfJsonNameNoFiles) {
  write("w.safetensors");
  const std::string json = bytes();
  bytes_refused(json, RONDO_UNSUPPORTED, "files of its folder, and bytes have no folder");
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    return list(make(rondo_binary_scalar, RONDO_MUL, in[0], 3.0));
  });
  must(save(path(), graph.get()));
  const std::string alone =
      "{\"rondo.program.file\":1,\"metadata\":{},\"files\":[],\"program\":\n" + text(open(path())) + "}\n";
  const Instance made = instance(open_bytes(alone));  // without weights it needs no folder
  const Tensor x = up(full(RONDO_F32, {2}, 2));
  expect_same_bits(download(call(made, "f", {x}, 1)[0]), full(RONDO_F32, {2}, 6), "JSON");
  bytes_refused(alone.substr(0, alone.size() / 2), RONDO_IO_ERROR, "");
}

TEST_P(ProgramGiven, NamesMayComeInAnyOrder) {
  write();
  const Program program = open(path());
  const Instance a = instance(program), b = instance(program);
  const Tensor x = up(numbers({3})), y = up(full(RONDO_F32, {3}, 7)), out = up(full(RONDO_F32, {3}, 0));
  const std::vector<Tensor> expected = call(a, "f", {x, y}, 2), next = call(a, "f", {x, y}, 2);
  std::vector<rondo_tensor*> made;
  must(call_named(b, {{"y", "x"}, {"product", "difference"}, {y, x}}, &made));
  const Tensor product(made[0]), difference(made[1]);
  expect_same_bits(download(difference), download(expected[0]), "difference");
  expect_same_bits(download(product), download(expected[1]), "product");
  std::vector<rondo_tensor*> given = {out};  // one of them alone, into a tensor that is there, and with a limit
  must(call_named(b, {{"x", "y"}, {"product"}, {x, y}, 60000}, &given));
  EXPECT_EQ(given[0], static_cast<rondo_tensor*>(out));
  expect_same_bits(download(out), download(next[1]), "one output");
  std::vector<rondo_tensor*> none;
  must(call_named(b, {{"x", "y"}, {}, {x, y}}, &none));  // for the state that it writes
}

TEST_P(ProgramGiven, WrongNamesAreRefused) {
  write();
  const Instance made = instance(open(path()));
  const Tensor x = up(numbers({3})), longer = up(numbers({4}));
  const rondo_status invalid = RONDO_INVALID_ARGUMENT, missing = RONDO_NOT_FOUND;
  names_refused(made, {{"x", "z"}, {"product"}, {x, x}}, missing, "input_names[1] is 'z'");
  names_refused(made, {{"x", "z"}, {"product"}, {x, x}}, missing, "the function has 2 such as 'y', each is given once");
  names_refused(made, {{"x", "x"}, {"product"}, {x, x}}, invalid, "input_names[1] is 'x' once more");
  names_refused(made, {{"y"}, {"product"}, {x}}, invalid, "n_inputs");
  names_refused(made, {{}, {"product"}, {}}, invalid, "n_inputs");
  names_refused(made, {{"x", nullptr}, {"product"}, {x, x}}, invalid, "input_names[1]");
  names_refused(made, {{"x", "y"}, {"sum"}, {x, x}}, missing, "output_names[0] is 'sum'");
  names_refused(made, {{"x", "y"}, {"product", "product"}, {x, x}}, invalid, "output_names[1] is 'product' once more");
  names_refused(made, {{"y", "x"}, {"product"}, {x, nullptr}}, invalid, "inputs[1]");
  names_refused(made, {{"y", "x"}, {"product"}, {x, longer}}, invalid, "inputs[0]");
  names_refused(made, {{"x", "y"}, {"product"}, {x, x}, -1}, invalid, "timeout_ms");
}

}  // namespace
}  // namespace conformance
