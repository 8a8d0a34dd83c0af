// SPDX-License-Identifier: Apache-2.0

package results

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CollectOptions say what Collect removes.
type CollectOptions struct {
	// Unused is how old a file must be that no manifest names.
	Unused time.Duration
	DryRun bool
}

// Collected is what Collect has removed, or would remove.
type Collected struct {
	Points     int   `json:"points"`
	Failures   int   `json:"failures"` // refusals among them
	Traces     int   `json:"traces"`
	Leftovers  int   `json:"leftovers"` // of commands that were killed
	FreedBytes int64 `json:"freed_bytes"`
	// Named files are kept as a manifest names them, young ones as they are not old
	// enough.
	Named int      `json:"named"`
	Young int      `json:"young"`
	Paths []string `json:"paths"` // of what was removed, relative to the folder
}

// leastLeftover is the least age of a file that a command may still be writing.
const leastLeftover = 24 * time.Hour

// Collect removes points, failures and traces that no manifest names and that are old, and
// what killed commands have left. Ages are measured with the clock of the file system, so
// that those of other hosts do not matter.
//
// A sweep stores its manifest before it looks which points it has. Collect first takes
// files away and then reads the manifests again. Either the sweep finds that a point is
// missing, and makes it, or Collect finds the name, and puts the point back.
func (s *Store) Collect(o CollectOptions) (*Collected, error) {
	named, err := s.named()
	if err != nil {
		return nil, err
	}
	now, err := s.now()
	if err != nil {
		return nil, err
	}
	c := &collector{store: s, options: o, now: now, named: named, done: &Collected{Paths: []string{}}}
	for _, folder := range []string{points, refused, failed} {
		if err := c.keyed(folder); err != nil {
			return nil, err
		}
	}
	if err := c.traces(); err != nil {
		return nil, err
	}
	if err := c.leftovers(); err != nil || o.DryRun {
		return c.done, err
	}
	return c.done, c.remove()
}

// named are the paths of all files that manifests name, relative to the folder. A manifest
// that cannot be read is an error: what it names is unknown.
func (s *Store) named() (map[string]bool, error) {
	names := map[string]bool{}
	list, err := s.Sweeps()
	if err != nil {
		return nil, err
	}
	for _, sweep := range list {
		m, err := s.Manifest(sweep)
		if err != nil {
			return nil, fmt.Errorf("nothing is removed while it is unknown what a sweep names: %w", err)
		}
		for i := range m.Traces {
			names[filepath.FromSlash(m.Traces[i].Path)] = true
		}
		for i := range m.Points {
			if key := m.Points[i].Key; key != "" {
				names[keyed(points, key, pointSuffix)] = true
				names[keyed(refused, key, failureSuffix)] = true
				names[keyed(failed, key, failureSuffix)] = true
			}
		}
	}
	return names, nil
}

// now is the time by the clock of the file system.
func (s *Store) now() (time.Time, error) {
	if err := os.MkdirAll(filepath.Join(s.root, incoming), 0o777); err != nil {
		return time.Time{}, err
	}
	name := filepath.Join(s.root, incoming, rand.Text())
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(name)
	if err = errors.Join(err, os.Remove(name)); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

type collector struct {
	store   *Store
	options CollectOptions
	now     time.Time
	named   map[string]bool
	done    *Collected
	removed []removable
}

// removable is a file that goes. Counter is what it counts as.
type removable struct {
	path    string // relative to the folder
	bytes   int64
	counter *int
}

// take marks a file if it is old enough.
func (c *collector) take(path string, info fs.FileInfo, age time.Duration, counter *int) {
	switch {
	case c.named[path]:
		c.done.Named++
	case c.now.Sub(info.ModTime()) < age:
		c.done.Young++
	default:
		c.removed = append(c.removed, removable{path, info.Size(), counter})
		c.done.Paths = append(c.done.Paths, filepath.ToSlash(path))
		*counter++
		c.done.FreedBytes += info.Size()
	}
}

// files calls take for the regular files of a folder.
func (c *collector) files(folder string, take func(path string, info fs.FileInfo)) error {
	entries, err := os.ReadDir(filepath.Join(c.store.root, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has renamed it
		}
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			take(filepath.Join(folder, e.Name()), info)
		}
	}
	return nil
}

func (c *collector) keyed(folder string) error {
	suffix, counter := failureSuffix, &c.done.Failures
	if folder == points {
		suffix, counter = pointSuffix, &c.done.Points
	}
	groups, err := os.ReadDir(filepath.Join(c.store.root, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, g := range groups {
		if !g.IsDir() {
			continue
		}
		err := c.files(filepath.Join(folder, g.Name()), func(path string, info fs.FileInfo) {
			if key, ok := strings.CutSuffix(info.Name(), suffix); ok && isKey(key) {
				c.take(path, info, c.options.Unused, counter)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// traces takes recordings, and what killed ones have left: hidden files, as package
// pending writes them.
func (c *collector) traces() error {
	return c.files(Traces, func(path string, info fs.FileInfo) {
		switch name := info.Name(); {
		case strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".partial"):
			c.take(path, info, max(c.options.Unused, leastLeftover), &c.done.Leftovers)
		case strings.HasSuffix(name, ".wtape"):
			c.take(path, info, c.options.Unused, &c.done.Traces)
		}
	})
}

func (c *collector) leftovers() error {
	return c.files(incoming, func(path string, info fs.FileInfo) {
		c.take(path, info, max(c.options.Unused, leastLeftover), &c.done.Leftovers)
	})
}

// remove takes files away, puts back those that a manifest names by now, and deletes the
// rest.
func (c *collector) remove() error {
	away := make([]string, len(c.removed))
	for i := range c.removed {
		away[i] = filepath.Join(c.store.root, incoming, rand.Text())
		err := os.Rename(filepath.Join(c.store.root, c.removed[i].path), away[i])
		if errors.Is(err, fs.ErrNotExist) {
			away[i] = "" // another process has removed it
			continue
		}
		if err != nil {
			return c.restore(away[:i], err)
		}
	}
	named, err := c.store.named()
	if err != nil {
		return c.restore(away, err)
	}
	c.named = named
	if err := c.restore(away, nil); err != nil {
		return err
	}
	for _, path := range away {
		if path == "" {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// restore puts back what a manifest names, or everything after a failure.
func (c *collector) restore(away []string, failure error) error {
	for i, path := range away {
		f := &c.removed[i]
		if path == "" || failure == nil && !c.named[f.path] {
			continue
		}
		if err := os.Rename(path, filepath.Join(c.store.root, f.path)); err != nil {
			return errors.Join(failure, err)
		}
		away[i] = ""
		*f.counter--
		c.done.FreedBytes -= f.bytes
		c.done.Named++
		c.done.Paths = slices.DeleteFunc(c.done.Paths, func(p string) bool { return p == filepath.ToSlash(f.path) })
	}
	return failure
}
