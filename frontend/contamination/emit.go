// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
)

// The control block is a variable of the module by which the host tells a launch what it
// needs to know. These are the places of its fields in bytes.
const (
	ControlCursors   = 0  // u64: address of the warps' cursors, 32 bits each
	ControlLog       = 8  // u64: address of the first warp's log
	ControlRoom      = 16 // u32: bytes of each warp's log
	ControlWarps     = 20 // u32: warps of a thread block
	ControlFirst     = 24 // u64: the grid's thread block that runs as the first
	ControlGrid      = 32 // 3 u32: the grid
	ControlDynamic   = 44 // u32: bytes of dynamic shared memory
	ControlLayout    = 48 // u64: address of what the kernel tells of its variables' places
	ControlState     = 56 // u64: address of the threads' states
	ControlRunWarp   = 64 // u32: the warp that runs a segment
	ControlRunLanes  = 68 // u32: its lanes that do
	ControlRunShared = 72 // u64: address of the thread block's shared memory between segments
	ControlTextures  = 80 // u64: address of the table of textures
	ControlHandles   = 88 // u32: how many handles the table has
	ControlStride    = 92 // u32: bytes of each thread's state, where frames are part of it
	ControlRunBlock  = 96 // u32: the rank in its cluster of the thread block that runs a segment
	// Of wgmma, by segments: the place of the segment among those with products; how many
	// of its Starts have shared memory kept; the address of factors, and behind them what
	// shared memory is to be again and what is kept of it; the size of each of these.
	ControlRunProducts = 100 // u32
	ControlRunKept     = 104 // u32
	ControlKeptBytes   = 108 // u32
	ControlProducts    = 112 // u64
	ControlRunStops    = 120 // u32: what lanes do at instructions that wait for others
	ControlQuiet       = 124 // u32: 1 in a launch that prints nothing
	ControlHeap        = 128 // u64: address of the heap that kernels have memory from
	ControlImages      = 136 // u64: address of the table of OpenCL's images
	ControlBytes       = 144
)

// CursorLimit is where the cursor of a warp that logs more than it can have stays: a cursor that
// came round would leave a log that looks like another, shorter one. Each visit holds it back.
const CursorLimit = 0x81000000

// emitter writes lines of PTX. Its registers begin with prefix, in full "%wt_".
type emitter struct {
	b      strings.Builder
	prefix string
	indent string
	loops  int // written so far
}

// line writes one line, in which $ stands for the prefix of registers.
func (e *emitter) line(format string, a ...any) {
	e.b.WriteString(e.indent)
	e.b.WriteString(strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf(format, a...), "$", "%"+e.prefix), "\x00", "$"))
	e.b.WriteByte('\n')
}

// verbatim is a name of the kernel's or a label in the text of line: its $ stay.
func verbatim(name string) string { return strings.ReplaceAll(name, "$", "\x00") }

// name is the prefix of the module's variables and labels.
func (e *emitter) name() string { return strings.TrimSuffix(e.prefix, "_") }

func (e *emitter) take() string {
	s := e.b.String()
	e.b.Reset()
	return s
}

// declare writes the registers that the added code uses.
func (e *emitter) declare() {
	e.line("// added: registers of the log")
	e.line(".reg .pred $lead, $one, $same, $alike, $fits, $write, $first;")
	e.line(".reg .b32 $active, $lanes, $below, $rank, $rest, $low, $high, $low2, $high2, $lane0, $lane1, $step, $bytes, $at, $end, $room, $lt, $word, $t, $u;")
	e.line(".reg .b64 $cursor, $log, $value, $base, $second, $stride, $place, $list, $d;")
	e.line(".reg .b32 $ctaid_x, $ctaid_y, $ctaid_z, $nctaid_x, $nctaid_y, $nctaid_z;")
	e.line(".reg .b64 $global<4>;")
}

