// Descriptors of the simulated cuDNN: what may be set on each, by type and count, what must be there before it is
// finalised, and in which order. A descriptor is a number that is never used twice; one that another needs must live as
// long as that is used. Everything here needs the library's lock.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dynlib/cudnn_types.h"
#include "settings.h"

namespace simcudnn {

using namespace rondo::cuda;

// A refusal: what and, for cudnnGetLastErrorString, why.
struct Refusal {
  Problem problem;
  std::string why;
};

struct Value {
  int type = 0;
  std::int64_t count = 0;
  std::vector<unsigned char> bytes;
};

struct Plan;
struct Engine;

struct Object {
  int type = 0;
  bool finalized = false;
  std::map<int, Value> values;
  std::shared_ptr<const Engine> engine;                // of an engine, a configuration, a plan
  std::vector<std::shared_ptr<const Engine>> results;  // of heuristics

  bool has(int attribute) const { return values.count(attribute) != 0; }
  template <class T>
  std::vector<T> list(int attribute) const {
    const auto found = values.find(attribute);
    if (found == values.end()) return {};
    std::vector<T> all(static_cast<std::size_t>(found->second.count));
    std::memcpy(all.data(), found->second.bytes.data(), all.size() * sizeof(T));
    return all;
  }
  template <class T>
  T one(int attribute, T otherwise = {}) const {
    const std::vector<T> all = list<T>(attribute);
    return all.empty() ? otherwise : all[0];
  }
};

struct State {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<Object>> objects;
  std::map<std::uint64_t, void*> handles;  // and the stream each has
  std::uint64_t next = 0x6100000000000000ull;
};
State& state();

// Throws a Refusal for what is no live descriptor, or not of the type, or not finalised.
std::shared_ptr<Object> find(void* descriptor);
std::shared_ptr<Object> finalized(void* descriptor, int type);
// The finalised object behind an attribute that holds one descriptor.
std::shared_ptr<Object> behind(const Object& object, int attribute, int type);

void* create(int type);
void set(Object& object, int attribute, int type, std::int64_t count, const void* values);
// Attributes that are kept as they were set. The count of those there are; as many as asked for are written.
void get(const Object& object, int attribute, int type, std::int64_t requested, std::int64_t* count, void* values);
// That all that must be set is.
void check_complete(const Object& object);
std::size_t size_of(int attribute_type);

}  // namespace simcudnn
