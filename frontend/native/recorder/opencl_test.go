// SPDX-License-Identifier: Apache-2.0

//go:build linux

package recorder

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// compiledPTX stores its offset and a constant; code that does not heed offsets stores 7.
const compiledPTX = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 .ptr .const .align 4 c) {
	.reg .u64 %a; .reg .u32 %r;
	ld.param.u64 %a, [c];
	ld.const.u32 %r, [%a];
	ld.param.u64 %a, [p];
	st.global.u32 [%a], %r;
	mov.u32 %r, OFFSET;
	st.global.u32 [%a+4], %r;
	ret;
}
`

func fakeCompile(_ context.Context, q *CompileRequest) (*Compiled, error) {
	switch text := string(q.Inputs[0]); {
	case text == "options":
		return &Compiled{BadOptions: true, Log: "no"}, nil
	case text == "wrong":
		return &Compiled{OK: true, Output: []byte("nonsense")}, nil
	case text == "none":
		return nil, errors.New("no compiler")
	}
	offset := "7"
	if q.Offsets {
		offset = "%envreg3"
	}
	return &Compiled{OK: true, Output: []byte(strings.Replace(compiledPTX, "OFFSET", offset, 1))}, nil
}

func compileMessage(stage wire.Stage, texts ...string) []byte {
	b := wire.AppendNumbers(nil, uint64(stage))
	b = wire.AppendNumbers(wire.AppendBytes(wire.AppendBytes(b, ""), "/"), uint64(len(texts)))
	for _, t := range texts {
		b = wire.AppendBytes(b, t)
	}
	return wire.AppendReply(nil, uint32(wire.KindCompile), wire.AppendNumbers(b, 0))
}

func rangeMessage(function, p, c uint64, offset uint64, constants string) []byte {
	arguments := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, p), c)
	b := wire.AppendBytes(wire.AppendNumbers(nil, function, 1, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0, 0), arguments)
	return wire.AppendReply(nil, uint32(wire.KindRange), wire.AppendBytes(wire.AppendNumbers(b, offset, 0, 0, 1), constants))
}

func openclGreeting() []byte {
	out := wire.AppendReply(nil, uint32(wire.KindHello), wire.AppendBytes(wire.AppendNumbers(nil, wire.Version, uint64(wire.APIOpenCL)), "program"))
	out = append(out, compileMessage(wire.StageBuild, "source")...)
	out = append(out, wire.AppendReply(nil, uint32(wire.KindFunction), wire.AppendBytes(wire.AppendNumbers(nil, 0), "k"))...)
	return append(out, message(wire.KindAllocate, 0, 4096)...)
}

// Kernels of OpenCL C find their constants in constant memory; a launch with an offset
// takes code of its own, which the trace tells.
func TestRangesOfOpenCL(t *testing.T) {
	const buffer = 0xC0000000
	sent := openclGreeting()
	sent = append(sent, message(wire.KindFill, buffer, 42, 4, 16, 1, 64, 1)...)
	sent = append(sent, rangeMessage(0, buffer+64, buffer+4, 0, "\x01")...)
	sent = append(sent, rangeMessage(0, buffer+64, buffer, 9, "\x01")...)
	sent = append(sent, rangeMessage(0, buffer+64, buffer, 9, "\x01")...)
	sent = append(sent, message(wire.KindBinary, 0)...)
	result, data, err := recorded(t, sent)
	if err != nil || result.Launches != 3 || result.CutOff != "" {
		t.Fatalf("%+v, %v", result, err)
	}
	r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Launches(); len(r.Kernels()) != 2 || l[0].Kernel != 0 || l[1].Kernel != 1 || l[2].Kernel != 1 || len(r.Header().PTX) != 2 {
		t.Errorf("%d kernels, launches %+v, %+v", len(r.Kernels()), l, r.Header().PTX)
	}
	for _, e := range r.Timeline() {
		if e.Kind == trace.EventAllocate && e.Name != "clCreateBuffer" {
			t.Errorf("a buffer by the name of %s", e.Name)
		}
	}
}

// What a runtime library of OpenCL gone mad sends ends in errors, and in a whole trace.
func TestASessionStandsAnyMessagesOfOpenCL(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := []uint64{0, 1, 2, 0xC0000000, 0xC0000010, 0xC0001000, 1 << 31, 1 << 40, ^uint64(0)}
	pick := func() uint64 { return values[r.IntN(len(values))] }
	texts := []string{"source", "wrong", "options", "none", ""}
	for range 60 {
		sent := openclGreeting()
		for range r.IntN(30) {
			switch r.IntN(6) {
			case 0:
				var inputs []string
				for range r.IntN(3) {
					inputs = append(inputs, texts[r.IntN(len(texts))])
				}
				sent = append(sent, compileMessage(wire.Stage(r.IntN(4)), inputs...)...)
			case 1, 2:
				sent = append(sent, rangeMessage(pick(), pick(), pick(), pick()&0xffffffff, string([]byte{byte(r.IntN(4)), byte(r.IntN(256))}[:r.IntN(3)]))...)
			case 3:
				sent = append(sent, message(wire.KindBinary, pick())...)
			case 4:
				sent = append(sent, message(wire.KindJoin, pick(), 2, pick(), pick())...)
			case 5:
				sent = append(sent, message(wire.KindProfile, pick())...)
			}
		}
		if r.IntN(3) == 0 {
			sent = sent[:r.IntN(len(sent))]
		}
		if _, _, err := recorded(t, sent); err != nil && !errors.Is(err, wire.ErrMalformed) {
			t.Fatal(err)
		}
	}
	// Counts that the message has no room for.
	for _, kind := range []wire.Kind{wire.KindCompile, wire.KindJoin} {
		body := wire.AppendNumbers(nil, 0, 1<<60, 0, 1<<60)
		if _, err := wire.Decode(wire.Message{Kind: kind, Body: body}); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%d: %v", kind, err)
		}
	}
}

// A compilation answers 1 with the module's number, 2 for options that are at fault, and 0 for a source or for PTX that
// the emulator refuses; then come the output and what the compiler says.
func TestACompilationSaysWhatIsAtFault(t *testing.T) {
	for source, want := range map[string]uint64{"source": 1, "options": 2, "wrong": 0} {
		s := &session{ctx: t.Context(), options: Options{Compile: fakeCompile}}
		reply, err := s.compile(&wire.Compile{Stage: wire.StageCompile, Inputs: [][]byte{[]byte(source)}})
		if source == "wrong" { // refused when it is loaded
			reply, err = s.compile(&wire.Compile{Stage: wire.StageBuild, Inputs: [][]byte{[]byte(source)}})
		}
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := wire.AppendNumbers(nil, want); !bytes.HasPrefix(reply, got) {
			t.Errorf("%s: %q does not begin with %d", source, reply, want)
		}
		if said := map[string]string{"options": "no"}[source]; !bytes.HasSuffix(reply, wire.AppendBytes(nil, said)) && source != "wrong" {
			t.Errorf("%s: %q does not end with %q", source, reply, said)
		}
	}
}
