// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Whatever stamps a digest on what it writes refuses a trace that does not have it,
// though every checksum of the file is good, and leaves nothing behind.
func TestNothingIsStampedWithADigestThatTheTraceDoesNotHave(t *testing.T) {
	data := map[string][]byte{}
	for _, seed := range []string{"1", "2"} {
		path := filepath.Join(t.TempDir(), "bfs.wtape")
		good(t, "record", "bfs", "--size", "tiny", "--seed", seed, "-o", path, "--quiet")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[seed] = b
	}
	for name, forged := range map[string][]byte{
		"exchanged": tracetest.Exchange(t, data["1"]),
		"spliced":   tracetest.Splice(t, data["1"], data["2"]),
	} {
		folder := t.TempDir()
		path, out := filepath.Join(folder, name+".wtape"), filepath.Join(folder, "out")
		if err := os.WriteFile(path, forged, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		chunk := wtape.NewChunk()
		for i := range r.Chunks() {
			if err := r.ReadChunk(i, chunk); err != nil {
				t.Fatalf("%s: chunk %d should look good: %v", name, i, err)
			}
		}
		r.Close()
		bad(t, commandline.ExitFailed, name+".wtape: ", "trace", "verify", path)
		const wanted = "frames were exchanged or come from another trace"
		for _, args := range [][]string{
			{"replay", path, "--arch", "gtx480"},
			{"replay", path, "--arch", "gtx480", "--arch", "v100", "--json", out, "--energy"},
			{"replay", path, "--arch", "gtx480", "--csv", out},
			{"replay", path, "--arch", "gtx480", "--pprof", out},
			{"replay", path, "--arch", "gtx480", "--timeline", out + ".pftrace"},
			{"trace", "stats", path, "--json"},
			{"trace", "info", path},
			{"trace", "slice", path, "--blocks", "0", "-o", out},
			{"trace", "merge", path, path, "-o", out},
			{"trace", "sample", path, "--sample", "fraction=0.5", "-o", out},
			{"trace", "export", "accelsim", path, "-o", out},
		} {
			bad(t, commandline.ExitFailed, wanted, args...)
			if left := files(t, folder); len(left) != 1 {
				t.Errorf("%v left %v", args[:2], left)
			}
		}
	}
}
