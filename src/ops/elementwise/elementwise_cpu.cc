// Evaluates expressions on the host: blocks of elements go through one loop per instruction, each a function compiled
// into the library from the same scalar operators that kernels are made of, and blocks stay in the cache. Large tasks
// are shared among the engine's workers, block by block.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include "base/threads/thread_owned.h"
#include "engine/tasks/workers.h"
#include "ops/elementwise/elementwise_blocks.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/host/elementwise_loops.h"
#include "ops/host/streaming.h"
#include "ops/operators/element.h"
#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

constexpr int64_t kPiece = 256;      // elements: few, so that memory is never left alone for long
constexpr int64_t kMostParts = 128;  // about as many of what is shared, or one has to wait for the last
constexpr int kValues = Expression::kMaxInputs + Expression::kMaxScalars + Expression::kMaxInstructions;

// Same bits in a register as in memory.
bool plain(rondo_dtype dtype) {
  return dtype != RONDO_BOOL && compute_dtype(dtype) == dtype;
}

template <class T>
void draw(bool gaussian, void* to, uint64_t key, uint64_t start, int64_t first, int64_t n) {
  T* r = static_cast<T*>(to);
  device::PhiloxBlock block = {};
  for (int64_t i = 0; i < n; ++i) {
    const auto element = static_cast<uint64_t>(first + i);
    if (i == 0 || element % device::kDrawsPerBlock<T> == 0) block = device::random_block<T>(key, start, element);
    r[i] = gaussian ? device::normal<T>(block, element) : device::uniform<T>(block, element);
  }
}

// One input straight into one output: only the size of an element counts.
bool is_move(const Expression& expression) {
  return expression.instructions() == 0 && expression.inputs() == 1 && expression.outputs() == 1 &&
         Expression::is_input(expression.output(0).value) && !expression.output(0).accumulate &&
         expression.input_dtype(0) == expression.output(0).dtype;
}
// The result of the last instruction is all that is written, and not added to anything.
bool ends_in_result(const Expression& e) {
  return e.outputs() == 1 && e.instructions() > 0 && !e.output(0).accumulate &&
         e.output(0).value == Expression::result_of(e.instructions() - 1);
}
// True if memory takes longer than the computation.
bool is_brief(const Expression& e) {
  constexpr int kFew = 4;
  if (e.instructions() > kFew) return false;
  for (int k = 0; k < e.instructions(); ++k) {
    const Op op = e.instruction(k).op;
    if (Expression::is_generator(e.instruction(k))) return false;
    if (op < Op::cast && operator_of(op).domain == Domain::real) return false;
  }
  return true;
}
// The bytes of memory that are gone through.
int64_t bytes_of(const Expression& e, const Space& space) {
  int64_t bytes = 0;
  for (int k = 0; k < e.operands(); ++k) {
    auto operand = static_cast<int64_t>(dtype_size(e.operand_dtype(k)));
    for (int d = 0; d < space.ndim; ++d)
      if (space.strides(k)[d] != 0) operand *= space.size(d);
    bytes += operand;
  }
  return bytes;
}
// Scratch of a thread, kept from run to run.
char* scratch(size_t bytes) {
  struct Buffer {
    std::unique_ptr<char[]> data;
    size_t bytes = 0;
  };
  static constinit const ThreadOwned<Buffer> of_thread;
  Buffer& buffer = of_thread.get();
  if (buffer.bytes < bytes) {
    buffer.data.reset(new char[bytes]);
    buffer.bytes = bytes;
  }
  return buffer.data.get();
}

}  // namespace

// How an operand goes between memory and the registers of a block.
struct OperandAccess {
  int64_t size, width;  // bytes of an element in memory and in a register
  bool as_it_lies;      // used where it lies, in each block
  bool filled = false;  // with one element, at this offset
  int64_t filled_with = 0;
  Moves moves;
};

// An instruction, or several; operands that it does not have are its first.
struct LoopCall {
  Loop loop;  // null: a generator
  Value to, a, b, c;
  int number;  // of the last instruction
};

// All that is known of an evaluation before its first block.
struct Evaluation {
  const Expression& e;
  const Space& space;
  char* const* addresses;
  const uint64_t* scalars;
  RandomState random;
  const Blocks& blocks;
  const Loops& table;

