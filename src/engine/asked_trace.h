// Writes the trace of each engine that RONDO_TRACE asks for, from the engine's beginning to its end or that of the
// process. A trace that the program begins itself takes precedence.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"

namespace rondo {

void begin_asked_trace(Engine& engine) noexcept;
// True if the trace that is on is that one.
bool traced_as_asked(const Engine& engine);
// Ends and writes it, if it is on. Waits for all work. Not inside a task.
void end_asked_trace(Engine& engine) noexcept;

}  // namespace rondo
