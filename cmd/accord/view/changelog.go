package view

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// changeLog writes a line when the verdict or a cluster changes. The first lines only name clusters that need attention.
type changeLog struct {
	out      io.Writer
	last     string
	clusters map[string]string
}

func (v *changeLog) show(s Status, now time.Time) error {
	stamp, began := now.Format(time.TimeOnly), v.last != ""
	var b strings.Builder
	head := s.heading() + "   " + s.verdict()
	if len(s.Errors) > 0 {
		head += "  " + s.Errors[0]
	} else {
		head += text.WithPrefix("  ", s.Message)
	}
	if head != v.last {
		fmt.Fprintf(&b, "%s  %s\n", stamp, head)
		v.last = head
	}
	current := map[string]string{}
	for _, c := range s.Clusters {
		line := c.line()
		current[c.Cluster] = line
		if line != v.clusters[c.Cluster] && (began || !c.isFine()) {
			fmt.Fprintf(&b, "%s  %s\n", stamp, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.clusters)) {
		if current[name] == "" {
			fmt.Fprintf(&b, "%s  %s  has nothing of it any more\n", stamp, name)
		}
	}
	v.clusters = current
	_, err := io.WriteString(v.out, b.String())
	return err
}

func (v *changeLog) showError(why string, now time.Time) error {
	if why == v.last {
		return nil
	}
	v.last = why
	_, err := fmt.Fprintf(v.out, "%s  %s\n", now.Format(time.TimeOnly), why)
	return err
}

// line returns "eu-7  Failed  3/4 on 1b77d03  apps/Deployment shop/api: image not found". It has no ages, which change without
// an event.
func (c ClusterStatus) line() string {
	return text.Join("  ", c.Cluster, string(c.State), fmt.Sprintf("%d/%d on %s", c.Objects.Healthy, c.Objects.Total, text.ShortRevision(c.Revision)), c.Note)
}

// jsonLog writes the report as one line whenever it changes.
type jsonLog struct {
	out  io.Writer
	last string
}

// HubError is the reason why the hub cannot be read now.
type HubError struct {
	Message string `json:"message"`
}

// DocumentKind implements text.Document.
func (HubError) DocumentKind() string { return "HubError" }

func (v *jsonLog) show(s Status, _ time.Time) error {
	for i := range s.Clusters {
		s.Clusters[i].Heard = nil // it changes all the time
	}
	return v.write(s)
}

func (v *jsonLog) showError(why string, _ time.Time) error {
	return v.write(HubError{why})
}

func (v *jsonLog) write(d text.Document) error {
	line, err := text.EncodeDocumentLine(d)
	if err != nil || line == v.last {
		return err
	}
	v.last = line
	_, err = fmt.Fprintln(v.out, v.last)
	return err
}
