// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// recordings are the committed traces, and those of short runs in a folder of their own.
func recordings(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"recorded/*.wtape", "recorded/tiny/*.wtape"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	return all
}

func open(t *testing.T, file string) *wtape.Reader {
	t.Helper()
	r, err := wtape.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestADozenSmallRecordingsAreCommittedAndExplained(t *testing.T) {
	text, err := os.ReadFile("recorded/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files := recordings(t)
	total := int64(0)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		row := "| `" + strings.TrimPrefix(filepath.ToSlash(file), "recorded/") + "` | " + open(t, file).Header().Arguments["size"] + " |"
		if !strings.Contains(string(text), row) {
			t.Errorf("recorded/README.md has no row %s", row)
		}
	}
	if rows := strings.Count(string(text), ".wtape` |"); rows != len(files) || rows < 12 {
		t.Errorf("%d recordings, %d rows in recorded/README.md, want at least 12", len(files), rows)
	}
	if total > 8<<20 {
		t.Errorf("the recordings have %d bytes together, more than 8 MiB", total)
	}
}

func TestRecordingAgainGivesTheCommittedTrace(t *testing.T) {
	for _, file := range tracetest.Draw(t, recordings(t), tracetest.Fewer(1, 4)) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "recorded/"), ".wtape"), func(t *testing.T) {
			t.Parallel()
			committed := open(t, file)
			if err := verification.Verify(committed); err != nil {
				t.Fatal(err)
			}
			h := committed.Header()
			w, err := traces.Find(h.Program)
			if err != nil {
				t.Fatal(err)
			}
			again := filepath.Join(t.TempDir(), "again.wtape")
			writer, err := wtape.Create(again, trace.Header{Tool: h.Tool}, wtape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Abort()
			if _, err := load(t, w).Run(context.Background(), host.Options{Size: h.Arguments["size"], Seed: h.Seed, Sink: writer}); err != nil {
				t.Fatal(err)
			}
			if err := writer.Finish(); err != nil {
				t.Fatal(err)
			}
			if got := open(t, again).Digest(); got != committed.Digest() {
				t.Errorf("its digest is %s, that of %s is %s: run 'make recorded' and commit the result", got, file, committed.Digest())
			}
		})
	}
}
