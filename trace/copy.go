package trace

// Target takes what Copy copies; *Writer is one. Its methods are those of Writer.
type Target interface {
	AddKernel(*Kernel) (int, error)
	AddEvent(HostEvent) (int, error)
	BeginLaunch(l Launch, after ...int) (int, error)
	BeginBlock(block uint64)
	Visit(warp int, block, mask uint32)
	Guard(warp int, mask uint32)
	Access(warp int, mask uint32, addresses *[WarpSize]uint64)
	AccessStrided(warp int, mask uint32, base uint64, stride int64)
	EndBlock() error
	EndLaunch() error
}

// chunkless is a Target that does not care where chunks begin, nor for CPU threads.
type chunkless struct{ Target }

func (chunkless) beginChunk() {}

func (chunkless) beginCPU() error { return nil }

func (chunkless) copyCPU(*CPUChunk) error { return nil }

// Copy hands the content of a trace to a target in the order of a recording. A
// target that embeds a *Writer gets the chunks of the original, so that a whole
// copy has its digest.
func Copy(r *Reader, to Target) error {
	s, ok := to.(sink)
	if !ok {
		s = chunkless{to}
	}
	return newTranscription(r, s).run()
}

// InitialHeader is the header as known when the recording began: what a copy that
// is to have the same digest starts with.
func (r *Reader) InitialHeader() Header { return r.initial.clone() }
