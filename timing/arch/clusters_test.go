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

// A card with fewer SMs than GPCs is one of as many GPCs: sweeps may take SMs away.
func TestACardMayHaveFewerSMsThanGPCs(t *testing.T) {
	m, err := Load("h100+set(gpu.sms=3)")
	if err != nil || m.GPU.SMs != 3 {
		t.Fatal(err)
	}
}
