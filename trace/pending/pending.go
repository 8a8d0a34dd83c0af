// SPDX-License-Identifier: Apache-2.0

// Package pending writes files that appear under their name only when they are
// complete. Until then the data are in a hidden file next to it,
// .NAME.N.partial, which is locked as long as its writer lives. What a killed
// writer has left is taken over, or removed, by the next that writes a file of
// that name.
package pending

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file on its way to its final name.
type File struct {
	*os.File
	path   string
	target string // what the path names: a link stays, and what it leads to is replaced
	device bool   // the target is a device or a pipe, which takes the data and stays
	done   bool
}

// most is how many writers of one name there may be at once.
const most = 10000

// Create starts the file that is to be path. Mode is as for os.OpenFile.
func Create(path string, mode fs.FileMode) (*File, error) {
	target := path
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return nil, fmt.Errorf("%s: is a folder: name a file", path)
		case !info.Mode().IsRegular():
			return forDevice(path)
		}
		if led, err := filepath.EvalSymlinks(path); err == nil {
			target = led
		}
	}
	for n := range most {
		f, err := claim(Name(target, n), mode)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot write beside it: %w", path, err)
		}
		if f != nil {
			sweep(target, n+1)
			return &File{File: f, path: path, target: target}, nil
		}
	}
	return nil, fmt.Errorf("%s: %d commands write it at once; wait for them, or remove the files %s", path, most, Name(path, 0))
}

// Name is that of the hidden file of writer n of a path.
func Name(path string, n int) string {
	dir, base := filepath.Split(path)
	return fmt.Sprintf("%s.%s.%d.partial", dir, base, n)
}

// claim makes a file, or empties one that no process writes; nil without an error where
// one does.
func claim(name string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	fresh := err == nil
	if errors.Is(err, fs.ErrExist) {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			return nil, nil // another process has renamed it, or it is none of ours
		}
		f, err = os.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	switch locked, known := lock(f); {
	case !known && fresh:
		return f, nil // no locks here: what is left stays
	case locked && named(f, name):
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
	f.Close()
	return nil, nil
}

// named reports whether an open file is still the one of that name: the process that had
// the lock before may have renamed it.
func named(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(name)
	return err == nil && os.SameFile(a, b)
}

// sweep removes what others have left, numbered from n on.
func sweep(path string, n int) {
	for ; n < most; n++ {
		f, err := os.OpenFile(Name(path, n), os.O_RDWR, 0)
		if err != nil {
			return
		}
		if locked, known := lock(f); locked && known && named(f, f.Name()) {
			os.Remove(f.Name())
		}
		f.Close()
	}
}

// Keep locks a file that is read until it is closed. What a killed writer has left is not
// taken over meanwhile, not even by a process that reads it and writes under the same
// name.
func Keep(f *os.File) { lock(f) }

// Path is the final name.
func (f *File) Path() string { return f.path }

// Commit gives the file its name. When that fails nothing is left.
func (f *File) Commit() error {
	if f.done {
		return nil
	}
	f.done = true
	release := hold(f.File)
	defer release()
	if f.device {
		return f.hand()
	}
	err := f.Close() // a file system may say only here that it has no room
	if err == nil {
		err = os.Rename(f.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Discard removes the file unless it is complete.
func (f *File) Discard() {
	if !f.done {
		f.done = true
		os.Remove(f.Name())
		f.Close()
	}
}
