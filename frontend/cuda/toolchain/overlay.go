// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// overlay is what the compiler reads in place of some of a program's files. Messages
// name the program's own files and lines.
type overlay struct {
	folder string
	files  map[string]string // the copies, by absolute path
}

// maxSourceBytes bounds the files that are looked through.
const maxSourceBytes = 16 << 20

// source reads a file of the program.
func source(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSourceBytes {
		return nil, fmt.Errorf("%s: no file of at most %d bytes", path, maxSourceBytes)
	}
	return os.ReadFile(path)
}

// read gives a file as the compiler reads it.
func (o *overlay) read(path string) ([]byte, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if copied, ok := o.files[absolute]; ok {
		return os.ReadFile(copied)
	}
	return source(path)
}

// lay puts a text in the place of a file.
func (o *overlay) lay(path string, text []byte) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	copied, ok := o.files[absolute]
	if !ok {
		copied = filepath.Join(o.folder, fmt.Sprintf("overlay%d-%s", len(o.files), filepath.Base(path)))
	}
	if err := os.WriteFile(copied, text, 0o666); err != nil {
		return err
	}
	if ok {
		return nil
	}
	if o.files == nil {
		o.files = map[string]string{}
	}
	o.files[absolute] = copied
	return o.describe()
}

// description is the file that tells the compiler of the overlay.
func (o *overlay) description() string { return filepath.Join(o.folder, "overlay.yaml") }

func (o *overlay) describe() error {
	type file struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Contents string `json:"external-contents"`
	}
	var files []file
	for name, copied := range o.files {
		files = append(files, file{"file", name, copied})
	}
	text, err := json.Marshal(map[string]any{"version": 0, "use-external-names": false, "roots": files})
	if err != nil {
		return err
	}
	return os.WriteFile(o.description(), text, 0o666)
}

// options makes the compiler read the overlay. An empty overlay needs none.
func (o *overlay) options() []string {
	if len(o.files) == 0 {
		return nil
	}
	return []string{"-ivfsoverlay", o.description()}
}
