// Translates convolutions, pooling and batch normalisation. Slices stand for pooling that the library does not have
// (integers, more than three axes, means of windows with gaps, padding as wide as a window): one axis after the other,
// which gives the same largest element, and for means the same sum but for roundings.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/file/whole_numbers.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// Says where the windows of a convolution or of pooling lie, by spatial axis.
struct Windows {
  std::vector<int64_t> kernel, stride, dilation, begin, end, places;
  size_t axes() const { return kernel.size(); }
};

constexpr int64_t kMostKernel = int64_t{1} << 31, kMostSize = int64_t{1} << 47;

// Refuses sizes of a kernel that are none, and those with which places of windows would overflow.
void check_kernel(const std::vector<int64_t>& kernel) {
  for (const int64_t each : kernel)
    if (each < 1 || each > kMostKernel) malformed("its kernel has the size " + std::to_string(each));
}

std::vector<int64_t> positive(const Call& call, const char* name, size_t count, int64_t least) {
  std::vector<int64_t> all = call.integers(name);
  if (all.empty()) all.assign(count, least);
  if (all.size() != count)
    malformed("its attribute " + excerpt(name) + " has " + std::to_string(all.size()) + " numbers, not " +
              std::to_string(count));
  for (const int64_t each : all)
    if (each < least || each > (int64_t{1} << 31))
      malformed("its attribute " + excerpt(name) + " has the number " + std::to_string(each));
  return all;
}

Windows windows_of(const Call& call, const Shape& shape, const std::vector<int64_t>& kernel) {
  if (shape.size() < 3) malformed("its input has " + std::to_string(shape.size()) + " dimensions; it needs 3 or more");
  Windows w;
  w.kernel = kernel;
  const size_t n = kernel.size();
  if (n != shape.size() - 2) malformed("its kernel has another number of axes than its input");
  check_kernel(kernel);
  w.stride = positive(call, "strides", n, 1);
  w.dilation = positive(call, "dilations", n, 1);
  const std::string automatic = call.text("auto_pad", "NOTSET");
  std::vector<int64_t> pads = positive(call, "pads", 2 * n, 0);
  const bool ceil = call.integer("ceil_mode", 0) != 0;
  for (size_t i = 0; i < n; ++i) {
    const int64_t size = shape[i + 2], extent = w.dilation[i] * (kernel[i] - 1) + 1;
    if (size > kMostSize) malformed("its input has the size " + std::to_string(size));
    int64_t begin = pads[i], end = pads[i + n], places = 0;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      places = size == 0 ? 0 : (size - 1) / w.stride[i] + 1;
      const int64_t all = std::max<int64_t>((places - 1) * w.stride[i] + extent - size, 0);
      begin = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
      end = all - begin;
    } else {
      if (automatic == "VALID") begin = end = 0;
      const int64_t room = size + begin + end - extent;
      if (room < 0) malformed("its kernel is larger than its input");
      places = room / w.stride[i] + 1;
      // A last window that is there in part counts, unless it begins in the padding after the end.
      if (ceil && room % w.stride[i] != 0 && places * w.stride[i] < size + begin) ++places;
    }
    w.begin.push_back(begin);
    w.end.push_back(end);
    w.places.push_back(places);
  }
  return w;
}

// Combines the elements of all windows, axis by axis.
Tensor pooled(Tensor x, const Windows& w, rondo_binary_op op, double outside) {
  Shape shape = {x.size(0), x.size(1)};
  shape.insert(shape.end(), w.places.begin(), w.places.end());
  if (product(x.shape()) == 0 && product(shape) == 0) return x.reshape(shape);
  for (size_t i = 0; i < w.axes(); ++i) {
    const auto axis = static_cast<int32_t>(i + 2);
    const int64_t size = x.size(axis), reach = (w.places[i] - 1) * w.stride[i];
    const int64_t after = std::max<int64_t>(reach + w.dilation[i] * (w.kernel[i] - 1) + 1 - size - w.begin[i], 0);
    if (w.begin[i] > 0 || after > 0) {
      std::vector<int64_t> widths(static_cast<size_t>(2 * x.dim()), 0);
      widths[static_cast<size_t>(2 * axis)] = w.begin[i];
      widths[static_cast<size_t>(2 * axis) + 1] = after;
      x = rondo::pad(x, RONDO_PAD_CONSTANT, widths, outside);
    }
    Tensor result;
    for (int64_t k = 0; k < w.kernel[i]; ++k) {
      const int64_t start = k * w.dilation[i];
      const Tensor part = x.slice(axis, start, start + reach + 1, w.stride[i]);
      result = result ? rondo::binary(op, result, part) : part;
    }
    x = result;
  }
  return x;
}

