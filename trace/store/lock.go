// SPDX-License-Identifier: Apache-2.0

package store

import (
	"os"
	"path/filepath"
)

// lock takes the store's lock and returns its release. Where the file system has no
// locks the store goes without. Then only removing while another process adds the
// same trace can go wrong. What is lost is the trace that was to be removed.
func (s *Store) lock(exclusive bool) (release func(), err error) {
	if _, err := s.folder(s.root); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.root, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, s.cannotWrite(err)
	}
	if err := lockFile(f, exclusive, true); err != nil {
		f.Close()
		return func() {}, nil
	}
	return func() { f.Close() }, nil
}
