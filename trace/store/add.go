// SPDX-License-Identifier: Apache-2.0

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// Add copies a trace file into the store and, unless the reference is the zero
// value, tags it. The copy is verified before it is stored.
func (s *Store) Add(path string, ref Reference) (Entry, error) {
	in, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer in.Close()
	folder, remove, err := s.Workspace()
	if err != nil {
		return Entry{}, err
	}
	defer remove()
	copied := filepath.Join(folder, "copy"+objectSuffix)
	if err := s.copyTo(copied, in); err != nil {
		return Entry{}, err
	}
	if err := verifyCopy(copied); err != nil {
		return Entry{}, fmt.Errorf("%s is not stored: %w", path, err)
	}
	return s.Adopt(copied, ref)
}

// Workspace makes a folder in the store for files that Adopt is to take; remove
// removes what is left of it.
func (s *Store) Workspace() (folder string, remove func(), err error) {
	incoming, err := s.folder(s.incoming())
	if err != nil {
		return "", nil, err
	}
	folder, err = os.MkdirTemp(incoming, "add-*")
	if err != nil {
		return "", nil, s.cannotWrite(err)
	}
	return folder, func() { os.RemoveAll(folder) }, nil
}

// Adopt moves a trace file from a Workspace to its place and, unless the reference
// is the zero value, tags it.
func (s *Store) Adopt(path string, ref Reference) (Entry, error) {
	digest, err := fileDigest(path)
	if err != nil {
		return Entry{}, err
	}
	return s.place(path, digest, ref)
}

// copyTo copies into a new file of the store.
func (s *Store) copyTo(path string, in *os.File) error {
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", in.Name())
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return s.cannotWrite(err)
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err != nil {
		return s.cannotWrite(err)
	}
	return nil
}

// place gives a complete file on the store's file system its name.
func (s *Store) place(path, digest string, ref Reference) (Entry, error) {
	release, err := s.lock(false) // so that it is tagged before a collection removes it
	if err != nil {
		return Entry{}, err
	}
	defer release()
	e, err := inspect(path, digest)
	if err != nil {
		return e, err
	}
	if _, err := s.folder(s.objects()); err != nil {
		return e, err
	}
	object := s.objectPath(digest)
	if _, err := os.Stat(object); err == nil {
		os.Remove(path) // the same bytes are there already
	} else {
		if err := os.Chmod(path, 0o444); err != nil {
			return e, s.cannotWrite(err)
		}
		if err := os.Rename(path, object); err != nil {
			return e, s.cannotWrite(err)
		}
	}
	if ref.Repository != "" && ref.Effective() != "" {
		if err := s.setTag(ref, digest); err != nil {
			return e, err
		}
	}
	return s.Describe(digest)
}

// fileDigest is the SHA-256 of a file.
func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verifyCopy checks everything that can be checked in a file on its way into the
// store, whose name means nothing to the user.
func verifyCopy(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = verified(f, info.Size())
	return err
}

// verified opens a trace and checks everything that can be checked.
func verified(in io.ReaderAt, size int64) (*wtape.Reader, error) {
	r, err := wtape.NewReader(in, size)
	if err != nil {
		return nil, err
	}
	return r, verification.Verify(r)
}