  OperandAccess ways[kMaxOperands];
  LoopCall calls[Expression::kMaxInstructions];
  int n_calls = 0;
  uint64_t starts[Expression::kMaxInstructions];
  int64_t piece;          // elements on their way at a time, at most
  bool direct = false;    // the last result goes straight to memory: nothing is read after it is written
  bool once = false;      // one loop from memory to memory is all there is
  bool streams = false;   // the result goes past the caches
  Loop halves = nullptr;  // the one instruction, of 16-bit floats as they are in memory

  Evaluation(const Expression& e, const Space& space, char* const* addresses, const uint64_t* scalars,
             RandomState random, const Blocks& blocks, const Loops& table)
      : e(e), space(space), addresses(addresses), scalars(scalars), random(random), blocks(blocks), table(table) {
    prepare();
  }
  // Has the result go past the caches, if that is worth it. Operands that are read as well are in the caches, and their
  // results stay there.
  void stream_result();
  void run(int64_t first, int64_t last) const;
  // The same in memory of the caller's, which lay_out() has prepared once for all runs.
  void run(int64_t first, int64_t last, char** values) const;
  size_t memory_bytes() const { return slot() * static_cast<size_t>(e.inputs() + e.scalars() + e.instructions() + 1); }
  // Finds where values are on their way, and fills in scalars.
  void lay_out(char* memory, char** values) const;

 private:
  static constexpr int kMade = kValues;  // the result as it is in memory, on its way there
  size_t slot() const { return static_cast<size_t>(piece) * sizeof(uint64_t); }
  void prepare();
  Loop find_halves() const;
  void join_quantising();
  void load(OperandAccess& way, int operand, const Block& block, int64_t begin, int64_t n, char* to) const;
  void store(int operand, const Block& block, int64_t begin, int64_t n, const char* from) const;
  void draw(int k, int64_t first, int64_t n, char* to) const;  // instruction k, from that element on
};

void Evaluation::stream_result() {
  const int result = e.inputs();
  const bool apart = std::find(addresses, addresses + result, addresses[result]) == addresses + result;
  const bool whole = e.outputs() == 1 && !e.output(0).accumulate && blocks.dense(result);
  if (!table.stream || !whole || !apart || !is_brief(e) || !worth_streaming(bytes_of(e, space))) return;
  streams = true;
  direct = false;
  piece = std::min(kStreamed / ways[result].size, blocks.longest());
}

// One operator of f16 alone, or of bf16, goes from memory to memory, if its numbers are of that dtype too.
Loop Evaluation::find_halves() const {
  const rondo_dtype dtype = e.operand_dtype(0);
  if (!table.find_halves || e.instructions() != 1 || !ends_in_result(e) || !is_half(dtype)) return nullptr;
  for (int k = 1; k < e.operands(); ++k)
    if (e.operand_dtype(k) != dtype) return nullptr;
  for (int k = 0; k < e.scalars(); ++k) {
    float scalar = 0;
    std::memcpy(&scalar, &scalars[k], sizeof scalar);
    const bool exact = with_half_element(
        dtype, [scalar]<class M>(M*) { return device::from_memory(device::to_memory<M>(scalar)) == scalar; });
    if (e.scalar_dtype(k) != RONDO_F32 || !exact) return nullptr;
  }
  return table.find_halves(e.instruction(0).op, dtype);
}

