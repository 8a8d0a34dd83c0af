package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/warptape/warptape/trace/pending"
)

// writeFile writes a result file: complete under its name or not at all, and
// never over an existing file unless force is set.
func writeFile(path string, force bool, write func(io.Writer) error) error {
	f, err := createFile(path, force)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Commit()
}

// createFile starts a result file.
func createFile(path string, force bool) (*pending.File, error) {
	if err := refuseExisting(path, force); err != nil {
		return nil, err
	}
	return pending.Create(path, 0o666)
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
