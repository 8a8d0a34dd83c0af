// SPDX-License-Identifier: Apache-2.0

package schedule

import "github.com/warptape/warptape/timing/lowering/ir"

// read is a register that an operation reads, and how often.
type read struct {
	register ir.Register
	times    int32
}

// table lists the registers that the operations of a block read and write. Orders are tried
// on it, since operations are long and lie apart in memory from their registers.
type table struct {
	read    []read
	written []ir.Register
	// reads and writes are where the lists of each operation begin, and where the last ends.
	reads, writes []int32
	partial       []bool
}

// list makes the table of a block's operations.
func (t *table) list(ops []ir.Op) {
	t.read, t.written, t.partial = t.read[:0], t.written[:0], t.partial[:0]
	t.reads, t.writes = append(t.reads[:0], 0), append(t.writes[:0], 0)
	for i := range ops {
		op := &ops[i]
		begin := len(t.read)
		for k := range op.Src {
			if op.Src[k].Kind == ir.Reg {
				t.readBy(begin, op.Src[k].Register)
			}
		}
		if op.Base.Kind == ir.Reg {
			t.readBy(begin, op.Base.Register)
		}
		if op.Guard.Kind == ir.Reg {
			t.readBy(begin, op.Guard.Register)
		}
		t.written = append(t.written, op.Dst...)
		t.reads, t.writes = append(t.reads, int32(len(t.read))), append(t.writes, int32(len(t.written)))
		t.partial = append(t.partial, op.Partial)
	}
}

// readBy adds a register that the last operation reads, whose list begins there.
func (t *table) readBy(begin int, r ir.Register) {
	for k := begin; k < len(t.read); k++ {
		if t.read[k].register == r {
			t.read[k].times++
			return
		}
	}
	t.read = append(t.read, read{r, 1})
}

func (t *table) readsOf(i int32) []read { return t.read[t.reads[i]:t.reads[i+1]] }

func (t *table) writesOf(i int32) []ir.Register { return t.written[t.writes[i]:t.writes[i+1]] }
