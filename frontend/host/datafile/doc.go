// SPDX-License-Identifier: Apache-2.0

// Package datafile reads the arrays of data files: raw bytes, NumPy's .npy, tables of
// numbers (CSV, tabs, white space) and Matrix Market files. Files are untrusted: a size that
// a file claims is checked against the file before memory is taken for it, and all memory
// is booked in an array.Space.
//
// Errors name the line, or the byte, and what to do.
package datafile
