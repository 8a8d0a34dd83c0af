// SPDX-License-Identifier: Apache-2.0
// clang's wrapper of the CUDA headers includes a file of this name; what it is for is elsewhere here.
