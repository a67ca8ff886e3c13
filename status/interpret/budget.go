package interpret

import (
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// What a call may do, in units of work. One unit is an instruction of the Lua machine, some 30 ns, and no instruction
// keeps more than about 32 bytes for a unit: what takes longer or keeps more is charged for it, see guard.go. A script that
// adds up the statuses of 1,000 clusters needs about a tenth of it.
const (
	maxWork   = 8 << 20
	bytesUnit = 16
	// maxString is how long a string may get, in bytes.
	maxString = 1 << 20
	// stringUnit: while a string of n bytes is in play each instruction costs n/stringUnit more, as it may compare it,
	// hash it or read it as a number.
	stringUnit = 4 << 10
	// reachUnit: what walks over the places of a list is charged for the longest one in play.
	reachUnit = 32
	// maxDepth is how many calls can be open.
	maxDepth = 160
	// maxRegistry is how many values can be on the stack.
	maxRegistry = 16 << 10
)

// errSpent is the error of a script that does not come to an end, or wants too much.
var errSpent = errors.New("the script needs too much time or memory, and was stopped")

// budget counts what one call has left. It is the context of its Lua state, which asks Done before every instruction: so
// the limit is the same on every machine at any time, and needs no clock.
type budget struct {
	left    int64
	each    int64 // what an instruction costs now
	reach   int64 // the longest list, or the most keys, that the script may have made
	keys    int64 // keys made so far
	stopped chan struct{}
}

func newBudget() *budget { return &budget{left: maxWork, each: 1} }

// Done is asked for every instruction. It is nil as long as there is something left.
func (b *budget) Done() <-chan struct{} {
	b.left -= b.each
	if b.left >= 0 {
		return nil
	}
	if b.stopped == nil {
		b.stopped = make(chan struct{})
		close(b.stopped)
	}
	return b.stopped
}

// Err is why Done is closed.
func (b *budget) Err() error {
	if b.spent() {
		return errSpent
	}
	return nil
}

// Deadline is none: there is no clock.
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is none.
func (b *budget) Value(any) any { return nil }

func (b *budget) spent() bool { return b.left < 0 }

// charge takes work away; false when there is not that much left.
func (b *budget) charge(units int64) bool {
	b.left -= units
	return !b.spent()
}

// sees a string that is in play from now on.
func (b *budget) sees(s string) { b.each = max(b.each, 1+int64(len(s))/stringUnit) }

// reaches a place of a list.
func (b *budget) reaches(n int) { b.reach = max(b.reach, int64(n)) }

// walk is the price of walking over a list.
func (b *budget) walk() int64 { return 1 + b.reach/reachUnit }

// budgetOf is the budget of a state.
func budgetOf(l *lua.LState) *budget { return l.Context().(*budget) }

// pay takes work away from the budget of a state, or stops the script.
func pay(l *lua.LState, units int64) {
	if !budgetOf(l).charge(units) {
		l.RaiseError("%s", errSpent.Error())
	}
}

// payBytes is pay for so many bytes.
func payBytes(l *lua.LState, n int) { pay(l, 1+int64(n)/bytesUnit) }

// pushString pays for a new string and returns it.
func pushString(l *lua.LState, s string) int {
	checkLength(l, len(s))
	payBytes(l, len(s))
	budgetOf(l).sees(s)
	l.Push(lua.LString(s))
	return 1
}

// checkLength stops a script before a string is made that is too long.
func checkLength(l *lua.LState, n int) {
	if n < 0 || n > maxString {
		l.RaiseError("a string may have %d bytes at most", maxString)
	}
}