constexpr int64_t kLongestAxis = int64_t{1} << 22;  // the library's pooling has a list of the places along each axis

// The library's pooling of these windows; false where it has none, or makes another number of places.
bool pool_options(const Call& call, const Windows& w, const Shape& shape, rondo_pool_options* options) {
  if (!is_float(call.dtype(0)) || rondo_dtype_size(call.dtype(0)) < 2 || w.axes() > RONDO_MAX_SPATIAL) return false;
  *options = rondo::pool_defaults();
  options->ceil_mode = call.integer("ceil_mode", 0) != 0 && call.text("auto_pad", "NOTSET") == "NOTSET";
  for (size_t i = 0; i < w.axes(); ++i) {
    const int64_t extent = w.dilation[i] * (w.kernel[i] - 1) + 1, size = shape[i + 2];
    if (size < 1 || shape[0] < 1 || shape[1] < 1 || w.begin[i] >= extent || w.end[i] >= extent || size > kLongestAxis ||
        w.places[i] > kLongestAxis)
      return false;
    const int64_t room = size + w.begin[i] + w.end[i] - extent;
    int64_t places = room / w.stride[i] + 1;
    if (options->ceil_mode && room % w.stride[i] != 0 && places * w.stride[i] < size + w.begin[i]) ++places;
    if (places != w.places[i]) return false;
    options->stride[i] = w.stride[i];
    options->padding[i] = w.begin[i];
    options->padding_end[i] = w.end[i];
    options->dilation[i] = w.dilation[i];
  }
  return true;
}

constexpr int64_t kMostTaps = 4096;  // slices that one pooling may become

void check_taps(const Windows& w) {
  int64_t taps = 0;
  for (const int64_t each : w.kernel) taps += each;
  if (taps > kMostTaps)
    refuse("its kernel has " + std::to_string(taps) + " elements along its axes; at most " + std::to_string(kMostTaps) +
           " can be converted");
}

double lowest(rondo_dtype dtype) {
  switch (dtype) {
    case RONDO_I8: return -128;
    case RONDO_U8:
    case RONDO_U16:
    case RONDO_U32:
    case RONDO_U64: return 0;
    case RONDO_I16: return -32768;
    case RONDO_I32: return -2147483648.0;
    case RONDO_I64: return -9223372036854775808.0;
    default: return -std::numeric_limits<double>::infinity();
  }
}

// How many elements each window has, as a tensor that broadcasts over samples and channels.
Tensor window_counts(const Call& call, const Windows& w, const Shape& shape, bool padding, rondo_dtype dtype) {
  std::vector<double> counts = {1};
  Shape sizes = {1, 1};
  for (size_t i = 0; i < w.axes(); ++i) {
    constexpr int64_t kMostWindows = int64_t{1} << 26;
    if (w.places[i] > kMostWindows / std::max<int64_t>(static_cast<int64_t>(counts.size()), 1))
      refuse("it has too many windows");
    const int64_t low = padding ? -w.begin[i] : 0, high = shape[i + 2] + (padding ? w.end[i] : 0);
    call.may_take<double>(w.places[i] * (static_cast<int64_t>(counts.size()) + 1));
    std::vector<double> along;
    for (int64_t place = 0; place < w.places[i]; ++place) {
      double here = 0;
      for (int64_t k = 0; k < w.kernel[i]; ++k) {
        const int64_t at = place * w.stride[i] - w.begin[i] + k * w.dilation[i];
        here += at >= low && at < high;
      }
      along.push_back(here);
    }
    std::vector<double> wider;
    for (const double each : counts)
      for (const double here : along) wider.push_back(each * here);
    counts = std::move(wider);
    sizes.push_back(w.places[i]);
  }
  return call.constant_reals(dtype, sizes, counts);
}

bool is_half(rondo_dtype dtype) {
  return dtype == RONDO_F16 || dtype == RONDO_BF16;
}

// The order of axes with channels last, and the one that leads back.
struct ChannelsLast {
  std::vector<int64_t> last{0}, back{0};
  explicit ChannelsLast(size_t axes) {
    back.push_back(static_cast<int64_t>(axes) - 1);
    for (size_t d = 2; d < axes; ++d) {
      last.push_back(static_cast<int64_t>(d));
      back.push_back(static_cast<int64_t>(d) - 1);
    }
    last.push_back(1);
  }
};

