// SPDX-License-Identifier: Apache-2.0

// Package fft has the source of a library in the place of cuFFT: plans of Fourier transforms, with
// kernels of its own. The compiler of the programs builds it.
package fft

import (
	"embed"
	"io/fs"

	"github.com/warptape/warptape/frontend/native/clang"
)

//go:embed source
var files embed.FS

// Source is the folder with the source files.
func Source() fs.FS { return clang.Folder(files, "source") }

// Library is the library's file name. Programs of other builds ask for it by Aliases.
const Library = "libcufft.so"

// Aliases are names under which programs look for the library.
var Aliases = []string{"libcufft.so.9.0", "libcufft.so.9.1", "libcufft.so.9.2", "libcufft.so.10", "libcufft.so.11", "libcufft.so.12"}