void Evaluation::prepare() {
  halves = find_halves();
  const bool move = halves || is_move(e);  // operands stay as they are in memory
  for (int k = 0; k < e.operands(); ++k) {
    const rondo_dtype dtype = e.operand_dtype(k);
    const size_t size = dtype_size(dtype);
    const bool adds = k >= e.inputs() && e.output(k - e.inputs()).accumulate;
    OperandAccess& way = ways[k];
    way.size = static_cast<int64_t>(size);
    way.width = move ? way.size : static_cast<int64_t>(dtype_size(compute_dtype(dtype)));
    way.moves = move ? table.bytes(size) : table.moves(dtype, adds);
    way.as_it_lies = (move || plain(dtype)) && blocks.dense(k);
    // A copy of what a later output shows, should an earlier one be written there.
    for (int o = 1; o < e.outputs() && k < e.inputs(); ++o)
      way.as_it_lies &= e.output(o).value != static_cast<Value>(k);
  }
  for (int k = 0; k < e.instructions(); ++k) {
    const Expression::Instruction& each = e.instruction(k);
    const int arity = Expression::arity(each);
    LoopCall& call = calls[n_calls++] = {nullptr, Expression::result_of(k), each.a, each.a, each.a, k};
    if (arity > 1) call.b = each.b;
    if (arity > 2) call.c = each.c;
    if (!Expression::is_generator(each))
      call.loop = halves ? halves : table.find(each, e.dtype_of(each.op == Op::where ? each.b : each.a));
  }
  join_quantising();
  uint64_t start = random.offset;
  for (int g = 0; g < e.generators(); ++g) {
    for (int k = 0; k < e.instructions(); ++k)
      if (Expression::is_generator(e.instruction(k)) && e.instruction(k).a == g) starts[k] = start;
    start += random_counters(e.generator_dtype(g), space.elements);
  }
  direct = ends_in_result(e) && ways[e.inputs()].as_it_lies;
  // A task that goes through one loop from memory to memory needs no pieces; a tile is one.
  once = direct ? n_calls == 1 : move && ways[e.inputs()].as_it_lies;
  for (int k = 0; k < e.inputs(); ++k) once &= ways[k].as_it_lies || blocks.kind(k) == Blocks::Kind::same;
  piece = blocks.by_rows() && !once ? std::min(kPiece, blocks.longest()) : blocks.longest();
}

// round(x / scale) + zero as u8 or i8, and as f32 again where nothing else reads that, is one loop.
void Evaluation::join_quantising() {
  int uses[kValues] = {};
  for (int k = 0; k < n_calls; ++k) {
    const Expression::Instruction& each = e.instruction(k);
    const Value operands[] = {each.a, each.b, each.c};
    for (int i = 0; i < Expression::arity(each) && !Expression::is_generator(each); ++i) ++uses[operands[i]];
  }
  for (int o = 0; o < e.outputs(); ++o) ++uses[e.output(o).value];
  // The instruction that makes a value of f32 for one other; null: another one.
  const auto made_by = [&](Op op, Value value) -> const Expression::Instruction* {
    if (Expression::is_input(value) || Expression::is_scalar(value) || uses[value] != 1) return nullptr;
    const Expression::Instruction& each = e.instruction(Expression::result_index(value));
    return each.op == op && each.dtype == RONDO_F32 ? &each : nullptr;
  };
  bool gone[Expression::kMaxInstructions] = {}, any = false;
  for (int k = 0; k < n_calls; ++k) {
    const Expression::Instruction& each = e.instruction(k);
    if (each.op != Op::cast || (each.dtype != RONDO_U8 && each.dtype != RONDO_I8)) continue;
    const Expression::Instruction* const sum = made_by(Op::add, each.a);
    const Expression::Instruction* const rounded = sum ? made_by(Op::round, sum->a) : nullptr;
    const Expression::Instruction* const quotient = rounded ? made_by(Op::div, rounded->a) : nullptr;
    if (!quotient) continue;
    int last = k;
    for (int l = k + 1; l < n_calls && uses[Expression::result_of(k)] == 1; ++l)
      if (e.instruction(l).op == Op::cast && e.instruction(l).dtype == RONDO_F32 &&
          e.instruction(l).a == Expression::result_of(k))
        last = l;
    any = true;
    gone[k] = true;
    for (const Value value : {each.a, sum->a, rounded->a}) gone[Expression::result_index(value)] = true;
    gone[last] = false;
    calls[last] = {table.quantise(static_cast<rondo_dtype>(each.dtype), last != k),
                   Expression::result_of(last),
                   quotient->a,
                   quotient->b,
                   sum->b,
                   last};
  }
  if (!any) return;
  n_calls = static_cast<int>(
      std::remove_if(calls, calls + n_calls, [&](const LoopCall& each) { return gone[each.number]; }) - calls);
}

