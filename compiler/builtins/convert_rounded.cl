// SPDX-License-Identifier: Apache-2.0
// The conversions with a rounding mode in their name; the other half of the convert_*.cl files.
#define CONVERT_ROUNDED
#include "convert_integer.cl"
#include "convert_to_integer.cl"
#include "convert_to_real.cl"
