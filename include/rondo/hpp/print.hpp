// Tensors as text, as NumPy prints arrays. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_PRINT_HPP
#define RONDO_HPP_PRINT_HPP

#include <rondo/hpp/operators.hpp>
#include <rondo/hpp/shapes.hpp>
#include <rondo/hpp/tape.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace rondo {
inline namespace abi_0 {
namespace detail {

constexpr int64_t kPrintedWhole = 1000;  // elements that are printed without leaving any out
constexpr int64_t kPrintedEdge = 3;      // places of each axis that are printed at either end then
constexpr int kShortest = -1;            // digits: as many as tell a number from its neighbours

// By no locale, as programs read numbers.
inline std::string text_of_number(double value, int digits, std::ios_base::fmtflags format) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.setf(format, std::ios_base::floatfield);
  text << std::setprecision(digits) << value;
  return text.str();
}
inline std::string text_of_number(double value, bool single, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (digits != kShortest) return text_of_number(value, digits, std::ios_base::fixed);
  for (int after_first = 0;; ++after_first) {
    const std::string text = text_of_number(value, after_first, std::ios_base::scientific);
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double back = 0;
    stream >> back;
    if (back != value && !(single && static_cast<float>(back) == static_cast<float>(value)) && after_first < 17)
      continue;
    const int exponent = std::stoi(text.substr(text.find('e') + 1));
    if (exponent < -5 || exponent >= 16) return text;
    return text_of_number(value, std::max(after_first - exponent, 1), std::ios_base::fixed);
  }
}

inline std::vector<std::string> texts_of_elements(const Tensor& tensor, rondo_dtype dtype, int digits) {
  std::vector<std::string> texts;
  const auto all = [&](const auto& values, const auto& text) {
    texts.reserve(values.size());
    for (const auto value : values) texts.push_back(text(value));
  };
  switch (dtype) {
    case RONDO_BOOL:
      all(tensor.read<uint8_t>(), [](uint8_t value) { return std::string(value ? "true" : "false"); });
      break;
    case RONDO_U64: all(tensor.read<uint64_t>(), [](uint64_t value) { return std::to_string(value); }); break;
    case RONDO_F64:
      all(tensor.read<double>(), [&](double value) { return text_of_number(value, false, digits); });
      break;
    case RONDO_F16:
    case RONDO_BF16:
    case RONDO_F32:
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2:
      all(tensor.to(RONDO_F32).read<float>(),
          [&](float value) { return text_of_number(static_cast<double>(value), true, digits); });
      break;
    default: all(tensor.to(RONDO_I64).read<int64_t>(), [](int64_t value) { return std::to_string(value); });
  }
  return texts;
}

struct Printed {
  Shape shape;
  bool elide;
  size_t width;
  std::vector<std::string>::const_iterator next;
  std::string text;

  void axis(size_t number) {
    if (number == shape.size()) {
      text += std::string(width - next->size(), ' ') + *next;
      ++next;
      return;
    }
    const bool shorten = elide && shape[number] > 2 * kPrintedEdge;
    const int64_t places = shorten ? 2 * kPrintedEdge : shape[number];
    text += '[';
    for (int64_t place = 0; place < places; ++place) {
      if (place > 0) separate(number);
      if (shorten && place == kPrintedEdge) {
        text += "...";
        separate(number);
      }
      axis(number + 1);
    }
    text += ']';
  }
  // Between neighbours of an axis: a blank within a row, as many new lines as axes lie within elsewhere.
  void separate(size_t number) {
    const size_t within = shape.size() - number - 1;
    text += within == 0 ? std::string(", ") : ',' + std::string(within, '\n') + std::string(number + 1, ' ');
  }
};

inline std::string text_of_tensor(const Tensor& tensor, int digits) {
  const rondo_tensor_info facts = tensor.info();
  std::string kind = to_string(facts.dtype) + " [";
  for (int32_t i = 0; i < facts.ndim; ++i) kind += (i ? ", " : "") + std::to_string(facts.shape[i]);
  kind += "] on " + to_string(facts.device);
  if (tensor.engine() && Engine(tensor.engine(), borrowed).recording()) return "Tensor of a recording: " + kind;
  const NoGradients unnoted;
  Printed printed{tensor.shape(), facts.elements > kPrintedWhole, 0, {}, {}};
  // Only what is printed is copied from the device.
  Tensor shown = tensor;
  for (size_t i = 0; printed.elide && i < printed.shape.size(); ++i) {
    const auto axis = static_cast<int32_t>(i);
    const int64_t size = printed.shape[i];
    if (size > 2 * kPrintedEdge)
      shown = concat({shown.slice(axis, 0, kPrintedEdge), shown.slice(axis, size - kPrintedEdge, size)}, axis);
  }
  const std::vector<std::string> texts = texts_of_elements(shown, facts.dtype, digits);
  for (const std::string& each : texts) printed.width = std::max(printed.width, each.size());
  printed.next = texts.begin();
  printed.axis(0);
  return printed.text + ' ' + kind;
}

}  // namespace detail

// The elements, in brackets by axis, with dtype, shape and device; of more than 1000 the first and last three of each
// axis. std::fixed and std::setprecision hold for floats. Waits for the elements. Where they cannot be had, it writes
// why.
inline std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  if (!tensor) return stream << "Tensor()";
  const bool fixed = (stream.flags() & std::ios_base::floatfield) == std::ios_base::fixed;
  const int digits = fixed ? static_cast<int>(stream.precision()) : detail::kShortest;
  try {
    return stream << detail::text_of_tensor(tensor, digits);
  } catch (const Error& error) {
    return stream << "Tensor(" << error.what() << ')';
  }
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_PRINT_HPP
