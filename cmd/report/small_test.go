// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/cmd/sweep/plan"
	_ "github.com/warptape/warptape/timing/mechanisms"
)

// smallPlan has sixteen points; eight of them have no machine. On one SM a short trace takes longer with fewer warps.
const smallPlan = `
name: small
traces: [RECORDED/spmv.wtape, RECORDED/tiny/saxpy.wtape]
machines: [gtx480+set(gpu.sms=1), mesh56]
parameters: {l1.ways: [4, 7], sm.max_warps: [24, 48]}
reference: {sm.max_warps: 48}
metrics:
  speedup: {value: reference.time_ns / time_ns, better: higher}
  flushes: {value: tinycache.tinycache_flushes / 2}
`

// made is the folder that smallFolder has made; empty: none.
var made string

// smallFolder is a folder of results of smallPlan, made once for all tests.
var smallFolder = sync.OnceValues(func() (string, error) {
	recorded, err := filepath.Abs("../../traces/recorded")
	if err != nil {
		return "", err
	}
	root, err := os.MkdirTemp("", "warptape-report-")
	if err != nil {
		return "", err
	}
	made = root
	p, err := plan.Parse("small.yaml", []byte(strings.ReplaceAll(smallPlan, "RECORDED", recorded)))
	if err != nil {
		return root, err
	}
	store, err := results.Create(filepath.Join(root, "results"))
	if err != nil {
		return root, err
	}
	_, err = (&sweep.Runner{Store: store}).Run(context.Background(), p)
	return root, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	stopChromium()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// small gives a copy of the folder that a test may change.
func small(t *testing.T) *results.Store {
	t.Helper()
	root, err := smallFolder()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "results")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "results"))); err != nil {
		t.Fatal(err)
	}
	store, err := results.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// documentOf makes the document of the small sweep.
func documentOf(t *testing.T, store *results.Store) *Document {
	t.Helper()
	d, err := OfSweep(store, "small", Options{Version: "test", Details: ReferenceDetails})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func pageOf(t *testing.T, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sectionOf finds a section.
func sectionOf(t *testing.T, d *Document, id string) *Section {
	t.Helper()
	for _, s := range d.Sections {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("there is no section %s", id)
	return nil
}
