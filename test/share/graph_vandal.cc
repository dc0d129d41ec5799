// SPDX-License-Identifier: Apache-2.0
#include "graph_vandal.h"

#include <iterator>

#include "platform/base/clock.h"

namespace conclave::test {

using share::Atomic;
using share::kBells;
using share::Parameter;
using share::Stream;
using share::StreamSide;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;

}  // namespace

GraphVandal::GraphVandal(uint32_t seed, std::vector<uint32_t> bystanders,
                         const share::Layout& layout, const Xclbin& xclbin)
    : Vandal(seed, std::move(bystanders)), layout_(layout) {
  const GraphPlan& plan = xclbin.plan();
  for (size_t i = 0; i < xclbin.layout().streams.size(); ++i) {
    streams_.push_back(reinterpret_cast<Stream*>(layout.graphs + plan.stream(i)));
    stream_bytes_.push_back(xclbin.layout().streams[i].bytes);
  }
  for (size_t g = 0; g < xclbin.layout().graphs.size(); ++g) {
    graphs_.push_back(reinterpret_cast<share::GraphState*>(layout.graphs + plan.graph(g)));
    const auto& kernels = xclbin.layout().graphs[g].kernels;
    for (size_t k = 0; k < kernels.size(); ++k)
      for (size_t i = 0; i < kernels[k].parameters.size(); ++i)
        parameters_.push_back(
            reinterpret_cast<Parameter*>(layout.graphs + plan.parameter(g, k, i)));
  }
  for (const auto& [offset, size] : plan.words())
    for (size_t at = offset; at < offset + size; at += sizeof(uint64_t))
      words_.push_back(reinterpret_cast<Atomic<uint64_t>*>(layout.graphs + at));
}

void GraphVandal::attack() {
  static constexpr Attack kAttacks[] = {
      &GraphVandal::garbage, &GraphVandal::sides,      &GraphVandal::sides,  &GraphVandal::sides,
      &GraphVandal::states,  &GraphVandal::parameters, &GraphVandal::lock,   &GraphVandal::bells,
      &GraphVandal::xclbin,  &GraphVandal::hammer,     &GraphVandal::hammer,
  };
  (this->*kAttacks[number(std::size(kAttacks))])();
}

Vandal::Word GraphVandal::some_word_of_graphs() {
  Stream& stream = *streams_[number(streams_.size())];
  StreamSide& side = chance(2) ? stream.read : stream.written;
  const auto slot = number(12);
  return any<Word>({{&side.position, 8},
                    {&side.position, 8},
                    {&side.owner, 4},
                    {&side.waits, 4},
                    {&parameters_[number(parameters_.size())]->version, 8},
                    {&graphs_[number(graphs_.size())]->driver, 4},
                    {&header().ends_lock, 8},
                    {&header().xclbin[0], 8},
                    {&header().bells[slot], 4},
                    {&header().sleeps[slot], 4}});
}

void GraphVandal::garbage() {
  for (Atomic<uint64_t>* word : words_)
    if (chance(4)) word->store(some_word());
}

// Positions that can be, or just cannot; ends in the names of others.
void GraphVandal::sides() {
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (chance(2)) continue;
    const uint64_t bytes = stream_bytes_[i], read = streams_[i]->read.position.load();
    for (StreamSide* side : {&streams_[i]->read, &streams_[i]->written}) {
      if (chance(2))
        side->position.store(any<uint64_t>(
            {read, read + number(bytes), read + bytes, read + bytes + 1, read - 1, some_word()}));
      if (chance(3)) side->owner.store(chance(2) ? 0 : some_owner(layout_).bits());
      if (chance(2)) side->waits.store(static_cast<uint32_t>(number(2)));
    }
  }
}

void GraphVandal::parameters() {
  for (Parameter* parameter : parameters_) {
    const uint64_t version = parameter->version.load();
    if (chance(2)) parameter->version.store(any<uint64_t>({0, version + 1, some_word()}));
  }
}

void GraphVandal::states() {
  for (share::GraphState* graph : graphs_) {
    if (chance(2)) graph->driver.store(chance(2) ? 0 : some_owner(layout_).bits());
    if (chance(2)) graph->state.store(static_cast<uint32_t>(some_word()));
    if (chance(2)) graph->iterations.store(some_word());
    if (chance(2)) graph->started_ns.store(some_word());
  }
}

// Takes it, and keeps it.
void GraphVandal::lock() {
  header().ends_lock.store(some_holder().word());
}

// Keeps those who sleep from being woken, or rings all the time.
void GraphVandal::bells() {
  const bool silent = chance(2);
  for (const uint64_t end = now_ns() + number(20 * kMillisecond); now_ns() < end;)
    for (uint32_t slot = 0; slot < kBells; ++slot) {
      header().sleeps[slot].store(silent ? 0 : 1);
      if (silent)
        header().bells[slot].store(7);
      else
        header().bells[slot].fetch_add(1);
    }
}

// As if the memory belonged to another xclbin.
void GraphVandal::xclbin() {
  for (Atomic<uint64_t>& word : header().xclbin)
    if (chance(2)) word.store(some_word());
}

// Stores to one word all the time.
void GraphVandal::hammer() {
  const Word word = some_word_of_graphs();
  const bool same = chance(2);
  const uint64_t first = some_word();
  for (const uint64_t end = now_ns() + number(30 * kMillisecond); now_ns() < end;)
    for (int i = 0; i < 100; ++i) store(word, same ? first : some_word());
}

}  // namespace conclave::test
