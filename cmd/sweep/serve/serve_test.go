// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// served starts a server for a sweep that has two results and one refusal.
func served(t *testing.T, address string) *Server {
	t.Helper()
	recorded, err := filepath.Abs("../../../traces/recorded/spmv.wtape")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse("plan.yaml", []byte("name: s\ntraces: "+recorded+"\nmachines: gtx480\nparameters: {sm.max_warps: [4, 32, 48]}\n"+
		"reference: {sm.max_warps: 48}\nmetrics: {speedup: reference.time_ns / time_ns, \"twice\": 2 * time_ns}"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := results.Create(filepath.Join(t.TempDir(), "<b>results"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&sweep.Runner{Store: store, Workers: 1}).Run(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	s, err := New(store, []string{"s"}, address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request; host is its Host header.
func ask(t *testing.T, s *Server, method, path, host string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+s.Address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// TestThePageShowsTheSweep, and has nothing that runs or comes from elsewhere.
func TestThePageShowsTheSweep(t *testing.T) {
	s := served(t, "localhost:0")
	answer, body := ask(t, s, http.MethodGet, "/", "")
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	for _, want := range []string{"2 of 3 points", "refused: launch 0", "speedup", "gtx480+set(sm.max_warps=32)", "nothing is missing"} {
		if !strings.Contains(html.UnescapeString(body), want) {
			t.Errorf("the page lacks %q: %s", want, body)
		}
	}
	if strings.Contains(body, "<script") || regexp.MustCompile(`(src|href)="[^"]*//`).MatchString(body) || regexp.MustCompile(` on[a-z]+=`).MatchString(body) {
		t.Error("the page runs something, or loads it from elsewhere")
	}
	if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") {
		t.Error(csp)
	}
	answer, body = ask(t, s, http.MethodGet, "/status.json", "")
	var list []struct {
		sweep.Status
		Columns []string   `json:"columns"`
		Rows    [][]string `json:"rows"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(err, answer.Status)
	}
	if l := list[0]; len(list) != 1 || l.Done != 2 || l.Refused != 1 || len(l.Rows) != 2 || l.Rows[1][2] != "1" || len(l.Columns) != 4 {
		t.Errorf("%+v", list)
	}
	if answer, _ := ask(t, s, http.MethodGet, "/style.css", ""); answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/css") {
		t.Error(answer.Status)
	}
}

// TestOnlyThisMachineIsAnswered: a name from elsewhere that was bound to our address is
// refused, and so is whatever would change something.
func TestOnlyThisMachineIsAnswered(t *testing.T) {
	s := served(t, ":0")
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Fatalf("without a host the server listens on %s", s.Address)
	}
	for name, want := range map[string]int{
		"localhost:" + port: 200, "LOCALHOST": 200, "127.0.0.1:" + port: 200, "[::1]:" + port: 200, "10.1.2.3": 200,
		"evil.example": 421, "evil.example:" + port: 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "localhost.": 421,
	} {
		for _, path := range []string{"/", "/status.json", "/style.css", "/nosuch"} {
			status := want
			if path == "/nosuch" && want == 200 {
				status = 404
			}
			if answer, body := ask(t, s, http.MethodGet, path, name); answer.StatusCode != status || want == 421 && strings.Contains(body, "gtx480") {
				t.Errorf("%s%s: %s", name, path, answer.Status)
			}
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if answer, _ := ask(t, s, method, "/", ""); answer.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %s", method, answer.Status)
		}
	}
}

// TestAddresses: a name that was asked for is answered, this machine's own only where
// others may ask, and wrong addresses are refused.
func TestAddresses(t *testing.T) {
	s := served(t, "localhost:0")
	s.hosts["node7"] = true // as New does for node7:8080
	if !s.answersTo("node7:8080") || !s.answersTo("Node7") || s.answersTo("node8") || s.answersTo("") {
		t.Error("the wrong names are answered")
	}
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if s.answersTo(own) && own != "localhost" {
		t.Errorf("%s is answered on the loopback interface", own)
	}
	all, err := New(nil, nil, "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer all.listener.Close()
	if !all.answersTo(own+":80") || all.answersTo("evil.example") {
		t.Error("the wrong names are answered beyond the loopback interface")
	}
	for _, address := range []string{"", "8080", "localhost", "localhost:http:x", "localhost:99999"} {
		if _, err := New(nil, nil, address); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}
