// SPDX-License-Identifier: Apache-2.0

package lackey

import "strings"

// implicit takes instructions whose registers are not, or not all, among the operands.
func (b *builder) implicit(mnemonic string, operands []operand) bool {
	switch mnemonic {
	case "cltq", "cwtl", "cbtw", "cdqe", "cwde", "cbw":
		b.reads(rax)
		b.writes(rax)
		return true
	case "cqto", "cltd", "cwtd", "cqo", "cdq", "cwd":
		b.reads(rax)
		b.writes(rdx)
		return true
	case "nop", "nopw", "nopl", "endbr64", "endbr32", "pause", "hlt", "ud2", "mfence", "lfence", "sfence", "syscall", "vzeroupper", "emms":
		return true
	case "cpuid":
		b.reads(rax, rcx)
		b.writes(rax, rcx, rdx, general["rbx"])
		return true
	case "rdtsc", "xgetbv":
		b.writes(rax, rdx)
		return true
	}
	base := strings.TrimRight(mnemonic, "bwlq")
	switch {
	case len(operands) == 1 && (base == "mu" || base == "mul" || base == "imul" || base == "imu" || base == "div" || base == "idiv"):
		b.operand(&operands[0])
		b.reads(rax, rdx)
		b.writes(rax, rdx, flags)
		return true
	case stringOperation(base) && usesString(operands):
		b.reads(rdi, rsi, rcx, rax)
		b.writes(rdi, rsi, rcx)
		if base == "lods" {
			b.writes(rax)
		}
		if base == "cmps" || base == "scas" {
			b.writes(flags)
		}
		return true
	case base == "cmpxchg":
		b.all(operands)
		b.reads(rax)
		b.writes(rax, flags, last(operands).register)
		return true
	case base == "xchg" || base == "xadd":
		b.all(operands)
		for i := range operands {
			b.writes(operands[i].register)
		}
		return true
	}
	return false
}

func stringOperation(base string) bool {
	switch base {
	case "movs", "stos", "lods", "cmps", "scas":
		return true
	}
	return false
}

// usesString tells rep movsb from a movsd of vectors: it names its segments.
func usesString(operands []operand) bool {
	for i := range operands {
		o := &operands[i]
		if o.memory && len(o.parts) == 1 && (o.parts[0] == rdi || o.parts[0] == rsi) && len(operands) == 2 {
			other := &operands[1-i]
			return other.register == rax || other.memory
		}
	}
	return false
}

func last(operands []operand) *operand {
	if len(operands) == 0 {
		return &operand{}
	}
	return &operands[len(operands)-1]
}

func (b *builder) all(operands []operand) {
	for i := range operands {
		b.operand(&operands[i])
	}
}

// general takes the others: the last operand is the destination, which is also read
// unless the instruction only writes it.
func (b *builder) general(mnemonic string, operands []operand) {
	destination := last(operands)
	vex := strings.HasPrefix(mnemonic, "v")
	if readsFlags(mnemonic) {
		b.reads(flags)
	}
	if writesFlags(mnemonic) {
		b.writes(flags)
	}
	if compares(mnemonic) {
		b.all(operands)
		return
	}
	if zeroes(mnemonic, operands) {
		b.writes(destination.register)
		return
	}
	for i := range operands {
		o := &operands[i]
		b.reads(o.parts...)
		if o != destination || !onlyWrites(mnemonic) && (!vex || strings.HasPrefix(mnemonic, "vfm") || strings.HasPrefix(mnemonic, "vfnm")) {
			b.reads(o.register)
		}
	}
	b.writes(destination.register)
}

// starts reports whether a mnemonic begins with one of the words.
func starts(mnemonic string, words ...string) bool {
	for _, w := range words {
		if strings.HasPrefix(mnemonic, w) {
			return true
		}
	}
	return false
}

// compares holds for instructions without a destination but the flags.
func compares(mnemonic string) bool {
	switch mnemonic {
	case "cmp", "cmpb", "cmpw", "cmpl", "cmpq", "bt", "btw", "btl", "btq":
		return true
	}
	return starts(mnemonic, "test", "ucomis", "comis", "vucomis", "vcomis", "ptest", "vptest", "prefetch")
}

// onlyWrites holds for moves and conversions. A move into half of a vector register
// reads it, too.
func onlyWrites(mnemonic string) bool {
	if starts(mnemonic, "movh", "movlp") {
		return false
	}
	return starts(mnemonic, "mov", "lea", "cvt", "set", "popcnt", "tzcnt", "lzcnt", "bsf", "bsr", "pshuf", "pmov", "sqrt", "rcp", "rsqrt", "lddqu", "fst", "fnst", "pabs")
}

// readsFlags and writesFlags go by the beginning of the mnemonic.
func readsFlags(mnemonic string) bool {
	return starts(mnemonic, "cmov", "set", "adc", "sbb", "rcl", "rcr", "lahf", "fcmov")
}

func writesFlags(mnemonic string) bool {
	if compares(mnemonic) {
		return !strings.HasPrefix(mnemonic, "prefetch")
	}
	if strings.Contains(mnemonic, "ps") || strings.HasSuffix(mnemonic, "sd") || strings.HasSuffix(mnemonic, "ss") || strings.HasSuffix(mnemonic, "pd") {
		return false // arithmetic of vectors
	}
	return starts(mnemonic, "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "shl", "shr", "sar", "sal", "rol", "ror", "rcl", "rcr",
		"imul", "adc", "sbb", "bts", "btr", "btc", "popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "sahf")
}

// zeroes holds for the idioms that clear a register.
func zeroes(mnemonic string, operands []operand) bool {
	return len(operands) == 2 && operands[0].register != 0 && operands[0].register == operands[1].register &&
		starts(mnemonic, "xor", "pxor", "sub", "psub", "pcmpeq")
}
