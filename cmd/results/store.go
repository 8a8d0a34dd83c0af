// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// layoutVersion is that of the folder.
const layoutVersion = 1

// layoutFile says what the folder is.
const layoutFile = "results.json"

// Store is a folder of results. Any number of processes may use it at a time.
type Store struct{ root string }

type layout struct {
	Layout int `json:"warptape_results"`
}

// Open opens a folder of results.
func Open(root string) (*Store, error) {
	text, err := os.ReadFile(filepath.Join(root, layoutFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is not a folder of results: it has no %s; a sweep or replay --cached makes one", root, layoutFile)
	}
	if err != nil {
		return nil, err
	}
	var l layout
	if err := json.Unmarshal(text, &l); err != nil || l.Layout < 1 {
		return nil, fmt.Errorf("%s: does not say which version of results the folder has; restore it or use another folder", filepath.Join(root, layoutFile))
	}
	if l.Layout != layoutVersion {
		return nil, fmt.Errorf("%s: has results in layout %d, and this version reads layout %d; use the version that wrote it, or another folder", root, l.Layout, layoutVersion)
	}
	return &Store{root: root}, nil
}

// Create opens a folder of results and makes it when there is none. A folder that holds
// something else is refused.
func Create(root string) (*Store, error) {
	s, err := Open(root)
	if err == nil {
		return s, nil
	}
	if _, stat := os.Stat(filepath.Join(root, layoutFile)); !errors.Is(stat, fs.ErrNotExist) {
		return Open(root) // what it says now: another process may have just made it
	}
	entries, dirErr := os.ReadDir(root)
	if dirErr != nil && !errors.Is(dirErr, fs.ErrNotExist) {
		return nil, dirErr
	}
	for _, e := range entries {
		if e.Name() == incoming {
			continue
		}
		if s, err := Open(root); err == nil {
			return s, nil // another process has just made the folder
		}
		return nil, fmt.Errorf("%s: holds other files than results; name an empty or a new folder", root)
	}
	s = &Store{root: root}
	text, err := json.Marshal(layout{layoutVersion})
	if err != nil {
		return nil, err
	}
	return s, s.write(layoutFile, append(text, '\n'))
}

// Look opens a folder of results to read it; one that is not there is empty.
func Look(root string) (*Store, error) {
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return &Store{root: root}, nil
	}
	return Open(root)
}

// Root is the folder.
func (s *Store) Root() string { return s.root }

const (
	pointSuffix = ".json.zst"
	points      = "points"
	// Traces is the folder of traces that sweeps have recorded.
	Traces       = "traces"
	maxPointSize = 1 << 30 // decoded, in bytes
)

// keyed is the place of a key's file.
func keyed(folder, key, suffix string) string {
	if !isKey(key) {
		panic("BUG: " + key + " is not a key")
	}
	return filepath.Join(folder, key[:2], key+suffix)
}

// PointPath is the file of a point, whether it is there or not.
func (s *Store) PointPath(key string) string {
	return filepath.Join(s.root, keyed(points, key, pointSuffix))
}

// Has reports whether a point is there; Get says whether it can be read.
func (s *Store) Has(key string) bool {
	info, err := os.Stat(s.PointPath(key))
	return err == nil && info.Mode().IsRegular()
}

// NotFoundError says that a point is not in the store.
type NotFoundError struct{ Key string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no result %.12s", e.Key) }

// DamagedError says that the file of a point is not what was written. A sweep makes the
// point again.
type DamagedError struct {
	Path string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: is damaged: %v; remove it, or repeat the sweep, which replaces it", e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// Get reads a point. The error is a *NotFoundError, a *DamagedError, or that of the file
// system.
func (s *Store) Get(key string) (*Point, error) {
	path := s.PointPath(key)
	packed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{key}
	}
	if err != nil {
		return nil, err
	}
	p, err := decode(packed)
	if err != nil {
		return nil, &DamagedError{path, err}
	}
	if p.Schema > SchemaVersion {
		return nil, fmt.Errorf("%s: has schema %d, and this version reads up to %d; use a newer version", path, p.Schema, SchemaVersion)
	}
	if p.Key != key || p.Identity.Key() != key {
		return nil, &DamagedError{path, errors.New("it is of another point than its name")}
	}
	return p, nil
}

// Put stores a point, over a damaged one if need be.
func (s *Store) Put(p *Point) error {
	packed, err := encode(p)
	if err != nil {
		return err
	}
	if err := s.write(keyed(points, p.Key, pointSuffix), packed); err != nil {
		return err
	}
	return s.clearFailure(p.Key)
}

// encode packs a point with a checksum.
func encode(p *Point) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(text, nil), nil
}

func decode(packed []byte) (*Point, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPointSize))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := r.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	var p Point
	return &p, json.Unmarshal(text, &p)
}

// Keys gives the keys of all points in their order, whether or not they can be read.
func (s *Store) Keys() iter.Seq2[string, error] { return s.keys(points, pointSuffix) }

func (s *Store) keys(folder, suffix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		groups, err := os.ReadDir(filepath.Join(s.root, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield("", err)
			return
		}
		for _, g := range groups {
			files, err := os.ReadDir(filepath.Join(s.root, folder, g.Name()))
			if err != nil && !yield("", err) {
				return
			}
			for _, f := range files {
				key, ok := strings.CutSuffix(f.Name(), suffix)
				if ok && isKey(key) && !yield(key, nil) {
					return
				}
			}
		}
	}
}

// keyLength is that of a SHA-256 in hexadecimal digits.
const keyLength = 64

// Sound reports whether a point is there and whole.
func (s *Store) Sound(key string) bool {
	if !s.Has(key) {
		return false
	}
	_, err := s.Get(key)
	return err == nil
}
