// SPDX-License-Identifier: Apache-2.0
// A task that serves the host until it is told to stop. They talk through memory that both can see:
//   mailbox[0]  number of the request, written by the host; 0: stop
//   mailbox[1]  the request
//   mailbox[2]  number of the last answer, written by the task
//   mailbox[3]  the answer
__kernel void serve(__global volatile atomic_int* mailbox) {
  for (int number = 1;; ++number) {
    int asked;
    do {
      asked = atomic_load_explicit(&mailbox[0], memory_order_acquire, memory_scope_all_devices);
      if (asked == 0) return;
    } while (asked != number);
    const int request =
        atomic_load_explicit(&mailbox[1], memory_order_relaxed, memory_scope_all_devices);
    atomic_store_explicit(&mailbox[3], request * request, memory_order_relaxed,
                          memory_scope_all_devices);
    atomic_store_explicit(&mailbox[2], number, memory_order_release, memory_scope_all_devices);
  }
}

__kernel void twice(__global int* numbers) { numbers[get_global_id(0)] *= 2; }
