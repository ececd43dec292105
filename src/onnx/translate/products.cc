// Translates matrix products, and sums of products that are written as letters.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

Tensor matrix_product(const Tensor& a, const Tensor& b) {
  const rondo_dtype dtype = a.dtype();
  if (!is_float(dtype)) return matrix_product(a.to(RONDO_F64), b.to(RONDO_F64)).to(dtype);
  const Shape as = a.shape(), bs = b.shape();
  if (as.empty() || bs.empty()) malformed("an input of the product has no dimensions");
  const Tensor left = as.size() == 1 ? a.unsqueeze(0) : a, right = bs.size() == 1 ? b.unsqueeze(1) : b;
  const Tensor c = rondo::matmul(left, right);
  if (as.size() > 1 && bs.size() > 1) return c;
  Shape shape = c.shape();
  if (bs.size() == 1) shape.pop_back();
  if (as.size() == 1) shape.erase(shape.end() - (bs.size() == 1 ? 1 : 2));
  return c.reshape(shape);
}

namespace {

// An end of a product, by the name that a pattern gives it.
struct End {
  std::string_view name;
  rondo_activation activation;
  rondo_unary_op op;
};
constexpr End kEnds[] = {{"Relu", RONDO_ACTIVATION_RELU, RONDO_RELU},
                         {"Gelu", RONDO_ACTIVATION_GELU_ERF, RONDO_GELU},
                         {"GeluTanh", RONDO_ACTIVATION_GELU, RONDO_GELU_TANH}};

}  // namespace

void matmul_node(Call& call) {
  // A node that stands for a product and a sum has a bias, of one number for each column.
  if (!call.node().rewritten || !call.has(2)) return call.out(0, matrix_product(call.in(0), call.in(1)));
  const auto end = std::find_if(std::begin(kEnds), std::end(kEnds),
                                [after = call.text("activation", "")](const End& each) { return each.name == after; });
  const Tensor bias = call.in(2);
  if (!is_float(call.dtype(0)) || call.ndim(0) < 2 || call.dtype(0) != call.dtype(1)) {
    const Tensor sum = matrix_product(call.in(0), call.in(1)) + bias;
    return call.out(0, end == std::end(kEnds) ? sum : rondo::unary(end->op, sum));
  }
  rondo_matmul_options options = rondo::matmul_defaults();
  options.bias = bias.get();
  if (end != std::end(kEnds)) options.activation = end->activation;
  call.out(0, rondo::matmul(call.in(0), call.in(1), options));
}

void fused_matmul(Call& call) {
  if (call.integer("transBatchA", 0) != 0 || call.integer("transBatchB", 0) != 0) refuse("it exchanges batch axes");
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_a = call.integer("transA", 0) != 0;
  options.transpose_b = call.integer("transB", 0) != 0;
  const double alpha = call.real("alpha", 1);
  const Tensor c = rondo::matmul(call.in(0), call.in(1), options);
  call.out(0, alpha == 1 ? c : c * alpha);
}

void gemm(Call& call) {
  const double alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  const rondo_dtype dtype = call.dtype(0), computed = is_float(dtype) ? dtype : RONDO_F64;
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_a = call.integer("transA", 0) != 0;
  options.transpose_b = call.integer("transB", 0) != 0;
  const Tensor a = call.in(0).to(computed), b = call.in(1).to(computed);
  if (call.ndim(0) != 2 || call.ndim(1) != 2) malformed("its first two inputs are no matrices");
  const int64_t n = call.shape(1)[options.transpose_b ? 0 : 1];
  Tensor bias;
  if (call.has(2) && alpha == 1 && beta == 1 && call.shape(2) == Shape{n} && computed == dtype) {
    bias = call.in(2);
    options.bias = bias.get();
  }
  Tensor c = rondo::matmul(a, b, options);
  if (alpha != 1) c = c * alpha;
  if (call.has(2) && !bias) {
    const Tensor added = call.in(2).to(computed);
    c = c + (beta == 1 ? added : added * beta);
  }
  call.out(0, c.to(dtype));
}