// findLog writes the code that finds the warp's part of the log.
func (e *emitter) findLog() {
	e.line("// added: where this warp logs")
	e.line("mov.u32 $t, %%tid.z;")
	e.line("mov.u32 $u, %%ntid.y;")
	e.line("mov.u32 $low, %%tid.y;")
	e.line("mad.lo.u32 $t, $t, $u, $low;")
	e.line("mov.u32 $u, %%ntid.x;")
	e.line("mov.u32 $low, %%tid.x;")
	e.line("mad.lo.u32 $t, $t, $u, $low;")
	e.line("mov.u32 $high, %%ctaid.x;")
	e.line("or.b32 $low, $t, $high;")
	e.line("setp.eq.u32 $first, $low, 0;")
	e.line("shr.u32 $low, $t, 5;")
	e.line("ld.global.u32 $u, [%s_control+%d];", e.name(), ControlWarps)
	e.line("mad.lo.u32 $low, $high, $u, $low;")
	e.line("ld.global.u32 $room, [%s_control+%d];", e.name(), ControlRoom)
	e.line("ld.global.u64 $cursor, [%s_control+%d];", e.name(), ControlCursors)
	e.line("ld.global.u64 $log, [%s_control+%d];", e.name(), ControlLog)
	e.line("mul.wide.u32 $d, $low, 4;")
	e.line("add.s64 $cursor, $cursor, $d;")
	e.line("mul.wide.u32 $d, $low, $room;")
	e.line("add.s64 $log, $log, $d;")
	e.line("mov.u32 $lt, %%lanemask_lt;")
}

// leader writes the code that sets $lead for the lowest of the lanes. guard, of lanes that
// others do not share, is "" or a predicate like "%p1" or "!%p1".
func (e *emitter) leader(lanes, guard string) {
	e.line("and.b32 $below, %s, $lt;", lanes)
	if guard == "" {
		e.line("setp.eq.u32 $lead, $below, 0;")
		return
	}
	e.line("setp.eq.and.u32 $lead, $below, 0, %s;", guard)
}

// visit writes the record of lanes that come to a segment, or stop before it.
func (e *emitter) visit(kind Kind, number int) {
	e.visitAs(func() { e.line("mov.u32 $word, 0x%x;", uint32(kind)<<kindShift|uint32(number)) })
}

// visitAs writes such a record with the first word that set leaves in $word.
func (e *emitter) visitAs(set func()) {
	e.line("activemask.b32 $active;")
	e.leader("$active", "")
	e.line("@$lead atom.global.add.u32 $at, [$cursor], %d;", headBytes)
	e.line("setp.ge.and.u32 $write, $at, 0x%x, $lead;", CursorLimit)
	e.line("@$write atom.global.exch.b32 $end, [$cursor], 0x%x;", CursorLimit)
	e.room("$lead", headBytes)
	set()
	e.line("@$write st.global.v2.u32 [$place], {$word, $active};")
}

// room computes the place of the record that begins at $at, and $write: the lanes of a
// predicate, if the log has room for it.
func (e *emitter) room(predicate string, bytes int) {
	e.line("add.u32 $end, $at, %d;", bytes)
	e.line("setp.le.and.u32 $write, $end, $room, %s;", predicate)
	e.line("cvt.u64.u32 $place, $at;")
	e.line("add.s64 $place, $place, $log;")
}

// guard writes the record of the lanes for which a guard holds, and leaves them in $lanes.
func (e *emitter) guard(number int, guard string) {
	e.line("activemask.b32 $active;")
	e.line("vote.sync.ballot.b32 $lanes, %s, $active;", guard)
	e.leader("$active", "")
	e.line("@$lead atom.global.add.u32 $at, [$cursor], %d;", recordBytes(KindGuard, 1))
	e.room("$lead", recordBytes(KindGuard, 1))
	e.line("mov.u32 $word, 0x%x;", uint32(KindGuard)<<kindShift|uint32(number))
	e.line("@$write st.global.v2.u32 [$place], {$word, $active};")
	e.line("@$write st.global.u32 [$place+8], $lanes;")
}

