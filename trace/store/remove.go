// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Removed says what Remove did.
type Removed struct {
	Tags   []string `json:"tags"`
	Digest string   `json:"digest"` // of the trace removed, empty when another tag keeps it
	Bytes  int64    `json:"bytes"`  // freed
}

// Remove removes a tag, and the trace with its last tag. By digest it removes a
// trace that has no tag, or with force one with all its tags.
func (s *Store) Remove(ref Reference, force bool) (Removed, error) {
	release, err := s.lock(true)
	if err != nil {
		return Removed{}, err
	}
	defer release()
	tags, err := s.Tags()
	if err != nil {
		return Removed{}, err
	}
	if ref.Digest != "" {
		return s.removeDigest(ref, tags, force)
	}
	for i, t := range tags {
		if t.Name != ref.Name() || t.Tag != ref.Effective() {
			continue
		}
		if err := s.removeTag(t); err != nil {
			return Removed{}, err
		}
		done := Removed{Tags: []string{t.String()}}
		if len(tagsOf(append(tags[:i:i], tags[i+1:]...), t.Digest)) > 0 {
			return done, nil
		}
		done.Digest = t.Digest
		done.Bytes, err = s.removeObject(t.Digest)
		return done, err
	}
	return Removed{}, s.notFound(ref)
}

func (s *Store) removeDigest(ref Reference, tags []Tag, force bool) (done Removed, err error) {
	digest := ref.Digest
	if _, err := os.Stat(s.objectPath(digest)); err != nil { // a damaged trace is found by its whole digest only
		e, err := s.findDigest(ref)
		if err != nil {
			return done, err
		}
		digest = e.Digest
	}
	of := tagsOf(tags, digest)
	if len(of) > 0 && !force {
		return done, fmt.Errorf("%s has the names %s: remove those, or use --force", ref, joinTags(of))
	}
	for _, t := range of {
		if err := s.removeTag(t); err != nil {
			return done, err
		}
		done.Tags = append(done.Tags, t.String())
	}
	done.Digest = digest
	done.Bytes, err = s.removeObject(digest)
	return done, err
}

func tagsOf(tags []Tag, digest string) (of []Tag) {
	for _, t := range tags {
		if t.Digest == digest {
			of = append(of, t)
		}
	}
	return of
}

func joinTags(tags []Tag) string {
	names := make([]string, len(tags))
	for i, t := range tags {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

// removeTag removes the file of a tag and the folders that this leaves empty.
func (s *Store) removeTag(t Tag) error {
	path := s.tagPath(t.Name, t.Tag)
	if err := os.Remove(path); err != nil {
		return s.cannotWrite(err)
	}
	for folder := filepath.Dir(path); folder != s.tags(); folder = filepath.Dir(folder) {
		if os.Remove(folder) != nil { // it is not empty
			break
		}
	}
	return nil
}

// removeObject removes a trace with its entry and returns the bytes freed.
func (s *Store) removeObject(digest string) (int64, error) {
	path := s.objectPath(digest)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) { // its tag was all that was left
		return 0, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return 0, s.cannotWrite(err)
	}
	if err := os.Remove(s.entryPath(digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return info.Size(), s.cannotWrite(err)
	}
	return info.Size(), nil
}
