// SPDX-License-Identifier: Apache-2.0
// C functions that kernels of the tests call.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef float float4 __attribute__((ext_vector_type(4)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef signed char char2 __attribute__((ext_vector_type(2)));
typedef signed char char3 __attribute__((ext_vector_type(3)));
typedef unsigned char uchar4 __attribute__((ext_vector_type(4)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef int int2 __attribute__((ext_vector_type(2)));

void add(const int* a, const int* b, int* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

// All that a call may pass by value.
int weigh(signed char a, short b, long c, float d, double e, float4 f, double2 g, char2 h, char3 i,
          uchar4 j, short2 k, int2 l) {
  return a + 2 * b + 3 * (int)c + 4 * (int)d + 5 * (int)e + (int)(f.x + 2 * f.y + 3 * f.w) +
         (int)(g.x - g.y) + h.x * h.y + i.x + i.y - i.z + j.x - j.w + k.x * k.y + l.x - l.y;
}

char2 swap2(char2 v) {
  return v.yx;
}
char3 turn3(char3 v) {
  return v.yzx;
}
float4 turn4(float4 v) {
  return v.yzwx;
}

static int calls;
int count_call(void) {
  return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

// The C library and its mathematics.
int library_functions(int n) {
  char* text = malloc(64);
  memset(text, 'a', (size_t)n);
  text[n] = 0;
  const int length = (int)strlen(text);
  free(text);
  return length + (int)lgamma(n);
}

void stop(int how) {
  if (how == 1) abort();
  if (how == 2) exit(42);
}

void sleep_for_ever(void) {
  for (;;) pause();
}

void count_for_ever(volatile int* counter) {
  for (;;) ++*counter;
}

// Faults in C code: its own, in a function of the library that it calls, and of its stack.
int fault_in_c(int how, volatile int* nothing) {
  volatile int zero = 0;
  if (how == 1) *nothing = 1;
  if (how == 2) return 100 * how / zero;
  if (how == 3) memset((void*)nothing, 0, 4096);
  if (how == 4) {
    volatile char frame[4096];
    frame[0] = 1;
    return fault_in_c(how, nothing) + frame[0];
  }
  if (how == 5) ((void (*)(void))nothing)();
  return 0;
}
