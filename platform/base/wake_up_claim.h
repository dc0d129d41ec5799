// SPDX-License-Identifier: Apache-2.0
// The claim of a thread to run as soon as it wakes. Linux grants it where the thread's time slice
// is shorter than that of the thread which computes there (EEVDF, since Linux 6.12; older kernels
// favour whoever has slept, and ignore this).
#ifndef CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_
#define CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_

namespace conclave {

class WakeUpClaim {
 public:
  bool prompt() const { return prompt_; }
  // For the calling thread, always the same one for an object. A prompt one has a short time slice.
  // One that is not is batch work: when it wakes, it does not drive away those who have little to
  // do. Nothing where somebody else has given the thread a policy, who knows better.
  void set(bool prompt);

 private:
  bool prompt_ = false;
  bool batch_ = false;  // made so here
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_
