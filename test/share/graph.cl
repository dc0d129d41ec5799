// SPDX-License-Identifier: Apache-2.0
// The kernels of the xclbins of graph_test and stream_test.

// --- Of graphs ---

kernel void count(global uint* n, uint step) {
  *n += step;
}

kernel void kinds(char small, long large, float real, float4 four, global long* sum) {
  *sum = small + large + (long)(real * 2) + (long)four.w;
}

kernel void sizes(global const uchar* three, global uchar* turned, global const uchar* many,
                  global uchar* inverse) {
  for (int i = 0; i < 3; ++i) turned[i] = three[2 - i];
  for (int i = 0; i < 65536; ++i) inverse[i] = ~many[i];
}

kernel void twice(int in, global int* out) {
  *out = 2 * in;
}

// Writes only the first of its calls.
kernel void once(global int* out, global int* calls) {
  if (++*calls == 1) *out = 7;
}

kernel void faulty(int when, global int* calls) {
  if (++*calls == when) __builtin_trap();
}

kernel void numbers(write_only pipe int out, global int* n) {
  for (int i = 0; i < 100; ++i, ++*n) write_pipe(out, n);
}

kernel void sums(read_only pipe int in, global int* sum) {
  int item;
  for (int i = 0; i < 100; ++i) {
    read_pipe(in, &item);
    *sum += item;
  }
}

kernel void add(read_only pipe int in, write_only pipe int out, int value) {
  int item;
  read_pipe(in, &item);
  item += value;
  write_pipe(out, &item);
}

// --- Of compute units ---

kernel void source(write_only pipe int out, int first, int n) {
  for (int i = first; i < first + n; ++i) write_pipe(out, &i);
}

kernel void sink(read_only pipe int in, global int* to, int n) {
  for (int i = 0; i < n; ++i) read_pipe(in, to + i);
}

typedef struct {
  int a, b, c;
} Triple;

kernel void triples(write_only pipe Triple out, int first, int n) {
  for (int i = first; i < first + n; ++i) {
    Triple item = {i, 2 * i, 3 * i};
    write_pipe(out, &item);
  }
}

kernel void apart(read_only pipe Triple in, global int* to, int n) {
  for (int i = 0; i < n; ++i) {
    Triple item;
    read_pipe(in, &item);
    to[i] = item.b == 2 * item.a && item.c == 3 * item.a ? item.a : -1;
  }
}

typedef struct {
  int values[1024];
} Page;

kernel void pages(write_only pipe Page out, int first, int n) {
  Page page;
  for (int i = first; i < first + n; ++i) {
    for (int k = 0; k < 1024; ++k) page.values[k] = i + k;
    write_pipe(out, &page);
  }
}

kernel void leaves(read_only pipe Page in, global int* to, int n) {
  Page page;
  for (int i = 0; i < n; ++i) {
    read_pipe(in, &page);
    to[i] = page.values[0];
    for (int k = 0; k < 1024; ++k)
      if (page.values[k] != page.values[0] + k) to[i] = -1;
  }
}