// With so many zeros more at the end of the last axis.
Tensor with_zeros(const Tensor& x, int64_t more) {
  std::vector<int64_t> widths(2 * x.shape().size(), 0);
  widths.back() = more;
  return rondo::pad(x, RONDO_PAD_CONSTANT, widths).contiguous();
}

// The image, copied if its channels are not neighbours in memory, or so many channels of zeros are to follow. Results
// of it keep the order.
Tensor with_channels_last(const Tensor& x, int64_t more) {
  const Shape shape = x.shape();
  if (more == 0 && (shape.size() < 3 || shape[1] == 1 || x.strides()[1] == 1)) return x;
  const ChannelsLast axes(shape.size());
  const Tensor turned = x.transpose(rondo::Axes(axes.last));
  return (more == 0 ? turned.clone() : with_zeros(turned, more)).transpose(rondo::Axes(axes.back));
}

rondo_convolution_options convolution_of(const Call& call, const Windows& w, const Tensor* bias) {
  rondo_convolution_options options = rondo::convolution_defaults();
  if (w.axes() > RONDO_MAX_SPATIAL)
    refuse("it has " + std::to_string(w.axes()) + " spatial axes; at most 3 can be converted");
  for (size_t i = 0; i < w.axes(); ++i) {
    options.stride[i] = w.stride[i];
    options.padding[i] = w.begin[i];
    options.padding_end[i] = w.end[i];
    options.dilation[i] = w.dilation[i];
  }
  options.groups = call.integer("group", 1);
  if (bias) options.bias = bias->get();
  if (call.node().rewritten && call.text("activation", "") == "Relu") options.activation = RONDO_ACTIVATION_RELU;
  return options;
}

std::vector<int64_t> kernel_of(const Shape& w) {
  if (w.size() < 3) malformed("its filter has " + std::to_string(w.size()) + " dimensions; it needs 3 or more");
  return {w.begin() + 2, w.end()};
}

}  // namespace

Tensor convolved(Call& call, const Tensor& x, const Tensor& w, const Tensor* bias, int64_t more) {
  const Windows windows = windows_of(call, x.shape(), kernel_of(w.shape()));
  const bool turned = is_half(x.dtype()) && !call.folding();
  return rondo::convolution(turned ? with_channels_last(x, more) : x, w, convolution_of(call, windows, bias));
}

namespace {

// The image with the number around it that stands for 0, which may be none: 0.
Tensor surrounded(Tensor x, const Windows& windows, const Tensor& zero) {
  if (!zero) {
    std::vector<int64_t> widths(4, 0);
    for (size_t i = 0; i < windows.axes(); ++i) widths.insert(widths.end(), {windows.begin[i], windows.end[i]});
    return rondo::pad(x, RONDO_PAD_CONSTANT, widths);
  }
  for (size_t i = 0; i < windows.axes(); ++i) {
    const auto axis = static_cast<int32_t>(i + 2);
    std::vector<Tensor> parts = {x};
    const auto border = [&](int64_t size) {
      Shape shape = x.shape();
      shape[i + 2] = size;
      return zero.reshape({}).broadcast(shape);
    };
    if (windows.begin[i] > 0) parts.insert(parts.begin(), border(windows.begin[i]));
    if (windows.end[i] > 0) parts.push_back(border(windows.end[i]));
    if (parts.size() > 1) x = rondo::concat(parts, axis);
  }
  return x;
}

// The elements that each result reads of the image, for each place of the filter: [batch, channels, places of the
// filter, results].
Tensor columns_of(const Tensor& x, const Windows& windows) {
  const int64_t offsets = product(windows.kernel);
  std::vector<Tensor> parts;
  for (int64_t number = 0; number < offsets; ++number) {
    Tensor part = x;
    int64_t rest = number;
    for (size_t i = windows.axes(); i-- > 0; rest /= windows.kernel[i]) {
      const int64_t first = rest % windows.kernel[i] * windows.dilation[i];
      part = part.slice(static_cast<int32_t>(i + 2), first, first + (windows.places[i] - 1) * windows.stride[i] + 1,
                        windows.stride[i]);
    }
    parts.push_back(part);
  }
  const Tensor all = parts.size() == 1 ? parts[0].contiguous() : rondo::stack(parts, 2);
  return all.reshape({x.size(0), x.size(1), offsets, product(windows.places)});
}

}  // namespace

