// SPDX-License-Identifier: Apache-2.0

// Package runtime has the source of the library that programs in OpenCL have in the place
// of a vendor's: it is an ICD, and stands for the loader, too. It is C, which clang
// compiles when a program first runs.
package runtime

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/connection"
)

//go:embed source
var files embed.FS

// Source is the folder with the source files.
func Source() fs.FS { return clang.Folder(files, "source") }

// name is the library's file name.
const name = "libOpenCL.so.1"

var aliases = []string{"libOpenCL.so"}

// Folders are where programs and loaders look for the library.
type Folders struct {
	// Library has the library under the names of a loader.
	Library string
	// Vendors has a file that names the library, for loaders.
	Vendors string
}

// Load gives the folders, which the first call makes in the user's cache.
func Load(c *clang.Compiler) (*Folders, error) {
	parts := []fs.FS{connection.Source(), Source()}
	folder, err := clang.Cached("opencl", "runtime-"+c.Digest(parts, aliases...), func(folder string) error {
		l := clang.Library{Name: name, Aliases: aliases, Sources: parts, Options: []string{"-Wl,-Bsymbolic", "-Wl,--version-script=libOpenCL.map"}}
		return l.Build(c, folder)
	})
	if err != nil {
		return nil, err
	}
	return &Folders{Library: folder, Vendors: filepath.Join(folder, "vendors")}, writeVendors(folder)
}

// writeVendors writes the file for loaders, which has the library's path: it can only be
// known where the folder is.
func writeVendors(folder string) error {
	vendors := filepath.Join(folder, "vendors")
	if err := os.MkdirAll(vendors, 0o755); err != nil {
		return err
	}
	path := filepath.Join(vendors, "warptape.icd")
	text := filepath.Join(folder, name) + "\n"
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
