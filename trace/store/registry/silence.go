// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"
)

// retryPolicy tries again what a registry asks to try again. A registry that was
// silent for as long as it may be is not asked a second time: the user who waits for it
// wants to know.
var retryPolicy retry.Policy = &retry.GenericPolicy{
	Retryable: func(answer *http.Response, err error) (bool, error) {
		if silent(err) {
			return false, nil
		}
		return retry.DefaultPredicate(answer, err)
	},
	Backoff: retry.DefaultBackoff,
	MinWait: 200 * time.Millisecond,
	MaxWait: 3 * time.Second,
	// Parts are tried again by persist as well.
	MaxRetry: 5,
}

// silent reports whether an error is that of a time limit.
func silent(err error) bool {
	var timed net.Error
	return errors.As(err, &timed) && timed.Timeout() || errors.Is(err, os.ErrDeadlineExceeded)
}

// transport is HTTP with a limit on every wait: for a connection, for the handshake,
// for an answer, and between two bytes either way.
func (o *Options) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = o.Patience
	t.TLSHandshakeTimeout = o.FirstPatience
	dialer := net.Dialer{Timeout: o.FirstPatience}
	// A little more than what the downloads themselves wait, which say it better.
	patience := &patience{first: o.FirstPatience, later: o.Patience + o.Patience/4}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &watchedConn{conn, patience}, nil
	}
	return t
}

// patience is how long to wait for the other side.
type patience struct {
	first, later time.Duration
	heard        atomic.Bool // the other side has said something
}

func (p *patience) deadline() time.Time {
	if p.heard.Load() {
		return time.Now().Add(p.later)
	}
	return time.Now().Add(p.first)
}

// watchedConn ends when neither a byte comes nor one goes for too long.
type watchedConn struct {
	net.Conn
	patience *patience
}

func (c *watchedConn) Read(b []byte) (int, error) {
	if err := c.SetDeadline(c.patience.deadline()); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.patience.heard.Store(true)
	}
	return n, err
}

// Write puts off the deadline of a Read that waits meanwhile as well. It writes
// little at a time, since a deadline is for one system call.
func (c *watchedConn) Write(b []byte) (int, error) {
	const most = 64 << 10
	written := 0
	for {
		if err := c.SetDeadline(c.patience.deadline()); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(b[written:min(written+most, len(b))])
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}
