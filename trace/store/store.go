// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// RootVariable is the environment variable that overrides where the store is.
const RootVariable = "WARPTAPE_STORE"

// DefaultRoot is the folder of the user's store: $WARPTAPE_STORE, else warptape in
// $XDG_CACHE_HOME or ~/.cache (XDG Base Directory Specification 0.8).
func DefaultRoot() (string, error) {
	if root := os.Getenv(RootVariable); root != "" {
		return filepath.Abs(root)
	}
	// The specification has relative paths ignored.
	if cache := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(cache) {
		return filepath.Join(cache, "warptape"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the trace store: %w; name a folder in %s", err, RootVariable)
	}
	return filepath.Join(home, ".cache", "warptape"), nil
}

// Store is a folder of traces. Its methods may be called by several goroutines and
// processes at once.
type Store struct{ root string }

// At is the store in a folder, which need not exist: the first trace makes it.
func At(root string) *Store { return &Store{root} }

// Root is the store's folder.
func (s *Store) Root() string { return s.root }

func (s *Store) objects() string { return filepath.Join(s.root, "objects", "sha256") }
func (s *Store) entries() string { return filepath.Join(s.root, "entries", "sha256") }
func (s *Store) tags() string    { return filepath.Join(s.root, "tags") }

const objectSuffix = ".wtape"

func (s *Store) objectPath(digest string) string {
	return filepath.Join(s.objects(), digest+objectSuffix)
}

// folder makes a folder of the store and returns its path.
func (s *Store) folder(path string) (string, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", s.cannotWrite(err)
	}
	return path, nil
}

// cannotWrite says what to do about a store that cannot be written.
func (s *Store) cannotWrite(err error) error {
	var remedy string
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		remedy = "free space (warptape store gc) or name a folder elsewhere in " + RootVariable
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR):
		remedy = "name a folder that you can write in " + RootVariable
	default:
		return fmt.Errorf("trace store %s: %w", s.root, err)
	}
	return fmt.Errorf("trace store %s cannot be written: %w; %s", s.root, err, remedy)
}
