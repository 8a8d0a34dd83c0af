// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// chip is what the front ends and the dispatcher of one machine share.
type chip struct {
	section    *Section
	machine    *arch.Machine
	network    network
	clusters   []*cluster
	dispatcher *dispatcher
}

func newChip(m *arch.Machine) *chip {
	s := of(m)
	return &chip{section: s, machine: m, network: newNetwork(s, m)}
}

// frontEnds builds a driver per cluster, on the front ends that the SMs have
// without it.
func (c *chip) frontEnds(next core.FrontEndBuilder) core.FrontEndBuilder {
	return func(m *arch.Machine, cores []core.Core) ([]core.Driver, error) {
		drivers, err := next(m, cores)
		if err != nil {
			return nil, err
		}
		sms, err := sm.Of(cores)
		if err != nil {
			return nil, fmt.Errorf("buddy: %w", err)
		}
		solo := make([]seam.FrontEnd, len(sms))
		for i := range drivers {
			solo[drivers[i].Cores[0].ID()] = drivers[i].FrontEnd
		}
		k := c.section.Size
		if len(sms)%k != 0 {
			return nil, fmt.Errorf("buddy.size: %d SMs cannot be divided into clusters of %d", len(sms), k)
		}
		c.clusters = c.clusters[:0]
		var out []core.Driver
		for at := 0; at < len(sms); at += k {
			cl, err := newCluster(c, sms[at:at+k], solo[at:at+k])
			if err != nil {
				return nil, err
			}
			c.clusters = append(c.clusters, cl)
			out = append(out, core.Driver{FrontEnd: cl, Cores: cores[at : at+k], Together: cl.together})
		}
		return out, nil
	}
}

// clusterOf is the cluster of an SM.
func (c *chip) clusterOf(sm int) *cluster { return c.clusters[sm/c.section.Size] }

// oldest is the launch that has begun first of those that run, noLaunch for none.
func (c *chip) oldest() int {
	if c.dispatcher == nil || len(c.dispatcher.launches) == 0 {
		return noLaunch
	}
	return c.dispatcher.launches[0].launch
}
