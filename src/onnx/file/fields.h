// Reads the fields of one message of protobuf, and refuses each that is not of the type that ONNX gives it. The views
// that it hands out lie in the buffer that the caller holds.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/file/failure.h"

namespace rondo_onnx {

// One thread at a time reads. protozero throws on what it finds wrong, and read_model makes a Failure of that.
class Fields {
 public:
  Fields(std::string_view message, const char* name) : reader_(message.data(), message.size()), name_(name) {}

  bool next() { return reader_.next(); }
  uint32_t tag() const { return reader_.tag(); }
  void skip() { reader_.skip(); }

  int64_t integer() {
    want(protozero::pbf_wire_type::varint);
    return reader_.get_int64();
  }
  int32_t small_integer() {
    want(protozero::pbf_wire_type::varint);
    return reader_.get_int32();
  }
  float real() {
    want(protozero::pbf_wire_type::fixed32);
    return reader_.get_float();
  }
  std::string_view bytes() {
    want(protozero::pbf_wire_type::length_delimited);
    const protozero::data_view view = reader_.get_view();
    return {view.data(), view.size()};
  }
  std::string text() { return std::string(bytes()); }

  // Adds what a repeated field of numbers has, packed or not.
  void add_integers(std::vector<int64_t>* all) {
    if (reader_.wire_type() == protozero::pbf_wire_type::varint) return all->push_back(reader_.get_int64());
    want(protozero::pbf_wire_type::length_delimited);
    for (const int64_t each : reader_.get_packed_int64()) all->push_back(each);
  }
  void add_reals(std::vector<float>* all) {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed32) return all->push_back(reader_.get_float());
    want(protozero::pbf_wire_type::length_delimited);
    for (const float each : reader_.get_packed_float()) all->push_back(each);
  }
  void add_doubles(std::vector<double>* all) {
    if (reader_.wire_type() == protozero::pbf_wire_type::fixed64) return all->push_back(reader_.get_double());
    want(protozero::pbf_wire_type::length_delimited);
    for (const double each : reader_.get_packed_double()) all->push_back(each);
  }

 private:
  void want(protozero::pbf_wire_type type) const {
    if (reader_.wire_type() != type)
      malformed(std::string("field ") + std::to_string(reader_.tag()) + " of a " + name_ +
                " is written as another type than ONNX gives it");
  }

  protozero::pbf_reader reader_;
  const char* name_;
};

}  // namespace rondo_onnx