Tensor integer_convolved(Call& call, const Tensor& x, const Tensor& w, const Tensor& x_zero, const Tensor& w_zero) {
  const Windows windows = windows_of(call, x.shape(), kernel_of(w.shape()));
  const Shape image = x.shape(), filters = w.shape();
  const int64_t groups = call.integer("group", 1), depth = product(filters, 1, filters.size());
  const bool fits =
      groups >= 1 && filters[0] % groups == 0 && image[1] % groups == 0 && image[1] / groups == filters[1];
  const bool gains = depth >= kLeastDepth && product(windows.kernel) <= kMostOffsets && product(windows.places) > 0;
  if (!fits || !gains || image[0] == 0 || filters[0] == 0 || windows.axes() > RONDO_MAX_SPATIAL) return {};
  const Tensor columns =
      columns_of(surrounded(x, windows, x_zero), windows).reshape({image[0], groups, depth, product(windows.places)});
  const int64_t of_group = filters[0] / groups;
  Tensor filter_zero = w_zero;
  if (w_zero && w_zero.numel() > 1 && w_zero.numel() != filters[0])
    malformed("w_zero_point has " + std::to_string(w_zero.numel()) + " numbers; 1, or one for each of " +
              std::to_string(filters[0]) + " filters, are needed");
  if (w_zero && w_zero.numel() > 1) filter_zero = w_zero.reshape({groups, of_group, 1});
  const Tensor sums = rondo::matmul_integer(w.reshape({groups, of_group, depth}), columns,
                                            filter_zero ? &filter_zero : nullptr, x_zero ? &x_zero : nullptr);
  Shape shape = {image[0], filters[0]};
  shape.insert(shape.end(), windows.places.begin(), windows.places.end());
  return sums.reshape(shape);
}

namespace {

// Convolutions of 16 bits are done with channels last. A constant filter in another order would be copied in each
// launch.
bool lies_channels_last(const Call& call) {
  const Shape w = call.shape(1);
  return call.constant(1) && !call.folding() && is_half(call.dtype(1)) && w.size() > 2 && w[1] > 1 &&
         product(w, 2, w.size()) > 1;
}

// How many channels of zeros a filter of few channels, as those of a color, gets with the image: tensor cores take
// eight at a time, of fewer a library makes copies in each launch. Zeros change no sum.
int64_t missing_channels(const Call& call) {
  constexpr int64_t kTogether = 8;
  if (!lies_channels_last(call) || call.integer("group", 1) != 1) return 0;
  const Shape x = call.shape(0), w = call.shape(1);
  return x.size() == w.size() && x[1] == w[1] && w[1] < kTogether ? kTogether - w[1] : 0;
}

// Turns the filter that `make` computes of constants into a weight with channels last, of which it gives a view in the
// order of filters.
Tensor filter_channels_last(Call& call, int64_t more, const std::function<Tensor()>& make) {
  const ChannelsLast axes(call.shape(1).size());
  const Tensor lying = call.precomputed([&] {
    const Tensor filter = make();
    const auto turned = [&] {
      const Tensor last = filter.transpose(rondo::Axes(axes.last));
      return more == 0 ? last.clone() : with_zeros(last, more);
    };
    const char* const ending = more == 0 ? ".channels_last" : ".more_channels_last";
    return filter.is_contiguous() ? call.session().once(filter, ending, turned) : turned();
  });
  return lying.transpose(rondo::Axes(axes.back));
}

// A convolution with the batch normalisation that follows it, whose scale, shift, mean and variance are the inputs from
// 3 on. Filter and bias are computed once, in f64.
void normalised_convolution(Call& call) {
  const rondo_dtype dtype = call.dtype(0);
  const Shape w = call.shape(1);
  if (w.empty()) malformed("its filter has no dimensions");
  Shape sizes(w.size(), 1);
  sizes[0] = w[0];
  for (size_t i = 3; i < 7; ++i)
    if (call.shape(i) != Shape{w[0]}) malformed("its statistics are not of as many channels as it has");
  if (call.dtype(1) != dtype || (call.has(2) && call.dtype(2) != dtype))
    malformed("its filter or its bias has another type than its input");
  if (call.has(2) && call.shape(2) != Shape{w[0]}) malformed("its bias is not of as many channels as it has");
  const double epsilon = call.real("epsilon", 1e-5);
  const auto wide = [&](size_t i) { return call.in(i).to(RONDO_F64); };
  const auto factor = [&] { return wide(3) * rondo::rsqrt(wide(6) + epsilon); };
  const auto folded = [&] { return (wide(1) * factor().reshape(sizes)).to(dtype); };
  const int64_t more = missing_channels(call);
  const Tensor filter = lies_channels_last(call) ? filter_channels_last(call, more, folded) : call.precomputed(folded);
  const Tensor bias = call.precomputed([&] {
    const Tensor before = call.has(2) ? wide(2) - wide(5) : rondo::neg(wide(5));
    return (before * factor() + wide(4)).to(dtype);
  });
  call.out(0, convolved(call, call.in(0), filter, &bias, more));
}

}  // namespace

