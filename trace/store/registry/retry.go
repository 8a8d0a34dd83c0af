// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"fmt"
	"time"
)

// persist tries until it succeeds, fails for good, or has failed Attempts times in a
// row without progress. try reports whether it got anywhere.
func (c *client) persist(ctx context.Context, what string, try func() (progress bool, err error)) error {
	wait := c.options.Backoff
	for attempt := 1; ; attempt++ {
		progress, err := try()
		if err == nil || permanent(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if progress {
			attempt, wait = 1, c.options.Backoff
		}
		if attempt >= c.options.Attempts {
			return fmt.Errorf("%s failed %d times: %w; the same command continues where it stopped", what, attempt, err)
		}
		c.options.Notice(fmt.Sprintf("%s: %v; trying again", what, err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}
