package scaffold

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DefaultImage is the image of an application that names none.
const DefaultImage = "nginx:1.27.5"

// Questions asks for the values that no flag gave.
type Questions struct {
	In  io.Reader
	Out io.Writer
	// Given reports whether a flag gave the value.
	Given func(flag string) bool
}

// Fill asks at most five questions. The value of each field is its default.
func (q Questions) Fill(ctx context.Context, r *Repository) error {
	in, clusters := bufio.NewReader(q.In), strings.Join(r.Clusters, ",")
	for _, ask := range []struct {
		flag, question string
		value          *string
	}{
		{"name", "Name of the Federation", &r.Name},
		{"url", "URL of the repository, which the hub reads", &r.URL},
		{"clusters", "Clusters, the canary first, separated by commas", &clusters},
		{"image", "Image of the application", &r.Image},
		{"pipeline", "Pipeline (" + strings.Join(Pipelines, ", ") + ")", &r.Pipeline},
	} {
		if q.Given(ask.flag) {
			continue
		}
		answer, err := q.ask(ctx, in, ask.question, *ask.value)
		if err != nil {
			return err
		}
		*ask.value = answer
	}
	r.Clusters = strings.FieldsFunc(clusters, func(c rune) bool { return c == ',' || c == ' ' })
	return nil
}

// ask returns the answer to one question, the default value for an empty one.
func (q Questions) ask(ctx context.Context, in *bufio.Reader, question, value string) (string, error) {
	shown := ""
	if value != "" {
		shown = " [" + value + "]"
	}
	if _, err := fmt.Fprintf(q.Out, "%s%s: ", question, shown); err != nil {
		return "", err
	}
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := in.ReadString('\n')
		answers <- answer{line, err}
	}()
	select {
	case <-ctx.Done(): // Ctrl-C
	case a := <-answers:
		if a.err == nil {
			return cmp.Or(strings.TrimSpace(a.line), value), nil
		}
	}
	return "", errors.New("no answer: nothing was written")
}
