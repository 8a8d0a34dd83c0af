// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/store/registry"
	"github.com/warptape/warptape/trace/store/registrytest"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// The traces of the tests: one of a single part, and one of several parts of
// partBytes.
const (
	small     = "../../../traces/recorded/tiny/saxpy.wtape"
	large     = "../../../traces/cpu/sparse-solver.wtape"
	partBytes = 64 << 10
)

// shared is the registry of all tests that need no login.
var shared registrytest.Shared

func TestMain(m *testing.M) {
	code := m.Run()
	shared.End()
	os.Exit(code)
}

// quick are options that do not wait long.
func quick() registry.Options {
	return registry.Options{PartBytes: partBytes, Attempts: 1, Backoff: time.Millisecond}
}

func reference(t *testing.T, text string) store.Reference {
	t.Helper()
	ref, err := store.ParseReference(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func push(t *testing.T, path, ref string) registry.Pushed {
	t.Helper()
	p, err := registry.Push(context.Background(), path, reference(t, ref), quick())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pull(t *testing.T, s *store.Store, ref string) registry.Pulled {
	t.Helper()
	p, err := registry.Pull(context.Background(), s, reference(t, ref), quick())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refused runs a pull that must fail, saying all of the texts.
func refused(t *testing.T, s *store.Store, ref string, o registry.Options, texts ...string) {
	t.Helper()
	_, err := registry.Pull(context.Background(), s, reference(t, ref), o)
	wantError(t, err, texts...)
}

func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that says %q", texts)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

func newStore(t *testing.T) *store.Store { return store.At(filepath.Join(t.TempDir(), "store")) }

// isolate keeps the user's docker configuration out of the tests.
func isolate(t *testing.T) (dockerConfig string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("DOCKER_CONFIG", "")
	os.Unsetenv("DOCKER_CONFIG")
	folder := filepath.Join(home, ".docker")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "config.json")
}

func sameBytes(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// storedFiles lists the files of a store but its lock.
func storedFiles(t *testing.T, s *store.Store) (list []string) {
	t.Helper()
	filepath.WalkDir(s.Root(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			list = append(list, path)
		}
		return nil
	})
	return list
}

func contentDigest(t *testing.T, path string) string {
	t.Helper()
	r, err := wtape.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Digest()
}

func TestPushedTraceComesBackByteForByte(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	for _, path := range []string{small, large} {
		name := host + "/team/" + strings.TrimSuffix(filepath.Base(path), ".wtape")
		pushed := push(t, path, name+":v1")
		for _, ref := range []string{name + ":v1", name + "@sha256:" + pushed.Manifest, name + "@sha256:" + contentDigest(t, path)} {
			s := newStore(t)
			p := pull(t, s, ref)
			sameBytes(t, p.Entry.Path, path)
			if p.FetchedBytes != pushed.Bytes || p.Manifest != pushed.Manifest {
				t.Errorf("%s: %d bytes of manifest %s, pushed were %d of %s", ref, p.FetchedBytes, p.Manifest, pushed.Bytes, pushed.Manifest)
			}
			for _, again := range []string{ref, "sha256:" + pushed.Manifest[:12], "sha256:" + p.Entry.Content} {
				if e, err := s.Lookup(reference(t, again)); err != nil || e.Path != p.Entry.Path {
					t.Errorf("%s is not found offline as %s: %v", ref, again, err)
				}
			}
			if p := pull(t, s, ref); p.FetchedBytes != 0 {
				t.Errorf("%s: the second pull downloads %d bytes", ref, p.FetchedBytes)
			}
		}
		if p := push(t, path, name+":v1"); p.SentBytes != 0 || p.Manifest != pushed.Manifest {
			t.Errorf("%s: the second push sends %d bytes as manifest %s, the first was %s", name, p.SentBytes, p.Manifest, pushed.Manifest)
		}
	}
}

func TestTagIsMovedOnlyOnRequest(t *testing.T) {
	isolate(t)
	ref := shared.Empty(t).Host + "/trace:v1"
	push(t, small, ref)
	_, err := registry.Push(context.Background(), large, reference(t, ref), quick())
	wantError(t, err, ref, "taken by another artifact", "--force")
	o := quick()
	o.Move = true
	if _, err := registry.Push(context.Background(), large, reference(t, ref), o); err != nil {
		t.Fatal(err)
	}
	sameBytes(t, pull(t, newStore(t), ref).Entry.Path, large)
}

func TestInterruptedUploadContinues(t *testing.T) {
	isolate(t)
	proxy := registrytest.NewProxy(t, shared.Empty(t))
	ref := reference(t, proxy.Host+"/trace:v1")
	proxy.Set(&registrytest.Fault{CutUpload: 1000, Skip: 3})
	_, err := registry.Push(context.Background(), large, ref, quick())
	wantError(t, err, "part 4 of", "the same command continues")
	proxy.Set(&registrytest.Fault{})
	p, err := registry.Push(context.Background(), large, ref, quick())
	if err != nil {
		t.Fatal(err)
	}
	if want := p.Bytes - 3*partBytes; p.SentBytes != want {
		t.Errorf("the second push sent %d of %d bytes, want %d: three parts were there", p.SentBytes, p.Bytes, want)
	}
	if most := p.Bytes + partBytes; proxy.Uploaded.Load() > most {
		t.Errorf("%d bytes passed for a trace of %d", proxy.Uploaded.Load(), p.Bytes)
	}
	sameBytes(t, pull(t, newStore(t), ref.String()).Entry.Path, large)
}

func TestInterruptedDownloadContinues(t *testing.T) {
	isolate(t)
	server := shared.Empty(t)
	pushed := push(t, large, server.Host+"/trace:v1")
	proxy := registrytest.NewProxy(t, server)
	ref := proxy.Host + "/trace:v1"
	s := newStore(t)
	proxy.Set(&registrytest.Fault{CutDownload: 8000, Skip: 3})
	refused(t, s, ref, quick(), "part 4 of", "the same command continues")
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("the store lists %v, %v after half a download", list, err)
	}
	proxy.Set(&registrytest.Fault{})
	p := pull(t, s, ref)
	if want := pushed.Bytes - 3*partBytes - 8000; p.FetchedBytes != want {
		t.Errorf("the second pull fetched %d of %d bytes, want %d: three parts and 8000 bytes were there", p.FetchedBytes, pushed.Bytes, want)
	}
	if got := proxy.Downloaded.Load(); got != pushed.Bytes {
		t.Errorf("%d bytes passed for a trace of %d", got, pushed.Bytes)
	}
	sameBytes(t, p.Entry.Path, large)
}

func TestCutConnectionIsTriedAgain(t *testing.T) {
	isolate(t)
	server := shared.Empty(t)
	proxy := registrytest.NewProxy(t, server)
	ref := reference(t, proxy.Host+"/trace:v1")
	o := quick()
	o.Attempts = 2
	notices := 0
	o.Notice = func(string) { notices++ }
	proxy.Set(&registrytest.Fault{CutUpload: 1000, Times: 1})
	if _, err := registry.Push(context.Background(), large, ref, o); err != nil {
		t.Fatal(err)
	}
	// Every connection makes 20 000 bytes of progress: that is never giving up.
	proxy.Set(&registrytest.Fault{CutDownload: 20000})
	p, err := registry.Pull(context.Background(), newStore(t), ref, o)
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, p.Entry.Path, large)
	if notices < 5 {
		t.Errorf("%d notices of what is tried again", notices)
	}
}

func TestCancelledPullCanBeContinued(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	pushed := push(t, large, host+"/trace:v1")
	s := newStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	o := quick()
	o.Progress = func(done, total int64) {
		if done > total/2 {
			cancel()
		}
	}
	if _, err := registry.Pull(ctx, s, reference(t, host+"/trace:v1"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	p := pull(t, s, host+"/trace:v1")
	if p.FetchedBytes == 0 || p.FetchedBytes > pushed.Bytes/2 {
		t.Errorf("%d of %d bytes fetched after half of them", p.FetchedBytes, pushed.Bytes)
	}
	sameBytes(t, p.Entry.Path, large)
}

func TestDownloadThatStandsStillIsTriedAgain(t *testing.T) {
	tracetest.Nightly(t)
	isolate(t)
	server := shared.Empty(t)
	push(t, large, server.Host+"/trace:v1")
	proxy := registrytest.NewProxy(t, server)
	proxy.Set(&registrytest.Fault{CutDownload: 40000, Times: 1, Stall: true})
	o := quick()
	o.Attempts = 2
	o.Patience = 2 * time.Second // what does not stand still may be slow
	var notices []string
	o.Notice = func(text string) { notices = append(notices, text) }
	p, err := registry.Pull(context.Background(), newStore(t), reference(t, proxy.Host+"/trace:v1"), o)
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, p.Entry.Path, large)
	if len(notices) != 1 || !strings.Contains(notices[0], "stands still") {
		t.Errorf("notices: %q", notices)
	}
}

func TestRegistryWithoutRangesSendsAllAgain(t *testing.T) {
	isolate(t)
	server := shared.Empty(t)
	push(t, large, server.Host+"/trace:v1")
	proxy := registrytest.NewProxy(t, server)
	o := quick()
	o.Attempts = 2
	proxy.Set(&registrytest.Fault{CutDownload: 20000, Times: 1, NoRanges: true})
	p, err := registry.Pull(context.Background(), newStore(t), reference(t, proxy.Host+"/trace:v1"), o)
	if err != nil {
		t.Fatal(err)
	}
	sameBytes(t, p.Entry.Path, large)
}

func TestDamagedBlobIsRefusedAndNotKept(t *testing.T) {
	isolate(t)
	server := shared.Empty(t)
	push(t, large, server.Host+"/trace:v1")
	proxy := registrytest.NewProxy(t, server)
	proxy.Set(&registrytest.Fault{FlipByte: true})
	s := newStore(t)
	refused(t, s, proxy.Host+"/trace:v1", quick(), "part 1 of", "damaged", "digest sha256:")
	if files := storedFiles(t, s); len(files) != 0 {
		t.Errorf("left in the store: %v", files)
	}
}

func TestPartialFileIsNotTakenOnTrust(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	pushed := push(t, large, host+"/trace:v1")
	good, err := os.ReadFile(large)
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Clone(good)
	wrong[partBytes+5] ^= 1
	for name, partial := range map[string][]byte{
		"garbage":         bytes.Repeat([]byte("x"), 100000),
		"too long":        append(bytes.Clone(good), "more"...),
		"one byte":        wrong,
		"wrong last part": append(bytes.Clone(good[:partBytes]), "wrong"...),
	} {
		s := newStore(t)
		path := filepath.Join(s.Root(), "partial", pushed.FileDigest+".part")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, partial, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { sameBytes(t, pull(t, s, host+"/trace:v1").Entry.Path, large) })
	}
}

func TestPullsAtOnceDownloadOnce(t *testing.T) {
	isolate(t)
	server := shared.Empty(t)
	pushed := push(t, large, server.Host+"/trace:v1")
	proxy := registrytest.NewProxy(t, server)
	root := newStore(t).Root()
	var pulls sync.WaitGroup
	for range 4 {
		pulls.Go(func() {
			p, err := registry.Pull(context.Background(), store.At(root), reference(t, proxy.Host+"/trace:v1"), quick())
			if err != nil {
				t.Error(err)
				return
			}
			sameBytes(t, p.Entry.Path, large)
		})
	}
	pulls.Wait()
	if got := proxy.Downloaded.Load(); got != pushed.Bytes {
		t.Errorf("%d bytes downloaded for a trace of %d", got, pushed.Bytes)
	}
	if faults, err := store.At(root).Faults(); err != nil || len(faults) != 0 {
		t.Errorf("faults %v, %v", faults, err)
	}
}
