// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/warptape/warptape/trace/pending"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/wtape"
	"github.com/warptape/warptape/traces"
)

// openTrace opens what a command line names a trace by: a file, or else a name or
// digest of the local store.
func openTrace(name string) (*wtape.Reader, error) {
	path, err := resolveTrace(name)
	if err != nil {
		return nil, err
	}
	return wtape.Open(path)
}

// resolveTrace finds the file of a trace. A file of that name wins over the store.
func resolveTrace(name string) (string, error) {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return name, nil // opening it says what is wrong
	}
	ref, err := store.ParseReference(name)
	if left := leftOf(name); left != nil && (err != nil || !stored(ref)) {
		return "", left
	}
	if err != nil {
		return "", fmt.Errorf("%s: no such file, nor is it the name of a stored trace, %s", name, store.Grammar)
	}
	s, err := localStore()
	if err != nil {
		return "", fmt.Errorf("%s: no such file, and %w", name, err)
	}
	e, err := s.Lookup(ref)
	var missing *store.NotFoundError
	if errors.As(err, &missing) {
		return "", fmt.Errorf("%s: no such file, and %w; %s", name, missing, remedyFor(ref, name))
	}
	if err != nil {
		return "", err
	}
	return e.Path, nil
}

// stored reports whether the local store has a trace.
func stored(ref store.Reference) bool {
	s, err := localStore()
	if err == nil {
		_, err = s.Lookup(ref)
	}
	return err == nil
}

// leftOf is the error for a trace that is not there, when a recording of that name has
// left a file. The recording was killed or still runs. The error is nil when none has
// left a file.
func leftOf(name string) error {
	for n := range 10 {
		partial := pending.Name(name, n)
		if info, err := os.Lstat(partial); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s: no such file, but %s of a recording that was killed or that still runs; save what is whole with: warptape trace recover %s -o %s", name, partial, partial, name)
		}
	}
	return nil
}

// localStore is the user's store.
func localStore() (*store.Store, error) {
	root, err := store.DefaultRoot()
	if err != nil {
		return nil, err
	}
	return store.At(root), nil
}

// remedyFor says how to come by a trace that is neither here nor in the store.
func remedyFor(ref store.Reference, name string) string {
	if ref.Registry != "" {
		return "get it with: warptape pull " + name
	}
	workload := strings.TrimSuffix(ref.Repository, ".wtape")
	if _, err := traces.Find(workload); err == nil {
		return "record it with: warptape record " + workload
	}
	return "get it with: warptape pull REGISTRY/" + name + ", or list what is there with: warptape store list"
}
