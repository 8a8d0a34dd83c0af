package trace

import (
	"maps"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
)

func headerToProto(h *Header) *wtapepb.Header {
	m := &wtapepb.Header{Tool: h.Tool, Program: h.Program, ProgramDigest: h.ProgramDigest, Seed: h.Seed, Sampling: h.Sampling}
	for _, name := range slices.Sorted(maps.Keys(h.Arguments)) {
		m.Arguments = append(m.Arguments, &wtapepb.NamedValue{Name: name, Value: h.Arguments[name]})
	}
	for _, p := range h.PTX {
		m.Ptx = append(m.Ptx, &wtapepb.SourceDigest{Name: p.Name, Digest: p.Digest})
	}
	return m
}

func headerFromProto(m *wtapepb.Header) Header {
	h := Header{
		Tool: m.GetTool(), Program: m.GetProgram(), ProgramDigest: m.GetProgramDigest(),
		Seed: m.GetSeed(), Sampling: m.GetSampling(),
	}
	if len(m.GetArguments()) > 0 {
		h.Arguments = make(map[string]string, len(m.Arguments))
	}
	for _, a := range m.GetArguments() {
		h.Arguments[a.Name] = a.Value
	}
	for _, p := range m.GetPtx() {
		h.PTX = append(h.PTX, SourceDigest{Name: p.Name, Digest: p.Digest})
	}
	return h
}

// clone returns a copy that shares nothing mutable with h.
func (h Header) clone() Header {
	h.Arguments = maps.Clone(h.Arguments)
	h.PTX = slices.Clone(h.PTX)
	return h
}
