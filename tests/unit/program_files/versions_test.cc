// Versions of program files, in all four directions: between this one and a next one, which has a kind, an attribute
// and a kind of another meaning that this one does not have. The next one is a table.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "golden_files.h"
#include "program_files/known_words.h"

namespace rondo::program_files {
namespace {

constexpr Version kOld = kThisVersion, kNext = {kOld.major, kOld.minor + 1};
// What the next version has besides: the kind Gated, the attribute parameter of Reduce, and Cumulative with another
// meaning. What it meant before is that of the old kind "Running", which adds up.
constexpr KnownWords::Kind kKinds[] = {{"Gated", kNext}, {"Cumulative", kNext}};
constexpr KnownWords::Attribute kAttributes[] = {{"Reduce", "parameter", kNext}};
constexpr KnownWords::Former kFormers[] = {{"Running", kOld, "Cumulative", "{\"op\":\"sum\"}"}};
const KnownWords kOldWords = {kOld, kKinds, kAttributes, kFormers};
const KnownWords kNextWords = {kNext, kKinds, kAttributes, kFormers};

// A program of one node that makes f32 [2] of f32 [2,3].
std::string program_of(const std::string& node, const Version& needs) {
  return R"({"rondo_program":1,"needs":")" + needs.text() +
         R"(","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2,3]]],"weights":[],"nodes":[
)" + node +
         R"(],
"outputs":[["y",1,"f32",[2]]]}]})";
}
const std::string kGated =
    R"({"kind":"Gated","with":{"row":"silu","computed":"f32"},"in":{"a":0,"gate":0},"out":{"out":[1,"f32",[2,3]]}})";
const std::string kPlainSum =
    R"({"kind":"Reduce","with":{"op":"sum","axes":2},"in":{"a":0},"out":{"out":[1,"f32",[2]]}})";
const std::string kWithParameter =
    R"({"kind":"Reduce","with":{"op":"sum","parameter":"0x1p-1","axes":2},"in":{"a":0},"out":{"out":[1,"f32",[2]]}})";
const std::string kRunning = R"({"kind":"Running","with":{"axis":1},"in":{"a":0},"out":{"out":[1,"f32",[2,3]]}})";
const std::string kRunningNow =
    R"({"kind":"Cumulative","with":{"op":"sum","axis":1},"in":{"a":0},"out":{"out":[1,"f32",[2,3]]}})";
const std::string kLargest =
    R"({"kind":"Cumulative","with":{"op":"max","axis":1},"in":{"a":0},"out":{"out":[1,"f32",[2,3]]}})";

Program must_read(const std::string& text, const KnownWords& words) {
  Program program;
  const Status status = read_program(text, nullptr, &program, words);
  EXPECT_TRUE(status.ok()) << status.message();
  return program;
}
std::string refusal(const std::string& text, const KnownWords& words) {
  Program program;
  const Status status = read_program(text, nullptr, &program, words);
  EXPECT_EQ(status.code(), RONDO_UNSUPPORTED) << status.message();
  return status.message();
}
// What writing for the old version says; "": it has written what it reads.
std::string written_for_old(Program program) {
  const Status status = check_version(program, kOldWords);
  if (!status.ok()) return status.message();
  program.needs = needed_version(program, kOldWords);
  must_read(write_program(program, kOldWords), kOldWords);
  return "";
}

