// SPDX-License-Identifier: Apache-2.0

// Package toolchain builds programs in CUDA C++ with clang. It keeps the headers and the
// runtime library of the project in the user's cache. It does for nvcc's common options
// what nvcc does.
package toolchain
