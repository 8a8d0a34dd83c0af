// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/warptape/warptape/frontend/cuda/headers"
	"github.com/warptape/warptape/frontend/cuda/runtime"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/connection"
)

// Kit is the project's headers and runtime library, as files.
type Kit struct{ Folder, Include, Library string }

// LoadKit gives the kit, which the first call makes in the user's cache.
func LoadKit(c *clang.Compiler) (*Kit, error) {
	names := append([]string{layout}, runtime.Aliases...)
	folder, err := clang.Cached("cuda", c.Digest(files(), names...), func(work string) error { return makeKit(c, work) })
	if err != nil {
		return nil, err
	}
	return &Kit{Folder: folder, Include: filepath.Join(folder, "include"), Library: filepath.Join(folder, "lib")}, nil
}

// files are what goes into the kit, at once or when a program links it.
func files() []fs.FS {
	list := []fs.FS{headers.Files(), connection.Source(), runtime.Source()}
	for i := range libraries {
		list = append(list, libraries[i].source)
	}
	return list
}

func makeKit(c *clang.Compiler, folder string) error {
	include, library := filepath.Join(folder, "include"), filepath.Join(folder, "lib")
	if err := errors.Join(os.CopyFS(include, headers.Files()), os.Mkdir(library, 0o755)); err != nil {
		return err
	}
	l := clang.Library{Name: runtime.Library, Aliases: runtime.Aliases, Sources: []fs.FS{connection.Source(), runtime.Source()}, Options: []string{"-I" + include}}
	return errors.Join(l.Build(c, library), likeToolkit(folder, library))
}

// run runs a tool, with its messages where the caller's go.
func run(stdout, stderr io.Writer, path string, args ...string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd.Run()
}
