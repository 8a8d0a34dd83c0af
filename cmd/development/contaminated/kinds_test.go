// SPDX-License-Identifier: Apache-2.0

package contaminated

import (
	"os"
	"testing"

	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
)

// What is counted of a kernel is what the device logs of it.
func TestCountsAreThoseOfADevice(t *testing.T) {
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	for i := range kinds {
		k := &kinds[i]
		want, err := k.count()
		if err != nil {
			t.Fatal(err)
		}
		d, err := emulated.Open(emulated.Options{Say: os.Stderr, MaxInstructions: 1 << 24})
		if err != nil {
			t.Fatal(err)
		}
		c, err := nativecoexecutor.New(d.Device, nativecoexecutor.Options{})
		if err == nil {
			err = k.run(emulator.Options{Coexecutor: c}, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
		} else if got := c.Counts.LogBytes; got != want.LogBytes {
			t.Errorf("%s: the device logs %d bytes, %d are counted", k.Name, got, want.LogBytes)
		}
		d.Close()
	}
}
