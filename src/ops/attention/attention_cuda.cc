// Runs attention on a GPU: by cuDNN's engine, or by kernels of rtc/device/attention/attention_tiles.h, for tensor
// cores, or of attention_rows.h and attention.h: one for the result; one for the gradient of queries, and one for that
// of keys and values, which needs what the first found.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/log.h"
#include "base/text.h"
#include "ops/attention/attention_cudnn.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"
#include "rtc/unkept.h"

namespace rondo::ops {

using namespace device;

namespace {

constexpr int kThreadsOfBlock = 128;  // as AttentionPass and AttentionTiles have them
constexpr int kRowsOfTiles = 64;      // as AttentionTiles has them, of a block, for each 16 rows of a warp
constexpr int64_t kManyBlocks = 132;  // that keep a GPU busy
constexpr int kLeastOfLane = 4;       // elements of a row
constexpr int kWarp = 32;

constexpr const char* kTilesBefore = R"(
using Pass = AttentionTiles<In, Mask, kHead, kTile, kSixteens, kColumns, static_cast<AttentionMask>(kMask), (kDrops != 0), (kCaps != 0)>;
extern "C" __global__ void __launch_bounds__(128, kHead > 64 || kSixteens > 1 ? 2 : 3) rondo_kernel(const AttentionArguments args) {
  __shared__ Pack<In, 8> shared[Pass::kShared / 8];
  Pass(args, shared[0].v).)";
constexpr const char* kRowsBefore = R"(
using Pass = AttentionRows<In, Mask, Index, kHead, kRows, kTile, kVector, static_cast<AttentionMask>(kMask), (kDrops != 0)>;
extern "C" __global__ void __launch_bounds__(128) rondo_kernel(const AttentionArguments args) {
  __shared__ Pass::Few shared[Pass::kShared / Pass::kPack];
  Pass(args, shared[0].v).)";
constexpr const char* kTextBefore = R"(
using Pass = AttentionPass<In, Mask, kHead, kLanes, kTile, static_cast<AttentionMask>(kMask), (kDrops != 0)>;
extern "C" __global__ void __launch_bounds__(128) rondo_kernel(const AttentionArguments args) {
  __shared__ Pass::C shared[Pass::kShared];
  Pass(args, shared).)";
constexpr const char* kTextBehind = R"(();
}
)";

