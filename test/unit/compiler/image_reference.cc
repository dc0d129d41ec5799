// SPDX-License-Identifier: Apache-2.0
#include "test/unit/compiler/image_reference.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "conclave/image_channels.h"

namespace conclave::test {
namespace {

// A channel of a type: how many bits it has, and what they mean.
enum class Meaning { kUnorm, kSnorm, kSigned, kUnsigned, kHalf, kFloat };
struct Type {
  uint32_t type;
  const char* name;
  unsigned bits;  // 0: packed
  Meaning meaning;
};
constexpr Type kTypes[] = {{CL_SNORM_INT8, "SNORM_INT8", 8, Meaning::kSnorm},
                           {CL_SNORM_INT16, "SNORM_INT16", 16, Meaning::kSnorm},
                           {CL_UNORM_INT8, "UNORM_INT8", 8, Meaning::kUnorm},
                           {CL_UNORM_INT16, "UNORM_INT16", 16, Meaning::kUnorm},
                           {CL_UNORM_SHORT_565, "UNORM_SHORT_565", 0, Meaning::kUnorm},
                           {CL_UNORM_SHORT_555, "UNORM_SHORT_555", 0, Meaning::kUnorm},
                           {CL_UNORM_INT_101010, "UNORM_INT_101010", 0, Meaning::kUnorm},
                           {CL_SIGNED_INT8, "SIGNED_INT8", 8, Meaning::kSigned},
                           {CL_SIGNED_INT16, "SIGNED_INT16", 16, Meaning::kSigned},
                           {CL_SIGNED_INT32, "SIGNED_INT32", 32, Meaning::kSigned},
                           {CL_UNSIGNED_INT8, "UNSIGNED_INT8", 8, Meaning::kUnsigned},
                           {CL_UNSIGNED_INT16, "UNSIGNED_INT16", 16, Meaning::kUnsigned},
                           {CL_UNSIGNED_INT32, "UNSIGNED_INT32", 32, Meaning::kUnsigned},
                           {CL_HALF_FLOAT, "HALF_FLOAT", 16, Meaning::kHalf},
                           {CL_FLOAT, "FLOAT", 32, Meaning::kFloat}};

// The stored channels by their letters.
struct Order {
  uint32_t order;
  const char* name;
  const char* stored;
};
constexpr Order kOrders[] = {{CL_R, "R", "r"},
                             {CL_A, "A", "a"},
                             {CL_RG, "RG", "rg"},
                             {CL_RA, "RA", "ra"},
                             {CL_RGB, "RGB", "rgb"},
                             {CL_RGBA, "RGBA", "rgba"},
                             {CL_BGRA, "BGRA", "bgra"},
                             {CL_ARGB, "ARGB", "argb"},
                             {CL_INTENSITY, "INTENSITY", "i"},
                             {CL_LUMINANCE, "LUMINANCE", "l"},
                             {CL_DEPTH, "DEPTH", "r"},
                             {CL_sRGBA, "sRGBA", "rgba"}};

const Type& type_of(const Format& format) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const Type& type) { return type.type == format.type; });
}
const Order& order_of(const Format& format) {
  return *std::find_if(std::begin(kOrders), std::end(kOrders),
                       [&](const Order& order) { return order.order == format.order; });
}

bool go_together(const Order& order, const Type& type) {
  const bool is_integer = type.meaning == Meaning::kSigned || type.meaning == Meaning::kUnsigned;
  switch (order.order) {
    case CL_RGB:
      return type.bits == 0;
    case CL_BGRA:
    case CL_ARGB:
      return type.bits == 8;
    case CL_INTENSITY:
    case CL_LUMINANCE:
      return type.bits != 0 && !is_integer;
    case CL_DEPTH:
      return type.type == CL_UNORM_INT16 || type.type == CL_FLOAT;
    case CL_sRGBA:
      return type.type == CL_UNORM_INT8;
    default:
      return type.bits != 0;
  }
}

