// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CollectOptions say what Collect removes.
type CollectOptions struct {
	// UnusedFor removes traces that were not used for so long; negative for none.
	UnusedFor time.Duration
	// MaxBytes removes the least recently used traces until those that are left have
	// no more bytes than this; negative for no limit.
	MaxBytes int64
	// Tagged lets traces go that have names; otherwise only those without.
	Tagged bool
	// DryRun only reports.
	DryRun bool
	// Now is the time that ages are counted from.
	Now time.Time
}

// Collected is what Collect removed, or would remove.
type Collected struct {
	Removed []Listed `json:"removed"`
	// Leftovers are interrupted downloads and copies, as paths.
	Leftovers  []string `json:"leftovers"`
	FreedBytes int64    `json:"freed_bytes"`
	KeptTraces int      `json:"kept_traces"`
	KeptBytes  int64    `json:"kept_bytes"`
}

// Listed is a stored trace with its names.
type Listed struct {
	Entry
	Tags []string `json:"tags"`
}

// leftoverAge is how old a file must be that no process seems to write.
const leftoverAge = 24 * time.Hour

// List is every stored trace with its names, ascending by first name, those without
// one last.
func (s *Store) List() ([]Listed, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	tags, err := s.Tags()
	if err != nil {
		return nil, err
	}
	list := make([]Listed, len(entries))
	for i, e := range entries {
		list[i] = Listed{Entry: e, Tags: []string{}}
		for _, t := range tagsOf(tags, e.Digest) {
			list[i].Tags = append(list[i].Tags, t.String())
		}
	}
	slices.SortStableFunc(list, func(a, b Listed) int {
		switch an, bn := len(a.Tags) == 0, len(b.Tags) == 0; {
		case an != bn && an:
			return 1
		case an != bn:
			return -1
		case an:
			return strings.Compare(a.Digest, b.Digest)
		}
		return strings.Compare(a.Tags[0], b.Tags[0])
	})
	return list, nil
}

// Collect removes traces that are not used, and what interrupted commands left.
// Traces that are being read stay readable to those who have them open.
func (s *Store) Collect(o CollectOptions) (Collected, error) {
	var done Collected
	if _, err := os.Stat(s.root); os.IsNotExist(err) {
		return done, nil
	}
	if !o.DryRun {
		release, err := s.lock(true)
		if err != nil {
			return done, err
		}
		defer release()
	}
	list, err := s.List()
	if err != nil {
		return done, err
	}
	tags, err := s.Tags()
	if err != nil {
		return done, err
	}
	goes := choose(list, o)
	for i := range list {
		e := &list[i]
		if !goes[e.Digest] {
			done.KeptTraces++
			done.KeptBytes += e.Bytes
			continue
		}
		if !o.DryRun {
			if err := s.removeListed(e, tags); err != nil {
				return done, err
			}
		}
		done.Removed = append(done.Removed, *e)
		done.FreedBytes += e.Bytes
	}
	if !o.DryRun {
		if err := s.dropEntries(); err != nil {
			return done, err
		}
	}
	return done, s.collectLeftovers(&done, o)
}

// dropEntries removes the entries of traces that are gone.
func (s *Store) dropEntries() error {
	files, err := os.ReadDir(s.entries())
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return s.cannotWrite(err)
	}
	for _, f := range files {
		digest, ok := strings.CutSuffix(f.Name(), entrySuffix)
		if _, err := os.Stat(s.objectPath(digest)); !ok || !wholeHex(digest) || !os.IsNotExist(err) {
			continue
		}
		if err := os.Remove(s.entryPath(digest)); err != nil {
			return s.cannotWrite(err)
		}
	}
	return nil
}

func (s *Store) removeListed(e *Listed, tags []Tag) error {
	for _, t := range tagsOf(tags, e.Digest) {
		if err := s.removeTag(t); err != nil {
			return err
		}
	}
	_, err := s.removeObject(e.Digest)
	return err
}

// choose picks what goes, by digest.
func choose(list []Listed, o CollectOptions) map[string]bool {
	goes := map[string]bool{}
	left := int64(0)
	var candidates []*Listed
	for i := range list {
		e := &list[i]
		left += e.Bytes
		if o.Tagged || len(e.Tags) == 0 {
			candidates = append(candidates, e)
		}
	}
	slices.SortStableFunc(candidates, func(a, b *Listed) int {
		return cmp.Or(a.Used.Compare(b.Used), strings.Compare(a.Digest, b.Digest))
	})
	for _, e := range candidates {
		old := o.UnusedFor >= 0 && o.Now.Sub(e.Used) >= o.UnusedFor
		if old || o.MaxBytes >= 0 && left > o.MaxBytes {
			goes[e.Digest] = true
			left -= e.Bytes
		}
	}
	return goes
}

// collectLeftovers removes interrupted downloads that no process has continued for
// UnusedFor, at least leftoverAge, and copies that no process finishes.
func (s *Store) collectLeftovers(done *Collected, o CollectOptions) error {
	for _, folder := range []string{s.partials(), s.incoming()} {
		files, err := os.ReadDir(folder)
		if err != nil {
			continue // nothing was ever interrupted
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || o.Now.Sub(info.ModTime()) < max(leftoverAge, o.UnusedFor) {
				continue
			}
			path := filepath.Join(folder, f.Name())
			if !o.DryRun {
				if err := os.RemoveAll(path); err != nil {
					return s.cannotWrite(err)
				}
			}
			done.Leftovers = append(done.Leftovers, path)
			if info.Mode().IsRegular() {
				done.FreedBytes += info.Size()
			}
		}
	}
	return nil
}
