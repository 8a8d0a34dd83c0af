// SPDX-License-Identifier: Apache-2.0

package arch

import "testing"

// A key of gpu.clusters says something unless it says what the machine is without it. On a machine
// that lacks clusters none does.
func TestKeysOfClustersThatSayNothing(t *testing.T) {
	for _, c := range []struct {
		key    string
		given  Clusters
		unused bool
	}{
		{"gpcs", Clusters{}, true}, {"gpcs", Clusters{GPCs: 1}, true}, {"gpcs", Clusters{GPCs: 2}, false},
		{"remote_cycles", Clusters{GPCs: 9}, true}, {"remote_cycles", Clusters{RemoteCycles: 180}, true}, {"remote_cycles", Clusters{RemoteCycles: 181}, false},
		{"bytes_per_cycle", Clusters{GPCs: 9}, true}, {"bytes_per_cycle", Clusters{BytesPerCycle: 16}, true}, {"bytes_per_cycle", Clusters{BytesPerCycle: 32}, false},
		{"barrier_cycles", Clusters{GPCs: 9}, true}, {"barrier_cycles", Clusters{BarrierCycles: 180}, true}, {"barrier_cycles", Clusters{BarrierCycles: 1}, false},
	} {
		m := new(Machine)
		m.GPU.Clusters = c.given
		if got := m.unusedClusters(c.key); got != c.unused {
			t.Errorf("%s of %+v: unused is %v", c.key, c.given, got)
		}
		m.SM.Lacks.Clusters = true
		if !m.unusedClusters(c.key) {
			t.Errorf("%s of %+v is used by a machine without clusters", c.key, c.given)
		}
	}
}

// Each graphics processing cluster has an SM at least.
func TestEachGPCHasAnSM(t *testing.T) {
	for sms, want := range map[int]int{7: 1, 8: 0, 9: 0} {
		c := &checker{m: new(Machine)}
		c.m.GPU.SMs, c.m.GPU.Clusters.GPCs = sms, 8
		c.checkClusters()
		if len(c.list) != want {
			t.Errorf("8 GPCs of %d SMs: %v", sms, c.list)
		}
	}
}
