// SPDX-License-Identifier: Apache-2.0

//go:build linux

package store

import (
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// A limit on file sizes stands for a full disk: both fail in the middle of a write.
func TestFullDiskIsNamedAndLeavesNothing(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // so that the write fails instead
	limit := before
	limit.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	s := temporary(t)
	_, err := s.Add(sgemm, named(t, "sgemm"))
	if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); e != nil {
		t.Fatal(e)
	}
	signal.Reset(syscall.SIGXFSZ)
	wantError(t, err, "trace store "+s.root, "cannot be written", "free space", RootVariable)
	if left := files(t, s); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStoreBelowAFileIsNamed(t *testing.T) {
	s := At(filepath.Join(saxpy, "store"))
	_, err := s.Add(saxpy, named(t, "saxpy"))
	wantError(t, err, "trace store "+s.root, "cannot be written", RootVariable)
}
