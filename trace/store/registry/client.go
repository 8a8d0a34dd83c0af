// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/warptape/warptape/trace/store"
)

// Options of a push or a pull. The zero value is good.
type Options struct {
	// PlainHTTP forces plain HTTP or HTTPS. By default it is HTTP for a registry on
	// this machine and HTTPS for any other.
	PlainHTTP *bool
	// PartBytes is the size of the parts that a push makes, DefaultPartBytes if zero.
	PartBytes int64
	// Move lets a push move a tag that is another artifact's.
	Move bool
	// UserAgent is the program that the registry is told of, "warptape" if empty.
	UserAgent string
	// Progress, if set, is called with the bytes of the trace that are there.
	Progress func(done, total int64)
	// Notice, if set, is told what the user waits for and what is tried again.
	Notice func(text string)
	// Attempts is how often a part is tried without any progress, 5 if zero. Backoff
	// is what is waited before the second attempt, doubled for each that follows, 500
	// ms if zero.
	Attempts int
	Backoff  time.Duration
	// Patience is how long a registry may think about a request that it has, and how
	// long a transfer may stand still; 2 minutes if zero.
	Patience time.Duration
	// FirstPatience is how long a registry that has said nothing yet may take for its
	// first word, connecting included; 20 seconds, or Patience where that is less, if zero.
	FirstPatience time.Duration
}

func (o *Options) fill() {
	if o.PartBytes <= 0 {
		o.PartBytes = defaultPartBytes
	}
	if o.UserAgent == "" {
		o.UserAgent = "warptape"
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	if o.Backoff <= 0 {
		o.Backoff = 500 * time.Millisecond
	}
	if o.Patience <= 0 {
		o.Patience = 2 * time.Minute
	}
	if o.FirstPatience <= 0 {
		o.FirstPatience = min(20*time.Second, o.Patience)
	}
}

// client talks to one repository.
type client struct {
	ref     store.Reference
	options Options
	repo    *remote.Repository
	// configFile is where credentials are looked for; hasCredentials whether there
	// were any for the registry.
	configFile     string
	hasCredentials bool
}

func newClient(ref store.Reference, options Options) (*client, error) {
	options.fill()
	if ref.Registry == "" {
		return nil, fmt.Errorf("%s names no registry; want REGISTRY/NAME[:TAG], where REGISTRY has a dot or a port or is localhost", ref)
	}
	if ref.Digest != "" && !ref.WholeDigest() {
		return nil, fmt.Errorf("%s: a registry needs the whole digest, 64 hex digits", ref)
	}
	repo, err := remote.NewRepository(ref.Name())
	if err != nil {
		return nil, fmt.Errorf("%s: %w; want %s", ref, err, store.Grammar)
	}
	docker, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, fmt.Errorf("the credentials of the docker configuration cannot be read: %w", err)
	}
	c := &client{ref: ref, options: options, repo: repo, configFile: docker.ConfigPath()}
	repo.PlainHTTP = ref.Loopback()
	if options.PlainHTTP != nil {
		repo.PlainHTTP = *options.PlainHTTP
	}
	lookup := credentials.Credential(docker)
	repo.Client = &auth.Client{
		Client: &http.Client{Transport: &retry.Transport{Base: c.options.transport(), Policy: func() retry.Policy { return retryPolicy }}},
		Header: http.Header{"User-Agent": {options.UserAgent}},
		Cache:  auth.NewCache(),
		Credential: func(ctx context.Context, host string) (auth.Credential, error) {
			found, err := lookup(ctx, host)
			if err != nil {
				return found, fmt.Errorf("the credentials for %s cannot be read (%s): %w", host, c.configFile, err)
			}
			c.hasCredentials = c.hasCredentials || found != auth.EmptyCredential
			return found, nil
		},
	}
	return c, nil
}
