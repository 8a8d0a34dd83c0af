// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/wtape"
)

// Open opens the bytes of a trace.
func Open(t testing.TB, data []byte) *wtape.Reader {
	t.Helper()
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// CutPoints are all frame boundaries and some other offsets.
func CutPoints(r *wtape.Reader, size int) []int {
	points := []int{0, frames.MagicBytes, size - 1, size - frames.FooterBytes}
	for _, c := range r.Content().File.Index.Chunks {
		points = append(points, int(c.Offset), int(c.Offset)+1, int(c.Offset+c.Length)-1)
	}
	for _, o := range r.Content().File.Index.Others {
		points = append(points, int(o.Offset), int(o.Offset)+1, int(o.Offset+o.Length)-1)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		points = append(points, rng.IntN(size))
	}
	return points
}

// Listing names the files of a folder.
func Listing(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Touch resolves the addresses of every access of the chunk.
func Touch(chunk *content.Chunk, c *content.Content) (sum uint64) {
	var out [trace.WarpSize]uint64
	d := &chunk.Decoded
	k := &c.Kernels[c.Launches[d.Launch].Kernel]
	for w := range len(d.Blocks) * d.Warps {
		warp := chunk.Warp(w)
		for _, a := range warp.Accesses {
			chunk.Addresses(a, AllLanes, &out)
			sum += out[0]
		}
		for e := range warp.Executed(k) {
			sum += uint64(e.Mask)
		}
	}
	return sum
}
