package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"
	"golang.org/x/term"
	"sigs.k8s.io/yaml"
)

// A format is how a command prints its result.
type format string

const (
	asText     format = "text"
	asWide     format = "wide"
	asJSON     format = "json"
	asYAML     format = "yaml"
	asSARIF    format = "sarif"
	asGitHub   format = "github"
	asMarkdown format = "markdown"
	asSVG      format = "svg"
	asHTML     format = "html"
)

// formatFlag is -o. It accepts the formats a command has, the first of which is the default.
type formatFlag struct {
	value   format
	allowed []format
}

func (f *formatFlag) register(flags *pflag.FlagSet, allowed ...format) {
	f.value, f.allowed = allowed[0], allowed
	flags.VarP(f, "output", "o", "output: "+f.choices())
}

func (f *formatFlag) choices() string {
	names := make([]string, len(f.allowed))
	for i, a := range f.allowed {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}

// String, Set and Type make it a flag.
func (f *formatFlag) String() string { return string(f.value) }

func (f *formatFlag) Set(s string) error {
	if !slices.Contains(f.allowed, format(s)) {
		return fmt.Errorf("expected one of %s", f.choices())
	}
	f.value = format(s)
	return nil
}

func (f *formatFlag) Type() string { return "format" }

// encode writes v as JSON or YAML; both have the same fields.
func encode(w io.Writer, f format, v any) error {
	var out []byte
	var err error
	if f == asYAML {
		out, err = yaml.Marshal(v)
	} else {
		out, err = json.MarshalIndent(v, "", "  ")
		out = append(out, '\n')
	}
	if err != nil {
		return fmt.Errorf("encoding the output: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// table writes rows in columns, each line indented. It writes nothing when there is only the head.
func table(w io.Writer, indent string, rows [][]string) error {
	if len(rows) < 2 {
		return nil
	}
	return columns(w, indent, rows)
}

// columns is a table without a head.
func columns(w io.Writer, indent string, rows [][]string) error {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
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

// isTerminal reports whether out is a terminal.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
