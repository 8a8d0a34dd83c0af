// SPDX-License-Identifier: Apache-2.0

package cpu

// maxTranslations is the number of pages that a core may wait for.
const maxTranslations = 8

// translation is a page that a core has asked the chip for.
type translation struct {
	page       uint64
	space      Space
	active     bool
	code, data bool // for which of the TLBs it is
	waiting    list
}

// askPage lets an access wait for its page, and asks the chip for it. A store that
// finds its page asked for to read waits for that, and asks again when it must.
func (c *core) askPage(id int32, virtual uint64, write, code bool) {
	page := virtual >> c.pageShift
	var spare *translation
	for i := range c.translations {
		t := &c.translations[i]
		switch {
		case !t.active:
			spare = t
		case t.page == page && t.space == c.job.Space:
			t.code, t.data = t.code || code, t.data || !code
			c.push(&t.waiting, id)
			return
		}
	}
	if spare == nil {
		c.push(&c.paging, id)
		return
	}
	if !code {
		c.count(countDTLBMiss)
	}
	*spare = translation{page: page, space: c.job.Space, active: true, code: code, data: !code, waiting: emptyList}
	c.push(&spare.waiting, id)
	c.chip.Translate(c.time(c.now), Translation{Core: c.number, Space: c.job.Space, Virtual: virtual, Write: write, Instruction: code})
}

// translated takes the chip's answer: what waits for the page begins again in the
// cycle now.
func (c *core) translated(space Space, page, frame uint64, only bool, now Cycle) {
	i := 0
	for i < len(c.translations) && !(c.translations[i].active && c.translations[i].page == page && c.translations[i].space == space) {
		i++
	}
	if i == len(c.translations) {
		panic("BUG: cpu: the chip translates a page that no core waits for")
	}
	t := &c.translations[i]
	if t.data {
		c.dataPages.Insert(pageEntry(space, page, frame, only))
	}
	if t.code {
		c.codePages.Insert(pageEntry(space, page, frame, only))
	}
	c.append(&c.again, &t.waiting)
	t.active = false
	c.append(&c.again, &c.paging)
	c.wake(now)
}

// shootDown drops a page.
func (c *core) shootDown(space Space, page uint64) {
	c.dataPages.Drop(uint16(space), page)
	c.codePages.Drop(uint16(space), page)
}
