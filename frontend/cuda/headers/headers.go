// SPDX-License-Identifier: Apache-2.0

// Package headers has the header files that programs in CUDA C++ include: the runtime and
// driver APIs, and what they declare for device code. All were written here; clang's own
// wrapper of the CUDA headers has most of the device side and wants the names of the files.
package headers

import (
	"embed"
	"io/fs"

	"github.com/warptape/warptape/frontend/native/clang"
)

//go:embed include
var files embed.FS

// Files is the folder that compilations search.
func Files() fs.FS { return clang.Folder(files, "include") }

// First and Last are included before and after clang's wrapper by every compilation.
const (
	Wrapper = "__clang_cuda_runtime_wrapper.h"
	Last    = "warptape_after.h"
)
