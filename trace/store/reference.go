// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"net"
	"regexp"
	"strings"
	"sync"
)

// Reference names a trace: [REGISTRY/]NAME[:TAG][@sha256:HEX], or sha256:HEX alone.
// It is the syntax of OCI references (OCI distribution specification 1.1, "Pulling
// manifests"), so that the name in the store is the name in the registry.
type Reference struct {
	// Registry is HOST or HOST:PORT, empty for a name that is only local. A first
	// component is a registry if it has a dot or a colon or is "localhost".
	Registry string
	// Repository is the name without the registry; empty for a bare digest.
	Repository string
	// Tag is empty when none was written; Effective is what it stands for.
	Tag string
	// Digest is lower-case hex of SHA-256, at least minDigest characters of it, or
	// empty. Which digest it is (of the file, of the content, of an OCI manifest) is
	// for the lookup to find out: they cannot be confused.
	Digest string
}

// DefaultTag is meant when a reference has neither tag nor digest.
const DefaultTag = "latest"

const (
	digestHex     = 64  // hex characters of a whole SHA-256
	minDigest     = 8   // and of an abbreviated one
	maxRepository = 200 // characters, so that it makes a path everywhere
)

// Grammar is the syntax of references, for messages.
const Grammar = "[REGISTRY/]NAME[:TAG] or [REGISTRY/]NAME@sha256:HEX, where NAME is lower-case letters and digits with single separators . _ - / between them; for example saxpy:v1, registry.example.org/team/saxpy:v1, saxpy@sha256:0123abcd"

// OCI distribution specification 1.1, "Pulling manifests": <name> and <reference>. They
// are compiled when a reference is read: a process that reads a file has none.
var (
	repositoryPattern = pattern(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	tagPattern        = pattern(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	hexPattern        = pattern(`^[0-9a-f]+$`)
	hostPattern       = pattern(`^([a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:.]+\])(:[0-9]{1,5})?$`)
)

// pattern compiles an expression at its first use.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// ParseReference reads a reference. The error says what is wrong and gives the grammar.
func ParseReference(text string) (Reference, error) {
	r, err := parseReference(text)
	if err != nil {
		return Reference{}, fmt.Errorf("%q is no name of a trace: %w; want %s", text, err, Grammar)
	}
	return r, nil
}

func parseReference(text string) (r Reference, err error) {
	name, digest, hasDigest := strings.Cut(text, "@")
	if strings.HasPrefix(text, digestPrefix) && !hasDigest {
		name, digest, hasDigest = "", text, true
	} else if name == "" {
		return r, fmt.Errorf("the name is empty")
	}
	if hasDigest {
		if r.Digest, err = parseDigest(digest); err != nil {
			return r, err
		}
	}
	if name == "" {
		return r, nil
	}
	first, rest, hasSlash := strings.Cut(name, "/")
	if hasSlash && (strings.ContainsAny(first, ".:") || first == "localhost") {
		if !hostPattern().MatchString(first) {
			return r, fmt.Errorf("%q is no host of a registry", first)
		}
		r.Registry, name = first, rest
	}
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		name, r.Tag = name[:colon], name[colon+1:]
		if !tagPattern().MatchString(r.Tag) {
			return r, fmt.Errorf("%q is no tag (letters, digits, . _ -, at most 128)", r.Tag)
		}
	}
	r.Repository = name
	if len(name) > maxRepository {
		return r, fmt.Errorf("the name has %d characters, at most %d are allowed", len(name), maxRepository)
	}
	if !repositoryPattern().MatchString(name) || r.Registry == "" && name+":" == digestPrefix {
		return r, fmt.Errorf("%q is no valid name", name)
	}
	return r, nil
}

const digestPrefix = "sha256:"

// parseDigest reads sha256:HEX, which may be abbreviated.
func parseDigest(text string) (string, error) {
	hex, ok := strings.CutPrefix(text, digestPrefix)
	if !ok || !hexPattern().MatchString(hex) || len(hex) < minDigest || len(hex) > digestHex {
		return "", fmt.Errorf("%q is no digest (sha256: and %d to %d lower-case hex digits)", text, minDigest, digestHex)
	}
	return hex, nil
}

// Name is registry and repository, without tag and digest.
func (r Reference) Name() string {
	if r.Registry == "" {
		return r.Repository
	}
	return r.Registry + "/" + r.Repository
}

// Effective is the tag, DefaultTag where neither tag nor digest is given.
func (r Reference) Effective() string {
	if r.Tag == "" && r.Digest == "" {
		return DefaultTag
	}
	return r.Tag
}

// WholeDigest reports whether the digest is given and not abbreviated.
func (r Reference) WholeDigest() bool { return len(r.Digest) == digestHex }

// String is the reference as ParseReference reads it, with the default tag.
func (r Reference) String() string {
	var b strings.Builder
	b.WriteString(r.Name())
	if tag := r.Effective(); tag != "" {
		b.WriteString(":" + tag)
	}
	if r.Digest != "" {
		if r.Repository != "" {
			b.WriteByte('@')
		}
		b.WriteString(digestPrefix + r.Digest)
	}
	return b.String()
}

// Loopback reports whether the registry is on this machine, where plain HTTP is
// the custom.
func (r Reference) Loopback() bool {
	host := r.Registry
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
