// SPDX-License-Identifier: Apache-2.0
// format_print against the text that OpenCL C's printf must give.
#include "platform/exec/print.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace conclave {
namespace {

// The arguments of one printf call, packed as a kernel packs them.
class Call {
 public:
  template <class T>
  Call& value(char kind, std::vector<T> elements) {
    descriptors_.push_back(
        {kind, uint8_t{sizeof(T)}, static_cast<uint8_t>(elements.size()), uint8_t{0}});
    if (elements.size() == 3) elements.push_back(T{});
    size_t old = values_.size();
    values_.resize(old + (elements.size() * sizeof(T) + 7) / 8);
    std::memcpy(values_.data() + old, elements.data(), elements.size() * sizeof(T));
    return *this;
  }
  Call& i(int v) { return value<int>('i', {v}); }
  Call& l(int64_t v) { return value<int64_t>('i', {v}); }
  Call& f(double v) { return value<double>('f', {v}); }
  Call& p(const void* v) { return value<const void*>('p', {v}); }

  std::string print(const char* format) const {
    std::vector<abi::PrintArgument> descriptors = descriptors_;
    descriptors.push_back({0, 0, 0, 0});
    return format_print(format, descriptors.data(), values_.data());
  }

 private:
  std::vector<abi::PrintArgument> descriptors_;
  std::vector<uint64_t> values_;
};

TEST(Print, PlainText) {
  EXPECT_EQ(Call().print(""), "");
  EXPECT_EQ(Call().print("hello\n"), "hello\n");
  EXPECT_EQ(Call().print("100%%"), "100%");
}

TEST(Print, Integers) {
  EXPECT_EQ(Call().i(-5).print("%d"), "-5");
  EXPECT_EQ(Call().i(5).print("%+i|"), "+5|");
  EXPECT_EQ(Call().i(5).print("% d"), " 5");
  EXPECT_EQ(Call().i(5).print("%5d|"), "    5|");
  EXPECT_EQ(Call().i(5).print("%-5d|"), "5    |");
  EXPECT_EQ(Call().i(5).print("%05d"), "00005");
  EXPECT_EQ(Call().i(5).print("%8.3d|"), "     005|");
  EXPECT_EQ(Call().i(-1).print("%u"), "4294967295");
  EXPECT_EQ(Call().i(-1).print("%x"), "ffffffff");
  EXPECT_EQ(Call().i(255).print("%#X"), "0XFF");
  EXPECT_EQ(Call().i(8).print("%#o"), "010");
  EXPECT_EQ(Call().i(0).print("%.0d|"), "|");
}

TEST(Print, LengthModifiers) {
  EXPECT_EQ(Call().i(300).print("%hhd"), "44");
  EXPECT_EQ(Call().i(-1).print("%hhu"), "255");
  EXPECT_EQ(Call().i(70000).print("%hd"), "4464");
  EXPECT_EQ(Call().i(-1).print("%hx"), "ffff");
  EXPECT_EQ(Call().l(-1).print("%ld"), "-1");
  EXPECT_EQ(Call().l(-1).print("%lu"), "18446744073709551615");
  EXPECT_EQ(Call().l(1LL << 40).print("%lx"), "10000000000");
}

TEST(Print, Reals) {
  EXPECT_EQ(Call().f(1.5).print("%f"), "1.500000");
  EXPECT_EQ(Call().f(-1.5).print("%.1f"), "-1.5");
  EXPECT_EQ(Call().f(1.5).print("%10.2f|"), "      1.50|");
  EXPECT_EQ(Call().f(1.5).print("%+010.2f|"), "+000001.50|");
  EXPECT_EQ(Call().f(12345.678).print("%e"), "1.234568e+04");
  EXPECT_EQ(Call().f(12345.678).print("%.3E"), "1.235E+04");
  EXPECT_EQ(Call().f(0.0001).print("%g"), "0.0001");
  EXPECT_EQ(Call().f(1e10).print("%G"), "1E+10");
  EXPECT_EQ(Call().f(1).print("%#g"), "1.00000");
  EXPECT_EQ(Call().f(1).print("%a"), "0x1p+0");
  EXPECT_EQ(Call().f(-0.1).print("%.3A"), "-0X1.99AP-4");
  EXPECT_EQ(Call().f(-0.0).print("%f"), "-0.000000");
}

TEST(Print, InfinityAndNan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Call().f(kInfinity).print("%f"), "inf");
  EXPECT_EQ(Call().f(-kInfinity).print("%e"), "-inf");
  EXPECT_EQ(Call().f(kInfinity).print("%+F"), "+INF");
  EXPECT_EQ(Call().f(kInfinity).print("%06a"), "   inf");
  EXPECT_EQ(Call().f(std::nan("")).print("%f"), "nan");
  EXPECT_EQ(Call().f(-std::nan("")).print("%g"), "nan");
  EXPECT_EQ(Call().f(std::nan("")).print("%-6G|"), "NAN   |");
}

