/* SPDX-License-Identifier: Apache-2.0 */
/* Each number of `out` is the sum of five of `in`, weighted by the filter. */
void filter_row_c(const float* restrict in, float* restrict out, const float* restrict filter,
                  int columns) {
  for (int column = 0; column < columns; ++column) {
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += in[column + k] * filter[k];
    out[column] = sum;
  }
}
