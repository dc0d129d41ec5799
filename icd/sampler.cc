// SPDX-License-Identifier: Apache-2.0
// Samplers.
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

void check_mode(const Sampler::Mode& mode) {
  require(mode.addressing >= CL_ADDRESS_NONE && mode.addressing <= CL_ADDRESS_MIRRORED_REPEAT,
          CL_INVALID_VALUE, "unknown addressing mode");
  require(mode.filter == CL_FILTER_NEAREST || mode.filter == CL_FILTER_LINEAR, CL_INVALID_VALUE,
          "unknown filter mode");
  // Repeated images end at 1.0.
  require(mode.normalized || (mode.addressing != CL_ADDRESS_REPEAT &&
                              mode.addressing != CL_ADDRESS_MIRRORED_REPEAT),
          CL_INVALID_VALUE, "images repeat only for normalized coordinates");
}

bool as_flag(cl_ulong value) {
  require(value == CL_TRUE || value == CL_FALSE, CL_INVALID_VALUE,
          "normalized coordinates: neither CL_TRUE nor CL_FALSE");
  return value == CL_TRUE;
}

// Reads pairs of name and value up to the terminating 0, which comes along in `list`.
Sampler::Mode read_properties(const cl_sampler_properties* properties,
                              std::vector<cl_sampler_properties>& list) {
  Sampler::Mode mode;
  for (const cl_sampler_properties* p = properties; *p; p += 2) {
    for (size_t i = 0; i < list.size(); i += 2)
      require(list[i] != *p, CL_INVALID_VALUE, "a sampler property twice");
    require(p[1] <= CL_UINT_MAX, CL_INVALID_VALUE, "a sampler property too large for its type");
    switch (*p) {
      case CL_SAMPLER_NORMALIZED_COORDS:
        mode.normalized = as_flag(p[1]);
        break;
      case CL_SAMPLER_ADDRESSING_MODE:
        mode.addressing = static_cast<cl_addressing_mode>(p[1]);
        break;
      case CL_SAMPLER_FILTER_MODE:
        mode.filter = static_cast<cl_filter_mode>(p[1]);
        break;
      default:
        throw Error(CL_INVALID_VALUE, "unknown sampler property " + std::to_string(*p));
    }
    list.insert(list.end(), {p[0], p[1]});
  }
  list.push_back(0);
  return mode;
}

cl_sampler make_sampler(Context& context, const Sampler::Mode& mode,
                        std::vector<cl_sampler_properties> properties) {
  check_mode(mode);
  return (new Sampler(context, mode, std::move(properties)))->handle();
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context handle, cl_bool normalized,
                                                    cl_addressing_mode addressing,
                                                    cl_filter_mode filter, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    return make_sampler(c, {as_flag(normalized), addressing, filter}, {});
  });
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(
    cl_context handle, const cl_sampler_properties* properties, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    std::vector<cl_sampler_properties> list;
    Sampler::Mode mode;
    if (properties) mode = read_properties(properties, list);
    return make_sampler(c, mode, std::move(list));
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler handle) {
  return guarded(__func__, [&] { sampler(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler handle) {
  return guarded(__func__, [&] { release(sampler(handle), CL_INVALID_SAMPLER); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler handle, cl_sampler_info name,
                                                 size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Sampler& s = sampler(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_SAMPLER_REFERENCE_COUNT:
        return info.value<cl_uint>(s.handles());
      case CL_SAMPLER_CONTEXT:
        return info.value<cl_context>(s.context().handle());
      case CL_SAMPLER_NORMALIZED_COORDS:
        return info.flag(s.mode().normalized);
      case CL_SAMPLER_ADDRESSING_MODE:
        return info.value<cl_addressing_mode>(s.mode().addressing);
      case CL_SAMPLER_FILTER_MODE:
        return info.value<cl_filter_mode>(s.mode().filter);
      case CL_SAMPLER_PROPERTIES:
        return info.list(s.properties());
      default:
        unknown_query(name);
    }
  });
}

}  // extern "C"
