// Package messages converts the model of a trace to the messages of the file format and back.
// A conversion to the model takes any message; numbers that are out of range become such
// that the model's Validate refuses. CheckSize bounds what a message costs to decode.
package messages

import (
	"maps"
	"slices"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
)

func FromHeader(h *trace.Header) *wtapepb.Header {
	m := &wtapepb.Header{Tool: h.Tool, Program: h.Program, ProgramDigest: h.ProgramDigest, Seed: h.Seed, Sampling: h.Sampling}
	for _, name := range slices.Sorted(maps.Keys(h.Arguments)) {
		m.Arguments = append(m.Arguments, &wtapepb.NamedValue{Name: name, Value: h.Arguments[name]})
	}
	for _, p := range h.PTX {
		m.Ptx = append(m.Ptx, &wtapepb.SourceDigest{Name: p.Name, Digest: p.Digest})
	}
	return m
}

func ToHeader(m *wtapepb.Header) trace.Header {
	h := trace.Header{
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
		h.PTX = append(h.PTX, trace.SourceDigest{Name: p.Name, Digest: p.Digest})
	}
	return h
}
