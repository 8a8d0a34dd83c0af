// SPDX-License-Identifier: Apache-2.0

// Package serve shows sweeps that run as pages of the local machine: read-only, without
// scripts, and only to those who ask for this machine by name.
package serve

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
)

//go:embed page.html style.css
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"rounded": func(v float64) string { return fmt.Sprintf("%.3g", v) },
	"share": func(part, whole int) string {
		if whole == 0 {
			return "0"
		}
		return fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
	},
}).ParseFS(files, "page.html"))

// Server answers for some sweeps of one folder.
type Server struct {
	Address string // host:port that it listens on

	listener net.Listener
	server   *http.Server
	hosts    map[string]bool // names in Host headers that it answers to; it also answers to addresses

	mu     sync.Mutex // one look at a time
	sweeps []*watched
	looked time.Time
}

// watched is a sweep with what was seen of it last.
type watched struct {
	watcher *sweep.Watcher
	shown   shown
	table   *table
}

// shown is what the page and status.json show of a sweep.
type shown struct {
	*sweep.Status
	// TimeLeftText is Status.TimeLeft.
	TimeLeftText string     `json:"time_left"`
	Columns      []string   `json:"columns"` // of the first results
	Rows         [][]string `json:"rows"`
}

// lookEvery bounds how often the folder is looked through, whoever asks.
const lookEvery = time.Second

// New listens on an address HOST:PORT; without a host on the loopback interface, and with
// port 0 on a free one.
func New(store *results.Store, names []string, address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q: want HOST:PORT, as in localhost:8080, or localhost:0 for any free port", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	s := &Server{hosts: map[string]bool{"localhost": true, strings.ToLower(host): true}}
	for _, name := range names {
		w, err := sweep.NewWatcher(store, name)
		if err != nil {
			return nil, err
		}
		t, err := newTable(store, name)
		if err != nil {
			return nil, err
		}
		s.sweeps = append(s.sweeps, &watched{watcher: w, table: t})
	}
	if s.listener, err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	s.Address = s.listener.Addr().String()
	if own, err := os.Hostname(); err == nil && !s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		s.hosts[strings.ToLower(own)] = true
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /status.json", s.status)
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "style.css") })
	s.server = &http.Server{Handler: s.guard(mux), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	return s, nil
}

// URL is where a browser finds the page.
func (s *Server) URL() string { return "http://" + s.Address + "/" }

// Serve answers until the context ends.
func (s *Server) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.server.Close() })()
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guard refuses requests that a page from elsewhere may have made a browser send: a name
// that is not this machine's may have been bound to its address (DNS rebinding). It also
// keeps browsers from running anything on the page.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.answersTo(r.Host) {
			http.Error(w, "this server answers to localhost, to its own name and to addresses only, not to "+r.Host, http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// answersTo reports whether a Host header names this machine: localhost, the name that it
// was told to listen on, its own where others may ask, or an address. An attacker can
// rebind a name of DNS, but no address.
func (s *Server) answersTo(header string) bool {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return s.hosts[strings.ToLower(host)] || net.ParseIP(host) != nil
}

// look gives what is known of all sweeps, at most lookEvery old.
func (s *Server) look() ([]shown, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []shown
	fresh := !s.looked.IsZero() && time.Since(s.looked) < lookEvery
	for _, w := range s.sweeps {
		if !fresh {
			status, err := w.watcher.Look()
			if err != nil {
				return nil, err
			}
			w.shown = shown{Status: status, TimeLeftText: status.TimeLeft()}
			if w.shown.Columns, w.shown.Rows, err = w.table.first(); err != nil {
				return nil, err
			}
		}
		list = append(list, w.shown)
	}
	if !fresh {
		s.looked = time.Now()
	}
	return list, nil
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	list, err := s.look()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, list) // an error is that of a client that has gone
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	list, err := s.look()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}
