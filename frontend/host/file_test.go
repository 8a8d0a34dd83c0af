// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
)

// headers is a Sink that keeps the header alone.
type headers struct {
	silent
	header trace.Header
}

func (h *headers) UpdateHeader(update func(*trace.Header)) { update(&h.header) }

// withData runs a main over some data files.
func withData(files fstest.MapFS, main string) (*headers, error) {
	files["p.star"] = &fstest.MapFile{Data: []byte("def main(p):\n    " + strings.ReplaceAll(main, "\n", "\n    ") + "\n")}
	p, err := Load(files, "p.star")
	if err != nil {
		return nil, err
	}
	l := &headers{}
	_, err = p.Run(context.Background(), Options{Sink: l, Size: ""})
	return l, err
}

func dataFiles() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range map[string]string{"a.raw": "\x01\x02\x03\x04", "in/t.csv": "x,y\n1,2\n3,4\n", "g.txt": "3 4\n5", "m.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestAProgramReadsDataFilesWhoseDigestsAreKept(t *testing.T) {
	files := dataFiles()
	l, err := withData(files, `check.equal(host.file("a.raw"), u8([1, 2, 3, 4]))
check.equal(host.file("a.raw", u16, shape=(2, 1)), u16([513, 1027]).reshape(2, 1))
check.equal(host.file("a.raw", skip=1, count=2), u8([2, 3]))
check.equal(host.file("in/t.csv", skip=1, dtype=i32), i32([1, 2, 3, 4]).reshape(2, 2))
check.equal(host.file("in/t.csv", skip=1, columns=[1], dtype=i32), i32([2, 4]).reshape(2, 1))
check.equal(host.file("g.txt"), f64([3.0, 4.0, 5.0]))
check.equal(host.file("g.txt", format="raw"), u8([51, 32, 52, 10, 53]))
m = host.file("m.mtx")
check.equal(m.offsets, i32([0, 1, 2]))
check.equal(m.columns, i32([1, 0]))
check.that(m.shape == (2, 2), "shape")`)
	if err != nil {
		t.Fatal(err)
	}
	var want []trace.SourceDigest
	for _, name := range []string{"a.raw", "in/t.csv", "g.txt", "m.mtx"} {
		sum := sha256.Sum256(files[name].Data)
		want = append(want, trace.SourceDigest{Name: name, Digest: hex.EncodeToString(sum[:])})
	}
	if diff := cmp.Diff(want, l.header.Data); diff != "" {
		t.Error(diff)
	}
}

func TestDataFilesThatAreRefused(t *testing.T) {
	for call, want := range map[string]string{
		`"none.npy"`:                    "p.star:2:14: in main: host.file: none.npy: there is no such file in the host program's folder",
		`"../a.raw"`:                    "../a.raw lies outside the host program's folder",
		`"/a.raw"`:                      "copy the file into the folder",
		`"in"`:                          "in is not a regular file",
		`"a.raw", f32, shape=3`:         "a.raw: 1 elements do not fill shape [3]",
		`"a.raw", u64`:                  "no whole number of u64",
		`"a.raw", skip=-1`:              "skip: must not be negative",
		`"a.raw", dtype="f32"`:          "dtype: a string is no type of elements",
		`"a.raw", format="xml"`:         `format "xml": there are npy, csv, tsv, numbers, mtx, dense, raw`,
		`"a.raw", columns=[0]`:          "columns does not go with the format raw",
		`"in/t.csv", shape=2`:           "shape does not go with the format csv",
		`"in/t.csv", skip=1, columns=1`: "columns",
		`"in/t.csv"`:                    "in/t.csv: line 1, column 0: \"x\" is no number: skip=1 leaves out a heading",
	} {
		if _, err := withData(dataFiles(), "host.file("+call+")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("host.file(%s): %v, want %q", call, err, want)
		}
	}
	p := "x = host.file(\"a.raw\")\ndef main(p):\n    pass\n"
	if _, err := Load(fstest.MapFS{"p.star": {Data: []byte(p)}}, "p.star"); err == nil || !strings.Contains(err.Error(), "call it inside main") {
		t.Error(err)
	}
}

func TestDataFilesThroughLinksOutOfTheFolderAreRefused(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(folder, "secret")
	inside := filepath.Join(folder, "program")
	for _, err := range []error{os.WriteFile(outside, []byte("x"), 0o666), os.Mkdir(inside, 0o777), os.Symlink(outside, filepath.Join(inside, "link")),
		os.WriteFile(filepath.Join(inside, "p.star"), []byte("def main(p):\n    host.file(\"link\")\n"), 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	p, err := Load(root.FS(), "p.star")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(context.Background(), Options{}); err == nil || !strings.Contains(err.Error(), "link leads out of the host program's folder") {
		t.Error(err)
	}
}

// A file that grows or shrinks while it is read is refused, and so is one that is another
// at the second reading: the digest would be that of neither.
func TestAFileThatChangesIsRefused(t *testing.T) {
	r := newRun(context.Background(), &Program{files: dataFiles(), path: "p.star"}, Options{Sink: &headers{}})
	f, err := r.openData("a.raw")
	if err != nil {
		t.Fatal(err)
	}
	f.size = 3
	if err := f.finish(); err != errChanged {
		t.Error("a longer file:", err)
	}
	if f, err = r.openData("a.raw"); err != nil {
		t.Fatal(err)
	}
	f.size = 5
	if _, err := f.text(); err != errChanged {
		t.Error("a shorter file:", err)
	}
	for i, text := range []string{"one", "two"} {
		r.program.files.(fstest.MapFS)["a.raw"] = &fstest.MapFile{Data: []byte(text)}
		if f, err = r.openData("a.raw"); err != nil {
			t.Fatal(err)
		}
		err := f.finish()
		if err == nil {
			err = r.noteData(f)
		}
		if changed := err != nil && strings.Contains(err.Error(), "changed since"); changed != (i == 1) {
			t.Errorf("reading %d: %v", i, err)
		}
	}
}
