// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/kernel.h"

#include <algorithm>
#include <tuple>

#include "test/fuzz/kernels/source_text.h"
#include "test/fuzz/kernels/statements.h"

namespace conclave::fuzz {
namespace {

std::vector<Scalar> scalars_of(Type type) {
  return std::vector<Scalar>(type.width, type.scalar);
}

class KernelMaker {
 public:
  KernelMaker(uint32_t seed, const std::set<unsigned>& disabled)
      : random_(seed), numbering_{disabled}, statements_(random_, scope_, numbering_) {}

  Kernel make() {
    dimensions_ = random_.chance(60) ? 1 : random_.between(2, 3);
    static const std::vector<std::string> kLanguages = {"1.2", "2.0", "3.0"};
    const std::string& language = random_.pick(kLanguages);
    since_2_ = language != "1.2";
    barriers_ = random_.chance(50);
    statements_.generic_pointers = language == "2.0";
    kernel_.options = "-w -cl-std=CL" + language;
    add_record();
    add_table();
    unsigned functions = random_.below(4);
    for (unsigned i = 0; i < functions; ++i) add_function(i);
    add_arguments();
    std::string body = make_body();
    unsigned launches = random_.between(3, 4);
    for (unsigned i = 0; i < launches; ++i) add_launch();
    kernel_.statements = numbering_.next;
    kernel_.source = tidy(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "#pragma OPENCL FP_CONTRACT OFF\n" +
        head_ + "kernel void k(" + parameters_ + ") {\n" + body + "}\n");
    return std::move(kernel_);
  }

 private:
  // Fields in falling order of alignment and a filled end, so that there is no padding.
  void add_record() {
    unsigned count = random_.between(2, 5);
    for (unsigned i = 0; i < count; ++i) {
      Type type = random_packed_type(random_);
      if (type.width > 4) type.width = 4;
      fields_.push_back(type);
    }
    auto bytes = [](Type type) { return bytes_of(type.scalar) * type.width; };
    std::sort(fields_.begin(), fields_.end(), [&](Type a, Type b) {
      return std::tuple(bytes(a), a.scalar, a.width) > std::tuple(bytes(b), b.scalar, b.width);
    });
    unsigned size = 0;
    for (Type field : fields_) size += bytes(field);
    for (; size % bytes(fields_.front()) != 0; ++size) fields_.push_back({Scalar::kUchar, 1});
    head_ += "typedef struct {\n";
    for (size_t i = 0; i < fields_.size(); ++i)
      head_ += fields_[i].name() + " f" + std::to_string(i) + ";\n";
    head_ += "} Record;\n";
    for (Type field : fields_) record_.insert(record_.end(), field.width, field.scalar);
  }

  void add_record_places(const std::string& before, Index index, const std::string& after,
                         bool writable) {
    for (size_t i = 0; i < std::min<size_t>(fields_.size(), 5); ++i) {
      std::string field = ".f" + std::to_string(i);
      if (index == Index::kNone)
        scope_.places.push_back({before + field, "", fields_[i], index, writable, false});
      else
        scope_.places.push_back({before, after + field, fields_[i], index, writable, !writable});
    }
  }

  void add_table() {
    Type type = random_packed_type(random_);
    head_ += "constant " + type.name() + " table[16] = {";
    for (unsigned i = 0; i < kTableLength; ++i)
      head_ += (i == 0 ? "" : ", ") + random_literal(random_, type);
    head_ += "};\n";
    scope_.places.push_back({"table[", "]", type, Index::kTable, false, true});
  }

  // Ids of the work-item and sizes, as every function has them.
  void add_work_item_functions() {
    const Type size = {Scalar::kUlong, 1};
    for (const char* name : {"get_group_id", "get_local_size", "get_num_groups", "get_global_size",
                             "get_local_id", "get_global_id"}) {
      bool own = std::string(name).ends_with("l_id");
      for (unsigned d = 0; d < (own ? 2u : 1u) * dimensions_; ++d) {
        std::string text = std::string(name) + "(" + std::to_string(d % dimensions_) + ")";
        scope_.places.push_back({text, "", size, Index::kNone, false, !own});
      }
    }
  }