void convolution_node(Call& call) {
  if (call.node().rewritten && call.has(3)) return normalised_convolution(call);
  const Tensor bias = call.has(2) ? call.in(2) : Tensor();
  const int64_t more = missing_channels(call);
  const Tensor filter =
      lies_channels_last(call) ? filter_channels_last(call, more, [&] { return call.in(1); }) : call.in(1);
  call.out(0, convolved(call, call.in(0), filter, call.has(2) ? &bias : nullptr, more));
}

void convolution_transposed(Call& call) {
  const Shape s = call.shape(0);
  const std::vector<int64_t> kernel = kernel_of(call.shape(1));
  const size_t n = kernel.size();
  if (s.size() != n + 2) malformed("its kernel has another number of axes than its input");
  check_kernel(kernel);
  Windows w;
  w.kernel = kernel;
  w.stride = positive(call, "strides", n, 1);
  w.dilation = positive(call, "dilations", n, 1);
  const std::vector<int64_t> pads = positive(call, "pads", 2 * n, 0), more = positive(call, "output_padding", n, 0);
  const std::vector<int64_t> wanted = call.integers("output_shape");
  if (!wanted.empty() && wanted.size() != n) malformed("its output_shape has another number of axes than its kernel");
  const std::string automatic = call.text("auto_pad", "NOTSET");
  for (size_t i = 0; i < n; ++i) {
    int64_t begin = pads[i], end = pads[i + n];
    if (s[i + 2] > kMostKernel) refuse("its input has the size " + std::to_string(s[i + 2]));
    if (!wanted.empty() && (wanted[i] < 0 || wanted[i] > kMostSize))
      malformed("its output_shape has the number " + std::to_string(wanted[i]));
    const int64_t whole = (s[i + 2] - 1) * w.stride[i] + w.dilation[i] * (kernel[i] - 1) + 1 + more[i];
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (!wanted.empty() || same) {
      const int64_t size = wanted.empty() ? s[i + 2] * w.stride[i] : wanted[i];
      const int64_t all = whole - size;
      if (all < 0) refuse("its result is larger than its windows reach");
      begin = automatic == "SAME_UPPER" || !same ? all / 2 : all - all / 2;
      if (!wanted.empty() && automatic != "SAME_UPPER") begin = all - all / 2;
      end = all - begin;
    } else if (automatic == "VALID") {
      begin = end = 0;
    }
    w.begin.push_back(begin);
    w.end.push_back(end);
  }
  const Tensor bias = call.has(2) ? call.in(2) : Tensor();
  rondo_convolution_options options = convolution_of(call, w, call.has(2) ? &bias : nullptr);
  options.transposed = 1;
  for (size_t i = 0; i < n; ++i) options.output_padding[i] = more[i];
  call.out(0, rondo::convolution(call.in(0), call.in(1), options));
}

void max_pool_node(Call& call) {
  if (call.wants(1)) refuse("the places of its largest elements are asked for");
  const Windows w = windows_of(call, call.shape(0), call.integers("kernel_shape"));
  if (rondo_pool_options options; pool_options(call, w, call.shape(0), &options))
    return call.out(0, rondo::max_pool(call.in(0), w.kernel, options));
  check_taps(w);
  call.out(0, pooled(call.in(0), w, RONDO_MAXIMUM, lowest(call.dtype(0))));
}

void average_pool(Call& call) {
  const Windows w = windows_of(call, call.shape(0), call.integers("kernel_shape"));
  const bool padding = call.integer("count_include_pad", 0) != 0;
  const bool gaps = std::any_of(w.dilation.begin(), w.dilation.end(), [](int64_t each) { return each != 1; });
  if (rondo_pool_options options; !gaps && pool_options(call, w, call.shape(0), &options)) {
    options.count_include_pad = padding;
    return call.out(0, rondo::avg_pool(call.in(0), w.kernel, options));
  }
  check_taps(w);
  const Tensor sum = pooled(call.in(0), w, RONDO_ADD, 0);
  call.out(0, sum / window_counts(call, w, call.shape(0), padding, call.dtype(0)));
}

