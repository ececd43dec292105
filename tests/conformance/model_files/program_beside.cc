// Programs as JSON beside the files with their weights: they are the programs that one file has, weights come from
// files that are there or are written, and what is not the file that was named is refused, also when it is changed
// later.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include "model_files/programs.h"

namespace conformance {
namespace {

constexpr int64_t kInSeveralPieces = 40000;  // elements, whose bytes are in pieces that are checked one by one

class ProgramBeside : public ProgramFiles {
 protected:
  // f(x) = (x + small) * long, and counts its calls in a state.
  struct Recorded {
    Tensor small, wide, count;
    Graph graph;
  };
  Recorded record_function() const {
    Recorded made = {up(numbers({1})), up(numbers({kInSeveralPieces})), up(full(RONDO_F32, {1}, 0)), nullptr};
    made.graph = callable({{RONDO_F32, {1}}}, [&](const std::vector<Tensor>& in) {
      into(made.count, rondo_binary_scalar, RONDO_ADD, made.count, 1.0);
      return list(make(rondo_binary, RONDO_MUL, make(rondo_binary, RONDO_ADD, in[0], made.small), made.wide));
    });
    return made;
  }
  struct Files {
    const char* into = nullptr;
    std::vector<const char*> from = {};
  };
  rondo_status save_beside(const Recorded& recorded, const std::string& name, const Files& files) const {
    const char *const names[] = {"small", "long", "count"}, *const key = "author", *const value = "me\n";
    rondo_tensor* const weights[] = {recorded.small, recorded.wide, recorded.count};
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.n_weights = 3;
    options.weight_names = names;
    options.weights = weights;
    options.n_metadata = 1;
    options.keys = &key;
    options.values = &value;
    options.weights_into = files.into;
    options.n_weights_from = files.from.size();
    options.weights_from = files.from.data();
    return save(path(name), recorded.graph.get(), &options);
  }
  std::string bytes_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  // Another byte at a place of a file, which keeps its size, and its time as a careful attacker would.
  void change(const std::string& name, size_t at) const {
    struct stat before;
    ASSERT_EQ(stat(path(name).c_str(), &before), 0);
    std::fstream file(path(name), std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
    file.close();
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path(name).c_str(), times, 0), 0);
  }
  std::string why_not_opened(const std::string& name, rondo_status expected = RONDO_IO_ERROR) const {
    rondo_program* program = nullptr;
    EXPECT_EQ(rondo_program_open(path(name).c_str(), &program), expected);
    EXPECT_EQ(program, nullptr);
    return rondo_last_error();
  }
  std::string why_no_instance(const Program& program) const {
    rondo_program_instance* made = nullptr;
    EXPECT_EQ(rondo_program_create_instance(program.get(), engine(), device(), &made), RONDO_IO_ERROR);
    EXPECT_EQ(made, nullptr);
    return rondo_last_error();
  }
  // The program of "p.rondo.json" with one text in place of another.
  std::string edited(const std::string& from, const std::string& to) const {
    std::string json = bytes_of("p.rondo.json");
    const size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    put("edited.rondo.json", json.replace(at, from.size(), to));
    return "edited.rondo.json";
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramBeside);

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& each : parts) EXPECT_NE(message.find(each), std::string::npos) << message;
}

TEST_P(ProgramBeside, TheProgramIsTheOneOfOneFile) {
  const Recorded recorded = record_function();
  must(save_beside(recorded, "program.safetensors", {}));
  must(save_beside(recorded, "p.rondo.json", {"w.safetensors", {}}));
  must(save_beside(recorded, "again.rondo.json", {"w.safetensors", {}}));
  EXPECT_EQ(bytes_of("p.rondo.json"), bytes_of("again.rondo.json"));
  EXPECT_EQ(
      bytes_of("p.rondo.json").find("{\"rondo.program.file\":1,\"metadata\":{\"author\":\"me\\n\"},\"files\":[\n[\"w."),
      0u);
  const Program one = open(path()), beside = open(path("p.rondo.json"));
  EXPECT_EQ(text(one), text(beside));
  const char *key = nullptr, *value = nullptr;
  must(rondo_program_metadata(beside.get(), 0, &key, &value));
  EXPECT_STREQ(value, "me\n");
  const Tensor x = up(numbers({1}));
  const Instance a = instance(one), b = instance(beside);
  expect_same_bits(download(call(a, "f", {x}, 1)[0]), download(call(b, "f", {x}, 1)[0]), "beside");
}

