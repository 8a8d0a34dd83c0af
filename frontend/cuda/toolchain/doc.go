// SPDX-License-Identifier: Apache-2.0

// Package toolchain builds programs in CUDA C++ with clang: it keeps the headers and the
// runtime library of the project in the user's cache, and does for nvcc's common options
// what nvcc does.
package toolchain
