// Joining, padding, repeating, rolling, triangles and picking by index, against references that go through the result
// element by element. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

// An array whose element at each index is what `element` says: a place in `source`, or -1 for 0.
using Index = std::vector<int64_t>;
Array mapped(const Array& source, const Shape& shape, const std::function<int64_t(const Index&)>& element) {
  Array out(source.dtype, shape);
  const size_t item = rondo_dtype_size(source.dtype);
  Index index(shape.size(), 0);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t from = element(index);
    if (from >= 0) std::memcpy(&out.bytes[i * item], &source.bytes[static_cast<size_t>(from) * item], item);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}
int64_t place(const Shape& shape, const Index& index) {
  int64_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

class Shapes : public OnEngine {
 protected:
  // Every size of an element; what moves is not computed, so the dtype matters no further.
  std::vector<rondo_dtype> sizes() const {
    return covering({RONDO_U8, RONDO_U16, RONDO_F32, RONDO_U64, RONDO_BOOL, RONDO_BF16, RONDO_F64}, 0);
  }
};
CONFORMANCE_SUITE(Shapes);

Tensor join(rondo_status (*function)(int32_t, rondo_tensor* const*, int32_t, rondo_tensor**),
            const std::vector<rondo_tensor*>& tensors, int32_t axis) {
  return make(function, static_cast<int32_t>(tensors.size()), tensors.data(), axis);
}
Tensor pad(rondo_tensor* a, rondo_pad_mode mode, const Shape& widths, double value = 0) {
  return make(rondo_pad, a, mode, static_cast<int32_t>(widths.size()), widths.data(), value);
}
Tensor tile(rondo_tensor* a, const Shape& counts) {
  return make(rondo_tile, a, static_cast<int32_t>(counts.size()), counts.data());
}
Tensor roll(rondo_tensor* a, const Shape& shifts) {
  return make(rondo_roll, a, static_cast<int32_t>(shifts.size()), shifts.data());
}

Array host_concat(const std::vector<Array>& arrays, size_t axis) {
  Shape shape = arrays[0].shape;
  shape[axis] = 0;
  for (const Array& each : arrays) shape[axis] += each.shape[axis];
  Array out(arrays[0].dtype, shape);
  const size_t item = rondo_dtype_size(out.dtype);
  const size_t inner = count({shape.begin() + static_cast<int64_t>(axis) + 1, shape.end()}) * item;
  const size_t outer = count({shape.begin(), shape.begin() + static_cast<int64_t>(axis)});
  size_t at = 0;
  for (size_t o = 0; o < outer; ++o)
    for (const Array& each : arrays) {
      const size_t run = static_cast<size_t>(each.shape[axis]) * inner;
      std::copy_n(each.bytes.begin() + static_cast<int64_t>(o * run), run,
                  out.bytes.begin() + static_cast<int64_t>(at));
      at += run;
    }
  return out;
}

TEST_P(Shapes, Concat) {
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 4, 5}, 1, 0, 90), y = random_array(dtype, {3, 2, 5}, 2, 0, 90),
                z = random_array(dtype, {3, 4, 16}, 3, 0, 90), w = random_array(dtype, {5, 4, 3}, 4, 0, 90),
                none = Array(dtype, {3, 0, 5});
    const Tensor a = up(x), b = up(y), c = up(z), d = up(w), e = up(none);
    run([&](Results& results) {
      const std::string label = rondo_dtype_name(dtype);
      results.keep(label + " middle", join(rondo_concat, {a, b, a}, 1), [=] {
        return Expected(host_concat({x, y, x}, 1));
      });
      results.keep(label + " last, aligned", join(rondo_concat, {c, c}, -1), [=] {
        return Expected(host_concat({z, z}, 2));
      });
      results.keep(label + " last, not aligned", join(rondo_concat, {a, c}, 2), [=] {
        return Expected(host_concat({x, z}, 2));
      });
      results.keep(label + " first", join(rondo_concat, {a, a, a}, 0), [=] {
        return Expected(host_concat({x, x, x}, 0));
      });
      results.keep(label + " views", join(rondo_concat, {a, transpose(d, {2, 1, 0})}, 1), [=] {
        return Expected(host_concat({x, host_transpose(w, {2, 1, 0})}, 1));
      });
      results.keep(label + " backwards", join(rondo_concat, {slice(a, 2, INT64_MAX, INT64_MIN, -1), b}, 1), [=] {
        return Expected(host_concat({host_slice(x, 2, 4, 5, -1), y}, 1));
      });
      results.keep(label + " with nothing", join(rondo_concat, {e, a, e, b}, 1), [=] {
        return Expected(host_concat({x, y}, 1));
      });
      results.keep(label + " of nothing", join(rondo_concat, {e, e}, 1), [=] { return Expected(none); });
      results.keep(label + " one", join(rondo_concat, {a}, 0), [=] { return Expected(x); });
    });
  }
}

