// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/statistics"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// statsOf are the statistics of a trace without what names instructions.
func statsOf(t *testing.T, path string) statistics.Report {
	t.Helper()
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	s, err := statistics.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	s.Digest, s.PerLines = "", nil
	return *s
}

func TestExportThenImportGivesTheSameStatistics(t *testing.T) {
	compressions := []string{"none", "xz", "gz", "zst"}
	for i, name := range tracetest.Draw(t, []string{"saxpy", "bfs", "sgemm", "transpose", "spmv", "reduction", "histogram", "streams", "divergence-switch"}, 1) {
		t.Run(name, func(t *testing.T) {
			path := recordedTiny(t, name)
			folder := t.TempDir()
			exported, imported := filepath.Join(folder, "x"), filepath.Join(folder, "again.wtape")
			good(t, "trace", "export", "accelsim", path, "-o", exported, "--compress", compressions[i%len(compressions)])
			good(t, "trace", "import", "accelsim", filepath.Join(exported, "kernelslist.g"), "-o", imported)
			if d := cmp.Diff(statsOf(t, path), statsOf(t, imported)); d != "" {
				t.Error(d)
			}
			good(t, "replay", imported, "--arch", "gtx480")
		})
	}
}

func TestAccelsimCommandsRefuseWhatTheyCannotDo(t *testing.T) {
	path := recordedTiny(t, "saxpy")
	folder := t.TempDir()
	exported, sample := filepath.Join(folder, "x"), filepath.Join(folder, "sample.wtape")
	good(t, "trace", "export", "accelsim", path, "-o", exported)
	bad(t, commandline.ExitFailed, "exists already", "trace", "export", "accelsim", path, "-o", exported)
	bad(t, commandline.ExitUsage, "--output FOLDER", "trace", "export", "accelsim", path)
	bad(t, commandline.ExitUsage, `--compress "rar"`, "trace", "export", "accelsim", path, "-o", filepath.Join(folder, "y"), "--compress", "rar")
	good(t, "trace", "slice", path, "--blocks", "0", "-o", sample)
	bad(t, commandline.ExitFailed, "a sample cannot be exported", "trace", "export", "accelsim", sample, "-o", filepath.Join(folder, "y"))
	bad(t, commandline.ExitUsage, "missing argument", "trace", "import", "accelsim", "-o", "z.wtape")
	list := write(t, filepath.Join(folder, "kernelslist.g"), "kernel-7.traceg\n")
	bad(t, commandline.ExitFailed, "kernel-7.traceg", "trace", "import", "accelsim", list, "-o", filepath.Join(folder, "z.wtape"))
	if got := files(t, folder); len(got) != 3 {
		t.Errorf("left behind: %v", got)
	}
}
