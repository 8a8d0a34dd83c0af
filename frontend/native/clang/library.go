// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Library is a shared library in C that programs load.
type Library struct {
	Name    string   // of its file
	Aliases []string // other names of the file
	Sources []fs.FS
	Options []string
}

// Digest is that of a compiler and of all that goes into what it makes.
func (c *Compiler) Digest(files []fs.FS, names ...string) string {
	h := sha256.New()
	fmt.Fprintln(h, c.Path, c.Version, names)
	for _, f := range files {
		fs.WalkDir(f, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(f, path)
			fmt.Fprintln(h, path, len(data))
			h.Write(data)
			return err
		})
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// Build makes the library in a folder, in which it makes a folder for its sources for as
// long as it takes.
func (l *Library) Build(c *Compiler, folder string) error {
	source := filepath.Join(folder, "source")
	defer os.RemoveAll(source)
	for _, f := range l.Sources {
		if err := os.CopyFS(source, f); err != nil {
			return err
		}
	}
	parts, err := filepath.Glob(filepath.Join(source, "*.c"))
	if err != nil {
		return err
	}
	args := []string{"-O2", "-fPIC", "-shared", "-std=gnu11", "-fvisibility=hidden", "-Wl,-z,defs", "-Wl,-soname," + l.Name, "-o", filepath.Join(folder, l.Name)}
	args = append(append(args, l.Options...), parts...)
	cmd := exec.Command(c.Path, append(args, "-lpthread", "-ldl", "-lm")...)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the runtime library does not build with %s: %w\n%s", c.Path, err, out)
	}
	var links []error
	for _, alias := range l.Aliases {
		links = append(links, os.Symlink(l.Name, filepath.Join(folder, alias)))
	}
	return errors.Join(links...)
}