TEST_P(ProgramBeside, FilesThatAreThereStayAsTheyAre) {
  const Recorded recorded = record_function();
  const Tensor other = up(numbers({7}));
  const char* const names[] = {"other", "long"};
  rondo_tensor* const tensors[] = {other, recorded.wide};
  must(rondo_model_file_write(path("ready.safetensors").c_str(), names, tensors, 2, nullptr, nullptr, 0));
  const std::string before = bytes_of("ready.safetensors");
  must(save_beside(recorded, "p.rondo.json", {"rest.safetensors", {"ready.safetensors"}}));
  EXPECT_EQ(bytes_of("ready.safetensors"), before);
  must(save_beside(recorded, "q.rondo.json", {nullptr, {"rest.safetensors", "ready.safetensors"}}));
  const Tensor x = up(numbers({1}));
  const Instance a = instance(open(path("p.rondo.json"))), b = instance(open(path("q.rondo.json")));
  expect_same_bits(download(call(a, "f", {x}, 1)[0]), download(call(b, "f", {x}, 1)[0]), "two files");

  const auto refused = [&](const Files& files, const char* why, rondo_status status = RONDO_INVALID_ARGUMENT) {
    expect_refused(save_beside(recorded, "none.rondo.json", files), status, "rondo_program_save", why);
    EXPECT_FALSE(std::filesystem::exists(path("none.rondo.json")));
  };
  refused({nullptr, {"ready.safetensors"}}, "options->weights_into has to name one");
  refused({"rest.safetensors", {"missing.safetensors"}}, "missing.safetensors", RONDO_NOT_FOUND);
  refused({"rest.safetensors", {"rest.safetensors"}}, "is one of the others");
  refused({"none.rondo.json", {}}, "is one of the others");
  refused({nullptr, {"rest.safetensors", "ready.safetensors", "rest.safetensors"}}, "twice");
  std::filesystem::copy(path("ready.safetensors"), path("copy.safetensors"));
  refused({"new.safetensors", {"ready.safetensors", "copy.safetensors"}}, "two files of options->weights_from");
  const Tensor unused = up(numbers({1}));
  rondo_tensor* const strange = unused;
  const char* const unknown = "strange";
  must(rondo_model_file_write(path("strange.safetensors").c_str(), &unknown, &strange, 1, nullptr, nullptr, 0));
  refused({"new.safetensors", {"strange.safetensors"}}, "none of the weights");
  refused({"../w.safetensors", {"rest.safetensors", "ready.safetensors"}}, "options->weights_into is '../w");
  refused({"rest.safetensors", {"x/y"}}, "options->weights_from[0] is 'x/y'");
  refused({"../w.safetensors", {}}, "the name of a file in the same folder is needed");
  refused({"", {}}, "options->weights_into is empty");
  refused({"rest.safetensors", {".."}}, "the name of a file in the same folder is needed");
  const Tensor wrong = up(full(RONDO_F32, {kInSeveralPieces}, 1)), shorter = up(full(RONDO_F32, {3}, 1));
  const char* const name = "long";
  for (const auto& [tensor, why] : {std::pair<rondo_tensor*, const char*>(wrong, "contents"), {shorter, "shape"}}) {
    must(rondo_model_file_write(path("wrong.safetensors").c_str(), &name, &tensor, 1, nullptr, nullptr, 0));
    refused({"new.safetensors", {"wrong.safetensors"}}, why);
  }
}