TEST(Versions, OldFilesKeepTheirMeaningInTheNext) {
  // Each golden file is one of a version that is kept.
  for (const auto& [name, text] : program_texts("golden")) {
    SCOPED_TRACE(name);
    if (text.find("\"Gated\"") != std::string::npos || text.find("\"Cumulative\"") != std::string::npos ||
        (text.find("\"parameter\":") != std::string::npos && text.find("\"Reduce\"") != std::string::npos))
      continue;                                                             // those that the table takes for newer
    const std::string now = write_program(must_read(text, known_words()));  // at the largest sizes, if they vary
    EXPECT_EQ(write_program(must_read(text, kNextWords), kNextWords), now);
  }
  // The changed kind does what it did, under the name that it had.
  const std::string old = program_of(kRunning, kOld);
  const Program program = must_read(old, kNextWords);
  const auto* const running = std::get_if<ops::CumulativeCall>(&program.functions[0].nodes[0].call->of);
  ASSERT_NE(running, nullptr);
  EXPECT_EQ(running->op, ops::ReduceOp::sum);
  EXPECT_EQ(running->axis, 1);
  EXPECT_EQ(program.needs, kOld.text());
  EXPECT_EQ(write_program(program, kNextWords), old);
  // An attribute that is left out does what was done before there was one.
  const auto sum = must_read(program_of(kPlainSum, kOld), kNextWords);
  EXPECT_EQ(std::get_if<ops::ReduceCall>(&sum.functions[0].nodes[0].call->of)->parameter, 0);
}

TEST(Versions, NewFilesAreRefusedByTheOld) {
  const std::string both = "it needs Rondo " + kNext.text() + ", and this is " + kOld.text();
  for (const auto& [node, word] : {std::pair(kGated, "kind 'Gated' is not known"),
                                   {kWithParameter, "attribute 'parameter' is not known"},
                                   {kRunningNow, "kind 'Cumulative' is not known"}}) {
    const std::string text = program_of(node, kNext);
    EXPECT_EQ(must_read(text, kNextWords).needs, kNext.text());
    const std::string why = refusal(text, kOldWords);
    EXPECT_NE(why.find(both), std::string::npos) << why;
    EXPECT_NE(why.find(word), std::string::npos) << why;
    EXPECT_NE(why.find("node 0"), std::string::npos) << why;
  }
  // The first word of several.
  const std::string why = refusal(program_of(kWithParameter + ",\n" + kGated, kNext), kOldWords);
  EXPECT_EQ(why.find("Gated"), std::string::npos) << why;
}

// A file that names a version which does not have its words is wrong, whoever reads it.
TEST(Versions, NeedsIsTheNewestWord) {
  for (const auto& [node, needs] :
       {std::pair(kGated, kOld), {kWithParameter, kOld}, {kRunningNow, kOld}, {kPlainSum, kNext}, {kRunning, kNext}}) {
    Program program;
    const Status status = read_program(program_of(node, needs), nullptr, &program, kNextWords);
    EXPECT_EQ(status.code(), RONDO_IO_ERROR) << node;
    EXPECT_NE(std::string(status.message()).find("what it uses needs"), std::string::npos) << status.message();
  }
}

TEST(Versions, FilesAreWrittenForAnOlderReader) {
  EXPECT_EQ(written_for_old(must_read(program_of(kPlainSum, kOld), kNextWords)), "");
  // The changed kind has a name there, as far as it does what it did.
  Program now = must_read(program_of(kRunningNow, kNext), kNextWords);
  EXPECT_EQ(written_for_old(must_read(program_of(kRunningNow, kNext), kNextWords)), "");
  now.needs = needed_version(now, kOldWords);
  EXPECT_EQ(write_program(now, kOldWords), program_of(kRunning, kOld));
  const std::string why = written_for_old(must_read(program_of(kLargest, kNext), kNextWords));
  EXPECT_NE(why.find("the kind 'Cumulative' needs Rondo " + kNext.text()), std::string::npos) << why;
}

TEST(Versions, WordsThatAnOlderReaderLacksAreToldAtOnce) {
  const Program program = must_read(
      program_of(
          kWithParameter + ",\n" +
              R"({"kind":"Gated","with":{"row":"silu","computed":"f32"},"in":{"a":1,"gate":1},"out":{"out":[2,"f32",[2]]}})",
          kNext),
      kNextWords);
  const std::string why = written_for_old(must_read(write_program(program, kNextWords), kNextWords));
  for (const char* each : {"Rondo 0.1 does not know 2 of the words", "node 0 (Reduce): the attribute 'parameter' needs",
                           "node 1 (Gated): the kind 'Gated' needs"})
    EXPECT_NE(why.find(each), std::string::npos) << each << ": " << why;
}

}  // namespace
}  // namespace rondo::program_files
