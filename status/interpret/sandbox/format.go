package sandbox

import (
	"fmt"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// directive matches a directive of string.format: flags, a width and a precision of two digits, and a verb.
var directive = regexp.MustCompile(`^%([-+ #0]*[0-9]{0,2}(?:\.[0-9]{0,2})?)([cdeEfgGioqsuxX%])`)

// directivePrice is charged for each directive: apart from strings, a directive writes at most a few hundred bytes.
const directivePrice = 32

func stringFormat(l *lua.LState) int {
	format := l.CheckString(1)
	var b strings.Builder
	arg := 1
	for format != "" {
		plain, rest, found := strings.Cut(format, "%")
		b.WriteString(plain)
		if !found {
			break
		}
		d := directive.FindStringSubmatch("%" + rest)
		if d == nil {
			l.RaiseError("invalid option to 'format': %%%s", Shorten(rest[:min(len(rest), 8)]))
		}
		format = rest[len(d[0])-1:]
		Pay(l, directivePrice)
		if d[2] == "%" {
			b.WriteByte('%')
			continue
		}
		arg++
		write(l, &b, d[1], d[2], arg)
		checkLength(l, b.Len())
	}
	return PushString(l, b.String())
}

// write writes an argument according to a directive.
func write(l *lua.LState, b *strings.Builder, flags, verb string, arg int) {
	switch verb {
	case "s":
		s := toString(l.CheckAny(arg))
		payBytes(l, len(s))
		fmt.Fprintf(b, "%"+flags+"s", s)
	case "q":
		b.WriteString(quote(l.CheckString(arg)))
	case "c":
		b.WriteByte(byte(l.CheckInt(arg)))
	case "d", "i", "u":
		fmt.Fprintf(b, "%"+flags+"d", l.CheckInt64(arg))
	case "o", "x", "X":
		fmt.Fprintf(b, "%"+flags+verb, l.CheckInt64(arg))
	default:
		fmt.Fprintf(b, "%"+flags+verb, float64(l.CheckNumber(arg)))
	}
}

// quote writes a string as a Lua literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\r':
			b.WriteString(`\r`)
		case 0:
			b.WriteString(`\000`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