TEST_P(Shapes, ConcatOfMany) {
  std::vector<Array> arrays;
  std::vector<Tensor> tensors;
  std::vector<rondo_tensor*> handles;
  for (uint32_t i = 0; i < 37; ++i) {
    arrays.push_back(random_array(RONDO_F32, {2, 1 + i % 3}, i, -9, 9));
    tensors.push_back(up(arrays.back()));
    handles.push_back(tensors.back());
  }
  run([&](Results& results) {
    results.keep("37", join(rondo_concat, handles, 1), [=] { return Expected(host_concat(arrays, 1)); });
  });
}

TEST_P(Shapes, JoinsPromote) {
  const Array x = random_array(RONDO_I32, {2, 3}, 1, -9, 9), y = random_array(RONDO_F16, {2, 3}, 2, -9, 9);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    const auto expected = [=](Shape shape) {
      Expected out(RONDO_F16, std::move(shape));
      for (size_t i = 0; i < 6; ++i) {
        out.values[i] = x[i];
        out.values[6 + i] = y[i];
      }
      return out;
    };
    results.keep("concat", join(rondo_concat, {a, b}, 0), [=] { return expected({4, 3}); });
    results.keep("stack", join(rondo_stack, {a, b}, 0), [=] { return expected({2, 2, 3}); });
  });
}

TEST_P(Shapes, Stack) {
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 5}, 1, 0, 90), y = random_array(dtype, {5, 3}, 2, 0, 90);
    const Array turned = host_transpose(y, {1, 0});
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      for (int32_t axis = -3; axis < 3; ++axis) {
        const size_t at = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
        results.keep(std::string(rondo_dtype_name(dtype)) + " " + std::to_string(axis),
                     join(rondo_stack, {a, transpose(b, {1, 0})}, axis), [=] {
                       const auto with_axis = [at](Array array) {
                         array.shape.insert(array.shape.begin() + static_cast<int64_t>(at), 1);
                         return array;
                       };
                       return Expected(host_concat({with_axis(x), with_axis(turned)}, at));
                     });
      }
      results.keep(
          "scalars",
          join(rondo_stack,
               {reshape(slice(slice(a, 0, 1, 2), 1, 2, 3), {}), reshape(slice(slice(a, 0, 0, 1), 1, 0, 1), {})}, 0),
          [=] {
            return Expected(array_of(dtype, {2}, {x[7], x[0]}));
          });
    });
  }
}

// NumPy's rule, one step at a time: beyond an end, what is there is found by stepping back inside.
int64_t padded(rondo_pad_mode mode, int64_t at, int64_t size) {
  while (at < 0 || at >= size) {
    switch (mode) {
      case RONDO_PAD_CONSTANT: return -1;
      case RONDO_PAD_EDGE: at = at < 0 ? 0 : size - 1; break;
      case RONDO_PAD_REFLECT: at = size == 1 ? 0 : at < 0 ? -at : 2 * (size - 1) - at; break;
      case RONDO_PAD_SYMMETRIC: at = at < 0 ? -1 - at : 2 * size - 1 - at; break;
      case RONDO_PAD_WRAP: at += at < 0 ? size : -size; break;
    }
  }
  return at;
}
Array host_pad(const Array& a, rondo_pad_mode mode, const Shape& widths, Real value) {
  Shape shape = a.shape;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] += widths[2 * d] + widths[2 * d + 1];
  const auto source = [&](const Index& index) {
    Index from(index.size());
    for (size_t d = 0; d < from.size(); ++d) {
      from[d] = padded(mode, index[d] - widths[2 * d], a.shape[d]);
      if (from[d] < 0) return int64_t{-1};
    }
    return place(a.shape, from);
  };
  Array out = mapped(a, shape, source);
  if (mode != RONDO_PAD_CONSTANT) return out;
  const Array inside = mapped(full(a.dtype, a.shape, 1), shape, source);
  for (size_t i = 0; i < out.size(); ++i)
    if (inside[i] == 0) out.set(i, value);
  return out;
}