// n elements of the block, from `begin` on: all of it, unless it is a row.
void Evaluation::load(OperandAccess& way, int operand, const Block& block, int64_t begin, int64_t n, char* to) const {
  const char* from = addresses[operand] + block.offset[operand] * way.size;
  const int64_t step = blocks.step(operand);
  switch (blocks.kind(operand)) {
    case Blocks::Kind::same:
      // Blocks differ in length, but what was filled once is long enough for all.
      if (way.filled && way.filled_with == block.offset[operand]) return;
      way.filled = true;
      way.filled_with = block.offset[operand];
      return way.moves.load(to, from, 0, piece);
    case Blocks::Kind::row: return way.moves.load(to, from + begin * step * way.size, step, n);
    case Blocks::Kind::rows:
      for (int64_t r = 0; r < block.rows; ++r)
        way.moves.load(to + r * block.columns * way.width, from + r * blocks.row_step(operand) * way.size, step,
                       block.columns);
      return;
    case Blocks::Kind::transposed: return way.moves.load_tile(to, from, step, block.rows, block.columns);
    case Blocks::Kind::scattered:
      blocks.each_row(operand, block, [&](int64_t at, int64_t offset, int64_t length) {
        way.moves.load(to + at * way.width, addresses[operand] + offset * way.size, step, length);
      });
  }
}

void Evaluation::store(int operand, const Block& block, int64_t begin, int64_t n, const char* from) const {
  const OperandAccess& way = ways[operand];
  char* to = addresses[operand] + block.offset[operand] * way.size;
  const int64_t step = blocks.step(operand);
  switch (blocks.kind(operand)) {
    case Blocks::Kind::row: return way.moves.store(to + begin * step * way.size, step, from, n);
    case Blocks::Kind::scattered:
      return blocks.each_row(operand, block, [&](int64_t at, int64_t offset, int64_t length) {
        way.moves.store(addresses[operand] + offset * way.size, step, from + at * way.width, length);
      });
    default:
      for (int64_t r = 0; r < block.rows; ++r)
        way.moves.store(to + r * blocks.row_step(operand) * way.size, step, from + r * block.columns * way.width,
                        block.columns);
  }
}

void Evaluation::lay_out(char* memory, char** values) const {
  const auto take = [&](int value) { values[value] = std::exchange(memory, memory + slot()); };
  for (int k = 0; k < e.inputs(); ++k)
    if (!ways[k].as_it_lies) take(k);
  for (int k = 0; k < e.scalars(); ++k) {
    const int value = Expression::kMaxInputs + k;
    take(value);
    with_element(e.scalar_dtype(k), [&]<class M>(M*) {
      Register<M> scalar;
      std::memcpy(&scalar, &scalars[k], sizeof scalar);
      if (halves)
        with_half_element(e.operand_dtype(0), [&]<class H>(H*) {
          std::fill_n(reinterpret_cast<H*>(values[value]), piece, device::to_memory<H>(static_cast<float>(scalar)));
        });
      else
        std::fill_n(reinterpret_cast<Register<M>*>(values[value]), piece, scalar);
    });
  }
  for (int k = 0; k < e.instructions(); ++k) take(Expression::result_of(k));
  take(kMade);
}

// Blocks [first, last).
void Evaluation::run(int64_t first, int64_t last) const {
  char* values[kValues + 1];
  lay_out(scratch(memory_bytes()), values);
  run(first, last, values);
}

void Evaluation::run(int64_t first, int64_t last, char** values) const {
  OperandAccess inputs[Expression::kMaxInputs];
  std::copy_n(ways, e.inputs(), inputs);
  for (Block block = blocks.at(first); block.number < last; blocks.next(&block))
    for (int64_t begin = 0, n; begin < block.elements(); begin += n) {
      n = std::min(piece, block.elements() - begin);
      const auto where_it_lies = [&](int operand) {
        return addresses[operand] + (block.offset[operand] + begin) * ways[operand].size;
      };
      for (int k = 0; k < e.inputs(); ++k) {
        if (inputs[k].as_it_lies)
          values[k] = where_it_lies(k);
        else
          load(inputs[k], k, block, begin, n, values[k]);
      }
      if (direct) values[e.output(0).value] = where_it_lies(e.inputs());
      for (int k = 0; k < n_calls; ++k) {
        const LoopCall& call = calls[k];
        if (call.loop)
          call.loop(values[call.to], values[call.a], values[call.b], values[call.c], n);
        else
          draw(call.number, block.element + begin, n, values[call.to]);
      }
      if (streams) {
        const OperandAccess& way = ways[e.inputs()];
        const char* from = values[e.output(0).value];
        if (!way.as_it_lies) way.moves.store(values[kMade], 1, std::exchange(from, values[kMade]), n);
        table.stream(where_it_lies(e.inputs()), from, n * way.size);
        continue;
      }
      for (int k = 0; k < e.outputs() && !direct; ++k)
        store(e.inputs() + k, block, begin, n, values[e.output(k).value]);
    }
  if (streams) end_streaming();
}
void Evaluation::draw(int k, int64_t first, int64_t n, char* to) const {
  const Expression::Instruction& each = e.instruction(k);
  const auto numbers = each.dtype == RONDO_F64 ? ops::draw<double> : ops::draw<float>;
  numbers(each.op == Op::normal, to, random.seed, starts[k], first, n);
}

