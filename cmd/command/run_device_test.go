// SPDX-License-Identifier: Apache-2.0

package command

import (
	"testing"

	"github.com/warptape/warptape/cmd/internal/machineset"
	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// A thread block may have all shared memory that a program is told of, on each machine, and no more.
func TestAThreadBlockFitsWithTheSharedMemoryThatAProgramMayAskFor(t *testing.T) {
	names, err := machineset.Names()
	if err != nil {
		t.Fatal(err)
	}
	machines, err := machineset.Load(names)
	if err != nil {
		t.Fatal(err)
	}
	reserved := 0
	for _, m := range machines {
		var d recorder.Device
		describe(&d, m)
		if d.SharedOptIn < d.SharedPerSM {
			reserved++
		}
		if d.SharedPerBlock > d.SharedOptIn || d.SharedPerBlock == 0 && d.SharedOptIn > 0 {
			t.Errorf("%s: %d bytes a thread block, and %d where it asks for them", m.Name, d.SharedPerBlock, d.SharedOptIn)
		}
		for more := range uint64(2) {
			l := &trace.Launch{DynamicSharedBytes: uint32(d.SharedOptIn + more)}
			if _, err := sm.NewOccupancy(m, &trace.Kernel{}, l, 1); (err == nil) != (more == 0) {
				t.Errorf("%s: a thread block with %d bytes of %d: %v", m.Name, l.DynamicSharedBytes, d.SharedOptIn, err)
			}
		}
	}
	if reserved == 0 {
		t.Error("no machine takes shared memory of each thread block")
	}
}
