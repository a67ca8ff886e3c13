package sandbox

// callPrice is the work of the preparation of a call, in units.
const callPrice = 1 << 10

// Meter adds up the work of the calls of several scripts. It is not safe for concurrent use.
type Meter struct {
	budgets []*budget
	units   int64
}

// Metered returns the library for scripts whose work a meter adds up, that of compiling them included.
func (lib *Library) Metered(m *Meter) *Library {
	next := *lib
	next.meter = m
	return &next
}

// newBudget returns the budget of a call.
func (lib *Library) newBudget() *budget {
	b := newBudget()
	if lib.meter != nil {
		lib.meter.budgets = append(lib.meter.budgets, b)
	}
	return b
}

// Units returns the work of all calls so far, in units of some 30 ns.
func (m *Meter) Units() int64 {
	for _, b := range m.budgets {
		m.units += callPrice + maxWork - b.left
	}
	m.budgets = nil
	return m.units
}
