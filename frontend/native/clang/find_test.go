// SPDX-License-Identifier: Apache-2.0

package clang

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A compiler that is here and does not answer, as where memory lacks, is not one that is missing.
func TestFindNamesACompilerThatDoesNotAnswer(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(variable, "")
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
