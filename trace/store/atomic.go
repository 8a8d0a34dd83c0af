// SPDX-License-Identifier: Apache-2.0

package store

import (
	"io"
	"os"
	"path/filepath"
)

// writeSmall puts a small file in place by a rename.
func (s *Store) writeSmall(path string, content []byte) error {
	if _, err := s.folder(filepath.Dir(path)); err != nil {
		return err
	}
	incoming, err := s.folder(s.incoming())
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(incoming, "small-*")
	if err != nil {
		return s.cannotWrite(err)
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return s.cannotWrite(err)
	}
	return nil
}

// readSmall reads a regular file of at most limit bytes; a longer one is cut off,
// which no parser of ours accepts.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

func (s *Store) incoming() string { return filepath.Join(s.root, "incoming") }