template <class T>
T load(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}
template <class T>
void store(std::byte* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

// Position and width of a packed format's channels r, g and b.
struct PackedField {
  unsigned position, bits;
};
PackedField packed_field(uint32_t type, size_t channel) {
  constexpr PackedField k565[] = {{11, 5}, {5, 6}, {0, 5}};
  constexpr PackedField k555[] = {{10, 5}, {5, 5}, {0, 5}};
  constexpr PackedField k101010[] = {{20, 10}, {10, 10}, {0, 10}};
  return type == CL_UNORM_SHORT_565   ? k565[channel]
         : type == CL_UNORM_SHORT_555 ? k555[channel]
                                      : k101010[channel];
}

double unorm(uint64_t number, unsigned bits) {
  return static_cast<double>(number) / static_cast<double>((uint64_t{1} << bits) - 1);
}
double snorm(int64_t number, unsigned bits) {
  return std::max(-1.0, static_cast<double>(number) / ((1 << (bits - 1)) - 1));
}

// A stored channel's value.
double decode_channel(const Format& format, const std::byte* element, size_t channel) {
  const Type& type = type_of(format);
  const std::byte* place = element + channel * type.bits / 8;
  switch (type.type) {
    case CL_SNORM_INT8:
      return snorm(load<int8_t>(place), 8);
    case CL_SNORM_INT16:
      return snorm(load<int16_t>(place), 16);
    case CL_UNORM_INT8:
      return unorm(load<uint8_t>(place), 8);
    case CL_UNORM_INT16:
      return unorm(load<uint16_t>(place), 16);
    case CL_SIGNED_INT8:
      return load<int8_t>(place);
    case CL_SIGNED_INT16:
      return load<int16_t>(place);
    case CL_SIGNED_INT32:
      return load<int32_t>(place);
    case CL_UNSIGNED_INT8:
      return load<uint8_t>(place);
    case CL_UNSIGNED_INT16:
      return load<uint16_t>(place);
    case CL_UNSIGNED_INT32:
      return load<uint32_t>(place);
    case CL_HALF_FLOAT:
      return static_cast<double>(cl_half_to_float(load<cl_half>(place)));
    case CL_FLOAT:
      return static_cast<double>(load<float>(place));
    default: {
      const uint32_t packed =
          format.element_size() == 2 ? load<uint16_t>(element) : load<uint32_t>(element);
      const PackedField field = packed_field(type.type, channel);
      return unorm(packed >> field.position & ((1u << field.bits) - 1), field.bits);
    }
  }
}

bool has_opaque_border(const Format& format) {
  return format.order == CL_R || format.order == CL_RG || format.order == CL_RGB ||
         format.order == CL_LUMINANCE;
}

double linear_of_srgb(double shade) {
  return shade <= 0.04045 ? shade / 12.92 : std::pow((shade + 0.055) / 1.055, 2.4);
}

// The nearest whole number of what float arithmetic makes of value * largest, ties to even.
int64_t quantize(double value, int64_t lowest, int64_t largest) {
  if (std::isnan(value)) return 0;
  const float scaled = static_cast<float>(value) * static_cast<float>(largest);
  return std::clamp<int64_t>(std::llrint(std::clamp(static_cast<double>(scaled), -1e9, 1e9)),
                             lowest, largest);
}

void encode_channel(const Format& format, double value, std::byte* element, size_t channel) {
  const Type& type = type_of(format);
  std::byte* place = element + channel * type.bits / 8;
  switch (type.type) {
    case CL_SNORM_INT8:
      return store(place, static_cast<int8_t>(quantize(value, -128, 127)));
    case CL_SNORM_INT16:
      return store(place, static_cast<int16_t>(quantize(value, -32768, 32767)));
    case CL_UNORM_INT8:
      return store(place, static_cast<uint8_t>(quantize(value, 0, 255)));
    case CL_UNORM_INT16:
      return store(place, static_cast<uint16_t>(quantize(value, 0, 65535)));
    case CL_SIGNED_INT8:
      return store(place, static_cast<int8_t>(std::clamp(value, -128.0, 127.0)));
    case CL_SIGNED_INT16:
      return store(place, static_cast<int16_t>(std::clamp(value, -32768.0, 32767.0)));
    case CL_SIGNED_INT32:
      return store(place, static_cast<int32_t>(value));
    case CL_UNSIGNED_INT8:
      return store(place, static_cast<uint8_t>(std::min(value, 255.0)));
    case CL_UNSIGNED_INT16:
      return store(place, static_cast<uint16_t>(std::min(value, 65535.0)));
    case CL_UNSIGNED_INT32:
      return store(place, static_cast<uint32_t>(value));
    case CL_HALF_FLOAT:
      return store(place, cl_half_from_float(static_cast<float>(value), CL_HALF_RTE));
    case CL_FLOAT:
      return store(place, static_cast<float>(value));
    default: {
      const PackedField field = packed_field(type.type, channel);
      const auto bits = static_cast<uint32_t>(quantize(value, 0, (1 << field.bits) - 1));
      uint32_t packed = channel == 0 ? 0 : load<uint32_t>(element);
      if (format.element_size() == 2 && channel != 0) packed = load<uint16_t>(element);
      packed |= bits << field.position;
      if (format.element_size() == 2)
        store(element, static_cast<uint16_t>(packed));
      else
        store(element, packed);
    }
  }
}

}  // namespace

