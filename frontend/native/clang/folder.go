// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"embed"
	"io/fs"
)

// Folder is an embedded folder of sources or headers, which name names.
func Folder(files embed.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic("BUG: " + err.Error()) // the name is the embedded folder's
	}
	return sub
}
