// SPDX-License-Identifier: Apache-2.0

package pending

import (
	"fmt"
	"io"
	"os"
)

// forDevice starts the data of a device or a pipe, such as /dev/null. They wait in a temporary
// file, as writers go back in what they have written.
func forDevice(path string) (*File, error) {
	f, err := os.CreateTemp("", "warptape-*.partial")
	if err != nil {
		return nil, fmt.Errorf("%s: cannot hold the data: %w", path, err)
	}
	return &File{File: f, path: path, target: path, device: true}, nil
}

// hand gives the data to the device, and removes the temporary file.
func (f *File) hand() error {
	defer os.Remove(f.Name())
	defer f.Close()
	to, err := os.OpenFile(f.target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err = f.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(to, f.File)
	}
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	return nil
}
