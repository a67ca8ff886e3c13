package sandbox

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestHugeScripts: what a script of 64 KiB, the longest that policies may have, can be nested like. Compiling ends soon, and
// with an error rather than a panic.
func TestHugeScripts(t *testing.T) {
	const most = 64 << 10
	repeat := func(s string) string { return strings.Repeat(s, most/len(s)) }
	nest := func(open, inside, end string) string {
		n := most / (len(open) + len(end))
		return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
	}
	for _, c := range []struct{ name, body string }{
		{"parentheses", "x = " + nest("(", "1", ")")},
		{"tables", "x = " + nest("{", "", "}")},
		{"not", "x = " + repeat("not ") + "1"},
		{"concatenation", "x = 'a'" + repeat(" .. 'a'")},
		{"addition", "x = 1" + repeat(" + 1")},
		{"powers", "x = y" + repeat(" ^ y")},
		{"comparison", "x = 1" + repeat(" < 1")},
		{"calls", "x = f" + repeat("()")},
		{"fields", "x" + repeat(".y") + " = 1"},
		{"indices", nest("x[", "1", "]") + " = 1"},
		{"functions", nest("function f() ", "", "end ")},
		{"ifs", nest("if x then ", "", "end ")},
		{"assignments", repeat("x=1 ")},
		{"constants", func() string {
			var b strings.Builder
			for i := range most / 8 {
				b.WriteString("x=" + strings.Repeat("1", 1+i%5) + "." + strings.Repeat("2", 1+i%7) + " ")
			}
			return b.String()
		}()},
		{"goto", repeat("::a:: ")},
		{"a long comment", "--" + repeat("x")},
		{"a long string that does not end", "x = [[" + repeat("x")},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			_, err := compiled(t, c.body)
			require.Error(t, err, "none of them defines the function")
			require.Less(t, len(err.Error()), 500)
			require.Less(t, time.Since(begin), 2*time.Minute)
			t.Logf("%v: %v", time.Since(begin).Round(time.Millisecond), err)
		})
	}
}
