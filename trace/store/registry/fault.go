// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// explain says what a failure of the registry means and what to do about it.
func (c *client) explain(err error) error {
	host := c.ref.Registry
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var local *localError
	if errors.As(err, &local) {
		return fmt.Errorf("%s: %w", c.ref, err)
	}
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		return c.logIn(err)
	}
	if errors.Is(err, errdef.ErrNotFound) {
		return fmt.Errorf("%s: registry %s has no such trace; check name, tag and digest", c.ref, host)
	}
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		switch answer.StatusCode {
		case http.StatusUnauthorized, http.StatusForbidden:
			return c.logIn(err)
		}
		return fmt.Errorf("%s: registry %s answers: %w", c.ref, host, err)
	}
	// net/http has no error value for this.
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fmt.Errorf("%s: registry %s speaks plain HTTP; use --plain-http if you trust the network", c.ref, host)
	}
	if silent(err) {
		return fmt.Errorf("%s: registry %s does not answer (it has %s for its first word, %s for any other); check its name, port and your proxy settings, or try again later: %w",
			c.ref, host, c.options.FirstPatience, c.options.Patience, err)
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return fmt.Errorf("%s: registry %s cannot be reached: %w", c.ref, host, err)
	}
	return fmt.Errorf("%s: %w", c.ref, err)
}

// logIn is the remedy for a refusal.
func (c *client) logIn(err error) error {
	problem := fmt.Sprintf("no credentials for it in %s", c.configFile)
	if c.hasCredentials {
		problem = fmt.Sprintf("the credentials for it in %s do not suffice", c.configFile)
	}
	return fmt.Errorf("%s: registry %s refuses access, and there are %s: log in with docker login %s (or oras login, which writes the same file): %w",
		c.ref, c.ref.Registry, problem, c.ref.Registry, err)
}

// permanent reports whether trying again cannot help.
func permanent(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, auth.ErrBasicCredentialNotFound) || errors.Is(err, errdef.ErrNotFound) {
		return true
	}
	var local *localError
	if errors.As(err, &local) {
		return true
	}
	var answer *errcode.ErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	code := answer.StatusCode
	return code/100 == 4 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests && code != http.StatusRequestedRangeNotSatisfiable
}

// localError is a failure on this side, as a full disk.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }
