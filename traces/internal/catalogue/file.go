// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/traces"
)

func readFile(path string) (*traces.Catalogue, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w; run this in the root of the source tree, or name it with -root", err)
	}
	return traces.ParseCatalogue(path, text)
}

// writeFile writes the entries of the workloads that exist, whole or not at all.
func writeFile(path string, entries map[string]*traces.Entry) error {
	c := traces.Catalogue{Workloads: []traces.Entry{}}
	for _, w := range traces.List() {
		if e := entries[w.Name]; e != nil {
			c.Workloads = append(c.Workloads, *e)
		}
	}
	text, err := c.Text()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // without effect after the renaming
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