// value writes the record of what an operand holds in the lanes for which the guard holds,
// which are in $lanes if there is one: one of 24 bytes where the lanes lie as
// far apart as the first two of them do, else a list. An address that may be of another
// thread block is logged as reach has it.
func (e *emitter) value(number int, v Value, guard string, reach reaching) {
	on := ""
	if guard != "" {
		on = "@" + guard + " " // its lanes are in $lanes
	} else {
		e.line("activemask.b32 $lanes;")
	}
	e.operands(v)
	if v.Loads {
		e.line("%sld.b64 $value, [$value+%d];", on, v.Bytes)
	}
	e.reach(reach)
	e.leader("$lanes", guard)
	e.line("popc.b32 $rank, $below;")
	e.line("brev.b32 $t, $lanes;")
	e.line("clz.b32 $lane0, $t;")
	e.line("add.s32 $t, $lanes, -1;")
	e.line("and.b32 $rest, $lanes, $t;")
	e.line("setp.eq.u32 $one, $rest, 0;")
	e.line("selp.b32 $rest, $lanes, $rest, $one;")
	e.line("brev.b32 $t, $rest;")
	e.line("clz.b32 $lane1, $t;")
	e.line("mov.b64 {$low, $high}, $value;")
	e.line("%sshfl.sync.idx.b32 $low2, $low, $lane1, 31, $lanes;", on)
	e.line("%sshfl.sync.idx.b32 $high2, $high, $lane1, 31, $lanes;", on)
	e.line("%sshfl.sync.idx.b32 $low, $low, $lane0, 31, $lanes;", on)
	e.line("%sshfl.sync.idx.b32 $high, $high, $lane0, 31, $lanes;", on)
	e.line("mov.b64 $base, {$low, $high};")
	e.line("mov.b64 $second, {$low2, $high2};")
	e.line("sub.s64 $d, $second, $base;")
	e.line("cvt.u32.u64 $t, $d;")
	e.line("sub.s32 $u, $lane1, $lane0;")
	e.line("max.s32 $u, $u, 1;")
	e.line("div.s32 $step, $t, $u;")
	e.line("cvt.s64.s32 $stride, $step;")
	e.line("mov.u32 $t, %%laneid;")
	e.line("sub.s32 $t, $t, $lane0;")
	e.line("mul.wide.s32 $d, $t, $step;")
	e.line("add.s64 $d, $d, $base;")
	e.line("setp.eq.s64 $same, $d, $value;")
	e.line("%svote.sync.all.pred $alike, $same, $lanes;", on)
	e.line("popc.b32 $bytes, $lanes;")
	e.line("mad.lo.u32 $bytes, $bytes, 8, %d;", headBytes)
	e.line("selp.b32 $bytes, %d, $bytes, $alike;", recordBytes(KindStrided, 1))
	e.line("@$lead atom.global.add.u32 $at, [$cursor], $bytes;")
	e.line("%sshfl.sync.idx.b32 $at, $at, $lane0, 31, $lanes;", on)
	e.line("add.u32 $end, $at, $bytes;")
	if guard == "" {
		e.line("setp.le.u32 $fits, $end, $room;")
	} else {
		e.line("setp.le.and.u32 $fits, $end, $room, %s;", guard)
	}
	e.line("cvt.u64.u32 $place, $at;")
	e.line("add.s64 $place, $place, $log;")
	e.line("mov.u32 $word, 0x%x;", uint32(KindStrided)<<kindShift|uint32(number))
	e.line("mov.u32 $t, 0x%x;", uint32(KindList)<<kindShift|uint32(number))
	e.line("selp.b32 $word, $word, $t, $alike;")
	e.line("and.pred $write, $lead, $fits;")
	e.line("@$write st.global.v2.u32 [$place], {$word, $lanes};")
	e.line("and.pred $write, $write, $alike;")
	e.line("@$write st.global.u64 [$place+8], $base;")
	e.line("@$write st.global.u64 [$place+16], $stride;")
	e.line("not.pred $write, $alike;")
	e.line("and.pred $write, $write, $fits;")
	e.line("mul.wide.u32 $list, $rank, 8;")
	e.line("add.s64 $list, $list, $place;")
	e.line("@$write st.global.u64 [$list+8], $value;")
}

// operands writes the code that puts what a record has of a lane into $value.
func (e *emitter) operands(v Value) {
	if v.High == nil {
		e.operand(v.Low)
		return
	}
	e.word("$low", v.Low)
	e.word("$high", v.High)
	e.line("mov.b64 $value, {$low, $high};")
}

// word writes the code that puts a coordinate's bits into a register of 32.
func (e *emitter) word(to string, o *ptx.Operand) {
	e.line("mov.b32 %s, %s;", to, verbatim(o.Register.Name))
}

// operand writes the code that puts an operand's value, or its address, into $value.
func (e *emitter) operand(o *ptx.Operand) {
	name := verbatim(o.Register.Name)
	if o.Register.Type.Bits() < 64 {
		if o.Register.Type.Float() {
			e.word("$low", o)
			name = "$low"
		}
		from := "u32"
		if o.Register.Type.Bits() == 16 {
			from = "u16"
		}
		e.line("cvt.u64.%s $value, %s;", from, name)
		name = "$value"
	}
	if o.Kind == ptx.OperandAddress && o.Offset != 0 {
		e.line("add.s64 $value, %s, %d;", name, o.Offset)
	} else if name != "$value" {
		e.line("mov.b64 $value, %s;", name)
	}
}
