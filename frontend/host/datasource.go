// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/trace"
)

// dataFile is a data file that is being read: an io.Reader of its bytes.
type dataFile struct {
	name   string // in the program's file system
	size   int64  // bytes
	space  *array.Space
	file   fs.File
	reader *bufio.Reader
	hash   hash.Hash
	read   int64
	booked uint64
}

// errChanged is of a file that is not what it was when it was opened.
var errChanged = errors.New("the file changed while it was read")

// openData opens a data file of the program's folder.
func (r *run) openData(name string) (*dataFile, error) {
	if path.IsAbs(name) {
		return nil, fmt.Errorf("%s is outside the host program's folder: copy the file into the folder and name it from there", name)
	}
	f := &dataFile{name: r.besideProgram(name), space: r.space, hash: sha256.New()}
	info, err := statFile(r.program.files, f.name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", f.name)
	}
	f.size = info.Size()
	if f.file, err = r.program.files.Open(f.name); err != nil {
		return nil, err
	}
	f.reader = bufio.NewReaderSize(f.file, 1<<16)
	return f, nil
}

// Read reads on, and keeps count.
func (f *dataFile) Read(p []byte) (int, error) {
	n, err := f.reader.Read(p)
	f.read += int64(n)
	f.hash.Write(p[:n])
	return n, err
}

// text is the whole file, which must be in memory to be read.
func (f *dataFile) text() ([]byte, error) {
	if err := f.space.Take(uint64(f.size)); err != nil {
		return nil, err
	}
	f.booked = uint64(f.size)
	text := make([]byte, f.size)
	if _, err := io.ReadFull(f, text); err != nil {
		return nil, errChanged
	}
	return text, nil
}

// finish reads what the format left, for the digest.
func (f *dataFile) finish() error {
	if _, err := io.Copy(io.Discard, io.LimitReader(f, f.size-f.read+1)); err != nil {
		return err
	}
	if f.read != f.size {
		return errChanged
	}
	return nil
}

func (f *dataFile) close() {
	f.space.Release(f.booked)
	f.file.Close()
}

// noteData puts a file that was read into the trace's header, once.
func (r *run) noteData(f *dataFile) error {
	if !r.gate.enter() {
		return errors.New("the run has ended")
	}
	defer r.gate.leave()
	digest := hex.EncodeToString(f.hash.Sum(nil))
	if before, ok := r.data[f.name]; ok {
		if before != digest {
			return fmt.Errorf("%s: the file changed since the program read it first", f.name)
		}
		return nil
	}
	r.data[f.name] = digest
	r.sink.UpdateHeader(func(h *trace.Header) {
		h.Data = append(h.Data, trace.SourceDigest{Name: f.name, Digest: digest})
	})
	return nil
}

// statFile finds a file of a program's folder.
func statFile(files fs.FS, name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s lies outside the host program's folder: copy the file into the folder and name it from there", name)
	}
	info, err := fs.Stat(files, name)
	// os.Root has no error value for this.
	if err != nil && strings.Contains(err.Error(), "path escapes") {
		return nil, fmt.Errorf("%s leads out of the host program's folder, by its name or by a link: copy the file into the folder", name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file in the host program's folder (%w)", name, err)
	}
	return info, err
}
