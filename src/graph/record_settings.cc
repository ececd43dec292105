// Records parameters and sections: the settings of a graph, and the tasks that they switch or give values.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "graph/recording.h"
#include "ops/elementwise/parameter.h"
#include "ops/task/output.h"

namespace rondo {

Status record_parameter(Engine& engine, const char* name, Device& device, rondo_dtype dtype, ops::Scalar value,
                        rondo_tensor** parameter) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "record parameters", &recording));
  LaunchSettings& settings = *recording->settings;
  uint32_t number = 0;
  if (settings.find(LaunchSettings::Kind::parameter, name, &number))
    return error(RONDO_INVALID_ARGUMENT, "recording '%s' has a parameter '%s' already; give this one another name",
                 recording->name, name);
  uint64_t word = 0;
  RONDO_TRY(ops::scalar_word("value", value, dtype, &word));
  ops::Handle made(make_tensor(engine, device, dtype, Layout::row_major(0, nullptr)));
  number = settings.add(LaunchSettings::Kind::parameter, name, dtype, word);
  RONDO_TRY(ops::write_parameter(made.tensor->view, number, word));
  *parameter = std::exchange(made.tensor, nullptr);
  return {};
}

Status begin_section(Engine& engine, const char* name, bool on) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "begin sections", &recording));
  if (const char* open = recording->open_section())
    return error(RONDO_INVALID_STATE, "section '%s' of recording '%s' is open; end it first (rondo_record_section_end)",
                 open, recording->name);
  LaunchSettings& settings = *recording->settings;
  uint32_t number = 0;
  if (settings.find(LaunchSettings::Kind::section, name, &number)) {
    if ((settings.word(number) != 0) != on)
      return error(RONDO_INVALID_ARGUMENT,
                   "on is %d; section '%s' of recording '%s' is %s already, and this is a part of it", on, name,
                   recording->name, on ? "off" : "on");
  } else {
    number = settings.add(LaunchSettings::Kind::section, name, RONDO_BOOL, on);
  }
  recording->begin_section(number);
  return {};
}

Status end_section(Engine& engine) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "end sections", &recording));
  if (!recording->open_section())
    return error(RONDO_INVALID_STATE, "no section of recording '%s' is open; call rondo_record_section_begin first",
                 recording->name);
  recording->end_section();
  return {};
}

}  // namespace rondo
