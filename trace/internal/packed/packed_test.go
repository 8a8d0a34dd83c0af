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
		if suffix != "" {
			if _, err := opened(t, "file"+suffix, text); err == nil {
				t.Errorf("%q: a text is accepted", suffix)
			}
		}
	}
	// "hello\n" by bzip2
	hello, _ := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi")
	if got, err := opened(t, "file.bz2", hello); err != nil || string(got) != "hello\n" {
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
	for _, sizes := range []struct {
		flags byte
		bytes []byte
	}{{0, nil}, {0x40, []byte{4}}, {0x80, []byte{0x80, 1}}, {0xc0, []byte{0xff, 0xff, 3, 4}}} {
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
