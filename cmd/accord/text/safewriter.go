package text

import (
	"io"
	"unicode/utf8"

	"github.com/accord-dev/accord/internal/phrase"
)

// textLayout are the control characters that commands write themselves.
const textLayout = "\n\t"

// safeWriter escapes all text that is written to it, except for line feeds and tabs. Names, messages and labels of Git, members
// and forges can then neither control a terminal nor hide or reverse text. Only colors and the moves of the cursor that accord
// itself makes pass it by: see raw.
type safeWriter struct {
	out     io.Writer
	allowed string
	rest    []byte // begin of a character whose other bytes are not written yet
}

// SafeWriter returns a writer that escapes characters which are not printable.
func SafeWriter(out io.Writer) io.Writer { return &safeWriter{out: out, allowed: textLayout} }

// MarkdownWriter returns out, which then passes the invisible character by which MarkdownText ends a mention.
func MarkdownWriter(out io.Writer) io.Writer {
	if w, ok := out.(*safeWriter); ok {
		return &safeWriter{out: w.out, allowed: textLayout + string(zeroWidth)}
	}
	return out
}

func (w *safeWriter) Write(p []byte) (int, error) {
	all := append(w.rest, p...)
	end := len(all)
	for back := 1; back < utf8.UTFMax && back <= len(all); back++ {
		if from := len(all) - back; utf8.RuneStart(all[from]) {
			if !utf8.FullRune(all[from:]) {
				end = from
			}
			break
		}
	}
	w.rest = []byte(string(all[end:]))
	if _, err := io.WriteString(w.out, phrase.Escape(string(all[:end]), w.allowed)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// IsPrintable reports whether a safe writer writes text as it is.
func IsPrintable(text []byte) bool {
	return phrase.Escape(string(text), textLayout) == string(text)
}

// Unescaped returns the writer of the process. The output of a container is passed on as it is: somebody may process it.
func Unescaped(out io.Writer) io.Writer { return raw(out) }

// raw returns the writer below those of this package.
func raw(out io.Writer) io.Writer {
	for {
		switch w := out.(type) {
		case *safeWriter:
			out = w.out
		case *colorWriter:
			out = w.out
		default:
			return out
		}
	}
}

// ClearScreen moves the cursor of a terminal to the top left and clears the rest.
func ClearScreen(out io.Writer) error {
	_, err := io.WriteString(raw(out), "\x1b[H\x1b[J")
	return err
}
