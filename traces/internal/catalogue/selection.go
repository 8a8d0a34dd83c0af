// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// selection says what to work on: nil means all.
type selection struct{ workloads, sizes []string }

func (s *selection) validate() error {
	for _, name := range s.workloads {
		if _, err := traces.Find(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) workload(name string) bool {
	return s.workloads == nil || slices.Contains(s.workloads, name)
}

func (s *selection) size(name string) bool { return s.sizes == nil || slices.Contains(s.sizes, name) }

// each calls f for every workload and size that is wanted, in the catalogue's order.
func (s *selection) each(f func(name string, p *host.Program, size string) error) error {
	for _, w := range traces.List() {
		if !s.workload(w.Name) {
			continue
		}
		p, err := host.Load(w.Files, w.Program)
		if err != nil {
			return err
		}
		for _, size := range p.Sizes() {
			if !s.size(size.Name) {
				continue
			}
			if err := f(w.Name, p, size.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
