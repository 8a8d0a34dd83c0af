// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/diff"
	"github.com/warptape/warptape/trace/dump"
	"github.com/warptape/warptape/trace/text"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// process is the text of two threads that take a lock and meet.
const process = `wtape-text 1
header {"tool":"test"}
cpu-thread
i 400 - 01000000 00000000 0 - -
sync lock 1000 0
sync atomic 1000 0
i 404 - 00000000 01000000 0 1000,-,-,- 1000,-,-,-
sync unlock 1000 0
cpu-chunk
sync barrier 2000 2
i 408 - 00000000 00000000 0 - -
cpu-thread
sync barrier 2000 2
sync fence 0 0
sync code 400 0
i 400 - 01000000 00000000 0 - -
`

func assembled(t *testing.T, content string) (*wtape.Reader, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := text.AssembleFile(filepath.Join(dir, "a.txt"), filepath.Join(dir, "a.wtape"), wtape.Options{}); err != nil {
		return nil, err
	}
	r, err := wtape.Open(filepath.Join(dir, "a.wtape"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	return r, nil
}

func TestTheTextFormKeepsSynchronisation(t *testing.T) {
	whole := strings.Replace(process, "sync unlock 1000 0\ncpu-chunk\n", "cpu-chunk\nsync unlock 1000 0\n", 1)
	r, err := assembled(t, whole)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Totals().CPU.Syncs; n != 7 || r.CPUThreads() != 2 {
		t.Fatalf("%d events of %d threads", n, r.CPUThreads())
	}
	var again, plain bytes.Buffer
	if err := text.Dump(r, &again); err != nil {
		t.Fatal(err)
	}
	b, err := assembled(t, again.String())
	if err != nil {
		t.Fatal(err)
	}
	if d, err := diff.Traces(r, b); d != "" || err != nil || b.Digest() != r.Digest() {
		t.Errorf("%q, %v", d, err)
	}
	if err := dump.Write(r, &plain, dump.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cpu 0 sync lock 0x1000\n", "cpu 1 sync barrier 0x2000 of 2 threads\n"} {
		if !strings.Contains(plain.String(), want) {
			t.Errorf("the dump lacks %q:\n%s", want, plain.String())
		}
	}
	other, err := assembled(t, strings.Replace(whole, "sync fence 0 0\n", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	const want = "CPU thread 1, before instruction 0: barrier 2000 2, fence 0 0, code 400 0 and barrier 2000 2, code 400 0"
	if d, err := diff.Traces(r, other); d != want || err != nil {
		t.Errorf("%q, %v", d, err)
	}
	merged := filepath.Join(t.TempDir(), "merged.wtape")
	err = transcription.Merge([]*wtape.Reader{r, b}, merged, wtape.Options{})
	if err == nil || !strings.Contains(err.Error(), "one process and synchronise") {
		t.Errorf("two processes were merged: %v", err)
	}
	if _, err := os.Stat(merged); err == nil {
		t.Error("a refused merge left a file")
	}
}

func TestBadSynchronisationIsRefused(t *testing.T) {
	for want, change := range map[string][2]string{
		"no instruction of CPU thread 0 follows": {"", ""}, // an event before a chunk's end
		"a.txt:12: sync \"barrier":               {"sync barrier 2000 2\nsync", "sync barrier 2000 0\nsync"},
		"want sync KIND OBJECT THREADS":          {"sync fence 0 0", "sync fence"},
		"object \"x\"":                           {"sync fence 0 0", "sync fence x 0"},
		"a.txt:13: sync \"fense":                 {"sync fence 0 0", "sync fense 0 0"},
	} {
		content := strings.Replace(process, change[0], change[1], 1)
		if change[0] != "" {
			content = strings.Replace(content, "cpu-chunk\n", "", 1)
		}
		if _, err := assembled(t, content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