  std::string declare(const std::string& name, Type type) {
    std::string value = statements_.expressions().stored(type, 1);
    scope_.places.push_back({name, "", type, Index::kNone, true, false});
    return type.name() + " " + name + " = " + value + ";\n";
  }

  std::string declare_array(const std::string& name, Type type) {
    std::string text = type.name() + " " + name + "[" + std::to_string(kArrayLength) + "] = {";
    for (unsigned i = 0; i < kArrayLength; ++i)
      text += (i == 0 ? "" : ", ") + statements_.expressions().leaf(type, 0).text;
    scope_.places.push_back({name + "[", "]", type, Index::kArray, true, false});
    statements_.arrays.push_back(scope_.places.back());
    return text + "};\n";
  }

  // Functions know their parameters and variables, the table and the work-item functions.
  void add_function(unsigned number) {
    Callee callee = {"helper" + std::to_string(number), random_type(random_), {}};
    size_t outer = scope_.places.size();
    add_work_item_functions();
    std::string parameters;
    unsigned count = random_.between(1, 3);
    for (unsigned i = 0; i < count; ++i) {
      callee.parameters.push_back(random_type(random_));
      std::string name = "a" + std::to_string(i);
      parameters += (i == 0 ? "" : ", ") + callee.parameters.back().name() + " " + name;
      scope_.places.push_back({name, "", callee.parameters.back(), Index::kNone, true, false});
    }
    std::string body = declare("r", callee.result);
    body += declare("t", random_type(random_));
    if (random_.chance(30)) body += declare_array("p", random_type(random_));
    Flow flow;
    flow.depth = 2;
    flow.result = "return r;\n";
    body += statements_.list(flow, 1, 4);
    head_ += callee.result.name() + " " + callee.name + "(" + parameters + ") {\n" + body +
             "return r;\n}\n";
    scope_.places.resize(outer);
    statements_.arrays.clear();
    scope_.callees.push_back(callee);
  }

  void add_buffer(const std::string& type, const std::string& name, std::vector<Scalar> element,
                  size_t length) {
    parameters_ += "global " + type + "* " + name + ", ";
    kernel_.buffers.push_back({name, std::move(element), length});
  }

  void add_input(unsigned number) {
    Type type = random_.chance(50) ? Type{random_scalar(random_), 1} : random_packed_type(random_);
    std::string name = "in" + std::to_string(number);
    add_buffer("const " + type.name(), name, scalars_of(type), kInputLength);
    scope_.places.push_back({name + "[", "]", type, Index::kInput, false, true});
    statements_.inputs.push_back(scope_.places.back());
  }

  // Each work-item has slots of its own; how they lie differs between outputs.
  std::string slots_before(unsigned form) {
    static const std::vector<std::string> kBefore = {
        "g * 4 + ", "(511 - g) * 4 + ", "((g * 37) & 511) * 4 + ", "", "", "", ""};
    return kBefore[form];
  }
  std::string slots_after(unsigned form) {
    static const std::vector<std::string> kAfter = {"",
                                                    "",
                                                    "",
                                                    " * 512 + g",
                                                    " * 544 + g + m",
                                                    " * 512 + (511 - g)",
                                                    " * 512 + ((g * 5 + m) & 511)"};
    return kAfter[form];
  }

  void add_output(unsigned number) {
    Type type = random_.chance(60) ? Type{random_scalar(random_), 1} : random_packed_type(random_);
    std::string name = "out" + std::to_string(number);
    unsigned form = random_.below(7);
    add_buffer(type.name(), name, scalars_of(type), kSlots * (kMaxItems + 32));
    Place place = {
        name + "[" + slots_before(form), slots_after(form) + "]", type, Index::kSlot, true, false};
    outputs_.push_back(place);
    if (form == 0 && type.width == 1) statements_.scalar_outputs.push_back({name, "", type});
  }

