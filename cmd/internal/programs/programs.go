// SPDX-License-Identifier: Apache-2.0

// Package programs finds the host programs that command lines name.
package programs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// Load finds a host program: a workload of the catalogue by name, or a
// file. Messages name files of the catalogue and files under the working folder
// as the user would; for others folder says what they are relative to.
func Load(name string) (program *host.Program, folder string, err error) {
	if !strings.HasSuffix(name, ".star") {
		w, err := traces.Find(name)
		if err != nil {
			if other := instead(name); other != "" {
				return nil, "", commandline.Usagef("%s", other)
			}
			return nil, "", commandline.Usagef("%v; or name a host program (a .star file)", err)
		}
		program, err = host.Load(w.Files, w.Program)
		return program, "", err
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: no such file; name a host program or a workload of the catalogue (warptape workload list)", name)
	}
	// Files of the program are those in its folder: names with .. and links that lead
	// out of it are refused.
	if path := filepath.ToSlash(filepath.Clean(name)); fs.ValidPath(path) {
		files, err := openFolder(filepath.ToSlash(filepath.Dir(filepath.Clean(name))))
		if err != nil {
			return nil, "", err
		}
		program, err = host.Load(files, path)
		return program, "", err
	}
	folder = filepath.Dir(name)
	root, err := os.OpenRoot(folder)
	if err == nil {
		program, err = host.Load(root.FS(), filepath.Base(name))
	}
	if err != nil {
		return nil, "", fmt.Errorf("in %s: %w", folder, err)
	}
	return program, folder, nil
}

// instead says what to do with a file that is no host program, but has to do with CUDA: a source, or a
// program of the system's own. It is empty for others.
func instead(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	switch {
	case strings.HasSuffix(name, ".cu"):
		program := strings.TrimSuffix(filepath.Base(name), ".cu")
		return fmt.Sprintf("%s is a source in CUDA C++: build it with 'warptape cc -O3 %s -o %s', then record it with 'warptape run -o %s.wtape -- ./%s'", name, name, program, program, program)
	case info.Mode()&0o111 != 0:
		path := name
		if filepath.Base(name) == name {
			path = "./" + name
		}
		return fmt.Sprintf("%s is a program of this system: record what it launches with 'warptape run -o %s.wtape -- %s'", name, filepath.Base(name), path)
	}
	return ""
}

// Settings reads parameters in the form NAME=VALUE.
func Settings(list []string) (map[string]string, error) {
	set := make(map[string]string, len(list))
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, commandline.Usagef("--set %q: write NAME=VALUE", s)
		}
		set[name] = value
	}
	return set, nil
}
