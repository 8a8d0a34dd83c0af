// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tag is a name of a stored trace.
type Tag struct {
	Name   string `json:"name"` // [REGISTRY/]REPOSITORY
	Tag    string `json:"tag"`
	Digest string `json:"digest"` // of the file, lower-case hex SHA-256
}

func (t Tag) String() string { return t.Name + ":" + t.Tag }

// tagPath is the file of a tag. Components are escaped, so that a host's port makes
// a path everywhere, and the last one starts with the escape of a colon, which no
// component of a name can.
func (s *Store) tagPath(name, tag string) string {
	path := s.tags()
	for _, component := range strings.Split(name, "/") {
		path = filepath.Join(path, strings.ReplaceAll(component, ":", escapedColon))
	}
	return filepath.Join(path, escapedColon+tag)
}

const (
	escapedColon = "%3A"
	maxTagBytes  = 128
)

// SetTag makes a reference stand for a stored trace, given by the whole digest of
// its file. What the reference stood for before stays stored.
func (s *Store) SetTag(ref Reference, digest string) error {
	if ref.Repository == "" || ref.Effective() == "" {
		return fmt.Errorf("%s: cannot be a name in the store; want NAME[:TAG]", ref)
	}
	release, err := s.lock(false)
	if err != nil {
		return err
	}
	defer release()
	return s.setTag(ref, digest)
}

func (s *Store) setTag(ref Reference, digest string) error {
	if _, err := os.Stat(s.objectPath(digest)); err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	return s.writeSmall(s.tagPath(ref.Name(), ref.Effective()), []byte(digestPrefix+digest+"\n"))
}

// readTag reads the file of a tag.
func readTag(path string) (digest string, err error) {
	text, err := readSmall(path, maxTagBytes)
	if err != nil {
		return "", err
	}
	hex, ok := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), digestPrefix)
	if !ok || !wholeHex(hex) {
		return "", fmt.Errorf("%s: is no tag of the store; remove it", path)
	}
	return hex, nil
}

// Tags lists the names, ascending. Files that are none are left out; Faults names
// them.
func (s *Store) Tags() ([]Tag, error) {
	list, _, err := s.scanTags()
	return list, err
}

func (s *Store) scanTags() (list []Tag, faults []error, err error) {
	root := s.tags()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) { // nothing stored, or removed meanwhile
				return nil
			}
			return err
		}
		tag, err := s.parseTagPath(path)
		if err == nil && !d.Type().IsRegular() {
			err = fmt.Errorf("%s: is no regular file; remove it", path)
		}
		if err == nil {
			tag.Digest, err = readTag(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			faults = append(faults, err)
		default:
			list = append(list, tag)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Tag) int { return strings.Compare(a.String(), b.String()) })
	return list, faults, err
}

// parseTagPath is the inverse of tagPath.
func (s *Store) parseTagPath(path string) (Tag, error) {
	foreign := fmt.Errorf("%s: does not belong to the store; remove it", path)
	relative, err := filepath.Rel(s.tags(), path)
	if err != nil {
		return Tag{}, foreign
	}
	folder, file := filepath.Split(relative)
	tag, ok := strings.CutPrefix(file, escapedColon)
	if !ok {
		return Tag{}, foreign
	}
	name := strings.ReplaceAll(filepath.ToSlash(filepath.Clean(folder)), escapedColon, ":")
	ref, err := ParseReference(name + ":" + tag)
	if err != nil || ref.Digest != "" || s.tagPath(ref.Name(), ref.Tag) != path {
		return Tag{}, foreign
	}
	return Tag{Name: ref.Name(), Tag: ref.Tag}, nil
}
