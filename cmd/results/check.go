// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/warptape/warptape/trace/wtape"
)

// Fault is something wrong in a folder of results, and what to do.
type Fault struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

// Checked is what Check has looked at.
type Checked struct {
	Points   int     `json:"points"`
	Failures int     `json:"failures"` // refusals among them
	Sweeps   int     `json:"sweeps"`
	Traces   int     `json:"traces"`
	Faults   []Fault `json:"faults"`
}

// Check reads everything in the folder. Validate, if not nil, is told the JSON of each
// point, and says what is wrong with it.
func (s *Store) Check(ctx context.Context, validate func(text []byte) error) (*Checked, error) {
	c := &checker{store: s, ctx: ctx, validate: validate, done: &Checked{Faults: []Fault{}}}
	for _, step := range []func() error{
		func() error { return c.keyed(points, pointSuffix, c.point) },
		func() error { return c.keyed(refused, failureSuffix, c.failure) },
		func() error { return c.keyed(failed, failureSuffix, c.failure) },
		c.sweeps,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.done, nil
}

type checker struct {
	store    *Store
	ctx      context.Context
	validate func(text []byte) error
	done     *Checked
}

func (c *checker) fault(path, format string, args ...any) {
	c.done.Faults = append(c.done.Faults, Fault{path, fmt.Sprintf(format, args...)})
}

// keyed calls look for each file that has a key's name at a key's place.
func (c *checker) keyed(folder, suffix string, look func(path, key string) error) error {
	root := filepath.Join(c.store.root, folder)
	groups, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, g := range groups {
		files, err := os.ReadDir(filepath.Join(root, g.Name()))
		if err != nil {
			c.fault(filepath.Join(root, g.Name()), "is not a folder of results; remove it")
			continue
		}
		for _, f := range files {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			path := filepath.Join(root, g.Name(), f.Name())
			key, ok := strings.CutSuffix(f.Name(), suffix)
			if !ok || !isKey(key) || key[:2] != g.Name() {
				c.fault(path, "has no name that a result can have here; remove it")
				continue
			}
			if err := look(path, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) point(path, key string) error {
	c.done.Points++
	p, err := c.store.Get(key)
	var missing *NotFoundError
	var damaged *DamagedError
	switch {
	case errors.As(err, &missing):
		return nil // another process has removed it
	case errors.As(err, &damaged):
		c.fault(path, "is damaged: %v; repeat the sweep, which replaces it, or remove it", damaged.Err)
		return nil
	case err != nil:
		c.fault(path, "%v", err)
		return nil
	}
	if _, err := p.Read(); err != nil {
		c.fault(path, "%v", err)
		return nil
	}
	if c.validate == nil {
		return nil
	}
	text, err := json.Marshal(p)
	if err == nil {
		err = c.validate(text)
	}
	if err != nil {
		c.fault(path, "%v", err)
	}
	return nil
}

func (c *checker) failure(path, key string) error {
	c.done.Failures++
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the point has a result by now
	}
	if err != nil {
		return err
	}
	var f Failure
	if err := json.Unmarshal(text, &f); err != nil || f.Key != key || f.Identity.Key() != key {
		c.fault(path, "is damaged; remove it: the point is then tried again")
	}
	return nil
}

func (c *checker) sweeps() error {
	names, err := c.store.Sweeps()
	if err != nil {
		return err
	}
	looked := map[string]bool{}
	for _, name := range names {
		c.done.Sweeps++
		m, err := c.store.Manifest(name)
		if err != nil {
			c.fault(filepath.Join(c.store.root, sweeps, name, manifestFile), "%v", strings.TrimPrefix(err.Error(), filepath.Join(c.store.root, sweeps, name, manifestFile)+": "))
			continue
		}
		for i := range m.Traces {
			t := &m.Traces[i]
			path := c.store.TracePath(t)
			if looked[path] {
				continue
			}
			looked[path] = true
			c.trace(path, t)
		}
	}
	return nil
}

// trace compares a trace with what a manifest says of it. A trace outside the folder that
// is not there is no fault: the folder may have been moved to another machine.
func (c *checker) trace(path string, t *PlannedTrace) {
	c.done.Traces++
	r, err := wtape.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !filepath.IsAbs(t.Path) {
			c.fault(path, "is missing; repeat the sweep, which records it again")
		}
		return
	case err != nil:
		c.fault(path, "%v", err)
		return
	}
	defer r.Close()
	if r.Digest() != t.Digest {
		c.fault(path, "has changed since the sweep began; start the sweep again")
	}
}