TEST_P(ProgramBeside, OtherFilesThanTheNamedAreRefused) {
  must(save_beside(record_function(), "p.rondo.json", {"w.safetensors", {}}));
  const std::string whole = bytes_of("w.safetensors");
  put("w.safetensors", whole + "x");
  expect_parts(why_not_opened("p.rondo.json"), {"w.safetensors", "bytes"});
  put("w.safetensors", whole);
  const Program program = open(path("p.rondo.json"));
  for (const size_t at : {whole.size() - 1, whole.size() / 2, size_t{200}}) {  // 200: near the header's end
    put("w.safetensors", whole);
    change("w.safetensors", at);
    rondo_program* opened = nullptr;
    if (rondo_program_open(path("p.rondo.json").c_str(), &opened) != RONDO_OK) continue;  // it was the header's sense
    expect_parts(why_no_instance(Program(opened)), {"w.safetensors: its SHA-256 is", "the program names one of"});
  }
  std::filesystem::remove(path("w.safetensors"));
  expect_parts(why_not_opened("p.rondo.json", RONDO_NOT_FOUND), {"w.safetensors"});
  put("far", whole);
  std::filesystem::create_symlink("far", path("w.safetensors"));
  expect_parts(why_not_opened("p.rondo.json"), {"it is a link"});
  std::filesystem::remove(path("w.safetensors"));
  std::filesystem::create_directory(path("w.safetensors"));
  expect_parts(why_not_opened("p.rondo.json"), {"not a regular file"});
}

// The digest is of the bytes that are loaded: a change between opening and loading is seen, and one after an instance.
TEST_P(ProgramBeside, ChangesAreSeenAtEachLoad) {
  const Recorded recorded = record_function();
  must(save_beside(recorded, "p.rondo.json", {"w.safetensors", {}}));
  const std::string whole = bytes_of("w.safetensors");
  const Program early = open(path("p.rondo.json")), late = open(path("p.rondo.json"));
  const Tensor x = up(numbers({1}));
  {
    const Instance first = instance(late);
    (void)call(first, "f", {x}, 1);
    must(rondo_engine_wait_all(engine()));
    change("w.safetensors",
           whole.size() - kInSeveralPieces);  // in the long weight, which is loaded again when no instance has it
  }
  expect_parts(why_no_instance(early), {"its SHA-256 is"});
  rondo_program_instance* made = nullptr;
  if (rondo_program_create_instance(late.get(), engine(), device(), &made) == RONDO_OK) {  // loads are asynchronous
    const std::vector<Tensor> outputs = call(Instance(made), "f", {x}, 1);
    EXPECT_EQ(rondo_tensor_wait(outputs[0]), RONDO_IO_ERROR);
  }
  expect_parts(rondo_last_error(), {"it was changed since it was opened"});
  (void)rondo_engine_wait_all(engine());
}

