// SPDX-License-Identifier: Apache-2.0

// Package compiler makes PTX of OpenCL C by clang and libclc, the library of OpenCL C's
// functions, for programs that run as they are. What it has made is kept in the user's
// cache, under the digest of all that went in.
package compiler