size_t Format::channels() const {
  return std::strlen(order_of(*this).stored);
}

size_t Format::element_size() const {
  const Type& type = type_of(*this);
  if (type.bits != 0) return channels() * type.bits / 8;
  return this->type == CL_UNORM_INT_101010 ? 4 : 2;
}

char Format::letter() const {
  const Meaning meaning = type_of(*this).meaning;
  return meaning == Meaning::kSigned ? 'i' : meaning == Meaning::kUnsigned ? 'u' : 'f';
}

std::string Format::name() const {
  return std::string(order_of(*this).name) + " " + type_of(*this).name;
}

std::vector<Format> all_formats() {
  std::vector<Format> formats;
  for (const Order& order : kOrders)
    for (const Type& type : kTypes)
      if (go_together(order, type)) formats.push_back({order.order, type.type});
  return formats;
}

Color decode(const Format& format, const std::byte* element) {
  Color color = {0, 0, 0, 1};
  const std::string stored = order_of(format).stored;
  for (size_t i = 0; i < stored.size(); ++i) {
    double value = decode_channel(format, element, i);
    if (format.order == CL_sRGBA && stored[i] != 'a') value = linear_of_srgb(value);
    if (stored[i] == 'i') color = {value, value, value, value};
    if (stored[i] == 'l') color = {value, value, value, 1};
    const size_t channel = std::string("rgba").find(stored[i]);
    if (channel != std::string::npos) color[channel] = value;
  }
  return color;
}

void encode(const Format& format, const Color& color, std::byte* element) {
  const std::string stored = order_of(format).stored;
  for (size_t i = 0; i < stored.size(); ++i) {
    const size_t channel = std::string("rgba").find(stored[i]);
    encode_channel(format, color[channel == std::string::npos ? 0 : channel], element, i);
  }
}

TestImage::TestImage(const Format& format, Size size) : format_(format), size_(size) {
  row_pitch_ = size.width * format.element_size() + 3 * format.element_size();
  slice_pitch_ = size.height * row_pitch_ + 5 * format.element_size();
  bytes_.resize(slice_pitch_ * size.depth * size.layers);
  image_ = {bytes_.data(),
            row_pitch_,
            slice_pitch_,
            size.width,
            size.height,
            size.depth,
            size.layers,
            format.order,
            format.type,
            static_cast<uint32_t>(format.element_size()),
            0,
            describe_channels(format.order, format.type)};
}