namespace {

// An operand of a sum of products: its axes have letters, each once.
struct Lettered {
  std::string letters;
  Tensor tensor;
};

// Takes apart "ab,bc->ac"; an ellipsis becomes letters that no equation can have.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

Equation read_equation(const std::string& text, const Call& call) {
  std::string clean;
  for (const char each : text) {
    if (each >= '0' && each <= '9') malformed("its equation " + excerpt(text) + " has a digit; its axes are letters");
    if (each != ' ') clean += each;
  }
  const size_t arrow = clean.find("->");
  Equation equation;
  std::string left = clean.substr(0, arrow);
  for (size_t start = 0;;) {
    const size_t comma = left.find(',', start);
    equation.inputs.push_back(left.substr(start, comma == std::string::npos ? comma : comma - start));
    if (comma == std::string::npos) break;
    start = comma + 1;
  }
  if (equation.inputs.size() != call.inputs()) malformed("its equation " + excerpt(text) + " is not for its inputs");
  size_t most = 0;  // axes that an ellipsis stands for
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const size_t dots = equation.inputs[i].find("...");
    const size_t named = equation.inputs[i].size() - (dots == std::string::npos ? 0 : 3);
    const auto ndim = static_cast<size_t>(call.ndim(i));
    if (named > ndim || (dots == std::string::npos && named != ndim))
      malformed("its equation " + excerpt(text) + " is not for its inputs");
    if (dots == std::string::npos) continue;
    most = std::max(most, ndim - named);
  }
  const auto ellipsis = [&](size_t count) {
    std::string letters;
    for (size_t i = most - count; i < most; ++i) letters += static_cast<char>('0' + i);
    return letters;
  };
  const auto spelled = [&](std::string term, size_t count) {
    const size_t dots = term.find("...");
    return dots == std::string::npos ? term : term.replace(dots, 3, ellipsis(count));
  };
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    const bool dots = equation.inputs[i].find("...") != std::string::npos;
    equation.inputs[i] =
        spelled(equation.inputs[i], dots ? static_cast<size_t>(call.ndim(i)) - (equation.inputs[i].size() - 3) : 0);
  }
  std::map<char, int> counts;
  for (const std::string& each : equation.inputs)
    for (const char letter : each) {
      if (!(letter >= 'a' && letter <= 'z') && !(letter >= 'A' && letter <= 'Z') && !(letter >= '0' && letter <= '9'))
        malformed("its equation is " + excerpt(text));
      ++counts[letter];
    }
  if (arrow != std::string::npos) {
    equation.output = spelled(clean.substr(arrow + 2), most);
  } else {
    equation.output = ellipsis(most);
    for (const auto& [letter, count] : counts)
      if (count == 1 && !(letter >= '0' && letter <= '9')) equation.output += letter;
  }
  for (const char letter : equation.output)
    if (!counts.count(letter) || std::count(equation.output.begin(), equation.output.end(), letter) != 1)
      malformed("its equation is " + excerpt(text));
  for (const std::string& each : equation.inputs)
    for (const char letter : each)
      if (std::count(each.begin(), each.end(), letter) != 1)
        refuse("its equation " + excerpt(text) + " takes a diagonal");
  return equation;
}

bool holds(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// The axes in the order of `letters`; those that the operand does not have get the size 1.
Tensor arranged(const Lettered& a, const std::string& letters) {
  std::vector<int64_t> order;
  for (const char letter : letters)
    if (holds(a.letters, letter)) order.push_back(static_cast<int64_t>(a.letters.find(letter)));
  Tensor moved = order.empty() ? a.tensor : a.tensor.transpose(rondo::Axes(order));
  const Shape given = moved.shape();
  Shape shape;
  size_t next = 0;
  for (const char letter : letters) shape.push_back(holds(a.letters, letter) ? given[next++] : 1);
  return moved.reshape(shape);
}

// Adds up the letters that nothing later asks for.
Lettered without(const Lettered& a, const std::string& wanted) {
  std::vector<int64_t> axes;
  std::string left;
  for (size_t i = 0; i < a.letters.size(); ++i)
    if (holds(wanted, a.letters[i]))
      left += a.letters[i];
    else
      axes.push_back(static_cast<int64_t>(i));
  if (axes.empty()) return a;
  return {left, rondo::reduce(RONDO_SUM, a.tensor, rondo::Axes(axes)).to(a.tensor.dtype())};
}

// The product of two operands, by a matrix product where there is something to add up.
Lettered contract(const Lettered& one, const Lettered& other, const std::string& wanted) {
  std::string batch, rows, columns, summed;
  for (const char letter : one.letters)
    (holds(other.letters, letter) ? holds(wanted, letter) ? batch : summed : rows) += letter;
  for (const char letter : other.letters)
    if (!holds(one.letters, letter)) columns += letter;
  const std::string all = batch + rows + columns;
  if (summed.empty() || !is_float(one.tensor.dtype())) {
    const std::string wide = all + summed;
    return without({wide, arranged(one, wide) * arranged(other, wide)}, wanted);
  }
  const Tensor a = arranged(one, batch + rows + summed), b = arranged(other, batch + summed + columns);
  const Shape as = a.shape(), bs = b.shape();
  const size_t n = batch.size(), r = rows.size(), k = summed.size();
  for (size_t i = 0; i < k; ++i)
    if (as[n + r + i] != bs[n + i]) malformed("sizes of a letter of its equation differ");
  Shape left(as.begin(), as.begin() + static_cast<std::ptrdiff_t>(n)),
      right(bs.begin(), bs.begin() + static_cast<std::ptrdiff_t>(n));
  left.insert(left.end(), {product(as, n, n + r), product(as, n + r, as.size())});
  right.insert(right.end(), {product(bs, n, n + k), product(bs, n + k, bs.size())});
  const Tensor c = rondo::matmul(a.reshape(left), b.reshape(right));
  Shape result = c.shape();
  result.resize(n);
  result.insert(result.end(), as.begin() + static_cast<std::ptrdiff_t>(n),
                as.begin() + static_cast<std::ptrdiff_t>(n + r));
  result.insert(result.end(), bs.begin() + static_cast<std::ptrdiff_t>(n + k), bs.end());
  return {all, c.reshape(result)};
}

}  // namespace

void einsum(Call& call) {
  const Equation equation = read_equation(call.text("equation", ""), call);
  Lettered result;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    std::string wanted = equation.output;  // by the result, and by operands that are still to come
    for (size_t k = i + 1; k < equation.inputs.size(); ++k) wanted += equation.inputs[k];
    const std::string before = i == 0 ? "" : result.letters;
    const Lettered next = without({equation.inputs[i], call.in(i)}, wanted + before);
    result = i == 0 ? next : without(contract(result, next, wanted), wanted);
  }
  call.out(0, arranged(result, equation.output));
}

}  // namespace rondo_onnx