  void add_arguments() {
    unsigned inputs = random_.between(2, 3);
    for (unsigned i = 0; i < inputs; ++i) add_input(i);
    unsigned outputs = random_.between(2, 3);
    for (unsigned i = 0; i < outputs; ++i) add_output(i);
    add_buffer("const Record", "records", record_, kInputLength);
    add_record_places("records[", Index::kInput, "]", false);
    unsigned form = random_.below(7);
    add_buffer("Record", "new_records", record_, kSlots * (kMaxItems + 32));
    record_slot_ = {"new_records[" + slots_before(form), slots_after(form) + "]", {}, Index::kSlot};
    add_record_places(record_slot_.before, Index::kSlot, record_slot_.after, true);
    add_buffer("ulong", "sums", {Scalar::kUlong}, kMaxItems);
    add_buffer("uint", "counters", {Scalar::kUint}, 16);
    statements_.counters = {"counters"};

    Type exchanged = random_packed_type(random_);
    statements_.local_arrays.push_back({"exchanged", exchanged});
    kernel_.local_bytes = uint64_t{kMaxGroup} * bytes_of(exchanged.scalar) * exchanged.width;
    parameters_ += "local " + exchanged.name() + "* exchanged, int m, int n, long q, float f";
    scope_.places.push_back({"m", "", {Scalar::kInt, 1}, Index::kNone, false, true});
    scope_.places.push_back({"n", "", {Scalar::kInt, 1}, Index::kNone, false, true});
    scope_.places.push_back({"q", "", {Scalar::kLong, 1}, Index::kNone, false, true});
    scope_.places.push_back({"f", "", {Scalar::kFloat, 1}, Index::kNone, false, true});
    add_work_item_functions();
  }

  // The linear id among all work-items and in the group.
  std::string declare_ids() {
    static const std::vector<Type> kTypes = {
        {Scalar::kInt, 1}, {Scalar::kUint, 1}, {Scalar::kLong, 1}, {Scalar::kUlong, 1}};
    static const std::vector<std::string> kGlobal = {
        "get_global_id(0)",
        "(get_global_id(0) - get_global_offset(0)) + get_global_size(0) * "
        "(get_global_id(1) - get_global_offset(1))",
        "(get_global_id(0) - get_global_offset(0)) + get_global_size(0) * "
        "((get_global_id(1) - get_global_offset(1)) + get_global_size(1) * "
        "(get_global_id(2) - get_global_offset(2)))"};
    static const std::vector<std::string> kLocal = {
        "get_local_id(0)", "get_local_id(0) + get_local_size(0) * get_local_id(1)",
        "get_local_id(0) + get_local_size(0) * (get_local_id(1) + "
        "get_local_size(1) * get_local_id(2))"};
    static const std::vector<std::string> kSize = {
        "get_local_size(0)", "get_local_size(0) * get_local_size(1)",
        "get_local_size(0) * get_local_size(1) * get_local_size(2)"};
    Type type = random_.pick(kTypes);
    scope_.places.push_back({"g", "", type, Index::kNone, false, false});
    scope_.places.push_back({"l", "", {Scalar::kUint, 1}, Index::kNone, false, false});
    scope_.places.push_back({"n_l", "", {Scalar::kUint, 1}, Index::kNone, false, true});
    // The same for a group, which the compiler does not know: ways to barriers depend on it too.
    scope_.places.push_back({"o", "", {Scalar::kUint, 1}, Index::kNone, false, true});
    bool linear = since_2_ && random_.chance(30);
    std::string global = linear ? "get_global_linear_id()" : kGlobal[dimensions_ - 1];
    std::string cast = " = (" + type.name() + ")(";
    return "const " + type.name() + " g" + cast + global + ");\nconst uint l = (uint)(" +
           kLocal[dimensions_ - 1] + ");\nconst uint n_l = (uint)(" + kSize[dimensions_ - 1] +
           ");\nconst uint o = (uint)(get_global_id(0) - get_local_id(0));\n";
  }