TEST_P(ProgramBeside, JsonOfOthersIsRefused) {
  must(save_beside(record_function(), "p.rondo.json", {"w.safetensors", {}}));
  const std::string json = bytes_of("p.rondo.json");
  const std::string file = json.substr(json.find("[\"w."), json.find("]],\"program\"") + 1 - json.find("[\"w."));
  struct Case {
    std::string from, to, why;
  };
  const std::string digest = file.substr(file.size() - 66, 64);
  const std::string size = "," + std::to_string(std::filesystem::file_size(path("w.safetensors"))) + ",";
  const Case cases[] = {
      {"\"w.safetensors\"", "\"../w.safetensors\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"/w.safetensors\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"..\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"" + std::string(256, 'w') + "\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"w\\n\"", "the name of a file in the same folder is needed"},
      {"\"w.safetensors\"", "\"w\\u0000\"", "zero character"},
      {"\"w.safetensors\"", "\"p.rondo.json\"", "it looks like JSON"},
      {file, file + "," + file, "a file comes twice"},
      {digest, std::string(64, 'z'), "hexadecimal digits"},
      {digest, "A" + digest.substr(1), "hexadecimal digits"},
      {"\"metadata\":{", "\"metadata\":{\"rondo.program\":\"x\",", "stands for the program"},
      {"\"rondo.program.file\":1", "\"rondo.program.file\":2", "is of kind 2"},
      {json.substr(json.find("\"program\":")), "\"program\":}", "it has no program"},
      {file, "", "is not in its files"},
      {digest, digest.substr(1), "name, size and SHA-256"},
      {digest, "", "name, size and SHA-256"},
      {"\"" + digest + "\"", "7", "is expected"},
      {size, ",-1,", "a number is expected"},
      {size, ",1,", "the program names one of 1"},
      {",\"" + digest + "\"", "", "name, size and SHA-256"},
      {"\"" + digest + "\"", "\"" + digest + "\",\"more\"", "name, size and SHA-256"},
      {"\"files\":", "\"others\":", "in this order"},
      {"\"metadata\":{\"author\"", "\"metadata\":{\"author\":\"a\",\"author\"", "twice"},
      {"\"program\":\n{", "\"programs\":\n{", "in this order"},
      {"\"program\":\n{", "\"program\":\n", "of its program"},
      {"],\"program\"", "]} ", "a member is missing"},
      {"}\n", "", "of its program"},
      {"}\n", ",\"more\":1}", "of its program"},
      {"\"me\\n\"", "\"\xff\"", "not UTF-8"},
  };
  for (const Case& each : cases) {
    const size_t last = json.rfind(each.from);
    std::string text = json;
    text.replace(each.from == "}\n" ? last : text.find(each.from), each.from.size(), each.to);
    put("edited.rondo.json", text);
    rondo_program* program = nullptr;
    const rondo_status status = rondo_program_open(path("edited.rondo.json").c_str(), &program);
    EXPECT_TRUE(status == RONDO_IO_ERROR || status == RONDO_UNSUPPORTED) << each.from << " -> " << each.to;
    expect_parts(rondo_last_error(), {"edited.rondo.json", each.why});
    rondo_program_destroy(program);
  }
  std::filesystem::copy(path("w.safetensors"), path("v.safetensors"));
  std::string second = file;
  edited(file, file + "," + second.replace(2, 1, "v"));
  expect_parts(why_not_opened("edited.rondo.json"), {"two files have its weight"});
}

TEST_P(ProgramBeside, JsonLaidOutAnewIsTheSame) {
  must(save_beside(record_function(), "p.rondo.json", {"w.safetensors", {}}));
  put("edited.rondo.json", " \n{ \t\n  " + bytes_of("p.rondo.json").substr(1));
  EXPECT_EQ(text(open(path("edited.rondo.json"))), text(open(path("p.rondo.json"))));
}

TEST_P(ProgramBeside, FilesWithoutWeightsAreRefused) {
  must(save_beside(record_function(), "p.rondo.json", {"w.safetensors", {}}));
  const Tensor x = up(numbers({1}));
  rondo_tensor* const tensor = x;
  const char* const name = "strange";
  must(rondo_model_file_write(path("more.safetensors").c_str(), &name, &tensor, 1, nullptr, nullptr, 0));
  const std::string bytes = std::to_string(std::filesystem::file_size(path("more.safetensors")));
  edited("\"files\":[", "\"files\":[[\"more.safetensors\"," + bytes + ",\"" + std::string(64, '0') + "\"],");
  expect_parts(why_not_opened("edited.rondo.json"), {"more.safetensors: it has none of the weights"});
}