TEST_P(Shapes, Pad) {
  const std::vector<Shape> problems = {{0, 0, 0, 0, 0, 0}, {1, 2, 0, 3, 2, 1},  {0, 0, 2, 2, 0, 0},
                                       {4, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 8, 16}, {7, 9, 11, 13, 0, 40}};
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 4, 16}, 1, 0, 90), y = random_array(dtype, {16, 1, 3}, 2, 0, 90);
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      for (const Shape& widths : dealt(problems))
        for (const rondo_pad_mode mode :
             {RONDO_PAD_CONSTANT, RONDO_PAD_EDGE, RONDO_PAD_REFLECT, RONDO_PAD_SYMMETRIC, RONDO_PAD_WRAP}) {
          const std::string label = std::string(rondo_dtype_name(dtype)) + " mode " + std::to_string(mode) + " by " +
                                    std::to_string(widths[0]) + "...";
          results.keep(label, pad(a, mode, widths, 1), [=] { return Expected(host_pad(x, mode, widths, 1)); });
          results.keep(label + " view", pad(transpose(b, {2, 1, 0}), mode, widths, 1), [=] {
            return Expected(host_pad(host_transpose(y, {2, 1, 0}), mode, widths, 1));
          });
        }
    });
  }
}

TEST_P(Shapes, PadOfNothingAndScalar) {
  const Tensor none = empty(RONDO_F32, {0, 2}), scalar = up(full(RONDO_F32, {}, 7));
  run([&](Results& results) {
    results.keep("of nothing", pad(none, RONDO_PAD_CONSTANT, {1, 2, 0, 1}, 5), [] {
      return Expected(full(RONDO_F32, {3, 3}, 5));
    });
    results.keep("to nothing", pad(none, RONDO_PAD_EDGE, {0, 0, 1, 1}), [] { return Expected(RONDO_F32, {0, 4}); });
    results.keep("scalar", pad(scalar, RONDO_PAD_WRAP, {}), [] { return Expected(full(RONDO_F32, {}, 7)); });
  });
}

Array host_tile(Array a, Shape counts) {
  while (counts.size() < a.shape.size()) counts.insert(counts.begin(), 1);
  while (a.shape.size() < counts.size()) a.shape.insert(a.shape.begin(), 1);
  Shape shape = a.shape;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] *= counts[d];
  return mapped(a, shape, [&](const Index& index) {
    Index from = index;
    for (size_t d = 0; d < from.size(); ++d) from[d] %= a.shape[d];
    return place(a.shape, from);
  });
}

TEST_P(Shapes, Tile) {
  const std::vector<Shape> problems = {{2}, {3, 1, 1}, {2, 3, 4}, {1, 1, 1}, {2, 1, 2, 1, 3}, {0, 2, 1}, {}};
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 4, 8}, 1, 0, 90), y = random_array(dtype, {8, 1, 3}, 2, 0, 90);
    const Tensor a = up(x), b = up(y), scalar = up(full(dtype, {}, 1));
    run([&](Results& results) {
      for (const Shape& counts : dealt(problems)) {
        const std::string label = std::string(rondo_dtype_name(dtype)) + " " + std::to_string(counts.size());
        results.keep(label, tile(a, counts), [=] { return Expected(host_tile(x, counts)); });
        results.keep(label + " view", tile(transpose(b, {2, 1, 0}), counts), [=] {
          return Expected(host_tile(host_transpose(y, {2, 1, 0}), counts));
        });
        results.keep(label + " scalar", tile(scalar, counts),
                     [=] { return Expected(host_tile(full(dtype, {}, 1), counts)); });
      }
    });
  }
}

