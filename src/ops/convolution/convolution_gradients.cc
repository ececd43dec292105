// Computes both gradients of a convolution as one task: one after the other, or in parallel on a second stream where
// that was measured to be faster. The bits are the same either way, because the kernels are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"
#include "base/text.h"
#include "engine/tasks/auxiliary.h"
#include "engine/tasks/thread_state.h"
#include "ops/convolution/convolution_cudnn.h"
#include "ops/convolution/cudnn_problem.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

enum Streams : int { kMeasured, kAlways, kNever };  // as the setting names them

size_t aligned(size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

class GradientsTask final : public OperatorTask {
 public:
  GradientsTask(const Convolution& data, const Convolution& filter)
      : OperatorTask("convolution_gradients", data.out().device()),
        data_problem_(data),
        filter_problem_(filter),
        data_(make_cuda_convolution(data)),
        filter_(make_cuda_convolution(filter)) {
    data_->hand_accesses_to(*this);
    filter_->hand_accesses_to(*this);
  }

  void list_operands(std::vector<TaskOperand>* list) const override {
    for (const View* view : {&filter_problem_.image, &data_problem_.filter, &data_problem_.result})
      list->push_back({*view, false});
    list->push_back({data_problem_.out(), true});
    list->push_back({filter_problem_.out(), true});
  }

  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<GradientsTask>(memory.moved(data_problem_), memory.moved(filter_problem_));
  }

  Status prepare() override {
    if (ready_) return {};
    RONDO_TRY(data_->prepare());
    RONDO_TRY(filter_->prepare());
    RONDO_TRY(decide());
    take_scratch();
    if (side_by_side_) want_auxiliaries(1);
    ready_ = true;
    return {};
  }

  bool degrade() override {
    if (!side_by_side_) return false;
    side_by_side_ = false;
    want_auxiliaries(0);
    take_scratch();
    remark_ = "gradients one after the other: there was no memory for two workspaces";
    return true;
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // decided already, unless the task came here by another way
    TaskContext of_filter = context;
    if (context.workspace) of_filter.workspace = static_cast<char*>(context.workspace) + filter_workspace_;
    if (!side_by_side_ || !context.auxiliaries) {
      RONDO_TRY(data_->run(context));
      return filter_->run(of_filter);
    }
    Auxiliary& auxiliary = (*context.auxiliaries)[0];
    of_filter.stream = auxiliary.stream();
    RONDO_TRY(auxiliary.fork(context.stream));
    Status status = filter_->run(of_filter);
    if (status.ok()) status = data_->run(context);
    // Whatever was begun there is waited for.
    const Status joined = auxiliary.join(context.stream, context.capturing);
    return status.ok() ? joined : status;
  }

  bool capturable(const char** why) const override { return data_->capturable(why) && filter_->capturable(why); }
  std::string remark() const override {
    std::string all = remark_;
    for (const auto& [part, name] : {std::pair{&data_, "data"}, std::pair{&filter_, "filter"}})
      if (const std::string own = (*part)->remark(); !own.empty()) all += format("; of the %s: %s", name, own.c_str());
    return all;
  }

 private:
  size_t of_data() const { return aligned(data_->workspace_bytes()); }
  size_t of_filter() const { return aligned(filter_->workspace_bytes()); }

  // Work that may run at once never shares scratch memory.
  void take_scratch() {
    filter_workspace_ = side_by_side_ ? of_data() : 0;
    workspace_bytes_ = side_by_side_ ? of_data() + of_filter() : std::max(of_data(), of_filter());
  }

  Status decide() {
    const int mode = setting_choice(Setting::backward_streams);
    if (mode != kNever && of_data() + of_filter() > dnn::workspace_limit()) {
      remark_ = "gradients one after the other: two workspaces are more than RONDO_CONVOLUTION_WORKSPACE_MB allows";
      return {};
    }
    if (mode == kAlways || mode == kNever) {
      side_by_side_ = mode == kAlways;
      remark_ = side_by_side_ ? "gradients side by side, as RONDO_BACKWARD_STREAMS says"
                              : "gradients one after the other, as RONDO_BACKWARD_STREAMS says";
      return {};
    }
    SideBySide measured;
    RONDO_TRY(measure_side_by_side(cuda_device(*this), data_problem_, filter_problem_, &measured));
    side_by_side_ = measured.faster;
    const char* chosen = side_by_side_ ? "gradients side by side" : "gradients one after the other";
    if (measured.side_by_side_us > 0)
      remark_ = format("%s: %.1f us one after the other, %.1f us side by side", chosen, measured.one_by_one_us,
                       measured.side_by_side_us);
    else
      remark_ = format("%s: %s", chosen, measured.why_not);
    return {};
  }

  const Convolution data_problem_, filter_problem_;
  const Ref<OperatorTask> data_, filter_;
  bool ready_ = false;
  bool side_by_side_ = false;
  size_t filter_workspace_ = 0;  // where the filter's scratch memory begins
  std::string remark_;
};

void note(Observer& tapes, const Convolution& problem, const Describe& call) {
  std::vector<TaskOperand> operands;
  problem.list_operands(&operands);
  tapes.done(problem.name(), call(), operands);
}

}  // namespace

Status convolution_gradients(const View& x, const View& w, const View& dy, const ConvolutionOptions& options,
                             Output& dx, Output& dw) {
  ConvolutionOptions plain = options;
  plain.activation = RONDO_ACTIVATION_NONE;
  const ConvolutionOptions back = reversed(options, x.layout, w.layout, dy.layout);
  const int n = x.layout.ndim - 2;
  const int64_t* const kernel = w.layout.shape + 2;
  // Transposed, the gradient of the image is a plain convolution. A recording has both, and its compiler may make one
  // task of them.
  const bool together = !dy.device().is_host() && !options.transposed && x.elements() > 0 && w.elements() > 0;
  if (!together || records_operators(dy.engine())) {
    RONDO_TRY(convolution(dy, w, back, {}, dx));
    return convolution_filter_grad(x, dy, n, kernel, plain, dw);
  }
  Convolution data, filter;
  RONDO_TRY(pose_convolution(dy, w, back, {}, dx, &data));
  RONDO_TRY(pose_filter_grad(x, dy, n, kernel, plain, dw, &filter));
  const auto call = [&] { return Call{ConvolutionGradsCall{plain}}; };
  return submit_unheard(
      [&] {
        return submit_prepared(dy.engine(), make_ref<GradientsTask>(data, filter), {&dx, &dw}, call);
      },
      [&](Observer& tapes) {  // of the two operators that the task does the work of
        note(tapes, data, [&] { return Call{ConvolutionCall{back, false, false, false}}; });
        note(tapes, filter, [&] { return filter_grad_call(plain, n, kernel); });
      });
}

}  // namespace rondo::ops