  std::string make_body() {
    std::string text = declare_ids();
    scope_.linear_id = "g";
    unsigned variables = random_.between(4, 8);
    std::vector<Place> owned;
    for (unsigned i = 0; i < variables; ++i) {
      text += declare("v" + std::to_string(i), random_type(random_));
      owned.push_back(scope_.places.back());
    }
    unsigned arrays = random_.below(3);
    for (unsigned i = 0; i < arrays; ++i) {
      Type type = random_.chance(50) ? random_.pick(statements_.inputs).type : random_type(random_);
      text += declare_array("p" + std::to_string(i), type);
    }
    text += "Record r0 = records[g];\n";
    add_record_places("r0", Index::kNone, "", true);
    // Slots are read too: what has not been written is as the host left it.
    for (const Place& output : outputs_) scope_.places.push_back(output);
    Type local = random_packed_type(random_);
    const std::string qualifiers = random_.chance(30) ? "local volatile " : "local ";
    statements_.local_arrays.push_back({"stored", local, qualifiers});
    text += qualifiers + local.name() + " stored[128];\nlocal uint bins[16];\n";

    Flow flow;
    flow.depth = random_.between(1, 3);
    if (barriers_) {
      flow.barriers = true;
      if (random_.chance(30)) flow.result = "return;\n";
      text += statements_.list(flow, 2, 5);
    }
    flow.barriers = false;
    flow.result = "return;\n";
    text += statements_.list(flow, barriers_ ? 1 : 3, barriers_ ? 3 : 6);
    return text + final_stores(owned);
  }

  // Shows what the variables hold at the end.
  std::string final_stores(const std::vector<Place>& owned) {
    std::string text = "ulong sum = 0;\n";
    for (const Place& variable : owned)
      text += statements_.numbered([&] {
        return "sum = sum * 31 + " +
               statements_.expressions().convert(variable.before, variable.type,
                                                 {Scalar::kUlong, 1}) +
               ";\n";
      });
    text += statements_.numbered([] { return std::string("sums[g] = sum;\n"); });
    text += statements_.numbered([&] {
      return record_slot_.before + std::to_string(random_.below(kSlots)) + record_slot_.after +
             " = r0;\n";
    });
    for (const Place& output : outputs_) text += statements_.assignment_to(output);
    return text;
  }

  uint64_t group_length(unsigned limit) {
    static const std::vector<unsigned> kUsual = {1, 4, 8, 16, 32};
    if (random_.chance(30)) return std::min(random_.pick(kUsual), limit);
    return random_.between(1, limit);
  }

  // Non-uniform groups are part of the newer language only.
  void add_launch() {
    static const std::vector<unsigned> kGroupLimits = {40, 4, 3};
    static const std::vector<unsigned> kGroups = {8, 3, 2};
    Launch launch;
    uint64_t room = kMaxItems, group_room = kMaxGroup;
    bool offset = random_.chance(30);
    if (offset) room -= 40;
    for (unsigned d = 0; d < dimensions_; ++d) {
      uint64_t most = std::min<uint64_t>({kGroupLimits[d], room, group_room});
      uint64_t local = group_length(static_cast<unsigned>(most));
      uint64_t groups = random_.between(1, kGroups[d]);
      uint64_t global = std::min(local * groups, room / local * local);
      if (since_2_ && random_.chance(50)) global -= random_.below(local);
      launch.range.local[d] = local;
      launch.range.global[d] = global;
      if (offset) launch.range.offset[d] = random_.below(40);
      room /= global;
      group_room /= local;
    }
    launch.m = static_cast<int32_t>(random_.below(32));
    launch.n = static_cast<int32_t>(random_.chance(60) ? random_.below(10) : random_.bits());
    launch.q = static_cast<int64_t>(random_.bits()) - (int64_t{1} << 31);
    launch.f = static_cast<float>(random_.below(64)) - 16;
    kernel_.launches.push_back(launch);
  }

  Random random_;
  Scope scope_;
  Numbering numbering_;
  Statements statements_;
  Kernel kernel_;
  unsigned dimensions_ = 1;
  bool since_2_ = false, barriers_ = false;
  std::string head_, parameters_;
  std::vector<Type> fields_;
  std::vector<Scalar> record_;
  std::vector<Place> outputs_;
  Place record_slot_;
};

}  // namespace

Kernel make_kernel(uint32_t seed, const std::set<unsigned>& disabled) {
  return KernelMaker(seed, disabled).make();
}

}  // namespace conclave::fuzz
