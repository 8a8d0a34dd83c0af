// SPDX-License-Identifier: Apache-2.0

// Package teslakernels holds kernels of the configurable Tesla-like GPGPU, in its
// language, as part of the executable. They are those of the reference runs, and larger
// ones, which have 8 or 16 thread blocks. What they compute does not depend on the
// configuration, so that each is recorded once: a word of shared memory that is written
// has one thread block.
package teslakernels

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
)

//go:embed *.tesla reference/*.tesla
var files embed.FS

const ending = ".tesla"

// referenceFolder has the kernels of the reference runs.
const referenceFolder = "reference"

// Larger lists the kernels of our own.
func Larger() []string { return in(".") }

// Reference lists those of the reference runs (frontend/tesla/reference).
func Reference() []string { return in(referenceFolder) }

// in lists the kernels of a folder.
func in(folder string) []string {
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic("BUG: the embedded kernels are unreadable: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok {
			names = append(names, name)
		}
	}
	return names
}

// Find assembles the kernel of that name; the digest is that of its text.
func Find(name string) (k *language.Kernel, digest string, err error) {
	file := name + ending
	switch {
	case slices.Contains(Reference(), name):
		file = path.Join(referenceFolder, file)
	case !slices.Contains(Larger(), name):
		return nil, "", fmt.Errorf("there is no kernel %q: choose one of %s", name, strings.Join(slices.Concat(Larger(), Reference()), ", "))
	}
	text, err := files.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(text)
	k, err = language.Assemble(file, string(text))
	return k, hex.EncodeToString(sum[:]), err
}
