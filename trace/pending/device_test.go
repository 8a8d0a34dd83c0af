// SPDX-License-Identifier: Apache-2.0

//go:build unix

package pending

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe, as a device, takes the data and stays what it is.
func TestAPipeTakesTheData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		r, err := os.Open(path)
		if err != nil {
			read <- err.Error()
			return
		}
		defer r.Close()
		text, _ := io.ReadAll(r)
		read <- string(text)
	}()
	f := create(t, path, "-- data")
	if _, err := f.WriteAt([]byte("my"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "my data" {
		t.Errorf("the pipe had %q", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v: %v", info.Mode(), err)
	}
	if left := append(files(t, dir), files(t, os.Getenv("TMPDIR"))...); strings.Join(left, " ") != "pipe" {
		t.Errorf("%q are left", left)
	}
}

func TestTheNullDeviceStays(t *testing.T) {
	before, err := os.Lstat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	for _, commit := range []bool{true, false} {
		t.Setenv("TMPDIR", t.TempDir())
		f := create(t, os.DevNull, "data")
		if !commit {
			f.Discard()
		} else if err := f.Commit(); err != nil {
			t.Error(err)
		}
		if left := files(t, os.Getenv("TMPDIR")); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	}
	if after, err := os.Lstat(os.DevNull); err != nil || !os.SameFile(before, after) {
		t.Errorf("%s is another file: %v", os.DevNull, err)
	}
}

// What a link leads to is replaced, and not the link.
func TestALinkStays(t *testing.T) {
	dir := t.TempDir()
	path, at := filepath.Join(dir, "link"), filepath.Join(dir, "there", "x")
	if err := os.Mkdir(filepath.Dir(at), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at, path); err != nil {
		t.Fatal(err)
	}
	if err := create(t, path, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(at); err != nil || string(text) != "new" {
		t.Errorf("it leads to %q: %v", text, err)
	}
	if led, err := os.Readlink(path); err != nil || led != at {
		t.Errorf("the link leads to %q: %v", led, err)
	}
	if left := files(t, filepath.Dir(at)); len(left) != 1 {
		t.Errorf("%q are left", left)
	}
}
