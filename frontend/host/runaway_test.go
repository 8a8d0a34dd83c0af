// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/warptape/warptape/frontend/host"
)

func TestRunawayProgramsEnd(t *testing.T) {
	for _, c := range []struct{ name, program, want string }{
		{"loop", "def main(p):\n    while True: pass\n", "exceeds 100000 steps"},
		{"loop of calls", "def main(p):\n    while True: host.compute('x', operations=1)\n", "exceeds 100000 steps"},
		{"loop of arrays", "def main(p):\n    a = array.zeros(u8, 10000)\n    while True: a = a + 1\n", "exceeds 100000 steps"},
		{"array", "def main(p):\n    array.zeros(u8, 1 << 21)\n", "limit of 1048576 bytes"},
		{"arrays", "def main(p):\n    l = []\n    while True: l.append(array.zeros(u8, 1 << 16))\n", "limit of 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.program).Run(context.Background(), host.Options{MaxSteps: 100000, MaxBytes: 1 << 20})
			wantError(t, err, "dir/p.star:", c.want)
		})
	}
}

// atWrite is a writer that does something.
type atWrite func()

func (f atWrite) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestCancelledContextStopsTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := load(t, "def main(p):\n    print('it runs')\n    while True: pass\n").Run(ctx, host.Options{Out: atWrite(cancel)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "dir/p.star:")
}

func TestCancelledContextStopsAKernel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := load(t, inMain("b = gpu.buffer('x', array.zeros(f32, 1 << 20))\ngpu.launch(m.scale, grid=1 << 12, block=256, args=[b, 1.0, 4])"))
	blocks := uint64(0)
	_, err := p.Run(ctx, host.Options{Progress: func(now host.Progress) {
		blocks = now.Blocks
		cancel()
	}})
	if !errors.Is(err, context.Canceled) || blocks == 0 || blocks == 1<<12 {
		t.Errorf("after %d blocks: %v", blocks, err)
	}
}

func TestInstructionLimitStopsAKernel(t *testing.T) {
	p := load(t, inMain("b = gpu.buffer('x', array.zeros(f32, 1024))\ngpu.launch(m.scale, grid=4, block=256, args=[b, 1.0, 4])"))
	_, err := p.Run(context.Background(), host.Options{MaxInstructions: 100})
	wantError(t, err, "budget")
}
