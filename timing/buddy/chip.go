package buddy

import (
	"errors"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// chip is what the front ends and the dispatcher of one machine share.
type chip struct {
	section  *Section
	machine  *arch.Machine
	network  network
	clusters []*cluster
}

func newChip(m *arch.Machine) *chip {
	s := of(m)
	return &chip{section: s, machine: m, network: newNetwork(s, m)}
}

// frontEnds builds a driver per cluster, on the front ends that the SMs have
// without it.
func (c *chip) frontEnds(next gpu.FrontEndBuilder) gpu.FrontEndBuilder {
	return func(m *arch.Machine, sms []*sm.SM) ([]gpu.Driver, error) {
		drivers, err := next(m, sms)
		if err != nil {
			return nil, err
		}
		solo := make([]seam.FrontEnd, len(sms))
		for i := range drivers {
			if len(drivers[i].SMs) != 1 || drivers[i].Exclusive {
				return nil, errors.New("buddy: clusters need an own front end in each SM that others may stand in for; switch the other mechanism of the front ends off")
			}
			solo[drivers[i].SMs[0].ID()] = drivers[i].FrontEnd
		}
		if len(sms) > 0 && sms[0].Offloads() {
			return nil, errors.New("buddy: SMs cannot issue together when an offload engine may hold one of them; switch one of the two mechanisms off")
		}
		k := c.section.Size
		if len(sms)%k != 0 {
			return nil, fmt.Errorf("buddy.size: %d SMs cannot be divided into clusters of %d", len(sms), k)
		}
		c.clusters = c.clusters[:0]
		var out []gpu.Driver
		for at := 0; at < len(sms); at += k {
			cl, err := newCluster(c, sms[at:at+k], solo[at:at+k])
			if err != nil {
				return nil, err
			}
			c.clusters = append(c.clusters, cl)
			out = append(out, gpu.Driver{FrontEnd: cl, SMs: sms[at : at+k]})
		}
		return out, nil
	}
}

// groupOf is the group of an SM, and its place in it.
func (c *chip) groupOf(sm int) (*group, int) {
	cl := c.clusters[sm/c.section.Size]
	for _, g := range cl.groups {
		if i := sm - g.sms[0].ID(); i >= 0 && i < len(g.sms) {
			return g, i
		}
	}
	panic("BUG: buddy: an SM belongs to no group")
}
