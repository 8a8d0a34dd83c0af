// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var (
	files  = []entry{{"warptape", []byte("binary"), 0o755}, {"man1/warptape.1", []byte(".TH"), 0o644}}
	moment = time.Unix(1_700_000_000, 0).UTC()
)

func TestATarHasEveryFileOnceAndTheSameBytesTwice(t *testing.T) {
	var b, again bytes.Buffer
	if err := errors.Join(writeTar(&b, "w-1", files, moment), writeTar(&again, "w-1", files, moment)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(z)
	for _, want := range files {
		h, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || h.Name != "w-1/"+want.name || h.Mode != want.mode || !h.ModTime.Equal(moment) || !bytes.Equal(text, want.text) || h.Uname != "" {
			t.Errorf("%+v, %q, %v", h, text, err)
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("more files than were given: %v", err)
	}
}

func TestAZipHasEveryFileOnce(t *testing.T) {
	var b bytes.Buffer
	if err := writeZip(&b, "w-1", files, moment); err != nil {
		t.Fatal(err)
	}
	in, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(in.File) != len(files) {
		t.Fatalf("%v", err)
	}
	for i, f := range in.File {
		if f.Name != "w-1/"+files[i].name {
			t.Error(f.Name)
		}
	}
}

func TestTheBillNamesEveryModuleByItsDigest(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"}},
	}}
	made := newBill(info, "linux/amd64", moment)
	made.add(info, "warptape", []byte("binary"))
	made.add(info, "other", []byte("another"))
	text, err := made.json()
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	// The compiler, both programs, and each library once.
	if len(b.Components) != 5 || b.Components[3].Name != "example.org/c" || b.Components[3].Hashes != nil {
		t.Errorf("%+v", b.Components)
	}
	// The sum is that of nothing: SHA-256 of the empty text.
	if h := b.Components[2].Hashes; len(h) != 1 || !strings.HasPrefix(h[0].Content, "e3b0c44298fc1c149afbf4c8996fb924") {
		t.Errorf("%+v", h)
	}
}

func TestAModuleWithoutALicenceIsRefused(t *testing.T) {
	folder := t.TempDir()
	var b bytes.Buffer
	if err := appendLicences(&b, "example.org/a v1", folder); err == nil || !strings.Contains(err.Error(), "no licence file") {
		t.Error(err)
	}
	for _, name := range []string{"LICENSE", "licence.md", "COPYING.LESSER", "Notice"} {
		if !licenceFile.MatchString(name) {
			t.Error(name, "is not taken for a licence")
		}
	}
	if licenceFile.MatchString("licences_test.go") {
		t.Error("licences_test.go is taken for a licence")
	}
}

// TestATreeWithChangesIsRefused uses a repository of its own.
func TestATreeWithChangesIsRefused(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_COMMITTER_DATE=1700000000 +0000")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("one")
	git("add", "f")
	git("commit", "-qm", "one")
	tr := tree{root: folder, log: io.Discard}
	if err := tr.clean(context.Background()); err != nil || !tr.committed.Equal(moment) || len(tr.revision) != 40 {
		t.Errorf("%v, %+v", err, tr)
	}
	write("two")
	if err := tr.clean(context.Background()); err == nil || !strings.Contains(err.Error(), "has changes") {
		t.Error(err)
	}
}
