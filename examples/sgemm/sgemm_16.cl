// SPDX-License-Identifier: Apache-2.0
// The kernels of blocked_product.cl for vectors of 16 floats: AVX-512.
#define REAL float
#define WIDTH 16
#define TILE_N 12
#define DEPTH 384
#define PACK_PANELS 8
#include "common/blocked_product.cl"
