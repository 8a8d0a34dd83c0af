// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace/wtape"
)

// chunky has as many chunks as launches.
func chunky(t *testing.T, n int) *wtape.Reader {
	k := gputest.NewKernel("k")
	k.Exit()
	var list []gputest.Launch
	for range n {
		list = append(list, gputest.Launch{Kernel: k, Blocks: 3, Threads: 64})
	}
	return gputest.Trace(t, list...)
}

func pass(t *testing.T, v *view, n int) {
	t.Helper()
	for i := range n {
		c, err := v.Acquire(context.Background(), i)
		if err != nil || c.Launch() != i {
			t.Fatalf("chunk %d: launch %d, %v", i, c.Launch(), err)
		}
		v.Release(i)
	}
}

func TestChunksAreDecodedOnceWithinTheBudget(t *testing.T) {
	const n, replays = 6, 3
	s := newStore(chunky(t, n), replays, DefaultBudgetBytes, DefaultLargeBytes)
	for range replays {
		pass(t, s.view(), n)
	}
	if s.decodes != n || s.bytes != 0 {
		t.Errorf("%d decodes, want %d; %d bytes left", s.decodes, n, s.bytes)
	}
}

// The chunks that are in use cannot be given up: more of large ones than are allowed is an
// error that says what to do, and the chunks that are in use already go on.
func TestLargeChunksInUseAreBounded(t *testing.T) {
	s := newStore(chunky(t, 3), 1, DefaultBudgetBytes, DefaultLargeBytes)
	v := s.view()
	if _, err := v.Acquire(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	s.threshold, s.large = 0, s.bytes
	if _, err := v.Acquire(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "2 thread blocks that are large run at the same time") || !strings.Contains(err.Error(), "--large-blocks") {
		t.Errorf("got %v", err)
	}
	v.Release(0)
	pass(t, v, 3)
	if s.bytes != 0 {
		t.Errorf("%d bytes left", s.bytes)
	}
}

func TestChunksAreDecodedAgainBeyondTheBudget(t *testing.T) {
	const n, replays = 6, 3
	s := newStore(chunky(t, n), replays, 1, DefaultLargeBytes)
	for range replays {
		pass(t, s.view(), n)
	}
	if s.decodes != n*replays || s.bytes != 0 {
		t.Errorf("%d decodes, want %d; %d bytes left", s.decodes, n*replays, s.bytes)
	}
}

func TestPinnedChunksAreNeverEvicted(t *testing.T) {
	s := newStore(chunky(t, 2), 2, 1, DefaultLargeBytes)
	a, b := s.view(), s.view()
	first, err := a.Acquire(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	pass(t, b, 2)
	if again, err := s.acquire(0); err != nil || again != first {
		t.Errorf("the chunk in use was replaced (%v)", err)
	}
	s.release(0)
	a.close()
	if s.bytes != 0 || s.decodes != 2 {
		t.Errorf("%d bytes left after %d decodes", s.bytes, s.decodes)
	}
}

func TestReplayThatStopsEarlyKeepsNothing(t *testing.T) {
	const n = 4
	s := newStore(chunky(t, n), 2, DefaultBudgetBytes, DefaultLargeBytes)
	stopped, whole := s.view(), s.view()
	if _, err := stopped.Acquire(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	stopped.close()
	pass(t, whole, n)
	whole.close()
	if s.bytes != 0 || s.decodes != n {
		t.Errorf("%d bytes left after %d decodes", s.bytes, s.decodes)
	}
}

func TestConcurrentReplaysShareDecoding(t *testing.T) {
	const n, replays = 8, 6
	s := newStore(chunky(t, n), replays, DefaultBudgetBytes, DefaultLargeBytes)
	var all sync.WaitGroup
	for range replays {
		all.Go(func() { pass(t, s.view(), n) })
	}
	all.Wait()
	if s.decodes != n {
		t.Errorf("%d decodes, want %d", s.decodes, n)
	}
}

func TestDamagedChunkFailsEveryReplayOfIt(t *testing.T) {
	k := gputest.NewKernel("k")
	k.Exit()
	data, err := gputest.Encode(gputest.Launch{Kernel: k, Blocks: 3, Threads: 64})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.wtape")
	whole, err := wtape.NewReader(strings.NewReader(string(data)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	data[whole.Chunks()[0].Offset+whole.Chunks()[0].Length-1] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = Run(context.Background(), r, machines(), Options{Memory: constant, Workers: 3})
	if err == nil || !strings.Contains(err.Error(), path+": chunk 0") {
		t.Errorf("got %v", err)
	}
}
