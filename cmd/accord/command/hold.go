package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Hold puts a cluster on hold, in Git or on the hub.
type Hold struct {
	ClusterEdit
	Reason, Owner, Until string
}

// Run sets spec.hold of the manifest of a cluster.
func (f *Hold) Run(ctx context.Context, out io.Writer, cluster string, now time.Time) error {
	if f.onHub {
		here, _ := gitrepo.Open(f.dir) // for the name of the user; the command needs no repository
		hold, err := f.hold(here, now)
		if err != nil {
			return err
		}
		return f.setOnHub(ctx, out, cluster, "hold cluster "+cluster+": "+hold.Reason, &hold)
	}
	h, m, err := f.findCluster(ctx, cluster)
	if err != nil {
		return err
	}
	hold, err := f.hold(h, now)
	if err != nil {
		return err
	}
	c := gitrepo.Change{File: m.File, Subject: "hold cluster " + cluster + ": " + f.Reason}
	c.Body = text.Join("\n", text.WithPrefix("Owner: ", hold.Owner), text.WithPrefix("Until: ", hold.Until))
	if c.Text, err = m.Set(hold, "spec", "hold"); err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), err)
	}
	return f.Commit(ctx, out, h, c)
}

// Unhold ends the hold of a cluster, in Git or on the hub.
type Unhold struct {
	ClusterEdit
}

// Run removes spec.hold from the manifest of a cluster.
func (f *Unhold) Run(ctx context.Context, out io.Writer, cluster string) error {
	if f.onHub {
		return f.setOnHub(ctx, out, cluster, "unhold cluster "+cluster, nil)
	}
	h, m, err := f.findCluster(ctx, cluster)
	if err != nil {
		return err
	}
	reason, _ := m.Get("spec", "hold", "reason")
	c := gitrepo.Change{File: m.File, Subject: "unhold cluster " + cluster, Body: text.WithPrefix("It was held: ", reason)}
	if c.Text, err = m.Remove("spec", "hold"); err != nil {
		return fmt.Errorf("%s is not held in Git: %w", cluster, err)
	}
	return f.Commit(ctx, out, h, c)
}

// setOnHub sets spec.hold of a Cluster on the hub, or removes it if hold is nil.
func (f *ClusterEdit) setOnHub(ctx context.Context, out io.Writer, cluster, subject string, hold *holdSpec) error {
	return f.changeOnHub(ctx, out, cluster, subject, func(c *v1alpha1.Cluster) error {
		if hold == nil && c.Spec.Hold == nil {
			return fmt.Errorf("%s is not held on the hub: spec.hold is not there", cluster)
		}
		c.Spec.Hold = nil
		if hold != nil {
			c.Spec.Hold = &v1alpha1.ClusterHold{Reason: hold.Reason, Owner: hold.Owner}
			if until, err := time.Parse(time.RFC3339, hold.Until); err == nil { // empty without an end
				c.Spec.Hold.Until = &metav1.Time{Time: until}
			}
		}
		return nil
	})
}

// holdSpec is spec.hold in YAML.
type holdSpec struct {
	Reason string `yaml:"reason"`
	Owner  string `yaml:"owner,omitempty"`
	Until  string `yaml:"until,omitempty"`
}

// maxReason is the longest reason that the CustomResourceDefinition accepts, in characters.
const maxReason = 256

// hold returns the hold that the flags describe.
func (f *Hold) hold(h *gitrepo.Repository, now time.Time) (holdSpec, error) {
	hold := holdSpec{Reason: strings.TrimSpace(f.Reason), Owner: cmp.Or(f.Owner, h.UserName())}
	if hold.Reason == "" {
		return hold, errors.New("--reason must not be empty")
	}
	if n := utf8.RuneCountInString(hold.Reason); n > maxReason {
		return hold, fmt.Errorf("--reason has %d characters, at most %d are allowed", n, maxReason)
	}
	if f.Until == "" {
		return hold, nil
	}
	until, err := parseUntil(f.Until, now)
	hold.Until = until.UTC().Format(time.RFC3339)
	return hold, err
}

var days = regexp.MustCompile(`^([0-9]+)d`)

// parseUntil reads a time, or a duration from now. A date means the end of that day.
func parseUntil(text string, now time.Time) (time.Time, error) {
	until, err := time.Parse(time.RFC3339, text)
	if err != nil {
		until, err = time.Parse("2006-01-02 15:04", text)
	}
	if err != nil {
		if until, err = time.Parse(time.DateOnly, text); err == nil {
			until = until.AddDate(0, 0, 1)
		}
	}
	if err != nil {
		long, badSpan := time.ParseDuration(days.ReplaceAllStringFunc(text, inHours))
		if badSpan != nil {
			return until, fmt.Errorf(`--until %q: expected a time span like "48h" or "3d", or a time like "2026-03-06 18:00"`, text)
		}
		until = now.Add(long).Truncate(time.Minute)
	}
	if !until.After(now) {
		return until, fmt.Errorf("--until %q is in the past", text)
	}
	return until, nil
}

// inHours returns "72h" for "3d".
func inHours(text string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil {
		return text
	}
	return strconv.Itoa(24*n) + "h"
}