int64_t cost_on_cpu(const Expression& e) {
  // A loop costs as much as an instruction. Most operators whose operands become floats are functions such as exp,
  // which take several times as long as an addition.
  int64_t cost = 8;
  for (int k = 0; k < e.instructions(); ++k) {
    const Op op = e.instruction(k).op;
    cost += op < Op::cast && operator_of(op).domain == Domain::real ? 48 : 8;
  }
  for (int k = 0; k < e.operands(); ++k) cost += static_cast<int64_t>(dtype_size(e.operand_dtype(k)));
  return cost;
}

void evaluate_on_cpu(const Expression& e, const Space& space, char* const* addresses, const uint64_t* scalars,
                     RandomState random, Instructions which) {
  const Blocks blocks(space, e.inputs(), e.operands(), e.generators() > 0);
  Evaluation evaluation(e, space, addresses, scalars, random, blocks, loops(which));
  evaluation.stream_result();
  const int64_t count = blocks.count();
  const int64_t cost = cost_on_cpu(e);
  if (space.elements < kSharedCost / cost) return evaluation.run(0, count);
  const int64_t part_cost = std::max(kPartCost, space.elements / kMostParts * cost);
  const int64_t per_part = std::max<int64_t>(part_cost / (cost * std::max<int64_t>(space.elements / count, 1)), 1);
  Workers::share((count + per_part - 1) / per_part,
                 [&](int64_t part) { evaluation.run(part * per_part, std::min((part + 1) * per_part, count)); });
}

struct RowEvaluator::Row {
  Space space;
  Blocks blocks;
  char* addresses[kMaxOperands];
  Evaluation evaluation;
  const std::unique_ptr<char[]> memory;
  char* values[kValues + 1];  // in there

  Row(const Expression& e, const uint64_t* scalars, const int64_t* steps, int64_t n)
      : space(space_of(e.inputs(), steps, n)),
        blocks(space, e.inputs(), e.operands(), false),
        evaluation(e, space, addresses, scalars, {}, blocks, loops(instructions())),
        memory(new char[evaluation.memory_bytes()]) {
    evaluation.lay_out(memory.get(), values);
  }
  bool is(const int64_t* steps, int64_t n) const {
    return space.elements == n && std::equal(steps, steps + space.dims.size() - 2, space.dims.begin() + 1);
  }
  static Space space_of(int inputs, const int64_t* steps, int64_t n) {
    Space space;
    space.ndim = 1;
    space.elements = n;
    space.dims.push_back(n);
    for (int k = 0; k < inputs; ++k) space.dims.push_back(steps[k]);
    space.dims.push_back(1);
    return space;
  }
};

RowEvaluator::RowEvaluator(const Expression& expression, const uint64_t* scalars)
    : expression_(expression), scalars_(scalars) {}
RowEvaluator::~RowEvaluator() = default;

void RowEvaluator::run(char* const* addresses, const int64_t* steps, int64_t n, void* to) {
  if (!rows_[last_] || !rows_[last_]->is(steps, n)) {
    last_ = 1 - last_;
    if (!rows_[last_] || !rows_[last_]->is(steps, n))
      rows_[last_] = std::make_unique<Row>(expression_, scalars_, steps, n);
  }
  Row& row = *rows_[last_];
  std::copy_n(addresses, expression_.inputs(), row.addresses);
  row.addresses[expression_.inputs()] = static_cast<char*>(to);
  row.evaluation.run(0, row.blocks.count(), row.values);
}

}  // namespace rondo::ops
