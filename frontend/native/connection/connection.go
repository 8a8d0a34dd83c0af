// SPDX-License-Identifier: Apache-2.0

// Package connection has the source of what the runtime libraries of CUDA and of OpenCL
// share: the connection of a program to its recorder. It is C, as they are.
package connection

import (
	"embed"
	"io/fs"

	"github.com/warptape/warptape/frontend/native/clang"
)

//go:embed source
var files embed.FS

// Source is the folder with the source files.
func Source() fs.FS { return clang.Folder(files, "source") }
