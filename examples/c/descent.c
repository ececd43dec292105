/* See descent.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "descent.h"

#include "check.h"

/* All that follows from a parameter's gradient: one task, and a kernel or two, for all parameters. */
#define UPDATE                                                                   \
  "velocity = momentum * velocity + unscale * f32(gradient) + decay * master;\n" \
  "master = master - rate * velocity"

/* The same step for layers that are cast: it is skipped where a gradient is not finite. */
static void create_optimizer(struct descent* descent, struct model* model) {
  rondo_loss_scaler_options scales = RONDO_LOSS_SCALER_OPTIONS_INIT;
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  rondo_tensor* masters[MODEL_MOST];
  int i;
  for (i = 0; i < model->count; ++i) masters[i] = model->parameters[i].master;
  options.rate = descent->rate;
  options.momentum = descent->momentum;
  options.weight_decay = descent->decay;
  CHECK(rondo_optimizer_create(model->count, masters, &options, &descent->optimizer));
  scales.initial_scale = 1024; /* so that few of so few steps are skipped at the beginning */
  CHECK(rondo_loss_scaler_create(model->engine, model->device, &scales, &descent->scaler));
}

void descent_create(struct descent* descent, struct model* model, model_forward forward, void* arg, double rate,
                    double momentum, double decay) {
  int i;
  descent->rate = rate;
  descent->momentum = momentum;
  descent->decay = decay;
  descent->scaler = NULL;
  descent->optimizer = NULL;
  descent->loss_scale = model->dtype == RONDO_F16 ? 128 : 1;
  CHECK(rondo_expression_create(UPDATE, "descent", &descent->update));
  CHECK(rondo_expression_create(
      model->dtype == RONDO_BF16 ? UPDATE ";\nvalue = bf16(master)" : UPDATE ";\nvalue = f16(master)", "descent",
      &descent->round));
  model_begin(model);
  rondo_tensor_destroy(forward(arg, model));
  for (i = 0; i < model->count; ++i) {
    struct model_parameter* p = &model->parameters[i];
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    CHECK(rondo_tensor_query(p->value, &info));
    p->velocity = model_tensor(model, RONDO_F32, info.ndim, info.shape);
    CHECK(rondo_fill(p->velocity, 0));
  }
  if (model->autocast != RONDO_F32) create_optimizer(descent, model);
}

void descent_destroy(struct descent* descent) {
  rondo_loss_scaler_destroy(descent->scaler);
  rondo_optimizer_destroy(descent->optimizer);
  rondo_expression_destroy(descent->update);
  rondo_expression_destroy(descent->round);
}

/* Of the parameters that are rounded for the layers, or of the others. */
static void update(const struct descent* descent, struct model* model, rondo_tensor* const* gradients, int rounded) {
  enum { OPERANDS = 7 };
  rondo_argument arguments[MODEL_MOST][OPERANDS];
  rondo_tensor* out[3 * MODEL_MOST];
  const int results = rounded ? 3 : 2;
  int i, k, count = 0;
  for (i = 0; i < model->count; ++i) {
    const struct model_parameter* p = &model->parameters[i];
    const rondo_argument of_one[OPERANDS] = {RONDO_TENSOR("velocity", p->velocity),
                                             RONDO_TENSOR("master", p->master),
                                             RONDO_TENSOR("gradient", gradients[i]),
                                             RONDO_SCALAR("momentum", descent->momentum),
                                             RONDO_SCALAR("unscale", 1 / descent->loss_scale),
                                             RONDO_SCALAR("decay", descent->decay),
                                             RONDO_SCALAR("rate", descent->rate)};
    if ((p->value != p->master) != rounded) continue;
    for (k = 0; k < OPERANDS; ++k) arguments[count][k] = of_one[k];
    out[results * count] = p->velocity;
    out[results * count + 1] = p->master;
    if (rounded) out[results * count + 2] = p->value;
    ++count;
  }
  CHECK(rondo_expression_run_each(rounded ? descent->round : descent->update, count, OPERANDS, arguments[0], results,
                                  out));
}

void descent_step(const struct descent* descent, struct model* model, model_forward forward, void* arg,
                  rondo_tensor* loss) {
  rondo_tensor *made, *scaled = NULL, *sources[MODEL_MOST], *gradients[MODEL_MOST] = {NULL};
  rondo_tape* tape = NULL;
  int i;
  CHECK(rondo_tape_begin(model->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < model->count; ++i) {
    sources[i] = model->parameters[i].value;
    if (descent->scaler != NULL) { /* which wants gradients that lie as the parameters do, whatever they were cast to */
      rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
      CHECK(rondo_tensor_query(sources[i], &info));
      gradients[i] = model_tensor(model, RONDO_F32, info.ndim, info.shape);
    }
    CHECK(rondo_tape_watch(tape, sources[i]));
  }
  model_begin(model);
  CHECK(rondo_autocast_begin(model->engine, model->autocast)); /* in a scope of f32 nothing is cast */
  made = forward(arg, model);
  CHECK(rondo_autocast_end(model->engine));
  if (descent->scaler != NULL) {
    CHECK(rondo_loss_scaler_scale(descent->scaler, made, &scaled));
  } else {
    CHECK(rondo_binary_scalar(RONDO_MUL, made, descent->loss_scale, &scaled));
  }
  CHECK(rondo_tape_gradients(tape, 1, &scaled, NULL, model->count, sources, gradients));
  rondo_tape_destroy(tape);
  if (descent->scaler != NULL) {
    CHECK(rondo_loss_scaler_step(descent->scaler, descent->optimizer, model->count, gradients));
    CHECK(rondo_loss_scaler_update(descent->scaler));
  } else {
    update(descent, model, gradients, 0);
    update(descent, model, gradients, 1);
  }
  for (i = 0; i < model->count; ++i) rondo_tensor_destroy(gradients[i]);
  CHECK(rondo_copy(made, &loss));
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(made);
}
