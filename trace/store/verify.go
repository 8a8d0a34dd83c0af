// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// Verify reads a stored trace from end to end: the file has the digest that it is
// named by, and the trace is good (verification.Verify).
func (s *Store) Verify(digest string) error {
	path := s.objectPath(digest)
	have, err := fileDigest(path)
	if err != nil {
		return err
	}
	if have != digest {
		return fmt.Errorf("%s: the file has SHA-256 %s: it is damaged; remove it (warptape store remove --force sha256:%s) and pull it again", path, have, digest)
	}
	r, err := wtape.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	return verification.Verify(r)
}

// VerifyAll verifies every trace of the store and returns the faults. They are
// damaged traces, tags of traces that are gone, and files that do not belong. It
// calls progress after each trace with the bytes done so far.
func (s *Store) VerifyAll(ctx context.Context, progress func(bytes int64)) (traces int, faults []error, err error) {
	faults, err = s.Faults()
	if err != nil {
		return 0, nil, err
	}
	list, err := s.Entries()
	if err != nil {
		return 0, nil, err
	}
	done := int64(0)
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return traces, faults, err
		}
		if err := s.Verify(e.Digest); err != nil {
			faults = append(faults, err)
		}
		traces++
		done += e.Bytes
		progress(done)
	}
	return traces, faults, nil
}

// Faults says what is wrong with the store that can be seen without reading the
// traces.
func (s *Store) Faults() ([]error, error) {
	entries, faults, err := s.scan()
	if err != nil {
		return nil, err
	}
	stored := map[string]bool{}
	for _, e := range entries {
		stored[e.Digest] = true
	}
	tags, more, err := s.scanTags()
	if err != nil {
		return nil, err
	}
	faults = append(faults, more...)
	for _, t := range tags {
		if !stored[t.Digest] {
			faults = append(faults, fmt.Errorf("%s stands for sha256:%s, which the store has not (or not whole): pull it again, or warptape store remove %s", t, t.Digest, t))
		}
	}
	return faults, nil
}
