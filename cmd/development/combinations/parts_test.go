// SPDX-License-Identifier: Apache-2.0

package combinations

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/tesla"

	_ "github.com/warptape/warptape/timing/mechanisms"
)

// The page has every mechanism that an overlay brings and that changes the time of
// kernels, and each part is that mechanism's on a machine that takes it.
func TestEveryMechanismIsAPart(t *testing.T) {
	// Cores alone leave the SMs' time as it is: the systems on a chip bring them. The
	// Tesla-like multiprocessor and lanes with their own fetch are machines of their own.
	of := map[string]bool{cpu.Key: true, tesla.Key: true, eesi.Key: true}
	for i := range combinationParts {
		p := &combinationParts[i]
		of[p.key] = true
		var m *arch.Machine
		for _, machine := range combinationMachines {
			if combines(machine, p) == nil {
				var err error
				if m, err = combined(machine, p); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if m == nil {
			t.Errorf("no machine takes %s", p.name())
		} else if s := m.Section(p.key); s == nil || !s.On() {
			t.Errorf("%s does not switch %s on", p.name(), p.key)
		}
	}
	for _, key := range gpu.Mechanisms.Names() {
		if !of[key] {
			t.Errorf("mechanism %s has no part", key)
		}
	}
}

// Parts that take each other's place are of one mechanism; prefetchers of two caches
// go together.
func TestPrefetchersOfTwoCachesArePairs(t *testing.T) {
	var found int
	for i := range combinationParts {
		for k := range i {
			a, b := &combinationParts[i], &combinationParts[k]
			if a.key != b.key {
				continue
			}
			if a.replaces(b) == (a.key == "prefetch") {
				t.Errorf("%s takes the place of %s: %v", a.name(), b.name(), a.replaces(b))
			}
			found++
		}
	}
	if found == 0 {
		t.Error("no mechanism has two parts")
	}
}

// Every pair runs on a machine, or the reason why not names both parts.
func TestEveryPairRunsOrIsRefusedWithAReason(t *testing.T) {
	if _, _, err := pairTable(); err != nil {
		t.Error(err)
	}
}
