// SPDX-License-Identifier: Apache-2.0

package registrytest

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Proxy stands between a client and a registry.
type Proxy struct {
	Host string // 127.0.0.1:PORT
	// Uploaded and Downloaded are the bytes of parts that passed.
	Uploaded, Downloaded atomic.Int64
	fault                atomic.Pointer[Fault]
}

// partFloor tells the parts of a trace from its config, which passes untouched.
const partFloor = 8 << 10

// Fault is what goes wrong on the way. Counts are of requests for parts since the
// fault was set.
type Fault struct {
	// CutUpload and CutDownload cut the connection of every request that carries a
	// part, after this many bytes of it; zero for never.
	CutUpload, CutDownload int64
	// Skip lets this many such requests pass first, and Times limits how many are cut
	// after them; zero for all.
	Skip, Times int64
	// Stall makes a download that would be cut stand still instead.
	Stall bool
	// FlipByte changes the first byte of every part downloaded whole.
	FlipByte bool
	// NoRanges hides Range headers from the registry.
	NoRanges bool

	seen atomic.Int64
}

// NewProxy starts a proxy that passes everything.
func NewProxy(t testing.TB, s *Server) *Proxy {
	p := &Proxy{}
	p.Set(&Fault{})
	target := &url.URL{Scheme: "http", Host: s.Host}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // so that the registry's own links lead here
		},
		ModifyResponse: p.answer,
		ErrorLog:       log.New(io.Discard, "", 0), // what is cut is meant to be
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.request(r)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.Host = strings.TrimPrefix(server.URL, "http://")
	return p
}

// Set makes a fault happen from now on.
func (p *Proxy) Set(f *Fault) { p.fault.Store(f) }

func (p *Proxy) request(r *http.Request) {
	f := p.fault.Load()
	if f.NoRanges {
		r.Header.Del("Range")
	}
	if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/blobs/uploads/") && r.ContentLength >= partFloor {
		r.Body = &passing{ReadCloser: r.Body, count: &p.Uploaded, left: f.cut(f.CutUpload)}
	}
}

func (p *Proxy) answer(answer *http.Response) error {
	r := answer.Request
	if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") || answer.StatusCode/100 != 2 || answer.ContentLength < partFloor {
		return nil
	}
	f := p.fault.Load()
	answer.Body = &passing{ReadCloser: answer.Body, count: &p.Downloaded, left: f.cut(f.CutDownload), flip: f.FlipByte && answer.StatusCode == http.StatusOK, stall: f.Stall, gone: r.Context().Done()}
	return nil
}

// cut says after how many bytes this request is cut, -1 for never.
func (f *Fault) cut(after int64) int64 {
	if after == 0 {
		return -1
	}
	n := f.seen.Add(1) - f.Skip
	if n <= 0 || f.Times > 0 && n > f.Times {
		return -1
	}
	return after
}

// passing counts the bytes of a body, and ends it with an error where it is cut.
type passing struct {
	io.ReadCloser
	count *atomic.Int64
	left  int64
	flip  bool
	stall bool
	gone  <-chan struct{} // closed when the client is
}

func (b *passing) Read(p []byte) (int, error) {
	if b.left == 0 {
		if b.stall {
			<-b.gone
		}
		return 0, io.ErrUnexpectedEOF
	}
	if b.left > 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.count.Add(int64(n))
	if b.left > 0 {
		b.left -= int64(n)
	}
	if b.flip && n > 0 {
		p[0] ^= 1
		b.flip = false
	}
	return n, err
}
