// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A compiler that is here and does not answer, as where memory lacks, is not one that is missing.
func TestFindNamesACompilerThatDoesNotAnswer(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(Variable, "")
	t.Setenv("PATH", folder)
	if _, err := Find(); !errors.Is(err, ErrNone) || strings.Contains(err.Error(), "one is here") {
		t.Errorf("without a compiler: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "clang-19"), []byte("#!/bin/sh\nexit 9\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "clang-19 -v -print-resource-dir: exit status 9") {
		t.Errorf("with one that ends with an error: %v", err)
	}
}

// What one call of clang answers is what two calls with one question each do.
func TestFindAsksOnce(t *testing.T) {
	c, err := Find()
	if err != nil {
		t.Skip(err)
	}
	version, err := exec.Command(c.Path, "--version").Output()
	if err != nil || c.Version != string(version) {
		t.Errorf("%q, and --version says %q (%v)", c.Version, version, err)
	}
	resources, err := exec.Command(c.Path, "-print-resource-dir").Output()
	if err != nil || c.Resources != strings.TrimSpace(string(resources)) {
		t.Errorf("%q, and -print-resource-dir says %q (%v)", c.Resources, resources, err)
	}
}

// A process starts a compiler once to ask what it is, and asks again when another file has
// its place.
func TestFindRemembersACompilerForAsLongAsItsFileStays(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(Variable, "")
	t.Setenv("PATH", folder)
	program, asked := filepath.Join(folder, "clang-19"), filepath.Join(folder, "asked")
	if err := os.WriteFile(filepath.Join(folder, "clang++-19"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	install := func(release int, note string) {
		t.Helper()
		text := fmt.Sprintf("#!/bin/sh\necho clang version %d.0 %s >&2\necho . >> %s\n", release, note, asked)
		if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(release, times int) {
		t.Helper()
		c, err := Find()
		if err != nil || c.Release != release {
			t.Fatalf("%+v, %v, want release %d", c, err, release)
		}
		c.Release = 0 // of the caller's own copy
		if said, _ := os.ReadFile(asked); len(said) != 2*times {
			t.Errorf("it was asked %d times, want %d", len(said)/2, times)
		}
	}
	install(19, "")
	expect(19, 1)
	expect(19, 1)
	install(19, "another")
	expect(19, 2)
	install(18, "another")
	if err := os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	expect(18, 3)
	expect(18, 3)
}
