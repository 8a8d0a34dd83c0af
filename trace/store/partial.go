// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Partial is a download on its way into the store. What was written stays when it
// is closed, so that the next one continues. One process at a time has the Partial
// of a digest.
type Partial struct {
	store  *Store
	file   *os.File
	digest string
	// keep says whether another may continue: not where there are no locks.
	keep bool
	done bool
}

func (s *Store) partials() string { return filepath.Join(s.root, "partial") }

const partialSuffix = ".part"

// lockPoll is how often a process that waits for another's download looks.
const lockPoll = 200 * time.Millisecond

// Receive opens the partial file of a trace, given by the whole digest of its file.
// Another process that is downloading the same is waited for; waiting is called
// once then. The result is nil when the trace is stored already.
func (s *Store) Receive(ctx context.Context, digest string, waiting func()) (*Partial, error) {
	folder, err := s.folder(s.partials())
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, digest+partialSuffix)
	for {
		if _, err := os.Stat(s.objectPath(digest)); err == nil {
			return nil, nil
		}
		p, err := s.tryReceive(path, digest)
		if p != nil || err != nil {
			return p, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// tryReceive returns nil and no error while another process has the file.
func (s *Store) tryReceive(path, digest string) (*Partial, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, s.cannotWrite(err)
	}
	err = lockFile(f, true, false)
	if err == nil && stillNamed(f, path) {
		return &Partial{store: s, file: f, digest: digest, keep: true}, nil
	}
	f.Close()
	if err == nil || wouldWait(err) {
		return nil, nil
	}
	// No locks here: a file of our own.
	f, err = os.CreateTemp(filepath.Dir(path), digest+"-*"+partialSuffix)
	if err != nil {
		return nil, s.cannotWrite(err)
	}
	return &Partial{store: s, file: f, digest: digest}, nil
}

// stillNamed reports whether an open file is the one at the path, which it is not
// when the process that had the lock before has renamed it.
func stillNamed(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// Path is the file's path; it changes with Commit.
func (p *Partial) Path() string { return p.file.Name() }

// Size is what has been downloaded, in bytes.
func (p *Partial) Size() (int64, error) {
	info, err := p.file.Stat()
	if err != nil {
		return 0, p.store.cannotWrite(err)
	}
	return info.Size(), nil
}

// ReadAt reads what has been downloaded.
func (p *Partial) ReadAt(b []byte, at int64) (int, error) { return p.file.ReadAt(b, at) }

// WriteAt writes. Its error says what to do about it.
func (p *Partial) WriteAt(b []byte, at int64) (int, error) {
	n, err := p.file.WriteAt(b, at)
	if err != nil {
		err = p.store.cannotWrite(err)
	}
	return n, err
}

// Truncate forgets what follows.
func (p *Partial) Truncate(size int64) error {
	if err := p.file.Truncate(size); err != nil {
		return p.store.cannotWrite(err)
	}
	return nil
}

// Check verifies that what was downloaded is the file of the digest and a good trace
// with the given content digest (lower-case hex).
func (p *Partial) Check(content string) error {
	size, err := p.Size()
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(p.file, 0, size)); err != nil {
		return err
	}
	if have := hex.EncodeToString(h.Sum(nil)); have != p.digest {
		return fmt.Errorf("the file has SHA-256 %s, not %s", have, p.digest)
	}
	r, err := verified(p.file, size)
	if err != nil {
		return err
	}
	if r.Digest() != content {
		return fmt.Errorf("the trace has the content digest %s, not %s", r.Digest(), content)
	}
	return nil
}

// Commit stores the file under its digest, which the caller has checked with
// Check, and tags
// it unless the reference is the zero value.
func (p *Partial) Commit(ref Reference) (Entry, error) {
	if err := p.file.Sync(); err != nil {
		return Entry{}, p.store.cannotWrite(err)
	}
	e, err := p.store.place(p.file.Name(), p.digest, ref)
	if err == nil {
		p.done = true
	}
	return e, err
}

// Close gives the file up: it stays for the next Receive, unless it is empty.
func (p *Partial) Close() error {
	if size, err := p.Size(); !p.done && (!p.keep || err == nil && size == 0) {
		if err := os.Remove(p.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.file.Close()
			return p.store.cannotWrite(err)
		}
	}
	return p.file.Close()
}
