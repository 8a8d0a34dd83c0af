// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/warptape/warptape/trace/store"
)

// download fetches the parts of a trace one after the other into a partial file.
type download struct {
	client  *client
	partial *store.Partial
	parts   []ocispec.Descriptor
	total   int64 // bytes of the file
	fetched int64 // bytes downloaded, also those fetched again
	buffer  []byte
}

// run continues where the partial file ends. Every part in it is checked first, so
// that nothing of an earlier pull is taken on trust.
func (d *download) run(ctx context.Context) error {
	d.buffer = make([]byte, 256<<10)
	have, err := d.partial.Size()
	if err != nil {
		return &localError{err}
	}
	at := int64(0)
	for i, p := range d.parts {
		if at+p.Size <= have && d.check(at, p) != nil {
			have = at
		}
		if at+p.Size > have {
			if err := d.part(ctx, i, at, min(max(have-at, 0), p.Size)); err != nil {
				return err
			}
		}
		at += p.Size
		d.client.options.Progress(at, d.total)
	}
	if have > d.total {
		if err := d.partial.Truncate(d.total); err != nil {
			return &localError{err}
		}
	}
	return nil
}

var errDamaged = errors.New("the bytes do not have the digest")

// check compares a part of the file with its digest.
func (d *download) check(at int64, p ocispec.Descriptor) error {
	v := p.Digest.Verifier()
	if _, err := io.CopyBuffer(v, io.NewSectionReader(d.partial, at, p.Size), d.buffer); err != nil {
		return &localError{err}
	}
	if !v.Verified() {
		return errDamaged
	}
	return nil
}

// part downloads one part; the file may have some of its bytes already. When the part
// turns out to be damaged it is fetched once more, since those bytes may be to blame, and
// then refused; nothing of it stays.
func (d *download) part(ctx context.Context, i int, at, have int64) error {
	p := d.parts[i]
	what := fmt.Sprintf("part %d of %d", i+1, len(d.parts))
	for again := false; ; again = true {
		if err := d.partial.Truncate(at + have); err != nil {
			return &localError{err}
		}
		err := d.client.persist(ctx, what, func() (bool, error) {
			n, err := d.fetch(ctx, p, at, have)
			have += n
			d.fetched += n
			return n > 0, err
		})
		if err == nil {
			err = d.check(at, p)
		}
		if !errors.Is(err, errDamaged) {
			return err
		}
		if err := d.partial.Truncate(at); err != nil {
			return &localError{err}
		}
		have = 0
		if again {
			return fmt.Errorf("%s is damaged: the registry's bytes do not have its digest %s; it is not kept", what, p.Digest)
		}
	}
}

// fetch downloads a part from an offset to its end and returns how much was written.
func (d *download) fetch(ctx context.Context, p ocispec.Descriptor, at, have int64) (int64, error) {
	if have == p.Size {
		return 0, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, skip, err := d.client.openBlob(ctx, p, have)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	patience := d.client.options.Patience
	alive := &watched{body, time.AfterFunc(patience, func() { cancel(errStalled) }), patience}
	defer alive.timer.Stop()
	// A registry without ranges sends all of it; what is there is skipped. No more is
	// taken than the part has.
	if _, err := io.CopyN(io.Discard, alive, skip); err != nil {
		return 0, err
	}
	written, limited := int64(0), io.LimitReader(alive, p.Size-have)
	for {
		n, err := limited.Read(d.buffer)
		if n > 0 {
			if _, err := d.partial.WriteAt(d.buffer[:n], at+have+written); err != nil {
				return written, &localError{err}
			}
			written += int64(n)
			d.client.options.Progress(at+have+written, d.total)
		}
		switch {
		case err == io.EOF && have+written == p.Size:
			return written, nil
		case err == io.EOF:
			return written, io.ErrUnexpectedEOF
		case errors.Is(context.Cause(ctx), errStalled), errors.Is(err, os.ErrDeadlineExceeded):
			// On a busy machine the connection's own deadline may come before the timer.
			return written, errStalled
		case err != nil:
			return written, err
		}
	}
}

// watched puts a timer off whenever bytes come.
type watched struct {
	io.Reader
	timer    *time.Timer
	patience time.Duration
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if n > 0 {
		w.timer.Reset(w.patience)
	}
	return n, err
}

var errStalled = errors.New("the download stands still")

// openBlob asks for a blob from an offset on. The answer starts skip bytes too
// early (OCI distribution specification 1.1, "Pulling blobs": a registry may ignore
// the Range header).
func (c *client) openBlob(ctx context.Context, d ocispec.Descriptor, offset int64) (body io.ReadCloser, skip int64, err error) {
	scheme := "https"
	if c.repo.PlainHTTP {
		scheme = "http"
	}
	where := fmt.Sprintf("%s://%s/v2/%s/blobs/%s", scheme, c.repo.Reference.Host(), c.repo.Reference.Repository, d.Digest)
	ctx = auth.AppendRepositoryScope(ctx, c.repo.Reference, auth.ActionPull)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, 0, err
	}
	if offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	answer, err := c.repo.Client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	switch answer.StatusCode {
	case http.StatusOK:
		return answer.Body, offset, nil
	case http.StatusPartialContent:
		want := fmt.Sprintf("bytes %d-%d/%d", offset, d.Size-1, d.Size)
		if got := answer.Header.Get("Content-Range"); got != want {
			answer.Body.Close()
			return nil, 0, fmt.Errorf("the registry gives %q where %q was asked for", got, want)
		}
		return answer.Body, 0, nil
	case http.StatusNotFound:
		answer.Body.Close()
		return nil, 0, fmt.Errorf("blob %s: %w", d.Digest, errdef.ErrNotFound)
	}
	answer.Body.Close()
	return nil, 0, &errcode.ErrorResponse{Method: request.Method, URL: request.URL, StatusCode: answer.StatusCode}
}
