// SPDX-License-Identifier: Apache-2.0
// The precompiled headers of the tests belong to this program.
int main() {}
