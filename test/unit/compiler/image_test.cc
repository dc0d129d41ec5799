// SPDX-License-Identifier: Apache-2.0
// Images and samplers in kernels, against image_reference.h: every format, every kind of images,
// every sampler.
#include <gtest/gtest.h>

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cmath>
#include <limits>
#include <random>

#include "test/unit/compiler/compiled_program.h"
#include "test/unit/compiler/image_reference.h"

namespace conclave::test {
namespace {

// Packets, the rest of a row, and one work-item after the other.
const char* const kOptions[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-conclave-width=1",
                                "-cl-std=CL3.0 -cl-opt-disable"};

// A kind of images: its type in OpenCL C, the type of its coordinates, and how to make those of
// x, y and z.
struct Kind {
  const char* type;
  const char* width;
  const char* coordinates;
  int dimensions;
  bool has_layers;
};
constexpr Kind kKinds[] = {{"image1d_t", "", "x", 1, false},
                           {"image1d_array_t", "2", "x, z", 1, true},
                           {"image2d_t", "2", "x, y", 2, false},
                           {"image2d_array_t", "4", "x, y, z, 0", 2, true},
                           {"image2d_depth_t", "2", "x, y", 2, false},
                           {"image2d_array_depth_t", "4", "x, y, z, 0", 2, true},
                           {"image3d_t", "4", "x, y, z, 0", 3, false}};
constexpr Kind kBuffer = {"image1d_buffer_t", "", "x", 1, false};

bool is_depth(const Kind& kind) {
  return std::string(kind.type).find("depth") != std::string::npos;
}

TestImage::Size size_of(const Kind& kind) {
  return {37, kind.dimensions > 1 ? 5u : 1u, kind.dimensions > 2 ? 3u : 1u,
          kind.has_layers ? 3u : 1u};
}

std::string coordinates(const Kind& kind, const std::string& type) {
  return "(" + type + kind.width + ")(" + kind.coordinates + ")";
}

std::string vector_of(char letter) {
  return letter == 'i' ? "int4" : letter == 'u' ? "uint4" : "float4";
}
std::string suffix_of(char letter) {
  return letter == 'u' ? "ui" : std::string(1, letter);
}

// Half and float exactly, and normalized numbers correctly rounded, though the specification allows
// 1.5 ulp: programs multiply what they read by 65535 and expect what was stored. Of eight bits without
// sign, 255 times the number must not be below what was stored. sRGB is within 1.5 ulp.
bool is_near(double got, double wanted, const Format& format) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (got == wanted) return true;
  if (format.letter() != 'f' || format.type == CL_FLOAT || format.type == CL_HALF_FLOAT)
    return false;
  const bool is_byte = format.type == CL_UNORM_INT8;
  if (is_byte && format.order != CL_sRGBA &&
      static_cast<float>(got) * 255 < std::round(static_cast<float>(wanted * 255)))
    return false;
  if (!is_byte) return got == static_cast<double>(static_cast<float>(wanted));
  const auto rounded = static_cast<float>(std::fabs(wanted));
  const double ulp = static_cast<double>(std::nextafter(rounded, INFINITY) - rounded);
  return rounded != 1.0f && std::fabs(got - wanted) <= 1.5 * ulp;
}

// Colors as a kernel stores or loads them.
union Quad {
  float f[4];
  int32_t i[4];
  uint32_t u[4];

