// SPDX-License-Identifier: Apache-2.0

package store

import (
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestReferencesReadAsOCIToolsReadThem(t *testing.T) {
	hex := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]Reference{
		"saxpy":                {Repository: "saxpy"},
		"saxpy:v1":             {Repository: "saxpy", Tag: "v1"},
		"team/saxpy:v1":        {Repository: "team/saxpy", Tag: "v1"},
		"localhost/saxpy":      {Registry: "localhost", Repository: "saxpy"},
		"localhost:5000/saxpy": {Registry: "localhost:5000", Repository: "saxpy"},
		"registry.example.org/team/saxpy:V_1.0-x":   {Registry: "registry.example.org", Repository: "team/saxpy", Tag: "V_1.0-x"},
		"[::1]:5000/saxpy":                          {Registry: "[::1]:5000", Repository: "saxpy"},
		"saxpy@sha256:" + hex:                       {Repository: "saxpy", Digest: hex},
		"registry.example.org/a/b:v1@sha256:" + hex: {Registry: "registry.example.org", Repository: "a/b", Tag: "v1", Digest: hex},
		"sha256:01234567":                           {Digest: "01234567"},
		"saxpy@sha256:0123456789":                   {Repository: "saxpy", Digest: "0123456789"},
		"a__b/c.d-e--f0":                            {Repository: "a__b/c.d-e--f0"},
	} {
		got, err := ParseReference(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestBadReferencesAreRefusedWithTheGrammar(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the name is empty",
		"sha256":                            `"sha256" is no valid name`,
		"Saxpy":                             `"Saxpy" is no valid name`,
		"saxpy:":                            "no tag",
		"saxpy:a b":                         "no tag",
		"saxpy:" + strings.Repeat("x", 129): "no tag",
		"a//b":                              "no valid name",
		"../saxpy":                          "no host",
		"..:80/saxpy":                       "no host",
		"a..b":                              "no valid name",
		"registry.example.org/":             "no valid name",
		"-x:1/saxpy":                        "no host",
		"@sha256:01234567":                  "the name is empty",
		"saxpy@01234567":                    "no digest",
		"saxpy@sha256:0123":                 "no digest",
		"saxpy@sha256:0123456G":             "no digest",
		"saxpy@md5:0123456789":              "no digest",
		strings.Repeat("a", 201):            "201 characters",
	} {
		_, err := ParseReference(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), Grammar) {
			t.Errorf("%q: %v; want %q and the grammar", text, err, want)
		}
	}
}

func TestLoopbackIsThisMachineOnly(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:5000": true, "127.0.0.1:5000": true, "127.8.9.1": true, "[::1]:5000": true, "[::1]": true,
		"registry.example.org": false, "localhost.example.org": false, "10.0.0.1:5000": false, "[fe80::1]:80": false,
	} {
		if got := (Reference{Registry: host}).Loopback(); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

func FuzzReference(f *testing.F) {
	for _, seed := range []string{"saxpy", "registry.example.org/team/saxpy:v1", "[::1]:5000/a@sha256:01234567", "sha256:01234567", "a/../b:c", "%3A:%3A", "sha256", "a.b/sha256"} {
		f.Add(seed)
	}
	s := At("store")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseReference(text)
		if err != nil {
			return
		}
		again, err := ParseReference(r.String())
		if err != nil || again.String() != r.String() || again.Name() != r.Name() {
			t.Errorf("%q reads as %+v, which prints as %q, which reads as %+v, %v", text, r, r, again, err)
		}
		if r.Repository == "" || r.Effective() == "" {
			return
		}
		// What a name makes on the disk stays within the store and gives the name back.
		path := s.tagPath(r.Name(), r.Effective())
		if !strings.HasPrefix(path, s.tags()+string(filepath.Separator)) {
			t.Errorf("%q: %s lies outside", text, path)
		}
		tag, err := s.parseTagPath(path)
		if err != nil || tag.Name != r.Name() || tag.Tag != r.Effective() {
			t.Errorf("%q: %s gives %+v, %v", text, path, tag, err)
		}
	})
}
