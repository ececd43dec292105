// Programs whose sizes vary, where these are few or small: all of few sizes are recorded, and what is done about one
// row or none is what is done about more. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "model_files/program_sizes.h"

namespace conformance {
namespace {

class ProgramSmallSizes : public ProgramSizes {};
CONFORMANCE_ENGINE_SUITE(ProgramSmallSizes);

// A branch that is taken for one row only, or for none.
TEST_P(ProgramSmallSizes, BranchesAreRefused) {
  const Tensor w = up(numbers({8, 4})), w2 = up(numbers({4}));
  Sized sized = {[](const Dims& dims) {
                   return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                 },
                 [&](const std::vector<Tensor>& in, const Dims& dims) {
                   return list(make(rondo_binary_scalar, RONDO_MUL, in[0], dims[0] == 1 ? 3.0 : 2.0));
                 }};
  const auto refused = [&](int64_t least, int64_t most, const std::string& where) {
    expect_refused(save_sized(sized, {{"n", least, most}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                   where.c_str());
  };
  for (const int64_t least : {0, 1})
    for (const int64_t most : {4, 9, 64}) refused(least, most, "at n = 1");
  // Another operator, another part of a tensor, and another tensor.
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    return list(make(rondo_unary, dims[0] == 1 ? RONDO_ABS : RONDO_NEG, in[0]));
  };
  for (const int64_t most : {2, 3, 64}) refused(1, most, "at n = 1");
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    const int64_t row = dims[0] == 1 ? 5 : 0;
    return list(make(rondo_binary, RONDO_ADD, in[0], slice(w, 0, row, row + 1)));
  };
  for (const int64_t most : {3, 64}) refused(1, most, "at n = 1");
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    const Tensor part = slice(w, 0, 2, 3);
    return list(make(rondo_binary, RONDO_ADD, in[0], dims[0] == 1 ? w2 : part));
  };
  for (const int64_t most : {2, 64}) refused(1, most, "at n = 1");
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    const double first = dims[0] == 1 ? 3 : 2;
    const Tensor rate = make(rondo_record_parameter, engine(), "rate", device(), RONDO_F32, first);
    return list(make(rondo_binary, RONDO_MUL, slice(in[0], 0, dims[0] - 1, dims[0]), rate));
  };
  refused(1, 64, "at n = 1");
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    return list(reduce(dims[0] == 0 ? RONDO_PROD : RONDO_SUM, in[0], {0}));
  };
  for (const int64_t most : {2, 64}) refused(0, most, "at n = 0");
}