  double value(char letter, size_t channel) const {
    return letter == 'i'   ? static_cast<double>(i[channel])
           : letter == 'u' ? static_cast<double>(u[channel])
                           : static_cast<double>(f[channel]);
  }
};

// Copies an image to a buffer and a buffer to an image, with the functions for a letter.
std::string copy_source(const Kind& kind, char letter, const std::string& access) {
  const std::string color = vector_of(letter), suffix = suffix_of(letter);
  const std::string place =
      "  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
      "  const int i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n";
  const std::string c = coordinates(kind, "int");
  const bool depth = is_depth(kind);
  return "kernel void read_" + suffix + "(" + access + " " + kind.type + " in, global " + color +
         "* out) {\n" + place + "  out[i] = " + (depth ? "(float4)(" : "(") + "read_image" +
         suffix + "(in, " + c + ")" + (depth ? ", 0, 0, 1)" : ")") + ";\n}\n" +
         "kernel void write_" + suffix + "(" + (access == "read_only" ? "write_only" : access) +
         " " + kind.type + " out, global const " + color + "* in) {\n" + place + "  write_image" +
         suffix + "(out, " + c + ", in[i]" + (depth ? ".x" : "") + ");\n}\n";
}

Range range_of(const TestImage& image) {
  const TestImage::Size& size = image.size();
  return {{size.width, size.height, size.depth * size.layers}, {size.width, 1, 1}, {0, 0, 0}};
}

template <class Check>
void for_elements(const TestImage& image, Check check) {
  const TestImage::Size& size = image.size();
  size_t i = 0;
  for (size_t z = 0; z < size.depth * size.layers; ++z)
    for (size_t y = 0; y < size.height; ++y)
      for (size_t x = 0; x < size.width; ++x) check(i++, x, y, z);
}

void check_read(CompiledProgram& program, const Kind& kind, const Format& format) {
  TestImage image(format, size_of(kind));
  image.fill(format.order * 31 + format.type);
  std::vector<Quad> got(37 * 5 * 3);
  program.run("read_" + suffix_of(format.letter()),
              Arguments().add(image.address()).add(got.data()), range_of(image));
  int failures = 0;
  for_elements(image, [&](size_t i, size_t x, size_t y, size_t z) {
    const Color wanted = decode(format, image.element(x, y, z));
    for (size_t c = 0; c < (is_depth(kind) ? 1 : 4); ++c)
      if (!is_near(got[i].value(format.letter(), c), wanted[c], format) && failures++ < 3)
        ADD_FAILURE() << format.name() << ", " << kind.type << ", channel " << c << " of " << x
                      << ", " << y << ", " << z << ": got " << got[i].value(format.letter(), c)
                      << ", not " << wanted[c];
  });
}

// Numbers in and out of range, and halfway between two that can be stored.
std::vector<Quad> colors_for(const Format& format, size_t count) {
  std::mt19937 random(format.type * 7 + format.order);
  constexpr float kFloats[] = {0.0f,
                               -0.0f,
                               1.0f,
                               -1.0f,
                               0.5f / 255,
                               1.5f / 255,
                               2,
                               -3,
                               1e30f,
                               -1e30f,
                               0.5f / 127,
                               2.5f / 127,
                               -1.5f / 127,
                               1e-9f,
                               0.3f,
                               70000,
                               std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
  std::uniform_real_distribution<float> floats(-1.2f, 1.2f);
  std::vector<Quad> colors(count);
  for (Quad& color : colors)
    for (size_t c = 0; c < 4; ++c) {
      if (format.letter() == 'f')
        color.f[c] = random() % 3 ? floats(random) : kFloats[random() % std::size(kFloats)];
      else
        color.u[c] = random() % 3 ? static_cast<uint32_t>(random() % 600) - 300
                                  : static_cast<uint32_t>(random());
    }
  return colors;
}

bool is_same_element(const Format& format, const std::byte* a, const std::byte* b) {
  const Color x = decode(format, a), y = decode(format, b);
  for (size_t c = 0; c < 4; ++c)
    if (x[c] != y[c] && !(std::isnan(x[c]) && std::isnan(y[c]))) return false;
  return true;
}

void check_write(CompiledProgram& program, const Kind& kind, const Format& format) {
  TestImage image(format, size_of(kind)), wanted(format, size_of(kind));
  image.fill(1);
  wanted.fill(1);
  const std::vector<Quad> colors = colors_for(format, 37 * 5 * 3);
  program.run("write_" + suffix_of(format.letter()),
              Arguments().add(image.address()).add(colors.data()), range_of(image));
  int failures = 0;
  for_elements(image, [&](size_t i, size_t x, size_t y, size_t z) {
    Color color;
    for (size_t c = 0; c < 4; ++c) color[c] = colors[i].value(format.letter(), c);
    encode(format, color, wanted.element(x, y, z));
    if (!is_same_element(format, image.element(x, y, z), wanted.element(x, y, z)) && failures++ < 3)
      ADD_FAILURE() << format.name() << ", " << kind.type << ", " << x << ", " << y << ", " << z
                    << ", from " << color[0] << " " << color[1] << " " << color[2] << " "
                    << color[3] << ": got " << decode(format, image.element(x, y, z))[0]
                    << " ..., not " << decode(format, wanted.element(x, y, z))[0];
    // What is not a number may have any bits.
    std::copy_n(image.element(x, y, z), format.element_size(), wanted.element(x, y, z));
  });
  EXPECT_EQ(image.bytes(), wanted.bytes()) << format.name() << ": written beside its elements";
}

void check_formats(const Kind& kind, const std::string& access) {
  for (const char* options : kOptions) {
    SCOPED_TRACE(std::string(kind.type) + " " + options);
    std::string source;
    for (char letter : {'f', 'i', 'u'})
      if (!is_depth(kind) || letter == 'f') source += copy_source(kind, letter, access);
    CompiledProgram program(source, options);
    for (const Format& format : all_formats()) {
      if ((format.order == CL_DEPTH) != is_depth(kind)) continue;
      check_read(program, kind, format);
      if (format.order != CL_sRGBA) check_write(program, kind, format);
    }
  }
}

TEST(Image, ReadsAndWritesAllFormats) {
  for (const Kind& kind : kKinds) check_formats(kind, "read_only");
  check_formats(kBuffer, "read_only");
}

TEST(Image, ReadsAndWritesOneImage) {
  for (const Kind& kind : kKinds) check_formats(kind, "read_write");
  check_formats(kBuffer, "read_write");
}

// A frame of two positions around the image in each of its dimensions, the outer ones far away.
void check_dropped_writes(const Kind& kind, const char* options) {
  const Format format =
      is_depth(kind) ? Format{CL_DEPTH, CL_FLOAT} : Format{CL_RGBA, CL_UNSIGNED_INT8};
  const bool has_y = kind.dimensions > 1, has_z = kind.dimensions > 2 || kind.has_layers;
  const std::string source =
      "int place(size_t d) {\n"
      "  const int i = get_global_id(d), last = get_global_size(d) - 1;\n"
      "  return i == 0 ? INT_MIN : i == last ? INT_MAX : i - 2;\n}\n"
      "kernel void k(write_only " +
      std::string(kind.type) +
      " out) {\n  const int x = place(0), y = " + (has_y ? "place(1)" : "0") +
      ", z = " + (has_z ? "place(2)" : "0") + ";\n  write_image" + (is_depth(kind) ? "f" : "ui") +
      "(out, " + coordinates(kind, "int") + (is_depth(kind) ? ", 0.5f" : ", (uint4)(1, 2, 3, 4)") +
      ");\n}\n";
  CompiledProgram program(source, options);
  TestImage image(format, size_of(kind)), wanted(format, size_of(kind));
  image.fill(1);
  wanted.fill(1);
  for_elements(image, [&](size_t, size_t x, size_t y, size_t z) {
    encode(format, is_depth(kind) ? Color{0.5, 0, 0, 0} : Color{1, 2, 3, 4},
           wanted.element(x, y, z));
  });
  Range range = range_of(image);
  range.global[0] += 4;
  range.global[1] += has_y ? 4 : 0;
  range.global[2] += has_z ? 4 : 0;
  range.local = {range.global[0], 1, 1};
  program.run("k", Arguments().add(image.address()), range);
  EXPECT_EQ(image.bytes(), wanted.bytes());
}

TEST(Image, DropsWritesOutside) {
  for (const char* options : kOptions) {
    SCOPED_TRACE(options);
    for (const Kind& kind : kKinds) check_dropped_writes(kind, options);
    check_dropped_writes(kBuffer, options);
  }
}

std::string known_format(const std::string& kernel, const Format& format) {
  return "-cl-conclave-image-formats=" + kernel + ":" + std::to_string(format.order) + "/" +
         std::to_string(format.type);
}

TEST(Image, FormatsMayBeKnown) {
  const Kind& kind = kKinds[2];
  for (const Format& format : all_formats()) {
    if (format.order == CL_DEPTH) continue;
    const std::string source = copy_source(kind, format.letter(), "read_only");
    const std::string suffix = suffix_of(format.letter());
    CompiledProgram reader(source, known_format("read_" + suffix, format));
    check_read(reader, kind, format);
    if (format.order == CL_sRGBA) continue;
    CompiledProgram writer(source, known_format("write_" + suffix, format));
    check_write(writer, kind, format);
  }
}

struct Sampler {
  std::string text;
  uint32_t bits;

  bool is_linear() const { return bits & abi::kSamplerFilterLinear; }
  bool is_normalized() const { return bits & abi::kSamplerNormalized; }
};

std::vector<Sampler> all_samplers() {
  std::vector<Sampler> samplers;
  const std::pair<const char*, uint32_t> modes[] = {
      {"CLK_ADDRESS_NONE", abi::kSamplerAddressNone},
      {"CLK_ADDRESS_CLAMP_TO_EDGE", abi::kSamplerAddressClampToEdge},
      {"CLK_ADDRESS_CLAMP", abi::kSamplerAddressClamp},
      {"CLK_ADDRESS_REPEAT", abi::kSamplerAddressRepeat},
      {"CLK_ADDRESS_MIRRORED_REPEAT", abi::kSamplerAddressMirroredRepeat}};
  for (const auto& [name, mode] : modes)
    for (bool normalized : {false, true})
      for (bool linear : {false, true}) {
        if (mode >= abi::kSamplerAddressRepeat && !normalized) continue;
        samplers.push_back({std::string(name) +
                                (normalized ? " | CLK_NORMALIZED_COORDS_TRUE" : "") +
                                (linear ? " | CLK_FILTER_LINEAR" : " | CLK_FILTER_NEAREST"),
                            mode | (normalized ? abi::kSamplerNormalized : 0) |
                                (linear ? abi::kSamplerFilterLinear : abi::kSamplerFilterNearest)});
      }
  return samplers;
}

using Place = std::array<float, 4>;

// Places all around the image and in it; inside only where the mode is none.
std::vector<Place> places_for(const Sampler& sampler, const Kind& kind, bool whole) {
  std::mt19937 random(sampler.bits);
  const TestImage::Size size = size_of(kind);
  const std::array<uint32_t, 3> sizes = {size.width, size.height, size.depth};
  const bool is_inside = (sampler.bits & 0xe) == abi::kSamplerAddressNone;
  std::vector<Place> places(333);
  for (Place& place : places) {
    for (size_t d = 0; d < 3; ++d) {
      const auto extent = static_cast<float>(sizes[d]);
      float low = is_inside ? 0 : -extent - 3, high = is_inside ? extent : 2 * extent + 3;
      // Linear filters look at neighbours.
      if (is_inside && sampler.is_linear()) low = 0.5f, high = std::max(0.6f, extent - 0.6f);
      float x = std::uniform_real_distribution<float>(low, high)(random);
      if (whole) x = std::min(std::floor(x), high - 1);
      place[d] = sampler.is_normalized() ? x / extent : x;
    }
    if (kind.has_layers) place[2] = std::uniform_real_distribution<float>(-2, 5)(random);
    if (kind.has_layers && whole) place[2] = std::floor(place[2]);
  }
  return places;
}

// A kernel for each letter and type of coordinates; the sampler is `text`, or an argument.
std::string sample_source(const Kind& kind, const std::string& name, const std::string& text) {
  std::string source;
  for (char letter : {'f', 'i', 'u'})
    for (const char* type : {"float", "int"}) {
      if (is_depth(kind) && letter != 'f') continue;
      source += "kernel void " + name + suffix_of(letter) + type + "(read_only " + kind.type +
                " in, sampler_t given, global const float4* places, global " + vector_of(letter) +
                "* out) {\n  const size_t i = get_global_id(0);\n  const " + type +
                " x = places[i].x, y = places[i].y, z = places[i].z;\n" +
                (text.empty() ? "  out[i] = " : "  const sampler_t own = " + text + "; out[i] = ") +
                (is_depth(kind) ? "(float4)(" : "(") + "read_image" + suffix_of(letter) + "(in, " +
                (text.empty() ? "given" : "own") + ", " + coordinates(kind, type) + ")" +
                (is_depth(kind) ? ", 0, 0, 1)" : ")") + ";\n}\n";
    }
  return source;
}

void check_sample(CompiledProgram& program, const std::string& name, const Kind& kind,
                  const Sampler& sampler, const Format& format, bool whole) {
  TestImage image(format, size_of(kind));
  image.fill(format.order);
  const std::vector<Place> places = places_for(sampler, kind, whole);
  std::vector<Quad> got(places.size());
  program.run(name + suffix_of(format.letter()) + (whole ? "int" : "float"),
              Arguments().add(image.address()).add(sampler.bits).add(places.data()).add(got.data()),
              {{places.size(), 1, 1}, {37, 1, 1}, {0, 0, 0}});
  int failures = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const Color wanted =
        image.sample(sampler.bits, {places[i][0], places[i][1], places[i][2]}, kind.dimensions);
    for (size_t c = 0; c < (is_depth(kind) ? 1 : 4); ++c) {
      const double value = got[i].value(format.letter(), c);
      const bool is_right = sampler.is_linear() ? std::fabs(value - wanted[c]) <= 2e-6
                                                : is_near(value, wanted[c], format);
      if (!is_right && failures++ < 3)
        ADD_FAILURE() << format.name() << ", " << kind.type << ", " << sampler.text
                      << (whole ? ", int" : ", float") << ", channel " << c << " of "
                      << places[i][0] << ", " << places[i][1] << ", " << places[i][2] << ": got "
                      << value << ", not " << wanted[c];
    }
  }
}

// Integer coordinates go with some samplers only.
bool takes_integers(const Sampler& sampler) {
  return !sampler.is_linear() && !sampler.is_normalized();
}

void check_sampler(CompiledProgram& program, const std::string& name, const Kind& kind,
                   const Sampler& sampler) {
  constexpr Format kColors[] = {{CL_RGBA, CL_FLOAT},       {CL_R, CL_UNORM_INT8},
                                {CL_BGRA, CL_UNORM_INT8},  {CL_A, CL_UNORM_INT16},
                                {CL_LUMINANCE, CL_FLOAT},  {CL_RGBA, CL_SIGNED_INT16},
                                {CL_RG, CL_UNSIGNED_INT32}};
  constexpr Format kDepths[] = {{CL_DEPTH, CL_FLOAT}, {CL_DEPTH, CL_UNORM_INT16}};
  const auto check = [&](const Format& format) {
    if (sampler.is_linear() && format.letter() != 'f') return;
    check_sample(program, name, kind, sampler, format, false);
    if (takes_integers(sampler)) check_sample(program, name, kind, sampler, format, true);
  };
  if (is_depth(kind))
    for (const Format& format : kDepths) check(format);
  else
    for (const Format& format : kColors) check(format);
}

TEST(Image, TakesSamplersAsArguments) {
  for (const char* options : kOptions)
    for (const Kind& kind : kKinds) {
      SCOPED_TRACE(options);
      CompiledProgram program(sample_source(kind, "given", ""), options);
      for (const Sampler& sampler : all_samplers()) check_sampler(program, "given", kind, sampler);
    }
}

// Every literal for 2-D images; arguments have tested the same code for the others.
TEST(Image, TakesSamplerLiterals) {
  for (const Sampler& sampler : all_samplers()) {
    CompiledProgram program(sample_source(kKinds[2], "own", sampler.text), kOptions[0]);
    check_sampler(program, "own", kKinds[2], sampler);
  }
}

TEST(Image, PassesImagesAndSamplersToFunctions) {
  CompiledProgram program(
      "constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
      "float4 pick(read_only image2d_t image, sampler_t sampler, int2 place) {\n"
      "  return read_imagef(image, sampler, place);\n}\n"
      "float4 both(read_only image2d_t a, read_only image2d_t b, sampler_t given, int x) {\n"
      "  return pick(a, edge, (int2)(x + 1000, 0)) + pick(b, given, (int2)(x, 0));\n}\n"
      "kernel void sum(read_only image2d_t a, read_only image2d_t b, sampler_t given,\n"
      "                global float4* out) {\n"
      "  const int x = get_global_id(0); out[x] = both(a, b, given, x);\n}\n");
  TestImage a({CL_RGBA, CL_FLOAT}, {8, 2, 1, 1}), b({CL_R, CL_FLOAT}, {5, 1, 1, 1});
  a.fill(1);
  b.fill(2);
  std::vector<Quad> out(20);
  const uint32_t clamp = abi::kSamplerAddressClamp | abi::kSamplerFilterNearest;
  program.run("sum", Arguments().add(a.address()).add(b.address()).add(clamp).add(out.data()),
              range1(20, 20));
  const Color edge = decode(a.format(), a.element(7, 0, 0));
  for (size_t x = 0; x < 20; ++x) {
    const Color other = x < 5 ? decode(b.format(), b.element(x, 0, 0)) : Color{0.0, 0.0, 0.0, 1.0};
    for (size_t c = 0; c < 4; ++c)
      EXPECT_EQ(out[x].f[c], static_cast<float>(edge[c]) + static_cast<float>(other[c]));
  }
}

// Reads that are many are calls: in code that all lanes run and in code that some run, of places
// that are the same for all lanes, go along with them, or are anywhere.
TEST(Image, ReadsOftenInOneKernel) {
  const std::string read = "read_imagef(image, edge, (int2)";
  const std::string source =
      "constant sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
      "kernel void often(read_only image2d_t image, global const int* at, global float4* out) {\n"
      "  const int x = get_global_id(0);\n  float4 sum = 0;\n" +
      ("  sum += " + read + "(x - 1, 0));\n  sum += " + read + "(x, 1)) * 2.0f;\n") +
      ("  sum += " + read + "(x + 1, 0));\n  sum += " + read + "(at[x], 1));\n") +
      ("  sum += " + read + "(3, 0));\n  sum += " + read + "(2 * x, at[x] & 1));\n") +
      "  if (at[x] % 3 == 0)\n    for (int i = 0; i < at[x]; ++i) {\n" +
      ("      sum += " + read + "(x, i)) * 4.0f;\n      sum += " + read + "(at[x], i));\n    }\n") +
      "  out[x] = sum;\n}\n";
  constexpr int kWidth = 21, kCount = 45;
  for (const Format& format : {Format{CL_RGBA, CL_SNORM_INT8}, Format{CL_BGRA, CL_UNORM_INT8}}) {
    TestImage image(format, {kWidth, 2, 1, 1});
    image.fill(5);
    const auto texel = [&](int x, int y) {
      return decode(format, image.element(static_cast<size_t>(std::clamp(x, 0, kWidth - 1)),
                                          static_cast<size_t>(std::clamp(y, 0, 1)), 0));
    };
    std::vector<int> at(kCount);
    for (int i = 0; i < kCount; ++i) at[i] = (i * 7) % 11;
    for (const std::string& options :
         {std::string(), std::string("-cl-conclave-width=1"), std::string("-cl-opt-disable"),
          known_format("often", format)}) {
      CompiledProgram program(source, options);
      std::vector<Quad> out(kCount);
      program.run("often", Arguments().add(image.address()).add(at.data()).add(out.data()),
                  range1(kCount, kCount));
      for (int x = 0; x < kCount; ++x)
        for (size_t c = 0; c < 4; ++c) {
          float sum = 0;
          const auto add = [&](int column, int row, float factor) {
            sum += static_cast<float>(texel(column, row)[c]) * factor;
          };
          add(x - 1, 0, 1), add(x, 1, 2), add(x + 1, 0, 1), add(at[x], 1, 1);
          add(3, 0, 1), add(2 * x, at[x] & 1, 1);
          for (int i = 0; at[x] % 3 == 0 && i < at[x]; ++i) add(x, i, 4), add(at[x], i, 1);
          EXPECT_NEAR(out[x].f[c], sum, 1e-5 * std::max(1.0F, std::abs(sum)))
              << options << " " << format.name() << " " << x << " " << c;
        }
    }
  }
}

TEST(Image, AnswersQueries) {
  std::string source, body;
  for (const Kind& kind : kKinds) {
    const std::string type = kind.type, name = type.substr(0, type.size() - 2);
    source += "kernel void of_" + name + "(read_only " + type + " image, global ulong* out) {\n" +
              "  out[0] = get_image_width(image);\n" +
              "  out[1] = get_image_channel_order(image);\n" +
              "  out[2] = get_image_channel_data_type(image);\n";
    if (kind.dimensions > 1)
      source += "  out[3] = get_image_height(image);\n  out[4] = get_image_dim(image).y;\n";
    if (kind.dimensions > 2)
      source += "  out[5] = get_image_depth(image);\n  out[6] = get_image_dim(image).z;\n";
    if (kind.has_layers) source += "  out[7] = get_image_array_size(image);\n";
    source += "}\n";
  }
  CompiledProgram program(source, "-cl-std=CL3.0");
  for (const Kind& kind : kKinds) {
    const std::string type = kind.type;
    const Format format = {is_depth(kind) ? uint32_t{CL_DEPTH} : uint32_t{CL_RG}, CL_FLOAT};
    const TestImage image(format, size_of(kind));
    std::vector<uint64_t> out(8);
    program.run("of_" + type.substr(0, type.size() - 2),
                Arguments().add(image.address()).add(out.data()), range1(1, 1));
    const uint64_t height = kind.dimensions > 1 ? 5 : 0, depth = kind.dimensions > 2 ? 3 : 0,
                   layers = kind.has_layers ? 3 : 0;
    EXPECT_EQ(out, (std::vector<uint64_t>{37, format.order, format.type, height, height, depth,
                                          depth, layers}))
        << type;
  }
}

TEST(Image, DescribesArguments) {
  CompiledProgram program(
      "kernel void k(read_only image2d_t a, write_only image3d_t b, read_write image1d_t c,"
      "              char d, sampler_t e, global int* f) {}",
      "-cl-std=CL3.0");
  const auto& arguments = program.kernel_metadata("k")["arguments"];
  const auto expect = [&](size_t i, const char* kind, const char* type, const char* access,
                          const char* address, size_t size, size_t offset) {
    EXPECT_EQ(arguments[i]["kind"], kind);
    EXPECT_EQ(arguments[i]["type_name"], type);
    EXPECT_EQ(arguments[i]["access"], access);
    EXPECT_EQ(arguments[i]["address"], address);
    EXPECT_EQ(arguments[i]["size"], size);
    EXPECT_EQ(arguments[i]["offset"], offset);
  };
  expect(0, "image", "image2d_t", "read_only", "global", 8, 0);
  expect(1, "image", "image3d_t", "write_only", "global", 8, 8);
  expect(2, "image", "image1d_t", "read_write", "global", 8, 16);
  expect(4, "sampler", "sampler_t", "none", "private", 4, 28);
}

}  // namespace
}  // namespace conclave::test
