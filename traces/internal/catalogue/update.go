// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// updater brings the catalogue file up to date.
type updater struct {
	path  string
	all   bool // measure also what has not changed
	want  selection
	limit time.Duration // of one size
}

// run measures workload by workload and writes the file after each, so that a
// run which is interrupted is continued by the next. Workloads that fail lose
// their entries, and are named at the end.
func (u *updater) run(ctx context.Context) error {
	old, err := readFile(u.path)
	if err != nil {
		return err
	}
	entries := map[string]*traces.Entry{}
	for i := range old.Workloads {
		entries[old.Workloads[i].Name] = &old.Workloads[i]
	}
	var failed []error
	for _, w := range traces.List() {
		if !u.want.workload(w.Name) {
			continue
		}
		e, err := u.entry(ctx, w, entries[w.Name])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", w.Name, err))
		}
		entries[w.Name] = e
		if err := writeFile(u.path, entries); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// entry is the workload's new entry; old, which may be nil, keeps its figures if
// they are of the same digest.
func (u *updater) entry(ctx context.Context, w traces.Workload, old *traces.Entry) (*traces.Entry, error) {
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		return nil, err
	}
	e, err := describe(w, p)
	if err != nil {
		return nil, err
	}
	if old == nil || old.Digest != e.Digest {
		old = new(traces.Entry)
	}
	for _, s := range p.Sizes() {
		known := old.Size(s.Name)
		switch {
		case known != nil && (!u.all || !u.want.size(s.Name)):
			e.Sizes = append(e.Sizes, *known)
		case u.want.size(s.Name):
			size, err := measureWithin(ctx, p, s.Name, u.limit)
			if err != nil {
				return nil, err
			}
			e.Sizes = append(e.Sizes, size)
		}
	}
	return e, nil
}

// describe is an entry without figures.
func describe(w traces.Workload, p *host.Program) (*traces.Entry, error) {
	digest, err := w.Digest()
	if err != nil {
		return nil, err
	}
	about := p.About()
	if about.Tables == nil {
		about.Tables = []string{} // which JSON writes as a list
	}
	return &traces.Entry{Name: w.Name, Digest: digest, Suite: about.Suite, Tables: about.Tables}, nil
}
