// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"context"
	"fmt"
	"sync"
)

// digestCheck remembers what CheckDigest found: the content of a Reader does not
// change.
type digestCheck struct {
	mu   sync.Mutex
	done bool
	err  error
}

// CheckDigest computes the digest of the content, and fails when it is not what
// Digest says, or when the index lists other frames than the file has. A caller that puts
// Digest on a result calls it. Frames that were exchanged, or that come from another
// trace, have good checksums of their own, and only the digest knows their order. It
// decompresses every frame once, decodes none, and costs little compared with a replay.
// The second call on a Reader costs nothing; any number of goroutines may call it.
func (r *Reader) CheckDigest(ctx context.Context) error {
	r.checked.mu.Lock()
	defer r.checked.mu.Unlock()
	if r.checked.done {
		return r.checked.err
	}
	err := r.content.CheckDigest(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", r.content.Name, err)
	}
	r.checked.done, r.checked.err = true, err
	return err
}
