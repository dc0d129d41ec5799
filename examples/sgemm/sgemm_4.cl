// SPDX-License-Identifier: Apache-2.0
// The kernels of blocked_product.cl for vectors of 4 floats: any x86-64 CPU.
#define REAL float
#define WIDTH 4
#define TILE_N 6
#define DEPTH 384
#define PACK_PANELS 8
#include "common/blocked_product.cl"
