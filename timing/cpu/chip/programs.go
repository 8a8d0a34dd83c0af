package chip

import (
	"fmt"

	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/trace/wtape"
)

// ProgramsOf makes a program of each CPU thread of a trace, for cores of a section.
// The reader stays open as long as they run. A trace without CPU threads is refused,
// and one that was captured with pages of another size.
func ProgramsOf(name string, r *wtape.Reader, s *cpu.Section) ([]Program, error) {
	if r.CPUThreads() == 0 {
		return nil, fmt.Errorf("%s has no CPU threads: import some with warptape trace import champsim or lackey", r.Name())
	}
	if err := cpu.CheckPages(r, s); err != nil {
		return nil, err
	}
	var all []Program
	for i := range r.CPUThreads() {
		t, err := cpu.NewThread(r, i)
		if err != nil {
			return nil, err
		}
		p := Program{Name: name, Stream: t}
		if r.CPUThreads() > 1 {
			p.Name = fmt.Sprintf("%s/%d", name, i)
		}
		all = append(all, p)
	}
	return all, nil
}
