// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/warptape/warptape/trace/wtape"
)

// Entry describes a stored trace.
type Entry struct {
	Digest  string `json:"digest"`         // of the file: lower-case hex SHA-256
	Content string `json:"content_digest"` // of the content, whatever the compression; trace info prints it
	Bytes   int64  `json:"bytes"`
	Program string `json:"program"` // the host program's name
	// WarpInstructions of the whole run.
	WarpInstructions uint64 `json:"warp_instructions"`
	// Sampling is empty when every thread block is stored.
	Sampling string `json:"sampling,omitempty"`
	// Origins are the OCI manifests that the trace was pulled or pushed as.
	Origins []Origin `json:"origins,omitempty"`

	Path string    `json:"path"`
	Used time.Time `json:"used"` // last lookup, UTC, to the second
}

// Origin is one OCI manifest of a trace.
type Origin struct {
	Name     string `json:"name"`     // REGISTRY/REPOSITORY
	Manifest string `json:"manifest"` // lower-case hex SHA-256
}

const (
	entrySuffix   = ".json"
	maxEntryBytes = 1 << 20
	maxOrigins    = 1 << 10
)

func (s *Store) entryPath(digest string) string {
	return filepath.Join(s.entries(), digest+entrySuffix)
}

// Describe reads the entry of a stored trace, given by the whole digest of its file.
// Where the entry is missing or damaged, it is taken from the trace again.
func (s *Store) Describe(digest string) (Entry, error) {
	path := s.objectPath(digest)
	info, err := os.Stat(path)
	if err != nil {
		return Entry{}, err
	}
	e, ok := s.readEntry(digest)
	if !ok || e.Bytes != info.Size() {
		if e, err = inspect(path, digest); err != nil {
			return Entry{}, err
		}
		// Best effort: the store may be read-only.
		_ = s.writeEntry(e)
	}
	e.Path, e.Used = path, info.ModTime().UTC().Truncate(time.Second)
	return e, nil
}

// readEntry reads what writeEntry wrote.
func (s *Store) readEntry(digest string) (Entry, bool) {
	text, err := readSmall(s.entryPath(digest), maxEntryBytes)
	var e Entry
	if err != nil || json.Unmarshal(text, &e) != nil || e.Digest != digest || !wholeHex(e.Content) {
		return Entry{}, false
	}
	for _, o := range e.Origins {
		if !wholeHex(o.Manifest) {
			return Entry{}, false
		}
	}
	return e, true
}

func (s *Store) writeEntry(e Entry) error {
	e.Path, e.Used = "", time.Time{}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return s.writeSmall(s.entryPath(e.Digest), append(text, '\n'))
}

// inspect describes a trace file.
func inspect(path, digest string) (Entry, error) {
	r, err := wtape.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer r.Close()
	h := r.Header()
	return Entry{
		Digest: digest, Content: r.Digest(), Bytes: r.Size(),
		Program: h.Program, WarpInstructions: r.Totals().WarpInstructions, Sampling: h.Sampling,
	}, nil
}

// AddOrigin notes that a stored trace is an OCI manifest, by whose digest it is
// found from then on.
func (s *Store) AddOrigin(digest string, origin Origin) error {
	release, err := s.lock(true) // two origins may be added at once
	if err != nil {
		return err
	}
	defer release()
	e, err := s.Describe(digest)
	if err != nil {
		return err
	}
	if slices.Contains(e.Origins, origin) || len(e.Origins) >= maxOrigins {
		return nil
	}
	e.Origins = append(e.Origins, origin)
	slices.SortFunc(e.Origins, func(a, b Origin) int {
		return strings.Compare(a.Name+a.Manifest, b.Name+b.Manifest)
	})
	return s.writeEntry(e)
}

// Entries lists the stored traces, ascending by digest. Traces that cannot be
// described are left out; Faults names them.
func (s *Store) Entries() ([]Entry, error) {
	list, _, err := s.scan()
	return list, err
}

// scan describes every object and says what is wrong with those that it cannot
// describe.
func (s *Store) scan() (list []Entry, faults []error, err error) {
	files, err := os.ReadDir(s.objects())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		path := filepath.Join(s.objects(), f.Name())
		digest, ok := strings.CutSuffix(f.Name(), objectSuffix)
		if !ok || !wholeHex(digest) || !f.Type().IsRegular() {
			faults = append(faults, fmt.Errorf("%s: does not belong to the store; remove it", path))
			continue
		}
		e, err := s.Describe(digest)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed by another process
		case err != nil:
			faults = append(faults, fmt.Errorf("%w; remove it with warptape store remove sha256:%s", err, digest))
		default:
			list = append(list, e)
		}
	}
	return list, faults, nil
}

func wholeHex(s string) bool { return len(s) == digestHex && hexPattern().MatchString(s) }
