package dram

// delayed is a request that reaches the queue at a cycle.
type delayed struct {
	request Request
	at      int64
}

// delayRing is a queue of bounded length in order of time.
type delayRing struct {
	items []delayed
	first int
	count int
}

func newDelayRing(capacity int) delayRing { return delayRing{items: make([]delayed, capacity)} }

func (r *delayRing) full() bool     { return r.count == len(r.items) }
func (r *delayRing) head() *delayed { return &r.items[r.first] }

func (r *delayRing) push(q Request, at int64) {
	i := r.first + r.count
	if i >= len(r.items) {
		i -= len(r.items)
	}
	r.items[i] = delayed{q, at}
	r.count++
}

func (r *delayRing) pop() Request {
	q := r.items[r.first].request
	if r.first++; r.first == len(r.items) {
		r.first = 0
	}
	r.count--
	return q
}

// datum is the data of a read that leave the channel at a cycle.
type datum struct {
	at int64
	id uint32
}

// dataRing is a queue in order of time; it grows to what the channel needs.
type dataRing struct {
	items []datum
	first int
	count int
}

func newDataRing(capacity int) dataRing { return dataRing{items: make([]datum, capacity)} }

func (r *dataRing) head() *datum { return &r.items[r.first] }

func (r *dataRing) push(id uint32, at int64) {
	if r.count == len(r.items) {
		grown := make([]datum, 2*r.count)
		n := copy(grown, r.items[r.first:])
		copy(grown[n:], r.items[:r.first])
		r.items, r.first = grown, 0
	}
	i := r.first + r.count
	if i >= len(r.items) {
		i -= len(r.items)
	}
	r.items[i] = datum{at, id}
	r.count++
}

func (r *dataRing) pop() uint32 {
	id := r.items[r.first].id
	if r.first++; r.first == len(r.items) {
		r.first = 0
	}
	r.count--
	return id
}
