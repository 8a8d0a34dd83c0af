// SPDX-License-Identifier: Apache-2.0

package ptx

import "math"

// maxParamBytes is the largest parameter space of a kernel, that of sm_70 and
// later (5.1.6, 11.2.1).
const maxParamBytes = 32764

// kernelParser reads the body of one kernel or function.
type kernelParser struct {
	parser       *parser
	code         *Code
	name         string // "kernel saxpy", for complaints
	inFunction   bool
	scope        *scope
	depth        int
	declarations int
	vectors      bool // some registers are declared as vectors
	registers    []declaredRegister
	// uses are the label operands, by instruction and operand.
	uses []operandLabels
	raw  []rawOperand // reused from instruction to instruction
	// rangeTargets counts the labels of ranges in .branchtargets.
	rangeTargets uint64
	callLiterals []literal // the constants of the call at hand
}

// parseEntry reads .entry name (params) directives { body } (11.2.1), or a
// prototype that ends with ";".
func (p *parser) parseEntry() bool {
	name, ok := p.identifier("the kernel's name")
	if !ok {
		return false
	}
	k := &Kernel{Position: p.position(&name), Name: name.text, Module: p.module, Code: Code{FirstLine: name.line}}
	if !p.parseParams(k) || !p.parsePerformance(k) {
		return false
	}
	if p.take(';') {
		return true
	}
	if !p.tok.is('{') {
		p.errorf(`"{" or ";" expected behind the head of kernel %s, found %s`, abbreviate(k.Name), p.tok.describe())
		return false
	}
	if p.module.Kernel(k.Name) != nil {
		p.errorAt(k.Position, "kernel %s is defined twice", abbreviate(k.Name))
	}
	p.parseBody(k)
	p.module.Kernels = append(p.module.Kernels, k)
	return true
}

// parseParams reads the parameter list and packs it: each offset is rounded up
// to the parameter's alignment, in order.
func (p *parser) parseParams(k *Kernel) bool {
	if !p.take('(') {
		return true
	}
	if p.take(')') {
		return true
	}
	end := uint32(0)
	names := make(map[string]bool)
	for {
		param, ok := p.parseParam()
		if !ok {
			return false
		}
		if names[param.Name] {
			p.errorAt(param.Position, "parameter %s is declared twice", abbreviate(param.Name))
		}
		names[param.Name] = true
		param.Offset = (end + param.Align - 1) &^ (param.Align - 1)
		end = param.Offset + param.Bytes
		if end > maxParamBytes {
			p.errorAt(param.Position, "the parameters take more than %d bytes", maxParamBytes)
			return false
		}
		k.Params = append(k.Params, param)
		if !p.take(',') {
			return p.expect(')', "behind the parameters")
		}
	}
}

// parsePerformance reads the performance-tuning directives between head and
// body (11.4).
func (p *parser) parsePerformance(k *Kernel) bool {
	for p.tok.kind == tokenDotted {
		at := p.position(&p.tok)
		switch p.tok.text {
		case "maxntid", "reqntid":
			if !p.parseThreads(k, p.tok.text == "reqntid") {
				return false
			}
		case "minnctapersm", "maxnctapersm", "maxnreg":
			word := p.tok.text
			p.advance()
			n, ok := p.unsignedConstant("."+word, math.MaxInt32)
			if !ok {
				return false
			}
			switch word {
			case "minnctapersm":
				k.MinBlocksPerSM = uint32(n)
			case "maxnreg":
				k.MaxRegisters = uint32(n)
			}
		case "reqnctapercluster", "maxclusterrank", "explicitcluster":
			if !p.parseCluster(k, p.tok.text) {
				return false
			}
		case "noreturn":
			p.advance()
		case "pragma":
			if !p.parsePragma() {
				return false
			}
		default:
			p.errorAt(at, "unsupported directive %s of a kernel", p.tok.describe())
			return false
		}
	}
	return true
}

// MaxClusterBlocks is the most thread blocks of a cluster: 8 on all machines with
// clusters, 16 on some (CUDA C++ Programming Guide, "Thread Block Clusters").
const MaxClusterBlocks = 16

// parseCluster reads .explicitcluster, .reqnctapercluster nx {, ny {, nz}} or
// .maxclusterrank n (11.7).
func (p *parser) parseCluster(k *Kernel, word string) bool {
	at := p.position(&p.tok)
	p.advance()
	p.warn(warningKind{what: word}, at, "."+word, p.target.misses(&clusterDirectives), clusterDirectives.Section)
	k.ExplicitCluster = k.ExplicitCluster || word != "maxclusterrank"
	if word == "explicitcluster" {
		return true
	}
	blocks, sides := uint64(1), [3]uint32{1, 1, 1}
	for i := range sides {
		n, ok := p.unsignedConstant("."+word, math.MaxUint16)
		if !ok {
			return false
		}
		blocks, sides[i] = blocks*n, uint32(n)
		if word == "maxclusterrank" || !p.take(',') {
			break
		}
	}
	switch {
	case blocks == 0:
		p.errorAt(at, "a cluster has at least one thread block")
	case blocks > MaxClusterBlocks && word == "reqnctapercluster":
		p.errorAt(at, "kernel %s asks for clusters of %d thread blocks; a cluster has at most %d", abbreviate(k.Name), blocks, MaxClusterBlocks)
	case word == "reqnctapercluster":
		k.RequiredCluster = sides
	default:
		k.MaxCluster = uint32(blocks)
	}
	return true
}

// maxBlockThreads are the most threads of a thread block on all machines.
const maxBlockThreads = 1024

// parseThreads reads .maxntid or .reqntid nx {, ny {, nz}}.
func (p *parser) parseThreads(k *Kernel, required bool) bool {
	at := p.position(&p.tok)
	p.advance()
	dims := [3]uint32{1, 1, 1}
	product := uint64(1)
	for i := 0; i < 3; i++ {
		n, ok := p.unsignedConstant("a number of threads", 1024)
		if !ok {
			return false
		}
		dims[i] = uint32(n)
		product *= n
		if !p.take(',') {
			break
		}
	}
	if product == 0 || product > maxBlockThreads && required {
		p.errorAt(at, "a thread block has 1 to %d threads, not %d", maxBlockThreads, product)
		return true
	}
	k.MaxThreads = uint32(min(product, maxBlockThreads)) // a bound above what there can be is none
	if required {
		k.RequiredThreads = dims
	}
	return true
}