TEST_P(Shapes, Repeat) {
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 4, 5}, 1, 0, 90);
    const Tensor a = up(x);
    run([&](Results& results) {
      for (const int64_t times : {0, 1, 2, 3})
        for (int32_t axis = -3; axis < 3; ++axis)
          results.keep(std::string(rondo_dtype_name(dtype)) + " " + std::to_string(axis),
                       make(rondo_repeat, a, times, axis), [=] {
                         const size_t along = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
                         Shape shape = x.shape;
                         shape[along] *= times;
                         return Expected(mapped(x, shape, [&](Index index) {
                           index[along] /= times;
                           return place(x.shape, index);
                         }));
                       });
    });
  }
}

// So many that workers share them, of channels that are neighbours in memory.
TEST_P(Shapes, ManyElementsArePaddedAndRepeated) {
  const Array x = random_array(RONDO_F32, {70, 60, 64}, 1, 0, 90),
              y = random_array(RONDO_F16, {33, 3, 41, 25}, 2, 0, 90);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    const Tensor channels = transpose(a, {2, 0, 1});
    results.keep("padded", pad(channels, RONDO_PAD_CONSTANT, {0, 0, 1, 2, 0, 1}, 5), [=] {
      return Expected(host_pad(host_transpose(x, {2, 0, 1}), RONDO_PAD_CONSTANT, {0, 0, 1, 2, 0, 1}, 5));
    });
    results.keep("padded within", pad(a, RONDO_PAD_EDGE, {0, 0, 0, 0, 1, 3}, 0), [=] {
      return Expected(host_pad(x, RONDO_PAD_EDGE, {0, 0, 0, 0, 1, 3}, 0));
    });
    results.keep("few channels", pad(transpose(b, {0, 2, 3, 1}), RONDO_PAD_CONSTANT, {0, 0, 0, 0, 0, 0, 0, 5}, 7), [=] {
      const Array turned = host_transpose(y, {0, 2, 3, 1});
      return Expected(host_pad(turned, RONDO_PAD_CONSTANT, {0, 0, 0, 0, 0, 0, 0, 5}, 7));
    });
    results.keep("repeated", make(rondo_repeat, a, int64_t{2}, 2), [=] {
      return Expected(mapped(x, {70, 60, 128}, [&](Index index) {
        index[2] /= 2;
        return place(x.shape, index);
      }));
    });
  });
}

TEST_P(Shapes, Roll) {
  const std::vector<Shape> problems = {{0, 0, 0}, {1, 0, 0}, {0, -3, 0}, {0, 0, 8}, {-1, 2, 5}, {100, -101, INT64_MIN}};
  for (const rondo_dtype dtype : sizes()) {
    const Array x = random_array(dtype, {3, 4, 16}, 1, 0, 90);
    const Tensor a = up(x), none = empty(dtype, {0, 2, 1});
    run([&](Results& results) {
      for (const Shape& shifts : dealt(problems)) {
        results.keep(rondo_dtype_name(dtype), roll(a, shifts), [=] {
          return Expected(mapped(x, x.shape, [&](Index index) {
            for (size_t d = 0; d < 3; ++d)
              index[d] = ((index[d] - shifts[d] % x.shape[d]) % x.shape[d] + x.shape[d]) % x.shape[d];
            return place(x.shape, index);
          }));
        });
        results.keep("nothing", roll(none, shifts), [=] { return Expected(dtype, {0, 2, 1}); });
      }
    });
  }
}

// Where there is nothing to do, a graph has no node.
int32_t a_node(const Shape& shape) {
  return count(shape) > 0;
}

