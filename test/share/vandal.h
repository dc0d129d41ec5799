// SPDX-License-Identifier: Apache-2.0
// Writes into a shared segment what no honest process would write: garbage, and plausible words.
#ifndef CONCLAVE_TEST_SHARE_VANDAL_H_
#define CONCLAVE_TEST_SHARE_VANDAL_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "platform/share/graph_part.h"
#include "platform/share/leases.h"
#include "platform/share/segment.h"
#include "platform/share/segment_lock.h"

namespace conclave::test {

class Vandal {
 public:
  // `bystanders`: processes that it names besides itself, some that live and some that do not.
  Vandal(uint32_t seed, std::vector<uint32_t> bystanders)
      : random_(seed), pids_(std::move(bystanders)) {}

  // One attack of a random kind, which takes up to some ten milliseconds.
  void attack(const share::Layout& layout);
  // One of the memory of graphs and streams alone, without a pause.
  void attack_graphs(const share::Layout& layout);

 protected:
  struct Word {
    void* at;
    uint32_t bytes;
  };

  uint64_t number(uint64_t below) { return random_() % below; }
  bool chance(uint64_t in) { return number(in) == 0; }
  template <class T>
  T any(std::initializer_list<T> values) {
    return values.begin()[number(values.size())];
  }
  uint64_t some_word();
  uint32_t some_pid() { return pids_[number(pids_.size())]; }
  // A lock's word, in its own name or in another's.
  share::LockWord some_holder();
  share::Owner some_owner(const share::Layout& layout);
  static void store(const Word& word, uint64_t value);

 private:
  using Attack = void (Vandal::*)(const share::Layout&);

  share::Atomic<uint64_t>& some_lock(const share::Layout& layout);
  Word some_word_of_interest(const share::Layout& layout);

  void garbage(const share::Layout& layout);
  void tables_of_garbage(const share::Layout& layout);
  void leases(const share::Layout& layout);
  void requests(const share::Layout& layout);
  void entries(const share::Layout& layout);
  void crowd(const share::Layout& layout);
  void accounts(const share::Layout& layout);
  void texts(const share::Layout& layout);
  void heaps(const share::Layout& layout);
  void heap_blocks(const share::Layout& layout);
  void schedule(const share::Layout& layout);
  void xclbin(const share::Layout& layout);
  void access_modes(const share::Layout& layout);
  void stream_words(const share::Layout& layout, const share::GraphPart& part);
  void locks(const share::Layout& layout);
  void hammer(const share::Layout& layout);
  void sleepers(const share::Layout& layout);
  void header(const share::Layout& layout);

  std::mt19937_64 random_;
  std::vector<uint32_t> pids_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_VANDAL_H_
