// SPDX-License-Identifier: Apache-2.0

// Package driver is the CUDA driver API, through a library that is loaded while the program
// runs. No toolkit and no compiler of C is needed, and a machine without a GPU has an error
// that says so. The project's own driver library (folder runtime) answers as well as the
// vendor's.
package driver
