// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"path/filepath"
)

// nvcc takes the brackets of a launch with spaces between them, clang does not. Files
// that have them are read through an overlay, in which they have none: names and lines
// stay those of the program.
var (
	openChevrons  = lazily(`<<[ \t]+<|<[ \t]+<<`)
	closeChevrons = lazily(`>>[ \t]+>([ \t\n]*\()|>[ \t]+>>([ \t\n]*\()`)
)

// closed gives a source with whole brackets, and whether it had others.
func closed(text []byte) ([]byte, bool) {
	if !openChevrons().Match(text) {
		return text, false
	}
	text = openChevrons().ReplaceAll(text, []byte("<<<"))
	return closeChevrons().ReplaceAll(text, []byte(">>>$1$2")), true
}

// closeBrackets lays over the files next to an input that need it.
func (b *Builder) closeBrackets(in *Input) error {
	folder := filepath.Dir(in.Path)
	for _, pattern := range []string{"*.cu", "*.cuh", "*.h", "*.c", "*.cpp", "*.hpp"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil // the folder's name is no pattern
		}
		for _, path := range found {
			text, err := source(path)
			if err != nil {
				continue // the compiler says what is wrong, if it needs the file
			}
			if whole, had := closed(text); had {
				if err := b.overlay.lay(path, whole); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