TEST_P(ProgramBeside, AFailedSaveLeavesTheOldFiles) {
  const Recorded recorded = record_function();
  must(save_beside(recorded, "p.rondo.json", {"w.safetensors", {}}));
  const std::string weights = bytes_of("w.safetensors"), json = bytes_of("p.rondo.json");
  const Recorded other = record_function();
  must(rondo_fill(other.small, 9.0));
  std::filesystem::create_directory(path("folder.rondo.json"));
  expect_refused(save_beside(other, "folder.rondo.json", {"w.safetensors", {}}), RONDO_IO_ERROR, "rondo_program_save",
                 "not a regular file");
  EXPECT_EQ(bytes_of("w.safetensors"), weights);
  EXPECT_EQ(bytes_of("p.rondo.json"), json);
  (void)instance(open(path("p.rondo.json")));
  for (const auto& each : std::filesystem::directory_iterator(path("")))
    EXPECT_NE(each.path().filename().string().substr(0, 7), ".rondo.") << each.path();
}

// What a save accepts can be opened.
TEST_P(ProgramBeside, TextsThatNoFileCanHaveAreRefused) {
  const Recorded recorded = record_function();
  const char *const keys[] = {"a", "a"}, *const values[] = {"1", "2"}, *const wrong[] = {"\xff\xfe", "2"};
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.weights_into = "w.safetensors";
  options.keys = keys;
  options.values = values;
  options.n_metadata = 2;
  expect_refused(save(path("p.rondo.json"), recorded.graph.get(), &options), RONDO_INVALID_ARGUMENT,
                 "rondo_program_save", "keys has 'a' twice");
  options.n_metadata = 1;
  options.values = wrong;
  expect_refused(save(path("p.rondo.json"), recorded.graph.get(), &options), RONDO_INVALID_ARGUMENT,
                 "rondo_program_save", "not UTF-8");
  EXPECT_FALSE(std::filesystem::exists(path("w.safetensors")));
}

TEST_P(ProgramBeside, MutatedJsonIsRefusedOrTheSame) {
  must(save_beside(record_function(), "p.rondo.json", {"w.safetensors", {}}));
  const std::string json = bytes_of("p.rondo.json");
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    put("edited.rondo.json", mutated(json, &random));
    rondo_program* program = nullptr;
    if (rondo_program_open(path("edited.rondo.json").c_str(), &program) != RONDO_OK) continue;
    const Program owned(program);
    rondo_program_instance* made = nullptr;
    if (rondo_program_create_instance(program, engine(), device(), &made) == RONDO_OK)
      rondo_program_instance_destroy(made);
  }
}

TEST_P(ProgramBeside, AnInstanceIsSavedAsItIsNow) {
  const Recorded recorded = record_function();
  must(save_beside(recorded, "p.rondo.json", {"w.safetensors", {}}));
  const Program program = open(path("p.rondo.json"));
  const Instance made = instance(program);
  const Tensor x = up(numbers({1}));
  for (int i = 0; i < 3; ++i) (void)call(made, "f", {x}, 1);
  must(rondo_program_instance_save(made.get(), path("one.safetensors").c_str(), nullptr));
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  options.weights_into = "now.safetensors";
  must(rondo_program_instance_save(made.get(), path("now.rondo.json").c_str(), &options));
  for (const char* each : {"one.safetensors", "now.rondo.json"}) {
    const Program saved = open(path(each));
    EXPECT_EQ(text(saved), text(program)) << each;
    const char *key = nullptr, *value = nullptr;
    must(rondo_program_metadata(saved.get(), 0, &key, &value));
    EXPECT_STREQ(key, "author");
    const Instance again = instance(saved);
    rondo_tensor* count = nullptr;
    must(rondo_program_instance_weight(again.get(), "count", &count));
    EXPECT_EQ(first(Tensor(count)), 3) << each;
  }
  options.reader = "0.1";
  expect_refused(rondo_program_instance_save(made.get(), path("no").c_str(), &options), RONDO_INVALID_ARGUMENT,
                 "rondo_program_instance_save", "more than weights_into and weights_from");
  EXPECT_FALSE(std::filesystem::exists(path("no")));
}

}  // namespace
}  // namespace conformance
