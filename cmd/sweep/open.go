// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/wtape"
)

// Open opens a trace by its digest: the file of the manifest, else that of the local
// store, else what Pull fetches.
func (r *Runner) Open(ctx context.Context, planned *results.PlannedTrace) (*wtape.Reader, error) {
	path := r.Store.TracePath(planned)
	t, err := wtape.Open(path)
	if err == nil && t.Digest() != planned.Digest {
		t.Close()
		err = fmt.Errorf("%s: is another trace than that of the sweep; start the sweep again", path)
	} else if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	for _, find := range []func() (string, error){
		func() (string, error) { return inStore(planned.Digest) },
		func() (string, error) { return r.pull(ctx, planned.Digest) },
	} {
		found, err2 := find()
		if err2 == nil {
			return openDigest(found, planned.Digest)
		}
		var missing *store.NotFoundError
		if !errors.As(err2, &missing) && !errors.Is(err2, errNowhere) {
			return nil, fmt.Errorf("%w, and %w", err, err2)
		}
	}
	return nil, fmt.Errorf("%w; nor does the local store have sha256:%s: share it (warptape push), and name where it is with --pull", err, planned.Digest)
}

// openDigest opens a file that has to be of a digest.
func openDigest(path, digest string) (*wtape.Reader, error) {
	t, err := wtape.Open(path)
	if err == nil && t.Digest() != digest {
		t.Close()
		return nil, fmt.Errorf("%s: is not the trace sha256:%s", path, digest)
	}
	return t, err
}

// inStore is the file that the local store has for a content.
func inStore(digest string) (string, error) {
	root, err := store.DefaultRoot()
	if err != nil {
		return "", err
	}
	e, err := store.At(root).Lookup(store.Reference{Digest: digest})
	return e.Path, err
}

// errNowhere says that there is nothing to pull from.
var errNowhere = errors.New("no registry is named")

func (r *Runner) pull(ctx context.Context, digest string) (string, error) {
	if r.Pull == nil {
		return "", errNowhere
	}
	r.say("fetching the trace sha256:%.12s", digest)
	return r.Pull(ctx, digest)
}
