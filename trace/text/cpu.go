// SPDX-License-Identifier: Apache-2.0

package text

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// The outcomes of an instruction in the text form.
const (
	textNoBranch    = "-"
	textNotTaken    = "n"
	textTaken       = "t"
	textMarkedTaken = "m"
)

func (t *textWriter) BeginCPUThread() (int, error) {
	fmt.Fprintln(t.out, "cpu-thread")
	t.threads++
	return t.threads - 1, t.err
}

func (t *textWriter) BeginCPUChunk() error {
	fmt.Fprintln(t.out, "cpu-chunk")
	return t.err
}

func (t *textWriter) AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error {
	fmt.Fprintf(t.out, "i %x %s %x %x %d %s %s\n", in.IP, textOutcome(in, taken), in.Destinations, in.Sources, in.ASID,
		textSlots(in.StoreSlots, addresses[:in.Stores()]), textSlots(in.LoadSlots, addresses[in.Stores():]))
	return t.err
}

func (t *textWriter) AddCPUSync(s trace.CPUSync) error {
	fmt.Fprintf(t.out, "sync %v %x %d\n", s.Kind, s.Object, s.Threads)
	return t.err
}

func textOutcome(in *trace.CPUInstruction, taken bool) string {
	switch {
	case in.MarkedTaken:
		return textMarkedTaken
	case !in.Branch:
		return textNoBranch
	case taken:
		return textTaken
	}
	return textNotTaken
}

// textSlots prints the operands of all slots, "-" for an empty one, or one "-".
func textSlots(slots uint8, addresses []uint64) string {
	if slots == 0 {
		return "-"
	}
	var s []string
	for i := range trace.CPUOperands {
		if slots>>i&1 == 0 {
			s = append(s, "-")
			continue
		}
		s = append(s, strconv.FormatUint(addresses[0], 16))
		addresses = addresses[1:]
	}
	return strings.Join(s, ",")
}

// cpu takes a record of the CPU threads.
func (a *assembler) cpu(keyword, rest string) error {
	if err := a.endLaunch(); err != nil {
		return err
	}
	switch keyword {
	case "cpu-thread":
		a.threads++
		_, err := a.w.BeginCPUThread()
		return err
	case "cpu-chunk":
		return a.w.BeginCPUChunk()
	}
	if a.threads == 0 {
		return errors.New("an instruction before the first cpu-thread")
	}
	fields := strings.Fields(rest)
	if keyword == "sync" {
		return a.cpuSync(fields)
	}
	if len(fields) != 7 {
		return errors.New("want i IP OUTCOME DESTINATIONS SOURCES ASID STORES LOADS")
	}
	return a.cpuInstruction(fields)
}

func (a *assembler) cpuSync(fields []string) error {
	if len(fields) != 3 {
		return errors.New("want sync KIND OBJECT THREADS")
	}
	s := trace.CPUSync{Kind: trace.CPUSyncNamed(fields[0])}
	object, err := strconv.ParseUint(fields[1], 16, 64)
	if err != nil {
		return fmt.Errorf("object %.40q: want a hexadecimal address", fields[1])
	}
	threads, err := strconv.ParseUint(fields[2], 10, 32)
	if err != nil {
		return fmt.Errorf("threads %.40q: want a number", fields[2])
	}
	s.Object, s.Threads = object, uint32(threads)
	if !s.Valid(maxSyncThreads) {
		return fmt.Errorf("sync %.60q: want lock, unlock, fence, atomic or code of 0 threads, or barrier of 1 to %d", strings.Join(fields, " "), maxSyncThreads)
	}
	return a.w.AddCPUSync(s)
}

// maxSyncThreads is the largest number of CPU threads of a trace.
const maxSyncThreads = 1 << 16

func (a *assembler) cpuInstruction(fields []string) (err error) {
	in := trace.CPUInstruction{Branch: fields[1] == textNotTaken || fields[1] == textTaken, MarkedTaken: fields[1] == textMarkedTaken}
	if in.IP, err = strconv.ParseUint(fields[0], 16, 64); err != nil {
		return fmt.Errorf("ip %.40q: want a hexadecimal address", fields[0])
	}
	if !in.Branch && !in.MarkedTaken && fields[1] != textNoBranch {
		return fmt.Errorf("outcome %.40q: want -, n, t or m", fields[1])
	}
	for i, to := range []*[trace.CPUOperands]uint8{&in.Destinations, &in.Sources} {
		raw, err := hex.DecodeString(fields[2+i])
		if err != nil || len(raw) != trace.CPUOperands {
			return fmt.Errorf("registers %.40q: want 8 hexadecimal digits", fields[2+i])
		}
		copy(to[:], raw)
	}
	asid, err := strconv.ParseUint(fields[4], 10, 16)
	if err != nil {
		return fmt.Errorf("address space %.40q: want 0 to 65535", fields[4])
	}
	in.ASID = uint16(asid)
	var addresses []uint64
	for i, to := range []*uint8{&in.StoreSlots, &in.LoadSlots} {
		if addresses, err = parseSlots(fields[5+i], to, addresses); err != nil {
			return err
		}
	}
	return a.w.AddCPU(&in, fields[1] == textTaken || in.MarkedTaken, addresses)
}

func parseSlots(text string, slots *uint8, addresses []uint64) ([]uint64, error) {
	if text == "-" {
		return addresses, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) != trace.CPUOperands {
		return nil, fmt.Errorf("operands %.60q: want %d with commas between", text, trace.CPUOperands)
	}
	for i, p := range parts {
		if p == "-" {
			continue
		}
		a, err := strconv.ParseUint(p, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("operand %.40q: want a hexadecimal address", p)
		}
		*slots |= 1 << i
		addresses = append(addresses, a)
	}
	return addresses, nil
}
