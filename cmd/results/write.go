// SPDX-License-Identifier: Apache-2.0

package results

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
)

// incoming holds files on their way to their names.
const incoming = ".incoming"

// write puts a file at its place under the store, complete or not at all, over whatever
// is there. The rename is atomic for readers on other nodes, too.
func (s *Store) write(path string, text []byte) error { return s.place(path, text, true) }

// place is write; without durable a loss of power may leave an empty file.
func (s *Store) place(path string, text []byte, durable bool) (err error) {
	target := filepath.Join(s.root, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.root, incoming), 0o777); err != nil {
		return err
	}
	// A new file by its own random name: the group that shares the folder could not read
	// one of os.CreateTemp.
	name := filepath.Join(s.root, incoming, rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	_, err = f.Write(text)
	if err == nil && durable {
		err = f.Sync() // a full disk is found here, not by a reader
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(name, target)
}