TEST_P(Shapes, Triangles) {
  for (const rondo_dtype dtype : sizes()) {
    for (const Shape& shape : {Shape{5, 7}, Shape{2, 7, 5}, Shape{3, 1}, Shape{1, 4}, Shape{4, 1, 1}, Shape{0, 3}}) {
      const Array x = random_array(dtype, shape, 1, 1, 90);
      const Tensor a = up(x);
      run(
          [&](Results& results) {
            for (const int64_t k : {int64_t{0}, int64_t{1}, int64_t{-2}, int64_t{9}, INT64_MIN, INT64_MAX})
              for (const bool upper : {false, true}) {
                const auto expected = [=](const Array& source) {
                  const size_t n = source.shape.size();
                  return Expected(mapped(source, source.shape, [&](const Index& index) {
                    const int64_t distance = index[n - 1] - index[n - 2];
                    return (upper ? distance >= k : distance <= k) ? place(source.shape, index) : -1;
                  }));
                };
                const auto function = upper ? rondo_triu : rondo_tril;
                results.keep(upper ? "triu" : "tril", make(function, a, k), [=] { return expected(x); });
                std::vector<int32_t> turned(shape.size());
                std::iota(turned.begin(), turned.end(), 0);
                std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
                results.keep("view", make(function, transpose(a, turned), k),
                             [=] { return expected(host_transpose(x, turned)); });
                Tensor same = make(rondo_copy, a);
                into(same, function, same, k);
                results.keep("in place", std::move(same), [=] { return expected(x); });
              }
          },
          {a_node(shape)});
    }
  }
}

TEST_P(Shapes, Eye) {
  run([&](Results& results) {
    for (const rondo_dtype dtype : sizes())
      for (const int64_t k : {0, 2, -3, 50})
        results.keep(rondo_dtype_name(dtype), make(rondo_eye, engine(), device(), dtype, 5, 7, k), [=] {
          Expected out(dtype, {5, 7});
          for (int64_t i = 0; i < 35; ++i) out.values[static_cast<size_t>(i)] = i % 7 - i / 7 == k;
          return out;
        });
    Tensor given = empty(RONDO_F32, {3, 4});
    into(transpose(given, {1, 0}), rondo_eye, engine(), device(), RONDO_F64, 9, 9, 1);
    results.keep("given", std::move(given), [] {
      Expected out(RONDO_F32, {3, 4});
      for (int64_t i = 0; i < 12; ++i) out.values[static_cast<size_t>(i)] = i / 4 - i % 4 == 1;
      return out;
    });
  });
}

TEST_P(Shapes, Take) {
  for (const rondo_dtype kind : {RONDO_I32, RONDO_I64}) {
    const Array flat = array_of(kind, {6}, {0, 3, -1, -5, 4, 9}), square = random_array(kind, {2, 3}, 2, -6, 5);
    const Tensor i = up(flat), j = up(square);
    for (const rondo_dtype dtype : sizes()) {
      const Array x = random_array(dtype, {3, 4, 8}, 1, 0, 90);
      const Tensor a = up(x);
      const auto expected = [=](const Array& source, const Array& indices, size_t axis) {
        Shape shape(source.shape.begin(), source.shape.begin() + static_cast<int64_t>(axis));
        shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
        shape.insert(shape.end(), source.shape.begin() + static_cast<int64_t>(axis) + 1, source.shape.end());
        const size_t n = indices.shape.size();
        return Expected(mapped(source, shape, [&](const Index& index) {
          const auto at = index.begin() + static_cast<int64_t>(axis);
          const Index named(at, at + static_cast<int64_t>(n));
          int64_t c = indices.integer(static_cast<size_t>(place(indices.shape, named)));
          if (c < 0) c += source.shape[axis];
          if (c < 0 || c >= source.shape[axis]) return int64_t{-1};
          Index from(index.begin(), at);
          from.push_back(c);
          from.insert(from.end(), at + static_cast<int64_t>(n), index.end());
          return place(source.shape, from);
        }));
      };
      run([&](Results& results) {
        for (int32_t axis = 0; axis < 3; ++axis) {
          const size_t along = static_cast<size_t>(axis);
          results.keep("flat", make(rondo_take, a, i, axis - 3), [=] { return expected(x, flat, along); });
          results.keep("square", make(rondo_take, a, transpose(j, {1, 0}), axis), [=] {
            return expected(x, host_transpose(square, {1, 0}), along);
          });
          results.keep("view", make(rondo_take, transpose(a, {2, 0, 1}), i, axis), [=] {
            return expected(host_transpose(x, {2, 0, 1}), flat, along);
          });
        }
      });
    }
  }
}

