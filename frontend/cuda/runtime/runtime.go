// SPDX-License-Identifier: Apache-2.0

// Package runtime has the source of the library that programs in CUDA C++ link in the
// place of CUDA's own runtime and driver libraries. It is C, which the compiler of the
// programs compiles, too: the command itself has no part in C.
package runtime

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
const Library = "libcudart.so"

// Aliases are names under which programs look for the runtime and the driver.
var Aliases = []string{
	"libcudart.so.9.0", "libcudart.so.9.1", "libcudart.so.9.2", "libcudart.so.10.0", "libcudart.so.10.1", "libcudart.so.10.2",
	"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13", "libcuda.so", "libcuda.so.1",
}
