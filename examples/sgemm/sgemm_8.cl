// SPDX-License-Identifier: Apache-2.0
// The kernels of blocked_product.cl for vectors of 8 floats: AVX2.
#define REAL float
#define WIDTH 8
#define TILE_N 6
#define DEPTH 384
#define PACK_PANELS 8
#include "common/blocked_product.cl"
