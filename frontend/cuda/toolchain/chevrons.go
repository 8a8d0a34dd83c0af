// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
)

// nvcc takes the brackets of a launch with spaces between them, clang does not. Files
// that have them are read through an overlay, in which they have none: names and lines
// stay those of the program.
var (
	openChevrons  = regexp.MustCompile(`<<[ \t]+<|<[ \t]+<<`)
	closeChevrons = regexp.MustCompile(`>>[ \t]+>([ \t\n]*\()|>[ \t]+>>([ \t\n]*\()`)
)

// maxSourceBytes bounds the files that are looked through.
const maxSourceBytes = 16 << 20

// closed gives a source with whole brackets, and whether it had others.
func closed(text []byte) ([]byte, bool) {
	if !openChevrons.Match(text) {
		return text, false
	}
	text = openChevrons.ReplaceAll(text, []byte("<<<"))
	return closeChevrons.ReplaceAll(text, []byte(">>>$1$2")), true
}

// overlay is the option for the files next to an input that need one, if any does.
func (b *Builder) overlay(in *Input) ([]string, error) {
	folder := filepath.Dir(in.Path)
	type file struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Contents string `json:"external-contents"`
	}
	var files []file
	for _, pattern := range []string{"*.cu", "*.cuh", "*.h", "*.c", "*.cpp", "*.hpp"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, nil // the folder's name is no pattern
		}
		for _, path := range found {
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxSourceBytes {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				continue // the compiler says what is wrong, if it needs the file
			}
			whole, had := closed(text)
			if !had {
				continue
			}
			b.counter++
			copied := filepath.Join(b.work, "overlay"+filepath.Base(path))
			if err := os.WriteFile(copied, whole, 0o666); err != nil {
				return nil, err
			}
			absolute, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			files = append(files, file{"file", absolute, copied})
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	description, err := json.Marshal(map[string]any{"version": 0, "use-external-names": false, "roots": files})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.work, "overlay.yaml")
	return []string{"-ivfsoverlay", path}, os.WriteFile(path, description, 0o666)
}
