// SPDX-License-Identifier: Apache-2.0

package packed

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// helloByBzip2 is "hello\n", compressed by bzip2.
var helloByBzip2, _ = base64.StdEncoding.DecodeString("QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi")

// opened is what a file of a name with some bytes holds.
func opened(t *testing.T, name string, data []byte) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// compressed is a text, compressed for a suffix.
func compressed(t *testing.T, suffix string, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(suffix, &out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files come back by their suffix, and are smaller where it is that of a program.
func TestFilesComeBackByTheirSuffix(t *testing.T) {
	text := bytes.Repeat([]byte("records of a trace "), 500)
	for _, suffix := range Suffixes {
		data := compressed(t, suffix, text)
		if got, err := opened(t, "file"+suffix, data); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%q: %d bytes, %v", suffix, len(got), err)
		}
		if (len(data) < len(text)/4) != (suffix != "") {
			t.Errorf("%q: %d bytes of %d", suffix, len(data), len(text))
		}
		if suffix == ".xz" { // which may have zeros at its end, four by four (xz file format 1.0.4, 2.2)
			if got, err := opened(t, "file"+suffix, append(data, make([]byte, 8)...)); err != nil || !bytes.Equal(got, text) {
				t.Errorf("with zeros behind it: %d bytes, %v", len(got), err)
			}
		}
		if suffix != "" {
			if _, err := opened(t, "file"+suffix, text); err == nil {
				t.Errorf("%q: a text is accepted", suffix)
			}
		}
	}
	if got, err := opened(t, "file.bz2", helloByBzip2); err != nil || string(got) != "hello\n" {
		t.Errorf("bzip2: %q, %v", got, err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.xz")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// An xz file may want a dictionary of 256 MiB at most, whatever sizes stand in front of its filters (xz file format, 3.1).
func TestLargeDictionariesAreRefused(t *testing.T) {
	data := compressed(t, ".xz", []byte("text"))
	if data[13] != 0 || data[14] != 0x21 {
		t.Fatalf("the block header is % x", data[12:20])
	}
	longest := []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1} // a size of nine bytes, the most (1.2)
	for _, sizes := range []struct {
		flags byte
		bytes []byte
	}{{0, nil}, {0x40, []byte{4}}, {0x80, []byte{0x80, 1}}, {0xc0, []byte{0xff, 0xff, 3, 4}}, {0xc0, slices.Concat(longest, longest)}} {
		for property, refused := range map[byte]bool{0: false, 18: false, 32: false, 33: true, 34: true, 40: true} { // 4 KiB, 2 MiB, 256 MiB, 384 MiB, 512 MiB, 4 GiB
			b := slices.Clone(data)
			b[13], b[16] = sizes.flags, property
			b = slices.Insert(b, 14, sizes.bytes...)
			_, err := opened(t, "file.xz", b) // its checksums are wrong now
			if got := err != nil && strings.Contains(err.Error(), "a dictionary of"); got != refused {
				t.Errorf("flags %#x, property %d: %v", sizes.flags, property, err)
			}
		}
	}
}

// A file that ends too early is refused wherever it ends, also amid the sizes in front of an xz file's filters, or where
// it looks like an end.
func TestFilesThatEndTooEarlyAreRefused(t *testing.T) {
	xz := compressed(t, ".xz", []byte("text"))
	for end := 1; end < len(xz); end++ {
		cut := xz[:end]
		sizes, like := bytes.Clone(cut), append(bytes.Clone(cut[:min(end, 24)]), "YZ"...)
		if end > 13 {
			sizes[13] = 0xc0
			for i := 14; i < end; i++ {
				sizes[i] = 0x80 // goes on
			}
		}
		for _, data := range [][]byte{cut, sizes, like} {
			if got, err := opened(t, "file.xz", data); err == nil {
				t.Errorf("% x: %q", data, got)
			}
		}
	}
	for suffix, data := range map[string][]byte{".gz": compressed(t, ".gz", []byte("text")), ".zst": compressed(t, ".zst", []byte("text")), ".bz2": helloByBzip2} {
		for _, end := range []int{1, len(data) / 2, len(data) - 1} {
			if got, err := opened(t, "file"+suffix, data[:end]); err == nil {
				t.Errorf("%q: %d of %d bytes give %q", suffix, end, len(data), got)
			}
		}
	}
}

// Zeros behind an xz stream belong to the file four by four, however many there are (xz file format 1.0.4, 2.2).
func TestAnXZFileMayEndWithZeros(t *testing.T) {
	xz := compressed(t, ".xz", []byte("text"))
	for zeros, want := range map[int]bool{0: true, 1: false, 2: false, 3: false, 4: true, 8: true, 64<<10 - 4: true, 64 << 10: true, 64<<10 + 4: true, 64<<10 + 6: false, 300000: true} {
		if got, err := opened(t, "file.xz", append(bytes.Clone(xz), make([]byte, zeros)...)); (err == nil) != want || want && string(got) != "text" {
			t.Errorf("%d zeros: %q, %v", zeros, got, err)
		}
	}
}

// A refused file does not stay open, nor does a closed one.
func TestNoFileStaysOpen(t *testing.T) {
	const descriptors = "/proc/self/fd"
	if _, err := os.ReadDir(descriptors); err != nil {
		t.Skip("this system does not list open files")
	}
	folder := t.TempDir()
	for name, data := range map[string][]byte{"bad.xz": []byte("text"), "bad.gz": []byte("text"), "good.xz": compressed(t, ".xz", []byte("text"))} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if (err == nil) != (name == "good.xz") {
			t.Fatalf("%s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
		open, err := os.ReadDir(descriptors)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range open {
			if to, err := os.Readlink(filepath.Join(descriptors, d.Name())); err == nil && to == path {
				t.Errorf("%s stays open", name)
			}
		}
	}
}
