package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/phrase"
)

// Format is the output format of a command.
type Format string

const (
	AsText     Format = "text"
	AsWide     Format = "wide"
	AsJSON     Format = "json"
	AsYAML     Format = "yaml"
	AsSARIF    Format = "sarif"
	AsGitHub   Format = "github"
	AsMarkdown Format = "markdown"
	AsSVG      Format = "svg"
	AsHTML     Format = "html"
)

// FormatFlag is the flag -o. The first of the allowed formats is the default.
type FormatFlag struct {
	Value   Format
	allowed []Format
}

func (f *FormatFlag) Register(flags *pflag.FlagSet, allowed ...Format) {
	f.Value, f.allowed = allowed[0], allowed
	flags.VarP(f, "output", "o", "output: "+f.choices())
}

func (f *FormatFlag) choices() string { return strings.Join(f.Choices(), ", ") }

// Choices returns the allowed formats.
func (f *FormatFlag) Choices() []string {
	names := make([]string, len(f.allowed))
	for i, a := range f.allowed {
		names[i] = string(a)
	}
	return names
}

// String, Set and Type implement pflag.Value.
func (f *FormatFlag) String() string { return string(f.Value) }

func (f *FormatFlag) Set(s string) error {
	if !slices.Contains(f.allowed, Format(s)) {
		return fmt.Errorf("expected one of %s", f.choices())
	}
	f.Value = Format(s)
	return nil
}

func (f *FormatFlag) Type() string { return "format" }

// EncodeForeign writes an object of another API, such as Kubernetes' or SARIF, as JSON or YAML. YAML has no escapes outside of quotes: a
// value with characters that are not printable is written as JSON, which is YAML, too.
func EncodeForeign(w io.Writer, f Format, v any) error {
	var out []byte
	var err error
	if f == AsYAML {
		out, err = yaml.Marshal(v)
	}
	if f != AsYAML || err == nil && !IsPrintable(out) {
		out, err = encodeJSON(v, "  ")
	}
	if err != nil {
		return fmt.Errorf("encoding the output: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// Manifests writes objects as YAML documents for kubectl, without the status, which is for the cluster to write.
func Manifests[T runtime.Object](w io.Writer, objects []T) error {
	for _, o := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return fmt.Errorf("encoding the manifests: %w", err)
		}
		delete(fields, "status")
		document, err := yaml.Marshal(fields)
		if err != nil {
			return fmt.Errorf("encoding the manifests: %w", err)
		}
		if _, err := fmt.Fprintf(w, "---\n%s", document); err != nil {
			return err
		}
	}
	return nil
}

// EncodeLine returns v as JSON on one line, without the end of the line.
func EncodeLine(v any) (string, error) {
	out, err := encodeJSON(v, "")
	if err != nil {
		return "", fmt.Errorf("encoding a line: %w", err)
	}
	return string(bytes.TrimSuffix(out, []byte("\n"))), nil
}

// encodeJSON returns v as JSON with the end of the line. It does not escape <, > and &, because no output is part of an HTML page.
func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(v)
	return []byte(phrase.Escape(b.String(), textLayout)), err
}

// Table writes rows in aligned columns. It writes nothing if there is only the header.
func Table(w io.Writer, indent string, rows [][]string) error {
	if len(rows) < 2 {
		return nil
	}
	return Columns(w, indent, rows)
}

// Columns writes rows in aligned columns, each line indented.
func Columns(w io.Writer, indent string, rows [][]string) error {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = phrase.Line(cell)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, indent+strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// IsTerminal reports whether a reader or a writer is a terminal.
func IsTerminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = raw(w)
	}
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
