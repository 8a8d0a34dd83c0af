// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"testing"

	"github.com/warptape/warptape/timing/replay/replaytest"
)

// A machine has a base and an offset for each register of a warp, and at least one.
func TestAffineRegistersAreThoseOfWarps(t *testing.T) {
	m := replaytest.Load(t, "gtx480+cae")
	for threads, want := range map[int]int{32768: 1024, 64: 2, 32: 1, 16: 1} {
		m.SM.Registers = threads
		for _, s := range m.Section(key).Structures(m) {
			if s.Path == "chip/sm/cae/registers" && s.Entries != want {
				t.Errorf("%d registers of threads: %d entries, want %d", threads, s.Entries, want)
			}
		}
	}
}
