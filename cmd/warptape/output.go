package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a result file: complete under its name or not at all, and
// never over an existing file unless force is set.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	f, err := createFile(path, force)
	if err != nil {
		return err
	}
	defer f.discard()
	if err := write(f.File); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.commit()
}

// pendingFile is a result file that is being written under another name.
type pendingFile struct {
	*os.File
	path string
	done bool
}

// createFile starts a result file.
func createFile(path string, force bool) (*pendingFile, error) {
	if err := refuseExisting(path, force); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp*")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write here: %w", path, err)
	}
	return &pendingFile{File: f, path: path}, nil
}

// commit gives the file its name.
func (f *pendingFile) commit() error {
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.done = true
	return nil
}

// discard removes the file unless it is complete.
func (f *pendingFile) discard() {
	if !f.done {
		f.Close()
		os.Remove(f.Name())
	}
}

// refuseExisting protects what the user has.
func refuseExisting(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("%s: is a directory; name a file in it", path)
	case force:
		return nil
	}
	return fmt.Errorf("%s: exists already; use --force to replace it", path)
}
