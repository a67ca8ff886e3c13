package sandbox

import (
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// The limits of a call, in units of work. One unit is an instruction of the Lua machine, some 30 ns, and no instruction
// keeps more than about 32 bytes per unit; an operation that takes longer or keeps more is charged for it, see
// guard.go. A script that adds up the statuses of 1,000 clusters needs about a tenth of maxWork.
const (
	maxWork   = 8 << 20
	bytesUnit = 16
	// maxString limits the bytes of a string.
	maxString = 1 << 20
	// stringUnit: while a string of n bytes is in use, each instruction costs n/stringUnit more, because it may compare
	// the string, hash it or parse it as a number.
	stringUnit = 4 << 10
	// reachUnit: an operation that walks over a list is charged for the longest list in use.
	reachUnit = 32
	// maxDepth limits the calls that are open at once.
	maxDepth = 160
	// maxRegistry limits the values on the stack.
	maxRegistry = 16 << 10
)

// errSpent stops a script that does not end or needs too much memory.
var errSpent = errors.New("the script needs too much time or memory, and was stopped")

// budget counts the work that one call may still do. It is the context of the call's Lua state, which calls Done before
// every instruction: the limit is the same on every machine and needs no clock.
type budget struct {
	left    int64
	each    int64 // cost of one instruction now
	reach   int64 // the longest list, or the most keys, that the script may have made
	keys    int64 // keys made so far
	stopped chan struct{}
}

func newBudget() *budget { return &budget{left: maxWork, each: 1} }

// Done charges an instruction. It returns nil while work is left.
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

// Err returns the reason for which Done is closed.
func (b *budget) Err() error {
	if b.spent() {
		return errSpent
	}
	return nil
}

// Deadline returns none: there is no clock.
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value returns nil.
func (b *budget) Value(any) any { return nil }

func (b *budget) spent() bool { return b.left < 0 }

// charge takes work away and reports whether that much was left.
func (b *budget) charge(units int64) bool {
	b.left -= units
	return !b.spent()
}

// sees makes instructions more expensive for a string that the script may use from now on.
func (b *budget) sees(s string) { b.each = max(b.each, 1+int64(len(s))/stringUnit) }

// reaches records the length of a list.
func (b *budget) reaches(n int) { b.reach = max(b.reach, int64(n)) }

// walk returns the price of walking over a list.
func (b *budget) walk() int64 { return 1 + b.reach/reachUnit }

func budgetOf(l *lua.LState) *budget { return l.Context().(*budget) }

// Pay charges the call for work of a Go function, and stops the script if not enough is left.
func Pay(l *lua.LState, units int64) {
	if !budgetOf(l).charge(units) {
		l.RaiseError("%s", errSpent.Error())
	}
}

// payBytes charges for n bytes.
func payBytes(l *lua.LState, n int) { Pay(l, 1+int64(n)/bytesUnit) }

// PushString charges for a new string and pushes it as a result.
func PushString(l *lua.LState, s string) int {
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