TEST(Print, Vectors) {
  Call floats;
  floats.value<float>('f', {1, 2.5F, -3, 4});
  EXPECT_EQ(floats.print("%v4hlf"), "1.000000,2.500000,-3.000000,4.000000");
  EXPECT_EQ(floats.print("[%6.1v4hlf]"), "[   1.0,   2.5,  -3.0,   4.0]");
  EXPECT_EQ(Call().value<double>('f', {1, 2}).print("%v2lg"), "1,2");
  EXPECT_EQ(Call().value<uint16_t>('f', {0x3c00, 0xc000}).print("%v2hf"), "1.000000,-2.000000");
  EXPECT_EQ(Call().value<int8_t>('i', {-1, 2}).print("%v2hhd"), "-1,2");
  EXPECT_EQ(Call().value<uint8_t>('i', {255, 2}).print("%#v2hhx"), "0xff,0x2");
  EXPECT_EQ(Call().value<int16_t>('i', {-1, 2, 3}).i(7).print("%v3hd %d"), "-1,2,3 7");
  EXPECT_EQ(Call().value<int>('i', {-1, 2}).print("%v2hlu"), "4294967295,2");
  EXPECT_EQ(Call().value<int64_t>('i', std::vector<int64_t>(16, 7)).print("%v16ld"),
            "7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7");
}

TEST(Print, CharactersStringsPointers) {
  EXPECT_EQ(Call().i('x').print("%c"), "x");
  EXPECT_EQ(Call().i('x').print("%3c|%%"), "  x|%");
  EXPECT_EQ(Call().i(0).print("a%cb"), std::string("a\0b", 3));
  EXPECT_EQ(Call().p("text").print("%s"), "text");
  EXPECT_EQ(Call().p("text").print("%8.2s|"), "      te|");
  EXPECT_EQ(Call().p("text").print("%-8s|"), "text    |");
  EXPECT_EQ(Call().p(nullptr).print("%s"), "(null)");
  EXPECT_EQ(Call().p(reinterpret_cast<void*>(0x1234)).print("%p"), "0x1234");
  std::string longer(10000, 'y');
  EXPECT_EQ(Call().p(longer.c_str()).print("%s"), longer);
}

TEST(Print, SeveralArguments) {
  EXPECT_EQ(Call().i(1).f(2).p("three").l(4).print("%d %.0f %s %ld."), "1 2 three 4.");
}

TEST(Print, MismatchesAreHarmless) {
  EXPECT_EQ(Call().print("%d %s"), "%d %s");
  EXPECT_EQ(Call().i(1).print("%d %d"), "1 %d");
  EXPECT_EQ(Call().i(1).i(2).print("%d"), "1");
  EXPECT_EQ(Call().f(2.9).print("%d"), "2");
  EXPECT_EQ(Call().f(1e300).print("%d"), "9223372036854775807");
  EXPECT_EQ(Call().i(3).print("%.1f"), "3.0");
  EXPECT_EQ(Call().i(3).print("%s"), "(null)");
  EXPECT_EQ(Call().p(reinterpret_cast<void*>(16)).print("%s"), "(invalid)");
  EXPECT_EQ(Call().value<int>('i', {1, 2}).print("%d"), "1");
  EXPECT_EQ(Call().value<int>('i', {1, 2}).print("%v4hld"), "1,2");
  EXPECT_EQ(Call().i(1).print("%"), "%");
  EXPECT_EQ(Call().i(1).print("%n %d"), "%n 1");
  EXPECT_EQ(Call().i(1).print("%v5d"), "%v5d");
  EXPECT_EQ(Call().i(1).print("%*d"), "%*d");
  EXPECT_EQ(Call().i(1).print("%99999999999d").size(), 4095u);
  EXPECT_EQ(Call().i(1).print("%.99999999999d").size(), 4095u);
  EXPECT_EQ(format_print("%d", nullptr, nullptr), "%d");
}

TEST(Print, IgnoresTheLocale) {
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (found == nullptr) found = setlocale(LC_ALL, name);
  std::string text = Call().f(1.5).print("%.1f");
  setlocale(LC_ALL, "C");
  EXPECT_EQ(text, "1.5");
}

}  // namespace
}  // namespace conclave