void lp_pool(Call& call) {
  const Windows w = windows_of(call, call.shape(0), call.integers("kernel_shape"));
  check_taps(w);
  const auto p = static_cast<double>(call.integer("p", 2));
  if (p < 1) malformed("its norm is of the order " + std::to_string(p));
  const Tensor x = call.in(0);
  const Tensor powers = p == 1   ? rondo::abs(x)
                        : p == 2 ? rondo::square(x)
                                 : rondo::binary(RONDO_POW, rondo::abs(x), rondo::Number(p));
  const Tensor sum = pooled(powers, w, RONDO_ADD, 0);
  call.out(0, p == 1 ? sum : p == 2 ? rondo::sqrt(sum) : rondo::binary(RONDO_POW, sum, rondo::Number(1 / p)));
}

void global_reduction(Call& call, rondo_reduce_op op) {
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < call.ndim(0); ++i) axes.push_back(i);
  if (axes.empty()) return call.forward(0, 0);
  call.out(0, rondo::reduce(op, call.in(0), rondo::Axes(axes), true));
}

void batch_normalization(Call& call) {
  if (call.integer("spatial", 1) == 0) refuse("its statistics are of single elements (spatial), not of channels");
  const bool untested = call.opset() < 7 && call.integer("is_test", 0) == 0;
  if (untested || call.integer("training_mode", 0) != 0)
    refuse("it is used for training; programs are converted for inference");
  for (size_t i = 1; i < call.outputs(); ++i)
    if (call.wants(i)) refuse("its statistics are asked for; programs are converted for inference");
  const Shape s = call.shape(0);
  if (s.size() < 2) malformed("its input has " + std::to_string(s.size()) + " dimensions; it needs 2 or more");
  Shape sizes(s.size() - 1, 1);
  sizes[0] = s[1];
  const double epsilon = call.real("epsilon", 1e-5);
  const rondo_dtype dtype = call.dtype(0);
  const bool constant = call.constant(1) && call.constant(2) && call.constant(3) && call.constant(4);
  // Constant statistics become one factor and one summand per channel, computed once in f64.
  const auto factor = [&] { return call.in(1).to(RONDO_F64) * rondo::rsqrt(call.in(4).to(RONDO_F64) + epsilon); };
  if (constant) {
    const Tensor scale = call.precomputed([&] { return factor().to(dtype).reshape(sizes); });
    const Tensor shift = call.precomputed(
        [&] { return (call.in(2).to(RONDO_F64) - call.in(3).to(RONDO_F64) * factor()).to(dtype).reshape(sizes); });
    return call.out(0, call.in(0) * scale + shift);
  }
  const rondo_dtype wide = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
  const auto channel = [&](size_t i) { return call.in(i).to(wide).reshape(sizes); };
  const Tensor x = call.in(0).to(wide);
  call.out(0, ((x - channel(3)) * rondo::rsqrt(channel(4) + epsilon) * channel(1) + channel(2)).to(dtype));
}

void local_response(Call& call) {
  const Shape s = call.shape(0);
  const int64_t size = call.integer("size", 1);
  if (size < 1 || size > kMostTaps || s.size() < 3) malformed("its size is " + std::to_string(size));
  const Tensor x = call.in(0);
  const double alpha = call.real("alpha", 1e-4), beta = call.real("beta", 0.75), bias = call.real("bias", 1);
  // The windows differ for an even number of channels: the library's has one more before each, ONNX's after it.
  if (size % 2 == 1 && s.size() <= 2 + RONDO_MAX_SPATIAL && product(s) > 0 &&
      *std::max_element(s.begin(), s.end()) <= kLongestAxis)
    return call.out(0, rondo::local_response_norm(x, size, alpha, beta, bias));
  const Tensor squares = rondo::square(x);
  std::vector<int64_t> widths(2 * s.size(), 0);
  widths[2] = (size - 1) / 2;
  widths[3] = size - 1 - widths[2];
  const Tensor padded = rondo::pad(squares, RONDO_PAD_CONSTANT, widths);
  Tensor sum;
  for (int64_t k = 0; k < size; ++k) {
    const Tensor part = padded.slice(1, k, k + s[1]);
    sum = sum ? sum + part : part;
  }
  const Tensor base = sum * (alpha / static_cast<double>(size)) + bias;
  call.out(0, x / rondo::binary(RONDO_POW, base, rondo::Number(beta)));
}

}  // namespace rondo_onnx
