// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// openFolder gives the files of a folder, and of those below it, by names that begin
// with the folder's own, as the user wrote it. Nothing outside is reached, by links
// neither.
func openFolder(folder string) (fs.FS, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return folderFiles{prefix: path.Clean(folder), files: root.FS()}, nil
}

// folderFiles is a file system whose names begin with a prefix.
type folderFiles struct {
	prefix string // "." for none
	files  fs.FS
}

func (f folderFiles) Open(name string) (fs.File, error) {
	inside, ok := name, true
	if f.prefix != "." {
		inside, ok = strings.CutPrefix(name, f.prefix+"/")
	}
	if !ok || !fs.ValidPath(inside) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errOutside}
	}
	return f.files.Open(inside)
}

// errOutside reads as that of os.Root.
var errOutside = pathEscapes{}

type pathEscapes struct{}

func (pathEscapes) Error() string { return "path escapes from parent" }