std::byte* TestImage::element(size_t x, size_t y, size_t z) {
  return bytes_.data() + z * slice_pitch_ + y * row_pitch_ + x * format_.element_size();
}

void TestImage::fill(uint32_t seed) {
  std::mt19937 random(seed);
  if (format_.type != CL_FLOAT) {
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random());
    return;
  }
  std::uniform_real_distribution<float> values(-2, 2);
  for (size_t i = 0; i + 4 <= bytes_.size(); i += 4) store(&bytes_[i], values(random));
}

Color TestImage::at(uint32_t sampler, std::array<int, 3> index, int dimensions) const {
  const std::array<uint32_t, 3> sizes = {size_.width, size_.height,
                                         dimensions == 3 ? size_.depth : size_.layers};
  for (size_t d = 0; d < 3; ++d) {
    const auto size = static_cast<int>(sizes[d]);
    if (index[d] >= 0 && index[d] < size) continue;
    if ((sampler & 0xe) == abi::kSamplerAddressClamp && static_cast<int>(d) < dimensions)
      return {0, 0, 0, has_opaque_border(format_) ? 1.0 : 0.0};
    index[d] = std::clamp(index[d], 0, size - 1);
  }
  return decode(format_, const_cast<TestImage*>(this)->element(static_cast<size_t>(index[0]),
                                                               static_cast<size_t>(index[1]),
                                                               static_cast<size_t>(index[2])));
}

Color TestImage::sample(uint32_t sampler, const std::array<float, 3>& coordinates,
                        int dimensions) const {
  const std::array<uint32_t, 3> sizes = {size_.width, size_.height,
                                         dimensions == 3 ? size_.depth : size_.layers};
  const uint32_t mode = sampler & 0xe;
  const bool is_linear = sampler & abi::kSamplerFilterLinear;
  std::array<std::array<int, 2>, 3> index = {};
  std::array<double, 3> share = {};
  for (size_t d = 0; d < 3; ++d) {
    const float s = coordinates[d];
    const auto size = static_cast<int>(sizes[d]);
    if (static_cast<int>(d) >= dimensions) {
      const int layer = d == 2 ? std::clamp(static_cast<int>(std::rint(s)), 0, size - 1) : 0;
      index[d] = {layer, layer};
      continue;
    }
    float u = sampler & abi::kSamplerNormalized ? s * static_cast<float>(size) : s;
    if (mode == abi::kSamplerAddressRepeat) u = (s - std::floor(s)) * static_cast<float>(size);
    if (mode == abi::kSamplerAddressMirroredRepeat)
      u = std::fabs(s - 2.0f * std::rint(0.5f * s)) * static_cast<float>(size);
    if (is_linear) {
      const float whole = std::floor(u - 0.5f);
      share[d] = static_cast<double>(u - 0.5f - whole);
      index[d] = {static_cast<int>(whole), static_cast<int>(whole) + 1};
    } else {
      index[d] = {static_cast<int>(std::floor(u)), 0};
    }
    if (mode == abi::kSamplerAddressRepeat)
      for (int& i : index[d]) i = i < 0 ? i + size : i > size - 1 ? i - size : i;
  }
  if (!is_linear) return at(sampler, {index[0][0], index[1][0], index[2][0]}, dimensions);
  Color sum = {};
  for (size_t i = 0; i < 8; ++i) {
    const size_t x = i & 1, y = i >> 1 & 1, z = i >> 2;
    const double weight = (x ? share[0] : 1 - share[0]) * (y ? share[1] : 1 - share[1]) *
                          (z ? share[2] : 1 - share[2]);
    const Color color = at(sampler, {index[0][x], index[1][y], index[2][z]}, dimensions);
    for (size_t c = 0; c < 4; ++c) sum[c] += weight * color[c];
  }
  return sum;
}

}  // namespace conclave::test
