package trace

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The outcomes of an instruction in the text form.
const (
	textNoBranch    = "-"
	textNotTaken    = "n"
	textTaken       = "t"
	textMarkedTaken = "m"
)

func (t *textWriter) beginCPU() error {
	fmt.Fprintln(t.out, "cpu-thread")
	return t.err
}

func (t *textWriter) copyCPU(c *CPUChunk) error {
	fmt.Fprintln(t.out, "cpu-chunk")
	addresses := c.Addresses
	for i, entry := range c.Steps {
		in := &c.Table[entry]
		n := in.operands()
		fmt.Fprintf(t.out, "i %x %s %x %x %d %s %s\n", in.IP, in.outcome(c.Taken[i]), in.Destinations, in.Sources, in.ASID,
			textSlots(in.StoreSlots, addresses[:in.Stores()]), textSlots(in.LoadSlots, addresses[in.Stores():n]))
		addresses = addresses[n:]
	}
	return t.err
}

func (in *CPUInstruction) outcome(taken bool) string {
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
	for i := range CPUOperands {
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
		_, err := a.w.BeginCPUThread()
		return err
	case "cpu-chunk":
		a.w.flushCPU()
		return nil
	}
	if a.w.cpu.threads == 0 {
		return errors.New("an instruction before the first cpu-thread")
	}
	fields := strings.Fields(rest)
	if len(fields) != 7 {
		return errors.New("want i IP OUTCOME DESTINATIONS SOURCES ASID STORES LOADS")
	}
	return a.cpuInstruction(fields)
}

func (a *assembler) cpuInstruction(fields []string) (err error) {
	in := CPUInstruction{Branch: fields[1] == textNotTaken || fields[1] == textTaken, MarkedTaken: fields[1] == textMarkedTaken}
	if in.IP, err = strconv.ParseUint(fields[0], 16, 64); err != nil {
		return fmt.Errorf("ip %.40q: want a hexadecimal address", fields[0])
	}
	if !in.Branch && !in.MarkedTaken && fields[1] != textNoBranch {
		return fmt.Errorf("outcome %.40q: want -, n, t or m", fields[1])
	}
	for i, to := range []*[CPUOperands]uint8{&in.Destinations, &in.Sources} {
		raw, err := hex.DecodeString(fields[2+i])
		if err != nil || len(raw) != CPUOperands {
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
	if len(parts) != CPUOperands {
		return nil, fmt.Errorf("operands %.60q: want %d with commas between", text, CPUOperands)
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
