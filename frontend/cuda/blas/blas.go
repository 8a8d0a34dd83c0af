// SPDX-License-Identifier: Apache-2.0

// Package blas has the source of a library in the place of cuBLAS: the functions of vectors and
// matrices that programs call most, with kernels of its own. The compiler of the programs builds it.
package blas

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
const Library = "libcublas.so"

// Aliases are names under which programs look for the library.
var Aliases = []string{"libcublas.so.9.0", "libcublas.so.9.1", "libcublas.so.9.2", "libcublas.so.10", "libcublas.so.11", "libcublas.so.12", "libcublas.so.13"}
