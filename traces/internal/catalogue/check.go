// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// checkFile compares the file with the workloads, and with what their smallest
// sizes do now.
func checkFile(ctx context.Context, path string) error {
	c, err := readFile(path)
	if err != nil {
		return err
	}
	var stale []error
	for _, e := range c.Workloads {
		if _, err := traces.Find(e.Name); err != nil {
			stale = append(stale, fmt.Errorf("%s: %s is no workload", path, e.Name))
		}
	}
	for _, w := range traces.List() {
		if err := checkWorkload(ctx, w, c.Find(w.Name)); err != nil {
			stale = append(stale, fmt.Errorf("%s: %s: %w", path, w.Name, err))
		}
	}
	if len(stale) > 0 {
		stale = append(stale, errors.New("run 'make figures' and commit the result"))
	}
	return errors.Join(stale...)
}

func checkWorkload(ctx context.Context, w traces.Workload, have *traces.Entry) error {
	if have == nil {
		return errors.New("has no entry")
	}
	p, err := host.Load(w.Files, w.Program)
	if err != nil {
		return err
	}
	want, err := describe(w, p)
	if err != nil {
		return err
	}
	if have.Digest != want.Digest || have.Suite != want.Suite || !slices.Equal(have.Tables, want.Tables) {
		return errors.New("has changed")
	}
	for _, s := range p.Sizes() {
		if have.Size(s.Name) == nil {
			return fmt.Errorf("has nothing of size %s", s.Name)
		}
	}
	return checkTiny(ctx, p, have)
}

func checkTiny(ctx context.Context, p *host.Program, have *traces.Entry) error {
	tiny := have.Size("tiny")
	if tiny == nil || tiny.Figures == nil {
		return errors.New("has no figures of size tiny")
	}
	now, err := measure(ctx, p, "tiny")
	if err != nil {
		return err
	}
	if *now != *tiny.Figures {
		return fmt.Errorf("tiny does %+v, the file says %+v (all sizes may have changed: run it with -all -only %s)", *now, *tiny.Figures, p.Name())
	}
	return nil
}
