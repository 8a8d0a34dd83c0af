package trace

// blockCursor goes through the stored thread blocks of a trace in order.
type blockCursor struct {
	r     *Reader
	chunk *Chunk
	next  int // chunk to read
	place int // thread block in chunk
}

func newBlockCursor(r *Reader) *blockCursor { return &blockCursor{r: r, chunk: NewChunk()} }

// step goes to the next thread block; false at the end.
func (c *blockCursor) step() (bool, error) {
	if c.place++; c.next > 0 && c.place < len(c.chunk.blocks) {
		return true, nil
	}
	if c.next == len(c.r.index.chunks) {
		return false, nil
	}
	c.next++
	c.place = 0
	return true, c.r.ReadChunk(c.next-1, c.chunk)
}

func (c *blockCursor) launch() int { return c.chunk.launch }

func (c *blockCursor) block() uint64 { return c.chunk.blocks[c.place] }

func (c *blockCursor) warp(w int) Warp { return c.chunk.warpAt(c.place*c.chunk.warps + w) }

func (c *blockCursor) plan() *plan { return c.r.plans[c.r.launches[c.chunk.launch].Kernel] }
