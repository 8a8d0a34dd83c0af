// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"testing"

	"github.com/warptape/warptape/timing/mbarrier"
	"github.com/warptape/warptape/trace"
)

// What instructions do at mbarriers, and with groups of copies (PTX ISA 9.7.13.15 and 9.7.9.25).
func TestRolesAtMbarriersAndInGroups(t *testing.T) {
	for _, c := range []struct {
		name    string
		class   trace.OpClass
		role    mbarrierRole
		group   groupRole
		bulk    bool
		changes mbarrier.Change // with the number 5
	}{
		{"mbarrier.init.shared::cta", trace.ClassAtomic, mbarrierInit, groupNone, false, mbarrier.Change{}},
		{"mbarrier.inval.shared::cta", trace.ClassAtomic, mbarrierInvalidate, groupNone, false, mbarrier.Change{}},
		{"mbarrier.arrive.noComplete.shared", trace.ClassAtomic, mbarrierArrive, groupNone, false, mbarrier.Change{Pending: -5}},
		{"mbarrier.arrive.expect_tx.relaxed", trace.ClassAtomic, mbarrierArriveExpecting, groupNone, false, mbarrier.Change{Pending: -1, Bytes: 5}},
		{"mbarrier.arrive_drop.release.cluster", trace.ClassAtomic, mbarrierDrop, groupNone, false, mbarrier.Change{Pending: -5, Expected: -5}},
		{"mbarrier.arrive_drop.expect_tx", trace.ClassAtomic, mbarrierDropExpecting, groupNone, false, mbarrier.Change{Pending: -1, Expected: -1, Bytes: 5}},
		{"mbarrier.expect_tx.relaxed", trace.ClassAtomic, mbarrierExpect, groupNone, false, mbarrier.Change{Bytes: 5}},
		{"mbarrier.complete_tx.relaxed", trace.ClassAtomic, mbarrierComplete, groupNone, false, mbarrier.Change{Bytes: -5}},
		{"mbarrier.test_wait.parity", trace.ClassAtomic, mbarrierLook, groupNone, false, mbarrier.Change{}},
		{"mbarrier.try_wait.acquire", trace.ClassAtomic, mbarrierLook, groupNone, false, mbarrier.Change{}},
		{"mbarrier.pending_count", trace.ClassIntAdd, mbarrierNone, groupNone, false, mbarrier.Change{}},
		{"barrier.cluster.arrive", trace.ClassFence, mbarrierNone, groupNone, false, mbarrier.Change{}},
		{"cp.async.mbarrier.arrive.shared", trace.ClassAtomic, mbarrierCopies, groupNone, false, mbarrier.Change{}},
		{"cp.async.mbarrier.arrive.noinc.shared", trace.ClassAtomic, mbarrierCopiesCounted, groupNone, false, mbarrier.Change{}},
		{"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes", trace.ClassStore, mbarrierStore, groupNone, false, mbarrier.Change{}},
		{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc", trace.ClassAtomic, mbarrierStore, groupNone, false, mbarrier.Change{}},
		{"st.release.shared::cluster", trace.ClassStore, mbarrierNone, groupNone, false, mbarrier.Change{}},
		{"cp.async.ca.shared.global", trace.ClassLoad, mbarrierNone, groupMember, false, mbarrier.Change{}},
		{"cp.async.commit_group", trace.ClassNop, mbarrierNone, groupCommitted, false, mbarrier.Change{}},
		{"cp.async.wait_all", trace.ClassFence, mbarrierNone, groupAwaited, false, mbarrier.Change{}},
		{"cp.async.bulk.global.shared::cta.bulk_group", trace.ClassBulk, mbarrierNone, groupMember, true, mbarrier.Change{}},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add", trace.ClassBulk, mbarrierNone, groupMember, true, mbarrier.Change{}},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", trace.ClassBulk, mbarrierNone, groupNone, true, mbarrier.Change{}},
		{"cp.async.bulk.prefetch.L2.global", trace.ClassNop, mbarrierNone, groupNone, true, mbarrier.Change{}},
		{"cp.async.bulk.commit_group", trace.ClassNop, mbarrierNone, groupCommitted, true, mbarrier.Change{}},
		{"wgmma.mma_async.sync.aligned.m64n8k16", trace.ClassTensor, mbarrierNone, groupMember, false, mbarrier.Change{}},
		{"wgmma.commit_group.sync.aligned", trace.ClassNop, mbarrierNone, groupCommitted, false, mbarrier.Change{}},
		{"wgmma.wait_group.sync.aligned", trace.ClassNop, mbarrierNone, groupAwaited, false, mbarrier.Change{}},
		{"wgmma.fence.sync.aligned", trace.ClassNop, mbarrierNone, groupNone, false, mbarrier.Change{}},
		{"ld.global", trace.ClassLoad, mbarrierNone, groupNone, false, mbarrier.Change{}},
	} {
		in := written(c.name, c.class)
		async := asyncRoleOf(in)
		if got := mbarrierRoleOf(in); got != c.role || changeOf(got, 5) != c.changes {
			t.Errorf("%s: role %d with changes %+v, want %d with %+v", c.name, got, changeOf(got, 5), c.role, c.changes)
		}
		if async.role != c.group || async.bulk != c.bulk {
			t.Errorf("%s: %+v, want role %d, bulk %v", c.name, async, c.group, c.bulk)
		}
	}
}

// A wait for groups leaves as many as its operand says, and .read waits for the sources only.
func TestWaitsForGroups(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int64
		reads bool
	}{{"cp.async.wait_group", 3, false}, {"cp.async.bulk.wait_group", 0, false}, {"cp.async.bulk.wait_group.read", 7, true}} {
		in := written(c.name, trace.ClassFence)
		in.Operands = []trace.Operand{{Kind: trace.OperandImmediate, Value: c.n}}
		if r := asyncRoleOf(in); r.role != groupAwaited || int64(r.left) != c.n || r.reads != c.reads || r.open {
			t.Errorf("%s %d: %+v", c.name, c.n, r)
		}
	}
}
