// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// NotFoundError says that the store has no such trace.
type NotFoundError struct {
	Reference Reference
	Root      string
	// Tags that the name has in the store.
	Tags []string
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("%s: no such trace in the store %s", e.Reference, e.Root)
	if len(e.Tags) > 0 {
		text += fmt.Sprintf(" (of that name it has the tags %s)", strings.Join(e.Tags, ", "))
	}
	return text
}

// AmbiguousError says that a reference could mean several traces.
type AmbiguousError struct {
	Reference Reference
	Choices   []string // references that are unambiguous
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s could be any of these: %s; name one of them", e.Reference, strings.Join(e.Choices, ", "))
}

// Lookup finds a stored trace and notes that it was used. A digest may be that of
// the file, of the content or of an OCI manifest, and may be abbreviated; it decides
// alone, whatever name comes with it. A name without a registry also finds the only
// stored name that ends in it. The error is a *NotFoundError or an *AmbiguousError
// where the store was read well.
func (s *Store) Lookup(ref Reference) (Entry, error) {
	e, err := s.find(ref)
	if err != nil {
		return e, err
	}
	now := time.Now()
	// Best effort: the store may be another's or read-only.
	_ = os.Chtimes(e.Path, now, now)
	e.Used = now.UTC().Truncate(time.Second)
	return e, nil
}

func (s *Store) find(ref Reference) (Entry, error) {
	if ref.Digest != "" {
		return s.findDigest(ref)
	}
	digest, err := readTag(s.tagPath(ref.Name(), ref.Effective()))
	if errors.Is(err, fs.ErrNotExist) {
		digest, err = s.findEnding(ref)
	}
	if err != nil {
		return Entry{}, err
	}
	e, err := s.Describe(digest)
	if errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("%s stands for sha256:%s, which is gone from the store %s: pull it again, or warptape store remove %s", ref, digest, s.root, ref)
	}
	return e, err
}

// findDigest finds by any of the digests of a trace. Where several files hold the
// same content, any of them will do: the first.
func (s *Store) findDigest(ref Reference) (Entry, error) {
	if ref.WholeDigest() {
		if e, err := s.Describe(ref.Digest); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return e, err
		}
	}
	list, err := s.Entries()
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	for _, e := range list {
		same := func(f Entry) bool { return f.Content == e.Content }
		if e.matches(ref.Digest) && !slices.ContainsFunc(found, same) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, s.notFound(ref)
	case 1:
		return found[0], nil
	}
	var choices []string
	for _, e := range found {
		choices = append(choices, digestPrefix+e.Digest)
	}
	return Entry{}, &AmbiguousError{ref, choices}
}

// matches reports whether one of the entry's digests starts like this.
func (e *Entry) matches(digest string) bool {
	if strings.HasPrefix(e.Digest, digest) || strings.HasPrefix(e.Content, digest) {
		return true
	}
	return slices.ContainsFunc(e.Origins, func(o Origin) bool { return strings.HasPrefix(o.Manifest, digest) })
}

// findEnding finds the only tag whose name ends in the one asked for.
func (s *Store) findEnding(ref Reference) (digest string, err error) {
	tags, err := s.Tags()
	if err != nil {
		return "", err
	}
	var choices []string
	for _, t := range tags {
		if ref.Registry == "" && strings.HasSuffix(t.Name, "/"+ref.Repository) && t.Tag == ref.Effective() {
			choices = append(choices, t.String())
			digest = t.Digest
		}
	}
	switch len(choices) {
	case 0:
		return "", s.notFound(ref)
	case 1:
		return digest, nil
	}
	return "", &AmbiguousError{ref, choices}
}

func (s *Store) notFound(ref Reference) error {
	e := &NotFoundError{Reference: ref, Root: s.root}
	tags, err := s.Tags()
	if err != nil {
		return err
	}
	for _, t := range tags {
		if ref.Repository != "" && (t.Name == ref.Name() || ref.Registry == "" && strings.HasSuffix(t.Name, "/"+ref.Repository)) {
			e.Tags = append(e.Tags, t.Tag)
		}
	}
	return e
}
