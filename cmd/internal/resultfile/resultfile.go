// SPDX-License-Identifier: Apache-2.0

// Package resultfile writes the files that commands are asked for: complete or not at
// all, and never over what a user has unless forced.
package resultfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/warptape/warptape/trace/pending"
)

// Write writes a result file: complete under its name or not at all, and
// never over an existing file unless force is set.
func Write(path string, force bool, write func(io.Writer) error) error {
	f, err := Create(path, force)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Commit()
}

// WriteJSON writes a value as JSON, a space for each level, as Write does.
func WriteJSON(path string, force bool, value any) error {
	return Write(path, force, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(value)
	})
}

// Create starts a result file.
func Create(path string, force bool) (*pending.File, error) {
	if err := RefuseExisting(path, force); err != nil {
		return nil, err
	}
	return pending.Create(path, 0o666)
}

// RefuseExisting protects what the user has.
func RefuseExisting(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("%s: is a directory; name a file in it", path)
	case force, !info.Mode().IsRegular(): // a device or a pipe stays
		return nil
	}
	return fmt.Errorf("%s: exists already; use --force to replace it", path)
}
