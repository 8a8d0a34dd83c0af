// SPDX-License-Identifier: Apache-2.0

package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// aged is a folder with a file of each kind, all of them days old. A manifest names a
// point, a failure and a trace; no manifest names the others.
func aged(t *testing.T) (s *Store, named, unnamed []string) {
	t.Helper()
	s = newStore(t)
	key := func(digit string) string { return strings.Repeat(digit, keyLength) }
	m := &Manifest{
		Schema: SchemaVersion, Name: "kept", Traces: []PlannedTrace{{Path: "traces/named.wtape"}},
		Points: []PlannedPoint{{Key: key("a"), Reference: -1}, {Key: key("b"), Reference: -1}, {Reference: -1, Impossible: "a reason"}},
	}
	if err := s.PutManifest(m); err != nil {
		t.Fatal(err)
	}
	named = []string{keyed(points, key("a"), pointSuffix), keyed(failed, key("b"), failureSuffix), "traces/named.wtape"}
	unnamed = []string{
		keyed(points, key("c"), pointSuffix), keyed(refused, key("d"), failureSuffix), keyed(failed, key("e"), failureSuffix),
		"traces/other.wtape", "traces/.new.wtape.0.partial", incoming + "/left",
	}
	for _, path := range slices.Concat(named, unnamed) {
		age(t, s, path, 3*24*time.Hour)
	}
	return s, named, unnamed
}

