// SPDX-License-Identifier: Apache-2.0
// A ramp goes through a graph, which adds an offset to each item, into memory.

// 0, 1, 2, ...
kernel void ramp(write_only pipe int out, int items) {
  for (int i = 0; i < items; ++i) write_pipe(out, &i);
}

// One iteration: 64 items. `offsets` is asynchronous, so an iteration has the last value that there
// is; `used` tells the host which that was.
kernel void add_offsets(read_only pipe int in, write_only pipe int out,
                        global const int* offsets, global int* used) {
  for (int i = 0; i < 64; ++i) {
    int item;
    if (read_pipe(in, &item) != 0) return;
    item += offsets[i % 8];
    write_pipe(out, &item);
  }
  for (int i = 0; i < 8; ++i) used[i] = offsets[i];
}

kernel void collect(read_only pipe int in, global int* memory, int items) {
  for (int i = 0; i < items; ++i)
    if (read_pipe(in, memory + i) != 0) return;
}
