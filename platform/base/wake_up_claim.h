// SPDX-License-Identifier: Apache-2.0
// The claim of a thread to run as soon as it wakes. Linux grants it if the thread's time slice is
// shorter than that of the thread which computes there (EEVDF, since Linux 6.12). Older kernels
// favour threads that have slept, and ignore this.
#ifndef CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_
#define CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_

namespace conclave {

class WakeUpClaim {
 public:
  bool prompt() const { return prompt_; }
  // For the calling thread, always the same one for an object. A prompt thread has a short time
  // slice. Any other one is batch work: when it wakes, it does not displace threads that have
  // little to do. Does nothing if somebody else, who knows better, has given the thread a policy.
  void set(bool prompt);

 private:
  bool prompt_ = false;
  bool batch_ = false;  // this object made it so
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_WAKE_UP_CLAIM_H_