// age makes a file and says that it is so old.
func age(t *testing.T, s *Store, path string, by time.Duration) {
	t.Helper()
	path = filepath.Join(s.Root(), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-by)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func there(t *testing.T, s *Store, path string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(s.Root(), path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// TestCollectRemovesWhatIsOldAndWithoutAName, says so beforehand, and nothing else.
func TestCollectRemovesWhatIsOldAndWithoutAName(t *testing.T) {
	s, named, unnamed := aged(t)
	for _, o := range []CollectOptions{{Unused: 30 * 24 * time.Hour}, {Unused: 48 * time.Hour, DryRun: true}, {Unused: 48 * time.Hour}} {
		done, err := s.Collect(o)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		if o.Unused == 48*time.Hour {
			found = len(unnamed)
		}
		if n := done.Points + done.Failures + done.Traces + done.Leftovers; n != found || len(done.Paths) != n || done.FreedBytes != int64(5*n) || done.Named != len(named) || done.Young != len(unnamed)-found {
			t.Errorf("%+v: %+v", o, done)
		}
		for _, path := range named {
			if !there(t, s, path) {
				t.Fatalf("%+v: %s has a name and is gone", o, path)
			}
		}
		for _, path := range unnamed {
			if gone := found > 0 && !o.DryRun; there(t, s, path) == gone {
				t.Errorf("%+v: %s is there: %t", o, path, !gone)
			}
		}
	}
}

// TestCollectLeavesWhatMayBeBeingWritten, however short an age is asked for.
func TestCollectLeavesWhatMayBeBeingWritten(t *testing.T) {
	s := newStore(t)
	paths := []string{"traces/.new.wtape.0.partial", incoming + "/left"}
	for _, path := range paths {
		age(t, s, path, 20*time.Hour)
	}
	if done, err := s.Collect(CollectOptions{}); err != nil || len(done.Paths) > 0 || done.Young != len(paths) {
		t.Errorf("%+v, %v", done, err)
	}
	for _, path := range paths {
		if !there(t, s, path) {
			t.Errorf("%s is gone", path)
		}
	}
}

// TestCollectPutsBackWhatASweepNamesMeanwhile: a manifest that comes between the first
// look and the last keeps its points.
func TestCollectPutsBackWhatASweepNamesMeanwhile(t *testing.T) {
	s, _, unnamed := aged(t)
	names, err := s.named()
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.now()
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{store: s, options: CollectOptions{}, now: now, named: names, done: &Collected{}}
	if err := errors.Join(c.keyed(points), c.keyed(refused), c.keyed(failed), c.traces()); err != nil {
		t.Fatal(err)
	}
	m := &Manifest{
		Schema: SchemaVersion, Name: "late", Traces: []PlannedTrace{{Path: "traces/other.wtape"}},
		Points: []PlannedPoint{{Key: strings.Repeat("c", keyLength), Reference: -1}},
	}
	if err := s.PutManifest(m); err != nil {
		t.Fatal(err)
	}
	if err := c.remove(); err != nil {
		t.Fatal(err)
	}
	for i, path := range unnamed[:4] {
		if kept := i == 0 || i == 3; there(t, s, path) != kept {
			t.Errorf("%s: there is %t, want %t", path, !kept, kept)
		}
	}
	if c.done.Points != 0 || c.done.Traces != 0 || c.done.Failures != 2 || c.done.FreedBytes != 15 {
		t.Errorf("%+v", c.done)
	}
}

// TestCollectRemovesNothingBesideAManifestThatItCannotRead.
func TestCollectRemovesNothingBesideAManifestThatItCannotRead(t *testing.T) {
	s, _, unnamed := aged(t)
	path := filepath.Join(s.Root(), sweeps, "kept", manifestFile)
	for _, text := range []string{"{", `{"schema":2}`} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Collect(CollectOptions{}); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "nothing is removed") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, path := range unnamed {
		if !there(t, s, path) {
			t.Errorf("%s is gone", path)
		}
	}
}

// TestCheckFindsEveryFault, and none in a sound folder.
func TestCheckFindsEveryFault(t *testing.T) {
	s := newStore(t)
	p, _ := point(t, "spmv", "gtx480")
	if err := s.Put(p); err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("f", keyLength)
	if err := s.PutFailure(&Failure{Key: p.Key, Identity: p.Identity, Reason: "a reason"}); err != nil {
		t.Fatal(err)
	}
	recorded, err := filepath.Abs("../../traces/recorded/spmv.wtape")
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Schema: SchemaVersion, Name: "sweep", Traces: []PlannedTrace{
		{Path: recorded, Digest: p.TraceDigest}, {Path: "/none/elsewhere.wtape"},
	}, Points: []PlannedPoint{{Key: p.Key, Reference: -1}}}
	if err := s.PutManifest(m); err != nil {
		t.Fatal(err)
	}
	validated := 0
	done, err := s.Check(t.Context(), func([]byte) error { validated++; return nil })
	if err != nil || len(done.Faults) > 0 || done.Points != 1 || done.Failures != 1 || done.Sweeps != 1 || validated != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	m.Name, m.Traces = "other", []PlannedTrace{{Path: recorded, Digest: "another"}, {Path: "traces/none.wtape"}}
	if err := s.PutManifest(m); err != nil {
		t.Fatal(err)
	}
	faults := map[string]string{ // by path
		keyed(points, other, pointSuffix):     "is damaged",
		points + "/ab/note.txt":               "has no name",
		points + "/ab/" + other + ".json.zst": "has no name",
		keyed(failed, other, failureSuffix):   "is damaged",
		sweeps + "/broken/" + manifestFile:    "is damaged",
	}
	for path := range faults {
		age(t, s, path, 0)
	}
	faults["traces/none.wtape"] = "is missing"
	faults[keyed(points, p.Key, pointSuffix)] = "a complaint"
	done, err = s.Check(t.Context(), func([]byte) error { return errors.New("a complaint") })
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range done.Faults {
		if inside, err := filepath.Rel(s.Root(), f.Path); err == nil && filepath.IsLocal(inside) {
			found[inside] = f.Problem
		} else if f.Path != recorded {
			t.Errorf("%+v", f)
		}
	}
	for path, want := range faults {
		if !strings.Contains(found[path], want) {
			t.Errorf("%s: %q, want %q", path, found[path], want)
		}
	}
	if len(found) != len(faults) {
		t.Errorf("%d faults, want %d: %v", len(found), len(faults), found)
	}
}
