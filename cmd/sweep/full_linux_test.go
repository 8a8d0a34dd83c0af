// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAFullDiskLosesNothing: the sweep stops with the disk's error; what was kept is
// whole, and with room again the sweep ends with the bytes of any other.
func TestAFullDiskLosesNothing(t *testing.T) {
	p := planOf(t, "name: full\ntraces: RECORDED/tiny/saxpy.wtape\nmachines: gtx480\nparameters: {dram.queue: {from: 8, to: 23, step: 1}}")
	whole := filepath.Join(t.TempDir(), "whole")
	if _, err := runnerAt(t, whole).Run(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	mount := func(flags uintptr, size string) error {
		return syscall.Mount("tmpfs", disk, "tmpfs", flags, "size="+size)
	}
	if err := mount(0, "128k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	root := filepath.Join(disk, "r")
	s, err := runnerAt(t, root).Run(context.Background(), p)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%+v, %v", s.Progress, err)
	}
	made := s.Made
	if err := mount(syscall.MS_REMOUNT, "16m"); err != nil {
		t.Fatal(err)
	}
	s, err = runnerAt(t, root).Run(context.Background(), p)
	if err != nil || s.Present == 0 || s.Present > made || s.Present+s.Made != s.Wanted {
		t.Errorf("%d were made at first; %+v, %v", made, s.Progress, err)
	}
	if d := cmp.Diff(contents(t, whole), contents(t, root)); d != "" {
		t.Error(d)
	}
}
