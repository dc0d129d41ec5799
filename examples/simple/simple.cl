// SPDX-License-Identifier: Apache-2.0
__kernel void devset(__global char* buffer) { buffer[get_global_id(0)] = 'x'; }