TEST_P(Shapes, TakeAlongAxis) {
  for (const rondo_dtype kind : {RONDO_I32, RONDO_I64}) {
    for (const rondo_dtype dtype : sizes()) {
      const Array x = random_array(dtype, {3, 4, 5}, 1, 0, 90), wide = random_array(kind, {3, 4, 7}, 2, -6, 5),
                  one = random_array(kind, {1, 2, 5}, 3, -4, 3), flat = random_array(dtype, {1, 4, 5}, 4, 0, 90);
      const Tensor a = up(x), i = up(wide), j = up(one), b = up(flat);
      const auto expected = [=](const Array& source, const Array& indices, size_t axis) {
        Shape shape(3);
        for (size_t d = 0; d < 3; ++d)
          shape[d] = d == axis ? indices.shape[d] : std::max(source.shape[d], indices.shape[d]);
        return Expected(mapped(source, shape, [&](const Index& index) {
          Index named = index, from = index;
          for (size_t d = 0; d < 3; ++d) {
            if (indices.shape[d] == 1) named[d] = 0;
            if (source.shape[d] == 1) from[d] = 0;
          }
          from[axis] = indices.integer(static_cast<size_t>(place(indices.shape, named)));
          if (from[axis] < 0) from[axis] += source.shape[axis];
          return from[axis] < 0 || from[axis] >= source.shape[axis] ? -1 : place(source.shape, from);
        }));
      };
      run([&](Results& results) {
        results.keep("last", make(rondo_take_along_axis, a, i, -1), [=] { return expected(x, wide, 2); });
        results.keep("middle, broadcast indices", make(rondo_take_along_axis, a, j, 1),
                     [=] { return expected(x, one, 1); });
        results.keep("broadcast source", make(rondo_take_along_axis, b, i, 2), [=] { return expected(flat, wide, 2); });
        results.keep("views", make(rondo_take_along_axis, transpose(a, {1, 0, 2}), transpose(i, {1, 0, 2}), 2), [=] {
          return expected(host_transpose(x, {1, 0, 2}), host_transpose(wide, {1, 0, 2}), 2);
        });
      });
    }
  }
}

// Into views, into a sum, and over more than one block of any implementation.
TEST_P(Shapes, Outputs) {
  const Array x = random_array(RONDO_F32, {33, 64}, 1, -9, 9), y = random_array(RONDO_I32, {7, 9}, 2, -9, 9);
  const Tensor a = up(x), b = up(y);
  const Shape by = {3, 1, 8, 4};
  run([&](Results& results) {
    Tensor wide = empty(RONDO_F32, {37, 152});
    must(rondo_fill(wide, 5));
    into(slice(wide, 1, 0, 152, 2), rondo_pad, a, RONDO_PAD_REFLECT, 4, by.data(), 0.0);
    results.keep("strided", std::move(wide), [=] {
      const Array padded = host_pad(x, RONDO_PAD_REFLECT, by, 0);
      Array out = full(RONDO_F32, {37, 152}, 5);
      for (size_t i = 0; i < padded.size(); ++i) out.set(2 * i, padded[i]);
      return Expected(out);
    });
    Tensor odd = empty(RONDO_F32, {33 * 129 + 1});
    must(rondo_fill(odd, 5));
    rondo_tensor* twice[] = {slice(a, 1, 0, 64).release(), slice(a, 1, 0, 64).release()};
    const Tensor first(twice[0]), second(twice[1]);
    into(reshape(slice(odd, 0, 1, 1 + 33 * 128), {33, 128}), rondo_concat, 2, twice, 1);
    results.keep("not aligned", std::move(odd), [=] {
      Array out = full(RONDO_F32, {33 * 129 + 1}, 5);
      const Array joined = host_concat({x, x}, 1);
      for (size_t i = 0; i < joined.size(); ++i) out.set(i + 1, joined[i]);
      return Expected(out);
    });
    for (const bool floating : {true, false}) {
      const Array& source = floating ? x : y;
      Tensor sum = make(rondo_copy, floating ? a : b);
      const Shape shifts = {1, -2};
      into(make(rondo_tensor_accumulator, sum), rondo_roll, floating ? a : b, 2, shifts.data());
      results.keep("accumulated", std::move(sum), [=] {
        const Array rolled = mapped(source, source.shape, [&](Index index) {
          for (size_t d = 0; d < 2; ++d) index[d] = (index[d] - shifts[d] + source.shape[d]) % source.shape[d];
          return place(source.shape, index);
        });
        Expected out(source);
        for (size_t i = 0; i < rolled.size(); ++i) out.values[i] += rolled[i];
        return out;
      });
    }
  });
}

