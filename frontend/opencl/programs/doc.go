// SPDX-License-Identifier: Apache-2.0

// Package programs has programs in OpenCL that use what the library offers, for the tests
// that build, run and record them, and run them on another OpenCL.
package programs
