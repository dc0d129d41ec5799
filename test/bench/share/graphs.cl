// SPDX-License-Identifier: Apache-2.0
// What the figures of graphs and streams are measured with.
typedef struct {
  int words[1024];
} Packet;

kernel void source(write_only pipe Packet out, int packets) {
  Packet packet;
  for (int i = 0; i < 1024; ++i) packet.words[i] = i;
  for (int i = 0; i < packets; ++i) write_pipe(out, &packet);
}

// Looks at a word of each packet.
kernel void sink(read_only pipe Packet in, int packets, global int* sum) {
  Packet packet;
  int all = 0;
  for (int i = 0; i < packets; ++i) {
    if (read_pipe(in, &packet) != 0) return;
    all += packet.words[i % 1024];
  }
  *sum = all;
}

kernel void nothing(global const int* values) {}