// Of several sizes the one is named that the branch asks for, also where it is not taken if all of them are 1.
TEST_P(ProgramSmallSizes, OneOfSeveralIsNamed) {
  Sized sized = {[](const Dims& dims) { return std::vector<Kind>{{RONDO_F32, {dims[0], dims[1]}}}; }, nullptr};
  const auto refused = [&](const std::function<bool(const Dims&)>& branch, const char* where) {
    sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
      return list(make(rondo_unary, branch(dims) ? RONDO_ABS : RONDO_NEG, in[0]));
    };
    expect_refused(save_sized(sized, {{"B", 1, 64}, {"T", 1, 64}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                   where);
    EXPECT_EQ(std::string(rondo_last_error()).find("B = 1, T = 1 "), std::string::npos) << rondo_last_error();
  };
  refused([](const Dims& dims) { return dims[0] == 1; }, "at B = 1, T = 7");
  refused([](const Dims& dims) { return dims[1] == 1; }, "at B = 5, T = 1");
  refused([](const Dims& dims) { return dims[0] != 1 && dims[1] == 1; }, "at B = 5, T = 1");
}

// There are too few sizes to try what was found at others.
TEST_P(ProgramSmallSizes, FewAreAllRecorded) {
  const Tensor w = up(numbers({4, 3})), table = up(numbers({8, 4}));
  Sized sized = {[](const Dims& dims) {
                   return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                 },
                 [&](const std::vector<Tensor>& in, const Dims& dims) {
                   const Tensor half = slice(table, 0, 0, (dims[0] + 1) / 2);
                   return list(make(rondo_matmul, in[0], w, nullptr), make(rondo_unary, RONDO_NEG, half));
                 }};
  const auto same = [&](int64_t least, int64_t most, size_t outputs) {
    int recordings = 0;
    must(save_sized(sized, {{"n", least, most}}, &recordings));
    EXPECT_LE(recordings, most - least + 1);
    std::vector<Dims> all;
    for (int64_t n = least; n <= most; ++n) all.push_back({n});
    same_at(sized, all, outputs);
    const std::string program = text(open(path()));
    EXPECT_NE(program.find("[\"input0\",\"f32\",[\"n\",4]]"), program.npos) << program;
  };
  same(1, 3, 2);
  same(1, 4, 2);
  same(2, 3, 2);
  same(1, 1 + 4, 2);
  sized.body = [&](const std::vector<Tensor>& in, const Dims&) {
    return list(make(rondo_unary, RONDO_NEG, in[0]), make(rondo_binary, RONDO_ADD, in[0], in[0]));
  };
  for (const auto& [least, most] : {std::pair{1, 2}, {0, 1}, {0, 2}, {0, 3}}) same(least, most, 2);
  // At 1 this is the whole, so that the other sizes alone decide what it is: n - 1 is refused.
  sized.body = [&](const std::vector<Tensor>& in, const Dims& dims) {
    return list(make(rondo_unary, RONDO_NEG, slice(in[0], 0, 0, (dims[0] + 1) / 2)));
  };
  expect_refused(save_sized(sized, {{"n", 1, 3}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims", "at n = 1");
  same(1, 4, 1);
  // Several of them, and one with more.
  sized = {[](const Dims& dims) {
             return std::vector<Kind>{{RONDO_F32, {dims[0], dims[1], dims[2]}}};
           },
           [&](const std::vector<Tensor>& in, const Dims& dims) {
             const Tensor rows = reshape(in[0], {dims[0] * dims[1], dims[2]});
             return list(make(rondo_copy, transpose(rows, {1, 0})), reduce(RONDO_SUM, rows, {0}));
           }};
  int recordings = 0;
  must(save_sized(sized, {{"B", 1, 2}, {"T", 1, 3}, {"C", 1, 64}}, &recordings));
  EXPECT_LE(recordings, 14);
  same_at(sized, {{1, 1, 1}, {1, 3, 7}, {2, 1, 64}, {2, 2, 1}, {2, 3, 33}}, 2);
  must(save_sized(encoder(), {{"B", 1, 2}, {"T", 1, 3}}, &recordings));
  EXPECT_EQ(recordings, 6);
  same_at(encoder(), {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}}, 2);
  must(save_sized(encoder(), {{"B", 2, 2}, {"T", 0, 64}}));
  same_at(encoder(), {{2, 0}, {2, 1}, {2, 50}}, 2);
}

// Parts of one row are the whole, and a tensor whose axes have one element is row-major.
TEST_P(ProgramSmallSizes, NodesOfOneRowMayBeFewer) {
  Sized sized = {[](const Dims& dims) {
                   return std::vector<Kind>{{RONDO_F32, {dims[0], 4}}};
                 },
                 [&](const std::vector<Tensor>& in, const Dims& dims) {
                   const Tensor last = slice(in[0], 0, dims[0] - 1, dims[0]), turned = transpose(in[0], {1, 0});
                   const Tensor square = make(rondo_unary, RONDO_SQUARE, last);
                   const Tensor rows = query(turned).contiguous ? reshape(turned, {2, 2 * dims[0]})
                                                                : reshape(make(rondo_copy, turned), {2, 2 * dims[0]});
                   return list(make(rondo_unary, RONDO_NEG, rows), make(rondo_binary, RONDO_ADD, square, last));
                 }};
  must(save_sized(sized, {{"n", 1, 64}}));
  same_at(sized, {{1}, {2}, {9}, {64}}, 2);
  must(save_sized(sized, {{"n", 1, 3}}));
  same_at(sized, {{1}, {2}, {3}}, 2);
  // With two sizes there is one with these nodes only.
  expect_refused(save_sized(sized, {{"n", 1, 2}}), RONDO_UNSUPPORTED, "rondo_program_save_with_dims",
                 "unlike at n = 2");
}

}  // namespace
}  // namespace conformance
