// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/store"
	"github.com/warptape/warptape/trace/store/registry"
	"github.com/warptape/warptape/trace/store/registrytest"
)

// logIn writes what docker login writes.
func logIn(t *testing.T, config, host, password string) {
	t.Helper()
	auth := base64.StdEncoding.EncodeToString([]byte(registrytest.User + ":" + password))
	text := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, auth)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedAccessNamesRegistryAndRemedy(t *testing.T) {
	config := isolate(t)
	host := registrytest.Start(t, true).Host
	ref := host + "/trace:v1"
	remedy := "docker login " + host
	_, err := registry.Push(context.Background(), small, reference(t, ref), quick())
	wantError(t, err, "registry "+host+" refuses access", "no credentials", config, remedy)
	refused(t, newStore(t), ref, quick(), "registry "+host+" refuses access", "no credentials", remedy)
	logIn(t, config, host, "wrong")
	_, err = registry.Push(context.Background(), small, reference(t, ref), quick())
	wantError(t, err, "refuses access", "do not suffice", config, remedy)
	logIn(t, config, host, registrytest.Password)
	push(t, small, ref)
	sameBytes(t, pull(t, newStore(t), ref).Entry.Path, small)
}

func TestCredentialHelperIsAsked(t *testing.T) {
	config := isolate(t)
	host := registrytest.Start(t, true).Host
	helpers := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncat >/dev/null\necho '{\"ServerURL\": \"%s\", \"Username\": \"%s\", \"Secret\": \"%s\"}'\n", host, registrytest.User, registrytest.Password)
	if err := os.WriteFile(filepath.Join(helpers, "docker-credential-test"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", helpers+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := os.WriteFile(config, []byte(`{"credHelpers": {"`+host+`": "test"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	push(t, small, host+"/trace:v1")
}

func TestUnreadableDockerConfigurationIsNamed(t *testing.T) {
	config := isolate(t)
	if err := os.WriteFile(config, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, newStore(t), "127.0.0.1:1/trace:v1", quick(), "docker configuration", config)
}

func TestUnreachableRegistryIsNamed(t *testing.T) {
	isolate(t)
	refused(t, newStore(t), "127.0.0.1:1/trace:v1", quick(), "registry 127.0.0.1:1 cannot be reached", "refused")
}

func TestPlainHTTPNeedsConsentElsewhere(t *testing.T) {
	isolate(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	o := quick()
	https := false
	o.PlainHTTP = &https
	refused(t, newStore(t), strings.TrimPrefix(server.URL, "http://")+"/trace:v1", o, "speaks plain HTTP", "--plain-http")
}

func TestMissingTraceIsNamed(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	refused(t, newStore(t), host+"/none:v1", quick(), host+"/none:v1", "no such trace")
	refused(t, newStore(t), host+"/none@sha256:"+strings.Repeat("0", 64), quick(), "no such trace")
}

func TestReferencesThatNoRegistryTakesAreRefused(t *testing.T) {
	isolate(t)
	for text, want := range map[string]string{
		"saxpy:v1":                            "names no registry",
		"localhost:1/saxpy@sha256:0123456789": "whole digest",
	} {
		refused(t, newStore(t), text, quick(), want)
	}
	digest := reference(t, "localhost:1/saxpy@sha256:"+strings.Repeat("0", 64))
	_, err := registry.Push(context.Background(), small, digest, quick())
	wantError(t, err, "push to a tag")
}

func TestDamagedTraceIsNotPushed(t *testing.T) {
	isolate(t)
	text, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	path := filepath.Join(t.TempDir(), "damaged.wtape")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = registry.Push(context.Background(), path, reference(t, "127.0.0.1:1/trace:v1"), quick())
	wantError(t, err, path)
	if strings.Contains(err.Error(), "reached") {
		t.Errorf("the registry was asked: %v", err)
	}
}

func TestStoreThatCannotBeWrittenIsNamed(t *testing.T) {
	isolate(t)
	host := shared.Empty(t).Host
	push(t, small, host+"/trace:v1")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, store.At(filepath.Join(file, "store")), host+"/trace:v1", quick(), "trace store "+file, "cannot be written", store.RootVariable)
}