class CudaAttention final : public KernelTask {
 public:
  explicit CudaAttention(const AttentionPlan& plan)
      : KernelTask(plan.name, plan.q().device()), plan_(plan), arguments_(plan.arguments()) {
    plan.declare(*this);
    random_count_ = plan.draws();
  }
  Status prepare() override {
    unkept_ = rtc::Unkept::current();
    if (!chosen_) RONDO_TRY(choose());
    return KernelTask::prepare();
  }
  void set_random(RandomState own, RandomState) override { random_ = own; }
  Status run(const TaskContext& context) override {
    const rtc::Unkept mark(unkept_);  // of the thread that prepared the task
    RONDO_TRY(prepare());             // chosen already, unless the task came here by another way
    if (library_) {
      const Status status = library_->run(plan_, context, workspace_bytes_);
      if (status.code() != RONDO_UNSUPPORTED || context.capturing) return status.with_context(name());
      // Every engine has failed, which was said: there is enough scratch memory for the kernels.
      library_.reset();
      add_kernels();
      RONDO_TRY(KernelTask::prepare());
    }
    static_assert(sizeof(PhiloxState) == sizeof(RandomState));
    const RandomState first = context.first_number(random_);
    arguments_.key = first.seed;
    arguments_.start = first.offset;
    arguments_.state = reinterpret_cast<const PhiloxState*>(context.device_random);
    return KernelTask::run(context);
  }
  size_t own_kernels() const override { return library_ ? 0 : KernelTask::own_kernels(); }
  bool capturable(const char** why) const override {
    if (!library_ || library_->capturable()) return true;
    *why = "no engine of cuDNN for this attention can be captured";
    return false;
  }
  std::string remark() const override { return remark_; }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaAttention>(memory.moved(plan_));
  }

 private:
  // cuDNN, or Rondo's own kernels.
  Status choose() {
    std::string why;
    if (!plan_.kept) RONDO_TRY(find_cudnn_attention(cuda_device(*this), plan_, &library_, &why));
    workspace_bytes_ = plan_.gradient ? std::max<size_t>(plan_.delta_bytes(), 1) : 0;
    if (library_) {
      workspace_bytes_ = std::max(workspace_bytes_, library_->workspace_bytes());
      const int64_t parts = library_->parts(plan_);
      remark_ = parts > 1 ? format("by cuDNN, in %lld parts", static_cast<long long>(parts)) : "by cuDNN";
    } else {
      if (!why.empty()) remark_ = "by Rondo's kernels: " + why;
      add_kernels();
    }
    if (!remark_.empty()) log(RONDO_LOG_DEBUG, "%s: %s", name(), remark_.c_str());
    chosen_ = true;
    return {};
  }
  void add_kernels() {
    for (int a = 0; a < kAttentionArrays; ++a)
      if (plan_.uses(a)) add_address(&arguments_.at[a], *plan_.view[a]);
    const int64_t of_queries = plan_.batch() * plan_.heads(), of_keys = plan_.batch() * plan_.key_heads();
    if (plan_.kept) {
      add(6, "kept", plan_.queries(), of_queries);  // 3 to 5 are those of tiles
      return;
    }
    if (!plan_.gradient) {
      add(0, "forward", plan_.queries(), of_queries);
      return;
    }
    add_workspace(&arguments_.at[kAttentionDelta]);
    add(1, "queries", plan_.queries(), of_queries);
    add(2, "keys", plan_.keys(), of_keys);
  }
  // A pass over rows of so many places each.
  void add(int number, const char* pass, int64_t places, int64_t rows) {
    const bool tiles = by_tiles();
    const bool by_rows = !tiles && number == 0;
    KernelSpec spec(rtc::kAttention, tiles ? 3 + number : number, !by_rows || needs_wide(plan_.keys()), name());
    spec.type("In", plan_.q().dtype)
        .type("Mask", plan_.has(kAttentionMask) ? plan_.view[kAttentionMask]->dtype : RONDO_BOOL);
    spec.constant("kMask", static_cast<int>(plan_.mask())).constant("kDrops", plan_.drops());
    int64_t rows_of_block = kRowsOfTiles, parts = 1;
    int kernel;
    if (tiles) {
      const int head = power_of_two_up_to(std::max<int64_t>(plan_.size(), 16), 128);
      const bool large = head > 64, of_keys = number == 2;
      // For large heads registers and shared memory hold less.
      spec.constant("kHead", head).constant("kTile", large ? 32 : 64);
      // Two times 16 rows read shared memory half as often, where there are enough of them. In short sequences, causal
      // rows next to each other differ too much in which keys they see.
      const bool twice = !large && number == 0 && places > 4 * kRowsOfTiles &&
                         blocks_for(places, 2 * kRowsOfTiles) * rows >= kManyBlocks;
      const int sixteens = twice ? 2 : 1;
      spec.constant("kSixteens", sixteens);
      rows_of_block = sixteens * kRowsOfTiles;
      spec.constant("kColumns", std::min(head, 64)).constant("kCaps", plan_.numbers.cap > 0);
      if (large && of_keys) parts = 2;
      kernel = add_kernel(spec.text(
          {rtc::kAttentionText, rtc::kTensorCoreText, rtc::kAttentionTilesText, kTilesBefore, pass, kTextBehind}));
    } else if (by_rows) {
      kernel = add_kernel(rows_of_warps(&spec, places, rows, &rows_of_block));
    } else {
      const bool wide = plan_.q().dtype == RONDO_F64;
      // The part of each row that a lane keeps in registers; less where rows are too few to keep a GPU busy.
      const int each = wide ? 8 : 16, head = power_of_two_up_to(plan_.size(), 256);
      int lanes = std::max(head / each, 1);
      while (lanes < kWarp && head / lanes > kLeastOfLane &&
             blocks_for(places, kThreadsOfBlock / lanes) * rows < 2 * kManyBlocks)
        lanes *= 2;
      spec.constant("kHead", head).constant("kLanes", lanes);
      spec.constant("kTile", std::min(32 * 1024 / (2 * head * (wide ? 8 : 4)), 64));
      rows_of_block = kThreadsOfBlock / lanes;
      kernel = add_kernel(spec.text({rtc::kAttentionText, kTextBefore, pass, kTextBehind}));
    }
    const int64_t blocks = std::max<int64_t>(blocks_for(places, rows_of_block), 1);
    add_launch(kernel, arguments_, std::max<int64_t>(blocks * rows, 1), parts, kThreadsOfBlock);
  }
  // Names the kernel that makes the result without tensor cores. Blocks make fewer rows where heads are large, as
  // shared memory has 48 KiB, and where there would be too few of them.
  KernelSpec& rows_of_warps(KernelSpec* spec, int64_t places, int64_t rows, int64_t* rows_of_block) const {
    constexpr int kWarps = kThreadsOfBlock / kWarp;
    const int element = plan_.q().dtype == RONDO_F64 ? 8 : 4, several = 16 / element;
    const int head = power_of_two_up_to(std::max<int64_t>(plan_.size(), 16), 256), bytes = head * element;
    // Twice the rows read keys half as often, and leave memory for half of a tile.
    const bool many = bytes <= 256 && blocks_for(places, kWarps * 8) * rows >= 8 * kManyBlocks;
    int of_warp = many ? 8 : std::min(4, 2048 / bytes), tile = (many ? 8192 : 16384) / bytes;
    while (of_warp > 1 && blocks_for(places, kWarps * of_warp) * rows < kManyBlocks) of_warp /= 2;
    tile = std::min({tile, 512 / element, std::max(power_of_two_up_to(plan_.keys(), 128), 16)});
    bool packs = plan_.size() % several == 0;
    for (const int array : {kAttentionQ, kAttentionK, kAttentionV}) {
      const Layout& layout = plan_.view[array]->layout;
      packs = packs && moves_packs(*plan_.view[array], 3, layout.strides, layout.strides[3], several);
    }
    spec->constant("kHead", head).constant("kRows", of_warp).constant("kTile", tile);
    spec->constant("kVector", packs ? several : 1);
    *rows_of_block = kWarps * of_warp;
    return spec->text({rtc::kAttentionText, rtc::kAttentionRowsText, kRowsBefore, "forward", kTextBehind});
  }
  // True if tensor cores take it: 16 bits, and heads whose elements are contiguous, eight of which move at once.
  bool by_tiles() const {
    if (plan_.kept || !is_half(plan_.q().dtype) || cuda_device(*this).capability() < 80) return false;
    if (plan_.size() % 8 != 0 || plan_.size() > 128) return false;
    for (const int array : {kAttentionQ, kAttentionK, kAttentionV, kAttentionOut, kAttentionDy, kAttentionDq,
                            kAttentionDk, kAttentionDv}) {
      if (!plan_.has(array)) continue;
      const View& view = *plan_.view[array];
      const Layout& layout = view.layout;
      if (layout.shape[3] > 1 && layout.strides[3] != 1) return false;
      for (int axis = 0; axis < 3; ++axis)
        if (layout.shape[axis] > 1 && layout.strides[axis] % 8 != 0) return false;
      if (alignment_of(view, 16) < 16) return false;
    }
    return true;
  }

  const AttentionPlan plan_;
  AttentionArguments arguments_;
  RandomState random_;
  bool chosen_ = false;
  bool unkept_ = false;                      // what is compiled for it is not kept
  std::unique_ptr<CudnnAttention> library_;  // null: Rondo's own kernels
  std::string remark_;
};

}  // namespace

Ref<OperatorTask> make_cuda_attention(const AttentionPlan& plan) {
  return make_ref<CudaAttention>(plan);
}

}  // namespace rondo::ops
