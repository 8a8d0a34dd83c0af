package trace

import (
	"bytes"
	"testing"
)

// smallTrace is a few hundred bytes that use every part of the format: two
// kernels, guards, irregular and strided addresses, a launch without thread
// blocks, a partial warp, events.
func smallTrace(t testing.TB, o Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "small", Header{Tool: "test", Arguments: map[string]string{"n": "40"}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := recordSmall(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func smallKernel() *Kernel {
	k := layOut("guarded", laidBlock{"aLl", []uint32{0, 1}}, laidBlock{"sx", nil})
	k.Instructions[0].Operands = []Operand{
		{Kind: OperandRegister, Register: Register{Number: 3, Words: 2, Virtual: "%rd1"}},
		{Kind: OperandAddress, HasBase: true, Register: Register{Number: 7, Words: 1}, Value: -8},
		{Kind: OperandVector, Elements: []Operand{{Kind: OperandSink}, {Kind: OperandImmediate, Value: -1}}},
	}
	k.Instructions[0].Destinations = 1
	k.SourceFiles = map[uint32]string{2: "b.cu", 1: "a.cu"}
	k.Params = []Param{{Name: "x", Type: "u64", Bytes: 8, Align: 8}}
	k.TimingDependent = []string{"line 3: reads %clock"}
	return k
}

func recordSmall(w *Writer) error {
	for _, k := range []*Kernel{saxpyKernel(), smallKernel()} {
		if _, err := w.AddKernel(k); err != nil {
			return err
		}
	}
	if _, err := w.AddEvent(HostEvent{Kind: EventCopyToDevice, Address: 256, HostAddress: 512, Bytes: 160}); err != nil {
		return err
	}
	if _, err := w.BeginLaunch(Launch{Kernel: 0, Grid: Dim3{0, 1, 1}, Block: Dim3{32, 1, 1}}); err != nil {
		return err
	}
	if err := w.EndLaunch(); err != nil {
		return err
	}
	for range 2 {
		if err := recordSmallLaunch(w); err != nil {
			return err
		}
	}
	_, err := w.AddEvent(HostEvent{Kind: EventSynchronize, AllStreams: true, After: []int{0, 1}})
	return err
}

func recordSmallLaunch(w *Writer) error {
	l := Launch{Kernel: 1, Grid: Dim3{3, 1, 1}, Block: Dim3{40, 1, 1}, Arguments: []byte{1, 2, 3, 4, 5, 6, 7, 8}}
	if _, err := w.BeginLaunch(l); err != nil {
		return err
	}
	for block := range l.Grid.Count() {
		w.BeginBlock(block)
		for warp, lanes := range []uint32{allLanes, 0xff} {
			var odd, line [WarpSize]uint64
			for lane := range uint64(WarpSize) {
				odd[lane] = 4096 + 4*(lane*lane*7%61) + block*64
				line[lane] = 8192 + 4*lane + block*160 + uint64(warp)*128
			}
			for visit := range 2 {
				w.Visit(warp, 0, lanes)
				guard := lanes & 0x55555555 << visit
				w.Guard(warp, guard)
				w.Access(warp, guard, &odd)
				w.Access(warp, lanes, &line)
			}
			w.Visit(warp, 1, lanes)
			w.Access(warp, lanes, &line)
		}
		if err := w.EndBlock(); err != nil {
			return err
		}
	}
	return w.EndLaunch()
}

func openBytes(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
