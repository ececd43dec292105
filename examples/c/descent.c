/* See descent.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "descent.h"

#include "check.h"

/* One kernel for a parameter, whatever follows from its gradient. */
#define UPDATE                                                                   \
  "velocity = momentum * velocity + unscale * f32(gradient) + decay * master;\n" \
  "master = master - rate * velocity"

void descent_create(struct descent* descent, struct model* model, model_forward forward, void* arg, double rate,
                    double momentum, double decay) {
  int i;
  descent->rate = rate;
  descent->momentum = momentum;
  descent->decay = decay;
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
}

void descent_destroy(struct descent* descent) {
  rondo_expression_destroy(descent->update);
  rondo_expression_destroy(descent->round);
}

static void update(const struct descent* descent, struct model_parameter* p, rondo_tensor* gradient) {
  const int rounds = p->value != p->master;
  const rondo_argument arguments[] = {RONDO_TENSOR("velocity", p->velocity),
                                      RONDO_TENSOR("master", p->master),
                                      RONDO_TENSOR("gradient", gradient),
                                      RONDO_SCALAR("momentum", descent->momentum),
                                      RONDO_SCALAR("unscale", 1 / descent->loss_scale),
                                      RONDO_SCALAR("decay", descent->decay),
                                      RONDO_SCALAR("rate", descent->rate)};
  rondo_tensor* out[3];
  out[0] = p->velocity;
  out[1] = p->master;
  out[2] = p->value;
  CHECK(rondo_expression_run(rounds ? descent->round : descent->update, 7, arguments, rounds ? 3 : 2, out));
}

void descent_step(const struct descent* descent, struct model* model, model_forward forward, void* arg,
                  rondo_tensor* loss) {
  rondo_tensor *made, *scaled = NULL, *sources[MODEL_MOST], *gradients[MODEL_MOST] = {NULL};
  rondo_tape* tape = NULL;
  int i;
  CHECK(rondo_tape_begin(model->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < model->count; ++i) {
    sources[i] = model->parameters[i].value;
    CHECK(rondo_tape_watch(tape, sources[i]));
  }
  model_begin(model);
  made = forward(arg, model);
  CHECK(rondo_binary_scalar(RONDO_MUL, made, descent->loss_scale, &scaled));
  CHECK(rondo_tape_gradients(tape, 1, &scaled, NULL, model->count, sources, gradients));
  rondo_tape_destroy(tape);
  for (i = 0; i < model->count; ++i) {
    update(descent, &model->parameters[i], gradients[i]);
    rondo_tensor_destroy(gradients[i]);
  }
  CHECK(rondo_copy(made, &loss));
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(made);
}
