// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

// machines builds the machines of points again, for what only a machine can say. A
// machine's file may have changed since: such a machine is not used.
type machines struct{ loaded map[string]machine }

type machine struct {
	built *arch.Machine
	err   error
}

// of gives the machine that a point was replayed on.
func (m *machines) of(p *point) (*arch.Machine, error) {
	spec := p.planned.Architecture
	l, ok := m.loaded[spec]
	if !ok {
		l.built, l.err = arch.Load(spec)
		m.loaded[spec] = l
	}
	if l.err != nil {
		return nil, fmt.Errorf("%s: cannot be built here: %w", spec, l.err)
	}
	if l.built.Digest() != p.result.ArchitectureDigest {
		return nil, fmt.Errorf("%s: is another machine now than when it was replayed", spec)
	}
	return l.built, nil
}
