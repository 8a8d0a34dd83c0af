// SPDX-License-Identifier: Apache-2.0

// Package registrytest starts a real OCI registry for tests: Debian's package
// docker-registry, on a free port of the loopback interface, with a folder of the
// test's. It also has a proxy that damages what passes.
package registrytest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Program is the registry's executable.
const Program = "docker-registry"

// User and Password are known to a Server with a login.
const (
	User     = "researcher"
	Password = "correct horse"
)

// passwords is what "htpasswd -nbB -C 4 researcher 'correct horse'" prints, but for
// the salt.
const passwords = User + ":$2a$04$IriX1mEn0t3pRlUeGSgbzuMSwQUqxm48Lfjpb7pCxVHK9fg1c.U.a\n"

// Server is a running registry.
type Server struct {
	Host string // 127.0.0.1:PORT
	stop func()
}

// Shared is a registry for tests that run one after the other, so that a process starts for all of
// them. Its zero value starts one when a test asks; TestMain ends it.
type Shared struct {
	server *Server
	folder string
}

// Empty gives the registry without what another test has pushed.
func (s *Shared) Empty(t testing.TB) *Server {
	t.Helper()
	program := installed(t)
	if s.server == nil {
		folder, err := os.MkdirTemp("", "warptape-registry-")
		if err != nil {
			t.Fatal(err)
		}
		s.folder, s.server = folder, started(t, program, folder, false)
	}
	if err := os.RemoveAll(blobs(s.folder)); err != nil {
		t.Fatal(err)
	}
	return s.server
}

// End stops the registry, if any test has asked for it, and removes its folder.
func (s *Shared) End() {
	if s.server != nil {
		s.server.stop()
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// Start runs a registry until the test ends. The test is skipped where the registry
// is not installed. With a login it lets only User in.
func Start(t testing.TB, login bool) *Server {
	t.Helper()
	s := started(t, installed(t), t.TempDir(), login)
	t.Cleanup(s.stop)
	return s
}

// installed finds the registry, or skips the test.
func installed(t testing.TB) (program string) {
	t.Helper()
	program, err := exec.LookPath(Program)
	if err != nil {
		t.Skipf("%s is not installed (apt-get install %s): pushing and pulling are not tested", Program, Program)
	}
	return program
}

func started(t testing.TB, program, folder string, login bool) *Server {
	t.Helper()
	// A port that is free now may be taken a moment later.
	for attempt := 0; ; attempt++ {
		s, err := start(program, folder, login)
		if err == nil {
			return s
		}
		if attempt == 3 {
			t.Fatal(err)
		}
	}
}

func start(program, folder string, login bool) (*Server, error) {
	host, err := freePort()
	if err != nil {
		return nil, err
	}
	config, err := writeConfig(folder, host, login)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(program, "serve", config)
	command.Stdout, command.Stderr = log, log
	command.Env = []string{"HOME=" + folder, "PATH=" + os.Getenv("PATH"), "OTEL_TRACES_EXPORTER=none"}
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		command.Wait()
		close(ended)
	}()
	s := &Server{Host: host, stop: func() {
		command.Process.Kill()
		<-ended
	}}
	if err := s.await(ended); err != nil {
		s.stop()
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return s, nil
}

// Stop ends the registry before the test does.
func (s *Server) Stop() { s.stop() }

func freePort() (host string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// blobs is where a registry keeps all that is pushed.
func blobs(folder string) string { return filepath.Join(folder, "blobs") }

// writeConfig writes the registry's configuration.
func writeConfig(folder, host string, login bool) (string, error) {
	config := fmt.Sprintf(`version: 0.1
log: {level: warn}
storage:
  filesystem: {rootdirectory: %q}
http: {addr: %q, secret: test}
`, blobs(folder), host)
	if login {
		file := filepath.Join(folder, "htpasswd")
		if err := os.WriteFile(file, []byte(passwords), 0o600); err != nil {
			return "", err
		}
		config += fmt.Sprintf("auth: {htpasswd: {realm: test, path: %q}}\n", file)
	}
	path := filepath.Join(folder, "config.yml")
	return path, os.WriteFile(path, []byte(config), 0o600)
}

// await waits until the registry answers.
func (s *Server) await(ended <-chan struct{}) error {
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		answer, err := http.Get("http://" + s.Host + "/v2/")
		if err == nil {
			answer.Body.Close()
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("%s ended at once", Program)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer on %s", Program, s.Host)
}
