package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create starts a trace file. The data go to a hidden file in the same folder,
// which Finish renames to path (replacing a file that is there) and which Abort
// and every failure remove: under its name a trace is whole or absent.
func Create(path string, header Header, options Options) (*Writer, error) {
	file, err := newPartialFile(path)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(file.File, path, header, options)
	if err != nil {
		file.end(false) // err says what went wrong first
		return nil, err
	}
	w.file = file
	return w, nil
}

// partialFile is a file on its way to its final name.
type partialFile struct {
	*os.File
	path string
}

func newPartialFile(path string) (*partialFile, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder: name a file", path)
	}
	dir, base := filepath.Split(path)
	for attempt := 0; ; attempt++ {
		// O_EXCL, and the usual permissions, which os.CreateTemp does not give.
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%d.partial", dir, base, attempt), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && attempt < 10000 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: cannot write beside it: %w", path, err)
		}
		return &partialFile{f, path}, nil
	}
}

// end gives the file its final name, or removes it.
func (f *partialFile) end(keep bool) error {
	err := f.Close()
	if keep && err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if !keep || err != nil {
		os.Remove(f.Name())
	}
	return err
}
