package text

import (
	"io"
	"regexp"
	"slices"
	"strings"
)

// colorWriter colors states in complete lines that are written to it: verdicts, severities, and the cells of tables. The text is
// aligned before, so that codes have no width; a symbol before a state takes the same width in all lines of its table.
type colorWriter struct {
	out io.Writer
	// column is the first character of the states in the table that is being written, noTable outside of a table.
	column int
}

const noTable = -1

// style is the color of a state, and the symbol that distinguishes it without color, too. A severity has no symbol.
type style struct{ code, symbol string }

var (
	good     = style{"32", "✔"}
	bad      = style{"31", "✗"}
	lost     = style{"35", "?"}
	stopped  = style{"33", "‖"}
	moving   = style{"36", "…"}
	severe   = style{code: "31"}
	doubtful = style{code: "33"}
	informal = style{code: "36"}
)

// styles are those of all states that commands print, in upper case in verdicts, as conditions in tables.
var styles = map[string]style{
	"READY": good, "DONE": good, "Ready": good, "Healthy": good, "True": good, "done": good, "chosen": good,
	"FAILED": bad, "FAILING": bad, "HALTED": bad, "ROLLED BACK": bad, "TIME RAN OUT": bad, "REFUSED": bad,
	"Failed": bad, "False": bad, "Halted": bad, "failed": bad, "halted": bad, "rolled back": bad, "cannot be rendered": bad,
	"UNREACHABLE": lost, "Unreachable": lost,
	"HELD": stopped, "SUSPENDED": stopped, "PAUSED": stopped, "WAITING FOR APPROVAL": stopped, "SUPERSEDED": stopped,
	"Held": stopped, "Paused": stopped, "WaitingForApproval": stopped, "superseded": stopped, "held": stopped, "not chosen": stopped,
	"ROLLING OUT": moving, "NOT SEEN YET": moving, "Progressing": moving, "Soaking": moving, "Leaving": moving, "Unknown": moving,
	"error": severe, "warning": doubtful, "note": informal,
}

// stateColumns are the headers of columns with a state.
var stateColumns = []string{"STATE", "READY", "RESULT"}

var (
	header = regexp.MustCompile(`^ *[A-Z][A-Z0-9-]*(  +[A-Z][A-Z0-9-]*( [A-Za-z0-9]+)?)+$`)
	// inLine matches the states outside of tables, in group 1.
	inLine = []*regexp.Regexp{
		regexp.MustCompile(`  (READY|DONE|FAILED|FAILING|HALTED|ROLLED BACK|TIME RAN OUT|UNREACHABLE|HELD|SUSPENDED|PAUSED|WAITING FOR APPROVAL|SUPERSEDED|ROLLING OUT|NOT SEEN YET)(?:  |$)`),
		regexp.MustCompile(` (UNREACHABLE) for `),
		regexp.MustCompile(` (Healthy|Progressing|Failed|Held|Unreachable) for \d`),
		regexp.MustCompile(`  (Healthy|Progressing|Failed|Held|Unreachable|Halted|Paused|Soaking|WaitingForApproval)(?:  |$)`),
		regexp.MustCompile(`^(?:\S+:\d+(?::\d+)?: | *)(error|warning|note)(?:: |  )`),
		regexp.MustCompile(`^ *(warning) \S`), // the longest one, without padding
		regexp.MustCompile(`^\S+: (not chosen|chosen|held|cannot be rendered)\b`),
		regexp.MustCompile(`^  (held|cannot be rendered): `),
	}
)

func (w *colorWriter) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		text, end := strings.CutSuffix(line, "\n")
		b.WriteString(w.colored(text))
		if end {
			b.WriteByte('\n')
		}
	}
	if _, err := io.WriteString(w.out, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *colorWriter) colored(line string) string {
	if header.MatchString(line) {
		w.column = noTable
		for _, name := range stateColumns {
			if at := slices.Index(strings.Fields(line), name); at >= 0 {
				before, after, _ := strings.Cut(" "+line+" ", " "+name+" ")
				w.column = len(before)
				return strings.TrimRight(strings.TrimPrefix(before+" "+name+"   "+after, " "), " ")
			}
		}
		return line
	}
	if shown, ok := w.row(line); ok {
		return shown
	}
	w.column = noTable
	for _, pattern := range inLine {
		if at := pattern.FindStringSubmatchIndex(line); at != nil {
			return line[:at[2]] + styles[line[at[2]:at[3]]].of(line[at[2]:at[3]]) + line[at[3]:]
		}
	}
	return line
}

// row colors the state in a row of a table; ok is false for a line that is not in a table.
func (w *colorWriter) row(line string) (shown string, ok bool) {
	characters := []rune(line)
	if w.column == noTable || len(characters) <= w.column || characters[w.column] == ' ' ||
		w.column > 0 && characters[w.column-1] != ' ' {
		return "", false
	}
	before, rest := string(characters[:w.column]), string(characters[w.column:])
	cell, _, _ := strings.Cut(rest, "  ")
	for words := cell; words != ""; words = words[:max(0, strings.LastIndexByte(words, ' '))] { // "superseded by 4f2c9e1"
		if s, known := styles[words]; known {
			return before + s.of(cell) + rest[len(cell):], true
		}
	}
	return before + "  " + rest, true
}

// of returns a state in color, after its symbol.
func (s style) of(state string) string {
	return "\x1b[" + s.code + "m" + Join(" ", s.symbol, state) + "\x1b[0m"
}
