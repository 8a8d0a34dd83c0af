// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/content"
	"github.com/warptape/warptape/trace/internal/frames"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

var update = flag.Bool("update", false, "write testdata/versionN.wtape of the version that is written now")

// recordVersion uses every part of the format: what smallTrace has, gathers of each
// lane model, and launches that repeat so that frames refer to others.
func recordVersion(t testing.TB, gathers []testtraces.Gather) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "version", trace.Header{Tool: "test", Program: "version", Seed: 7}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := testtraces.RecordSmall(w); err != nil {
		t.Fatal(err)
	}
	for _, x := range gathers {
		x.Warps = max(2, x.Warps/10)
		k, err := w.AddKernel(x.Kernel())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			x.Launch(t, w, k)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files of every version that was released. They are never written again: when the
// format changes, a file of the version before is added here and stays.
var released = []struct {
	file, digest     string
	version          byte
	warpInstructions uint64
	random           bool // paths that Verify refuses
}{
	{"version1.wtape", "130a7c096bca2822f402b86bda1cc6bbb2dc1cede83127dfbbeab9f3bd7d54a9", 1, 96, false},
	{"version1-spmv.wtape", "b9b9072f2a91ae3ecfe73c893bdfefe302f089e4d9b5023519da5a810c1b073b", 1, 3467, false},
	{"version1-random.wtape", "bd624c9599a94cad917ebf7f518992ef97f4041ca7454fbdd020fcc5b6688baf", 1, 1217, true},
	{"version2.wtape", "bdf484176399833525c083e916481f0ac1e53baf7bb9a71379833ae497ea9606", 2, 5340, false},
}

func TestFilesOfEveryReleasedVersionAreRead(t *testing.T) {
	for _, f := range released {
		data, err := os.ReadFile(filepath.Join("..", "testdata", f.file))
		if err != nil {
			t.Fatal(err)
		}
		if data[len(frames.Magic)] != f.version {
			t.Errorf("%s is of version %d", f.file, data[len(frames.Magic)])
		}
		r := testtraces.Open(t, data)
		if r.Digest() != f.digest || r.Totals().WarpInstructions != f.warpInstructions {
			t.Errorf("%s: digest %s, %d warp instructions", f.file, r.Digest(), r.Totals().WarpInstructions)
		}
		if err := verification.Verify(r); err != nil && !f.random {
			t.Errorf("%s: %v", f.file, err)
		}
		if err := compareWithReference(data); err != nil {
			t.Errorf("%s: %v", f.file, err)
		}
	}
}

// A trace of version 1 and today's of the same recording say the same.
func TestVersionsSayTheSame(t *testing.T) {
	for file, data := range map[string][]byte{
		"version1.wtape":        testtraces.Small(t, wtape.Options{}),
		"version1-random.wtape": testtraces.Random(3).Encode(t, wtape.Options{}),
		"version2.wtape":        recordVersion(t, testtraces.Gathers()[:9]),
		"version3.wtape":        recordVersion(t, testtraces.Gathers()),
	} {
		path := filepath.Join("..", "testdata", file)
		if *update && file == "version3.wtape" {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := testtraces.Read(testtraces.Open(t, old))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got, err := testtraces.Read(testtraces.Open(t, data))
		if err != nil {
			t.Fatal(err)
		}
		if d := testtraces.Diff(want, got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

func TestTheNewestVersionUsesAllOfIt(t *testing.T) {
	data, err := os.ReadFile("../testdata/version3.wtape")
	if err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, data)
	c := new(content.Chunk)
	var models [lanecode.ModelEnd]int
	var contexts [lanecode.ContextEnd]int
	references, coded, stepped := 0, 0, 0
	for i, info := range r.Chunks() {
		if err := r.Content().ReadChunkNumber(i, c); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Decoded.Columns.Streams {
			models[s.LaneModel]++
			if len(s.LaneSymbols) > 0 {
				contexts[s.LaneContext]++
				coded += int(s.LaneOpenCoded)
			}
			stepped += int(min(1, s.LaneStep))
		}
		if data[info.Offset+5] == frames.CompressionReference {
			references++
		}
	}
	for model, n := range models {
		if n == 0 {
			t.Errorf("no stream has lane model %d", model)
		}
	}
	if references == 0 {
		t.Error("no chunk refers to another")
	}
	for context, n := range contexts {
		if n == 0 {
			t.Errorf("no stream has lane symbols with context %d", context)
		}
	}
	if coded == 0 || stepped == 0 {
		t.Errorf("%d streams have coded open bits, %d a step", coded, stepped)
	}
}
