// SPDX-License-Identifier: Apache-2.0

// Package programs has programs in CUDA C++ that use what headers and runtime offer, and
// the tests that build, run and record them.
package programs
