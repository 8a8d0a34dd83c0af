// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	saxpy = "../../traces/recorded/saxpy.wtape"
	spmv  = "../../traces/recorded/spmv.wtape"
	sgemm = "../../traces/recorded/sgemm.wtape"
)

func temporary(t *testing.T) *Store { return At(filepath.Join(t.TempDir(), "store")) }

func named(t *testing.T, text string) Reference {
	t.Helper()
	ref, err := ParseReference(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func add(t *testing.T, s *Store, path, name string) Entry {
	t.Helper()
	ref := Reference{}
	if name != "" {
		ref = named(t, name)
	}
	e, err := s.Add(path, ref)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// files lists the files of a store but its lock and entries.
func files(t *testing.T, s *Store) (list []string) {
	t.Helper()
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" && !strings.HasPrefix(path, s.entries()) {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

func TestRootFollowsTheEnvironment(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv(RootVariable, "")
	for _, c := range []struct{ override, cache, want string }{
		{"", "", filepath.Join(home, ".cache", "warptape")},
		{"", "relative", filepath.Join(home, ".cache", "warptape")},
		{"", filepath.Join(home, "c"), filepath.Join(home, "c", "warptape")},
		{filepath.Join(home, "s"), filepath.Join(home, "c"), filepath.Join(home, "s")},
	} {
		t.Setenv(RootVariable, c.override)
		t.Setenv("XDG_CACHE_HOME", c.cache)
		if got, err := DefaultRoot(); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

func TestStoredTraceIsFoundByNameAndByEveryDigest(t *testing.T) {
	s := temporary(t)
	e := add(t, s, saxpy, "registry.example.org/team/saxpy:v1")
	add(t, s, spmv, "spmv")
	manifest := strings.Repeat("ab", 32)
	if err := s.AddOrigin(e.Digest, Origin{"registry.example.org/team/saxpy", manifest}); err != nil {
		t.Fatal(err)
	}
	original, err := os.ReadFile(saxpy)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"registry.example.org/team/saxpy:v1", "team/saxpy:v1", "saxpy:v1",
		"sha256:" + e.Digest, "any@sha256:" + e.Content, "saxpy:other@sha256:" + manifest,
		"sha256:" + e.Digest[:8], "sha256:" + e.Content[:10], "sha256:" + manifest[:12],
	} {
		got, err := s.Lookup(named(t, name))
		if err != nil || got.Digest != e.Digest {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		stored, err := os.ReadFile(got.Path)
		if err != nil || !bytes.Equal(stored, original) {
			t.Errorf("%s: other bytes than the original's, %v", name, err)
		}
	}
	var missing *NotFoundError
	for _, name := range []string{"saxpy", "saxpy:v2", "docker.io/team/saxpy:v1", "eam/saxpy:v1", "sha256:00000000", "sha256:" + strings.Repeat("0", 64)} {
		if _, err := s.Lookup(named(t, name)); !errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Lookup(named(t, "saxpy:v2")); !errors.As(err, &missing) || !slices.Equal(missing.Tags, []string{"v1"}) {
		t.Errorf("%v does not name the tag that is there", err)
	}
}

func TestAmbiguousNameListsTheChoices(t *testing.T) {
	s := temporary(t)
	add(t, s, saxpy, "a.org/x:v1")
	add(t, s, spmv, "b.org/x:v1")
	_, err := s.Lookup(named(t, "x:v1"))
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Choices, []string{"a.org/x:v1", "b.org/x:v1"}) {
		t.Errorf("%v", err)
	}
}

func TestSameTraceIsStoredOnce(t *testing.T) {
	s := temporary(t)
	a, b := add(t, s, saxpy, "one"), add(t, s, saxpy, "two:x")
	if a.Digest != b.Digest {
		t.Errorf("%s and %s", a.Digest, b.Digest)
	}
	list, err := s.List()
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Tags, []string{"one:latest", "two:x"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWhatIsNoTraceIsNotAdded(t *testing.T) {
	good, err := os.ReadFile(saxpy)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	for name, content := range map[string][]byte{"empty": nil, "text": []byte("hello"), "cut": good[:len(good)-1], "damaged": damaged} {
		s := temporary(t)
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := s.Add(path, named(t, "x"))
		wantError(t, err, path, "not stored")
		if left := files(t, s); len(left) != 0 {
			t.Errorf("%s: left: %v", name, left)
		}
	}
	_, err = temporary(t).Add(t.TempDir(), named(t, "x"))
	wantError(t, err, "not a regular file")
}

func TestForeignFilesAreNamedAndDoNoHarm(t *testing.T) {
	s := temporary(t)
	e := add(t, s, saxpy, "saxpy:v1")
	want := map[string]string{
		s.objectPath(strings.Repeat("0", 64)):       "no Warptape trace",
		filepath.Join(s.objects(), "readme.txt"):    "does not belong",
		filepath.Join(s.tags(), "stray"):            "does not belong",
		filepath.Join(s.tags(), "saxpy", "%3A"):     "does not belong",
		filepath.Join(s.tags(), "saxpy", "%3Abad"):  "no tag of the store",
		filepath.Join(s.tags(), "UPPER", "%3Av1"):   "does not belong",
		filepath.Join(s.tags(), "long", "%3Av1"):    "no tag of the store",
		filepath.Join(s.tags(), "sax..py", "%3Av1"): "does not belong",
	}
	for path := range want {
		content := "sha256:" + strings.Repeat("z", 64)
		if strings.Contains(path, "long") {
			content = strings.Repeat("sha256:", 1<<16)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, entry := range []string{"", "{", "[]", `{"digest": 1}`, `{"digest": "` + e.Digest + `"}`, `{"digest": "` + e.Digest + `", "content_digest": "../../x"}`} {
		if err := os.WriteFile(s.entryPath(e.Digest), []byte(entry), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := s.List()
		if err != nil || len(list) != 1 || list[0].Content != e.Content || list[0].Bytes != e.Bytes {
			t.Errorf("entry %q: the list is %+v, %v", entry, list, err)
		}
		if got, err := s.Lookup(named(t, "saxpy@sha256:"+e.Content)); err != nil || got.Digest != e.Digest {
			t.Errorf("entry %q: %+v, %v", entry, got, err)
		}
	}
	faults, err := s.Faults()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range want {
		if !slices.ContainsFunc(faults, func(f error) bool {
			return strings.Contains(f.Error(), path) && strings.Contains(f.Error(), text)
		}) {
			t.Errorf("no fault names %s as %q: %v", path, text, faults)
		}
	}
	if len(faults) != len(want) {
		t.Errorf("%d faults of %d files", len(faults), len(want))
	}
}

func TestVerifyFindsWhatHasChanged(t *testing.T) {
	s := temporary(t)
	e := add(t, s, saxpy, "saxpy:v1")
	verify := func() []error {
		t.Helper()
		n, faults, err := s.VerifyAll(t.Context(), func(int64) {})
		if err != nil || n != 1 {
			t.Fatal(n, err)
		}
		return faults
	}
	if faults := verify(); len(faults) != 0 {
		t.Error(faults)
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	os.Remove(e.Path)
	if err := os.WriteFile(e.Path, text, 0o444); err != nil {
		t.Fatal(err)
	}
	faults := verify()
	if len(faults) != 1 {
		t.Fatalf("%d faults: %v", len(faults), faults)
	}
	wantError(t, faults[0], e.Path, "damaged", "warptape store remove --force sha256:"+e.Digest)
	if _, err := s.Remove(named(t, "sha256:"+e.Digest), true); err != nil {
		t.Errorf("the remedy does not work: %v", err)
	}
	if left := files(t, s); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestTagOfATraceThatIsGoneIsNamed(t *testing.T) {
	s := temporary(t)
	e := add(t, s, saxpy, "saxpy:v1")
	os.Remove(e.Path)
	_, err := s.Lookup(named(t, "saxpy:v1"))
	wantError(t, err, "saxpy:v1", "gone", "warptape store remove saxpy:v1")
	faults, err := s.Faults()
	if err != nil || len(faults) != 1 {
		t.Errorf("%v, %v", faults, err)
	}
	if _, err := s.Remove(named(t, "saxpy:v1"), false); err != nil {
		t.Errorf("the remedy does not work: %v", err)
	}
}

func TestTraceGoesWithItsLastName(t *testing.T) {
	s := temporary(t)
	e := add(t, s, saxpy, "a/b:v1")
	add(t, s, saxpy, "c")
	_, err := s.Remove(named(t, "sha256:"+e.Content), false)
	wantError(t, err, "a/b:v1, c:latest", "--force")
	if done, err := s.Remove(named(t, "a/b:v1"), false); err != nil || done.Digest != "" {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err := s.Remove(named(t, "c"), false); err != nil || done.Digest != e.Digest || done.Bytes != e.Bytes {
		t.Errorf("%+v, %v", done, err)
	}
	if left := files(t, s); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	var missing *NotFoundError
	if _, err := s.Remove(named(t, "c"), false); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

// aged makes a trace look as if it was last used so long before now.
func aged(t *testing.T, e Entry, now time.Time, age time.Duration) {
	t.Helper()
	then := now.Add(-age)
	if err := os.Chtimes(e.Path, then, then); err != nil {
		t.Fatal(err)
	}
}

func TestCollectTakesTheOldestWithoutNames(t *testing.T) {
	now := time.Now()
	const day = 24 * time.Hour
	for _, c := range []struct {
		name    string
		options CollectOptions
		gone    []string // files, in the order in which they go
	}{
		{"nothing is old", CollectOptions{UnusedFor: 100 * day, MaxBytes: -1}, nil},
		{"age", CollectOptions{UnusedFor: 15 * day, MaxBytes: -1}, []string{spmv}},
		{"age to the moment", CollectOptions{UnusedFor: 20 * day, MaxBytes: -1}, []string{spmv}},
		{"all", CollectOptions{UnusedFor: 0, MaxBytes: -1}, []string{sgemm, spmv}},
		{"all with names", CollectOptions{UnusedFor: 0, MaxBytes: -1, Tagged: true}, []string{saxpy, sgemm, spmv}},
		{"names are kept", CollectOptions{UnusedFor: -1, MaxBytes: 0}, []string{sgemm, spmv}},
		{"size", CollectOptions{UnusedFor: -1, MaxBytes: 12 << 10}, []string{spmv}},
		{"size with names", CollectOptions{UnusedFor: -1, MaxBytes: 12 << 10, Tagged: true}, []string{saxpy, spmv}},
		{"no limit", CollectOptions{UnusedFor: -1, MaxBytes: 1 << 40, Tagged: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := temporary(t)
			ages := map[string]time.Duration{saxpy: 30 * day, spmv: 20 * day, sgemm: 10 * day}
			of := map[string]string{}
			orphan := s.entryPath(strings.Repeat("0", 64))
			if err := s.writeSmall(orphan, []byte("{}")); err != nil {
				t.Fatal(err)
			}
			for path, age := range ages {
				name := ""
				if path == saxpy {
					name = "saxpy:v1"
				}
				e := add(t, s, path, name)
				aged(t, e, now, age)
				of[e.Digest] = path
			}
			c.options.Now = now
			c.options.DryRun = true
			would, err := s.Collect(c.options)
			if err != nil {
				t.Fatal(err)
			}
			if list, err := s.List(); err != nil || len(list) != 3 {
				t.Errorf("a dry run removed: %v, %v", list, err)
			}
			c.options.DryRun = false
			done, err := s.Collect(c.options)
			if err != nil {
				t.Fatal(err)
			}
			var gone []string
			freed := int64(0)
			for _, e := range done.Removed {
				gone = append(gone, of[e.Digest])
				freed += e.Bytes
			}
			if done.FreedBytes != freed || freed == 0 && len(gone) > 0 {
				t.Errorf("%d bytes freed of files of %d", done.FreedBytes, freed)
			}
			slices.Sort(gone)
			if !slices.Equal(gone, c.gone) || len(would.Removed) != len(done.Removed) || would.FreedBytes != done.FreedBytes {
				t.Errorf("removed %v, want %v; a dry run said %+v", gone, c.gone, would)
			}
			if list, err := s.List(); err != nil || len(list) != 3-len(c.gone) || len(list) != done.KeptTraces {
				t.Errorf("%d left, %v", len(list), err)
			}
			if faults, err := s.Faults(); err != nil || len(faults) != 0 {
				t.Errorf("faults: %v, %v", faults, err)
			}
			if entries, err := os.ReadDir(s.entries()); err != nil || len(entries) != done.KeptTraces {
				t.Errorf("%d entries for %d traces, %v", len(entries), done.KeptTraces, err)
			}
		})
	}
}

// What was used last just as long ago as is asked for goes, and of what there is too much
// the oldest.
func TestTheLimitsOfACollectionAreIncluded(t *testing.T) {
	now := time.Now()
	list := []Listed{{}, {}, {}}
	for i := range list {
		list[i].Digest, list[i].Bytes, list[i].Used = fmt.Sprint(i), 10, now.Add(-time.Duration(i)*time.Hour)
	}
	for _, c := range []struct {
		options CollectOptions
		goes    map[string]bool
	}{
		{CollectOptions{UnusedFor: 2 * time.Hour, MaxBytes: -1}, map[string]bool{"2": true}},
		{CollectOptions{UnusedFor: 2*time.Hour + 1, MaxBytes: -1}, map[string]bool{}},
		{CollectOptions{UnusedFor: -1, MaxBytes: 20}, map[string]bool{"2": true}},
		{CollectOptions{UnusedFor: -1, MaxBytes: 30}, map[string]bool{}},
		{CollectOptions{UnusedFor: -1, MaxBytes: 9}, map[string]bool{"0": true, "1": true, "2": true}},
	} {
		c.options.Now = now
		if goes := choose(list, c.options); !maps.Equal(goes, c.goes) {
			t.Errorf("%+v: %v goes, want %v", c.options, goes, c.goes)
		}
	}
}

func TestCollectTakesWhatInterruptedCommandsLeft(t *testing.T) {
	s := temporary(t)
	for _, name := range []string{"partial/old.part", "partial/new.part", "incoming/add-1/x"} {
		path := filepath.Join(s.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * leftoverAge)
	for _, name := range []string{"partial/old.part", "incoming/add-1"} {
		if err := os.Chtimes(filepath.Join(s.root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	done, err := s.Collect(CollectOptions{UnusedFor: 0, MaxBytes: -1, Now: time.Now()})
	if err != nil || len(done.Leftovers) != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	if left := files(t, s); !slices.Equal(left, []string{filepath.Join(s.root, "partial", "new.part")}) {
		t.Errorf("left: %v", left)
	}
}

func TestAddingRemovingAndCollectingAtOnceKeepTheStoreWhole(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	var workers sync.WaitGroup
	for i, path := range []string{saxpy, spmv, sgemm, saxpy} {
		workers.Go(func() {
			s := At(root) // as another process would
			for round := range 6 {
				ref := Reference{Repository: fmt.Sprintf("n%d", i), Tag: fmt.Sprint(round)}
				e, err := s.Add(path, ref)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := s.Lookup(ref); err != nil || got.Digest != e.Digest {
					t.Errorf("%s is gone at once: %v", ref, err)
				}
				if round%2 == 0 {
					if _, err := s.Remove(ref, false); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	workers.Go(func() {
		for range 10 {
			if _, err := At(root).Collect(CollectOptions{UnusedFor: 0, MaxBytes: 0, Now: time.Now()}); err != nil {
				t.Error(err)
			}
		}
	})
	workers.Wait()
	s := At(root)
	if faults, err := s.Faults(); err != nil || len(faults) != 0 {
		t.Errorf("faults: %v, %v", faults, err)
	}
	if tags, err := s.Tags(); err != nil || len(tags) != 4*3 {
		t.Errorf("%d tags, %v", len(tags), err)
	}
}
