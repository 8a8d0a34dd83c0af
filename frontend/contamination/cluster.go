// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"

	"github.com/warptape/warptape/frontend/contaminator"
)

// A launch runs a part of a grid as thread blocks in a row. Those of a cluster follow each
// other there, in the order of their ranks, and the text demands clusters of as many in a
// row. So ranks are the device's own, and the places in the grid are worked out.

// clusterOf is the size of the clusters that a kernel runs in.
func (r *rewriter) clusterOf(k *contaminator.Kernel) [3]uint32 {
	if c := r.options.Cluster; c != [3]uint32{} {
		return c
	}
	return k.PTX.RequiredCluster
}

func clusterBlocks(c [3]uint32) uint32 { return c[0] * c[1] * c[2] }

var (
	requiredCluster = pattern(`\.reqnctapercluster\s+\d+(\s*,\s*\d+)*`)
	largestCluster  = pattern(`\.maxclusterrank\s+\d+`)
)

// inARow demands clusters of thread blocks in a row, before the brace of a kernel's body.
func (r *rewriter) inARow(k *Kernel, brace int) {
	n := clusterBlocks(r.clusterOf(k.Kernel))
	if n <= 1 {
		return
	}
	name := r.source.offset(k.PTX.Position)
	demand := fmt.Sprintf(".reqnctapercluster %d, 1, 1", n)
	if at := largestCluster().FindIndex(r.module.Text[name:brace]); at != nil {
		r.edits = append(r.edits, edit{name + at[0], name + at[1], "/* added: clusters in a row */"})
	}
	if at := requiredCluster().FindIndex(r.module.Text[name:brace]); at != nil {
		r.edits = append(r.edits, edit{name + at[0], name + at[1], demand})
		return
	}
	r.insert(brace, "/* added: clusters in a row */ "+demand+"\n")
}

// findBlock writes the code that finds the thread block's place in the grid and, where it is
// read, that of its cluster. A thread block by itself is a cluster of its own.
func (e *emitter) findBlock(cluster [3]uint32, read bool) {
	c := e.name()
	e.line("// added: which thread block of the grid this is")
	for i, d := range []string{"x", "y", "z"} {
		e.line("ld.global.u32 $nctaid_%s, [%s_control+%d];", d, c, ControlGrid+4*i)
	}
	e.line("ld.global.u64 $d, [%s_control+%d];", c, ControlFirst)
	e.line("mov.u32 $t, %%ctaid.x;")
	e.line("cvt.u64.u32 $value, $t;")
	e.line("add.u64 $d, $d, $value;")
	n := clusterBlocks(cluster)
	if n <= 1 && !read {
		e.spread("ctaid", "nctaid")
		return
	}
	if n <= 1 {
		cluster, n = [3]uint32{1, 1, 1}, 1
	}
	e.line(".reg .b32 $clusterid_x, $clusterid_y, $clusterid_z, $nclusterid_x, $nclusterid_y, $nclusterid_z;")
	e.line(".reg .b32 $cluster_ctaid_x, $cluster_ctaid_y, $cluster_ctaid_z, $cluster_nctaid_x, $cluster_nctaid_y, $cluster_nctaid_z;")
	for i, d := range []string{"x", "y", "z"} {
		e.line("mov.u32 $cluster_nctaid_%s, %d;", d, cluster[i])
		e.line("div.u32 $nclusterid_%s, $nctaid_%s, %d;", d, d, cluster[i])
	}
	e.line("rem.u64 $value, $d, %d;", n)
	e.line("cvt.u32.u64 $t, $value;")
	e.line("rem.u32 $cluster_ctaid_x, $t, %d;", cluster[0])
	e.line("div.u32 $t, $t, %d;", cluster[0])
	e.line("rem.u32 $cluster_ctaid_y, $t, %d;", cluster[1])
	e.line("div.u32 $cluster_ctaid_z, $t, %d;", cluster[1])
	e.line("div.u64 $d, $d, %d;", n)
	e.spread("clusterid", "nclusterid")
	for i, d := range []string{"x", "y", "z"} {
		e.line("mad.lo.u32 $ctaid_%s, $clusterid_%s, %d, $cluster_ctaid_%s;", d, d, cluster[i], d)
	}
}

// spread writes the code that makes a place of the number in $d, in as many as there are.
func (e *emitter) spread(place, of string) {
	e.line("cvt.u64.u32 $value, $%s_x;", of)
	e.line("rem.u64 $base, $d, $value;")
	e.line("div.u64 $d, $d, $value;")
	e.line("cvt.u32.u64 $%s_x, $base;", place)
	e.line("cvt.u64.u32 $value, $%s_y;", of)
	e.line("rem.u64 $base, $d, $value;")
	e.line("div.u64 $d, $d, $value;")
	e.line("cvt.u32.u64 $%s_y, $base;", place)
	e.line("cvt.u32.u64 $%s_z, $d;", place)
}

// clustered reports whether a kernel runs in clusters of several thread blocks.
func (r *rewriter) clustered(k *Kernel) bool { return clusterBlocks(r.clusterOf(k.Kernel)) > 1 }

// By segments, a launch is of the whole cluster, since lanes reach the shared memory of all its
// thread blocks. Those whose turn it is not take theirs from its place between segments, wait
// until the lanes that run have ended, and keep what it is then.

// enterCluster writes the code that takes shared memory, and where the other thread blocks wait.
func (r *rewriter) enterCluster(k *Kernel) {
	c := r.name()
	r.line("ld.global.u32 $t, [%s_control+%d];", c, ControlDynamic)
	r.line("add.u32 $t, $t, %d;", k.State.SharedBytes+sharedAlign-1)
	r.line("and.b32 $t, $t, %d;", -sharedAlign)
	r.line("mov.u32 $u, %%cluster_ctarank;")
	r.line("mul.wide.u32 $d, $t, $u;")
	r.line("add.s64 $shared, $shared, $d;")
	r.copyShared(k, true)
	r.fenceCopies(k)
	r.meetCluster()
	r.line("mov.u32 $t, %%cluster_ctarank;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunBlock)
	r.line("setp.eq.u32 $others, $t, $u;")
	runs := fmt.Sprintf("$%s_runs_%s", c, k.PTX.Name)
	r.b.WriteString(r.indent + fmt.Sprintf("@%%%sothers bra %s;\n", r.prefix, runs))
	r.line("// added: the cluster's other thread blocks wait for the one that runs, and keep shared memory")
	r.meetCluster()
	r.copySharedBy(k, false, copiers{to: "$shared", first: "$thread", step: "$threads"})
	r.line("exit;")
	r.b.WriteString(runs + ":\n")
}

// sharedAlign is what the shared memory of a thread block between segments is a multiple of.
const sharedAlign = 16

func (e *emitter) meetCluster() {
	e.line("barrier.cluster.arrive;")
	e.line("barrier.cluster.wait;")
}

// leaveCluster writes the code by which lanes that stop tell the other thread blocks what they
// have written there. Lanes that have ended are not waited for.
func (r *rewriter) leaveCluster(k *Kernel) {
	if r.clustered(k) {
		r.line("barrier.cluster.arrive;")
	}
}
