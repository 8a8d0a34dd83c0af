package main

import (
	"slices"

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
