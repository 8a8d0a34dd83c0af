// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

// Replay gives the results of a trace on machines as replay.Run does, with o.Version in
// all of them. Those that the store has are taken from it, without what a result's JSON
// lacks (replay.Restore); the others are replayed, and kept if the machine can be priced.
// Model is release.Model; options must say what o asks for. What runs in parallel with the
// trace, o.Attach, is not part of a key, and is refused.
func (s *Store) Replay(ctx context.Context, r *wtape.Reader, machines []*arch.Machine, model string, options Options, o replay.Options) ([]replay.Result, error) {
	if o.Attach != nil || o.IntervalCycles != options.IntervalCycles {
		return nil, errors.New("BUG: a result would be kept that depends on more than its key")
	}
	all := make([]replay.Result, len(machines))
	var missing []int
	var rest []*arch.Machine
	for i, m := range machines {
		found, err := s.find(Identity{r.Digest(), m.Digest(), model, options}, m)
		if err != nil {
			return nil, err
		}
		if found == nil {
			missing, rest = append(missing, i), append(rest, m)
			continue
		}
		all[i] = *found
		all[i].Version = o.Version
	}
	if len(rest) == 0 {
		return all, nil
	}
	made, err := replay.Run(ctx, r, rest, o)
	if err != nil {
		return nil, err
	}
	for j, i := range missing {
		all[i] = made[j]
		if err := s.keep(r, machines[i], model, options, &made[j]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// find gives the result of an identity; nil when it has to be made.
func (s *Store) find(id Identity, m *arch.Machine) (*replay.Result, error) {
	p, err := s.Get(id.Key())
	var missing *NotFoundError
	var damaged *DamagedError
	switch {
	case errors.As(err, &missing), errors.As(err, &damaged):
		return nil, nil // what is made replaces what is damaged
	case err != nil:
		return nil, err
	}
	result, err := replay.Restore(p.Statistics, m)
	if err != nil {
		return nil, fmt.Errorf("result %.12s: %w", p.Key, err)
	}
	return result, nil
}

func (s *Store) keep(r *wtape.Reader, m *arch.Machine, model string, options Options, result *replay.Result) error {
	if options.Energy.Check(m) != nil {
		return nil
	}
	p, err := NewPoint(Identity{r.Digest(), m.Digest(), model, options}, Summarize(r), m, result)
	if err != nil {
		return err
	}
	return s.Put(p)
}
