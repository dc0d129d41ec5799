// SPDX-License-Identifier: Apache-2.0
// Linearized functions with random control flow do in all lanes at once what the original does in
// each lane alone.
#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstdlib>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/uniformity.h"
#include "compiler/vectorizer/transform/canonicalize.h"
#include "compiler/vectorizer/transform/linearize.h"
#include "compiler/vectorizer/transform/whole_packets.h"
#include "test/unit/vectorizer/lane_interpreter.h"
#include "test/unit/vectorizer/random_flow.h"

namespace conclave::test {
namespace {

using compiler::Uniformity;
using llvm::Function;

constexpr unsigned kLanes = 6;
constexpr unsigned kActive = 4;  // where not all lanes run

std::string print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

std::string print(const Cell& cell) {
  return cell ? std::to_string(*cell) : "undefined";
}

std::string print(const LaneResult& lane) {
  std::string text;
  for (auto& [address, value] : lane.stores)
    text += "[" + std::to_string(address) + "] = " + print(value) + "\n";
  return text + "returned " + print(lane.returned);
}

void promote_variables(Function& function) {
  llvm::removeUnreachableBlocks(function);
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      variables.push_back(variable);
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

// Lane `lane` or, from -1, all lanes.
Execution run(Function& function, uint64_t n, int lane, const Uniformity* uniformity) {
  std::vector<std::vector<uint64_t>> arguments(3);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (lane >= 0 && i != static_cast<unsigned>(lane)) continue;
    arguments[0].push_back(i);
    arguments[1].push_back(n);
    arguments[2].push_back(uint64_t{1} << 32);
  }
  return interpret(function, arguments, uniformity);
}

// The first `active` lanes do what they do alone, the others nothing.
void compare(Function& original, Function& linear, const Uniformity& uniformity, unsigned active) {
  ASSERT_FALSE(uniformity.has_divergent_branches());
  for (uint64_t n : {0, 1, 2, 7, 100}) {
    Execution together = run(linear, n, -1, &uniformity);
    ASSERT_EQ(together.error, "") << "n = " << n;
    for (unsigned lane = active; lane < kLanes; ++lane)
      ASSERT_TRUE(together.lanes[lane].stores.empty()) << "lane " << lane << ", n = " << n;
    for (unsigned lane = 0; lane < active; ++lane) {
      Execution alone = run(original, n, lane, nullptr);
      ASSERT_EQ(alone.error, "");
      ASSERT_EQ(print(together.lanes[lane]), print(alone.lanes[0]))
          << "lane " << lane << ", n = " << n;
    }
  }
}

// Marks the condition under which a lane runs, as MarkActiveLanes does in region functions.
void emit_active(Function& function) {
  llvm::Instruction* place = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  llvm::IRBuilder<> builder(place);
  llvm::Value* active = builder.CreateICmpULT(function.getArg(0), builder.getInt64(kActive));
  llvm::cast<llvm::Instruction>(active)->setMetadata(compiler::kActiveMetadata,
                                                     llvm::MDNode::get(function.getContext(), {}));
}

// Lets its first parameter count the lanes.
void add_lanes(Function& function) {
  function.addFnAttr(compiler::kLanesAttribute);
  function.addParamAttr(0, llvm::Attribute::get(function.getContext(), compiler::kLaneAttribute));
}

// Runs passes of the vectorizer on one function.
class Passes {
 public:
  explicit Passes(Function& function) : function_(function) {
    analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    analyses_.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
    analyses_.registerPass([] { return llvm::LoopAnalysis(); });
    analyses_.registerPass([] { return compiler::LaneIdsAnalysis(); });
    analyses_.registerPass([] { return compiler::UniformityAnalysis(); });
    analyses_.registerPass([] { return compiler::RemarksAnalysis(); });
  }

  // Why a pass has refused the function; empty if none has.
  template <typename Pass>
  std::string run(Pass pass) {
    analyses_.invalidate(function_, pass.run(function_, analyses_));
    return analyses_.getResult<compiler::RemarksAnalysis>(function_).remarks->why_not;
  }

  const Uniformity& uniformity() {
    return analyses_.getResult<compiler::UniformityAnalysis>(function_);
  }
  void forget() { analyses_.invalidate(function_, llvm::PreservedAnalyses::none()); }

 private:
  Function& function_;
  llvm::FunctionAnalysisManager analyses_;
};

void test_flow(const std::string& text, bool all_lanes) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << error.getMessage().str() << error.getLineContents().str();
  Function& original = *module->getFunction("f");
  promote_variables(original);
  llvm::ValueToValueMapTy map;
  Function& linear = *llvm::CloneFunction(&original, map);
  linear.setName("linear");
  add_lanes(linear);
  Passes passes(linear);
  ASSERT_EQ(passes.run(compiler::Canonicalize()), "");
  ASSERT_FALSE(llvm::verifyFunction(linear, &llvm::errs())) << print(*module);
  if (all_lanes) {
    ASSERT_EQ(passes.run(compiler::AddWholePacketVersions()), "");
  } else {
    emit_active(linear);
    passes.forget();
  }
  ASSERT_FALSE(llvm::verifyFunction(linear, &llvm::errs())) << print(*module);
  ASSERT_EQ(passes.run(compiler::Linearize()), "");
  ASSERT_FALSE(llvm::verifyFunction(linear, &llvm::errs())) << print(*module);
  compare(original, linear, passes.uniformity(), all_lanes ? kLanes : kActive);
  if (testing::Test::HasFatalFailure()) FAIL() << print(*module);
}

// CONCLAVE_FLOW_TESTS=100000 for a long run, CONCLAVE_FLOW_SEED=17 for one function again.
void test_flows(std::string (*generate)(uint64_t seed)) {
  const char* only = std::getenv("CONCLAVE_FLOW_SEED");
  const char* tests = std::getenv("CONCLAVE_FLOW_TESTS");
  const uint64_t begin = only ? std::strtoull(only, nullptr, 10) : 0;
  const uint64_t end = only ? begin + 1 : tests ? std::strtoull(tests, nullptr, 10) : 300;
  for (uint64_t seed = begin; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (bool all_lanes : {true, false}) test_flow(generate(seed), all_lanes);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomFlow, Structured) {
  test_flows(structured_flow);
}

TEST(RandomFlow, Unstructured) {
  test_flows(unstructured_flow);
}

}  // namespace
}  // namespace conclave::test