// The bits are moved: a NaN keeps its payload and its sign, zero its sign.
TEST_P(Shapes, BitsAreKept) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}) {
    Array x(dtype, {8});
    for (size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = static_cast<unsigned char>(0xff - i % 7);
    const Tensor a = up(x), rolled = roll(a, {3}), back = roll(rolled, {-3});
    expect_same_bits(download(back), x, rondo_dtype_name(dtype));
  }
}

TEST_P(Shapes, FlipAndSplitAreViews) {
  const Array x = random_array(RONDO_F32, {5, 3, 7}, 1, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    const int32_t both[] = {0, -1};
    results.keep("some axes", make(rondo_copy, make(rondo_tensor_flip, a, 2, both)),
                 [=] { return Expected(host_slice(host_slice(x, 0, 4, 5, -1), 2, 6, 7, -1)); });
    results.keep("all", make(rondo_copy, make(rondo_tensor_flip, a, 0, nullptr)), [=] {
      return Expected(host_slice(host_slice(host_slice(x, 0, 4, 5, -1), 1, 2, 3, -1), 2, 6, 7, -1));
    });
    const int64_t starts[] = {0, 3, 5, 7};
    for (int64_t part = 0; part < 3; ++part)
      results.keep("split", make(rondo_copy, make(rondo_tensor_split, a, -1, 3, part)),
                   [=] { return Expected(host_slice(x, 2, starts[part], starts[part + 1] - starts[part], 1)); });
    results.keep("more parts than elements", make(rondo_copy, make(rondo_tensor_split, a, 1, 4, 3)), [] {
      return Expected(RONDO_F32, {5, 0, 7});
    });
  });
}

// Each is one task, and one kernel.
TEST_P(Shapes, OneNodeEach) {
  if (!GetParam().graph) return;
  const Tensor a = up(range(RONDO_F32, {4, 6})), i = up(range(RONDO_I64, {4}));
  const Shape by = {1, 1, 1, 1}, counts = {2, 3};
  rondo_tensor* both[] = {a, a};
  std::vector<Tensor> kept;
  const Graph graph = record(engine(), [&] {
    kept.push_back(make(rondo_concat, 2, both, 0));
    kept.push_back(make(rondo_stack, 2, both, 1));
    kept.push_back(make(rondo_pad, a, RONDO_PAD_EDGE, 4, by.data(), 0.0));
    kept.push_back(make(rondo_tile, a, 2, counts.data()));
    kept.push_back(make(rondo_repeat, a, 2, 1));
    kept.push_back(make(rondo_roll, a, 2, counts.data()));
    kept.push_back(make(rondo_tril, a, 0));
    kept.push_back(make(rondo_eye, engine(), device(), RONDO_F32, 3, 3, 0));
    kept.push_back(make(rondo_take, a, i, 1));
  });
  EXPECT_EQ(graph_info(graph.get()).tasks, 9) << graph_report(graph.get());
  if (!on_cuda()) return;
  EXPECT_EQ(graph_info(graph.get()).nodes, 9) << graph_report(graph.get());
}

}  // namespace
}  // namespace conformance
