// Package check examines an installation: the hub, the rights, the versions, the members, the sources and the webhooks.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// Result is the outcome of one check.
type Result string

const (
	OK      Result = "ok"
	Warning Result = "warning"
	Error   Result = "error"
)

// Finding is the outcome of one check of one subject.
type Finding struct {
	// Subject is "hub", "cluster eu-1", "federation prod/shop" and the like.
	Subject string `json:"subject"`
	Result  Result `json:"result"`
	Message string `json:"message"`
	// Fix is the step that makes the subject ok. It is empty if the subject is.
	Fix string `json:"fix,omitempty"`
}

// Report is the outcome of all checks.
type Report struct {
	// Result is that of the worst finding.
	Result   Result    `json:"result"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`
}

// DocumentKind implements text.Document.
func (Report) DocumentKind() string { return "CheckReport" }

// Installation is the part of the manifests of "accord install" that a hub is compared with.
type Installation struct {
	// Namespace is that of accord.
	Namespace string
	// Rules are the rights of the controllers in all namespaces.
	Rules []rbacv1.PolicyRule
	// Version is the version of this binary.
	Version string
}

// examination is one run of the checks.
type examination struct {
	hub    *hub.Hub
	client kubernetes.Interface
	wanted Installation
	report Report
}

// Run makes all checks. They only read.
func Run(ctx context.Context, h *hub.Hub, wanted Installation) (Report, error) {
	cfg := rest.CopyConfig(h.Config)
	cfg.QPS = -1 // a review of each right is a request of its own
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return Report{}, err
	}
	e := &examination{hub: h, client: c, wanted: wanted}
	if e.reach() && e.kinds(ctx) {
		e.userRights(ctx)
		e.deployment(ctx)
		e.aggregatedAPIs(ctx)
		e.clusters(ctx)
		e.federations(ctx)
	}
	return e.report.complete(), ctx.Err()
}

func (e *examination) ok(subject, format string, args ...any) {
	e.report.Findings = append(e.report.Findings, Finding{subject, OK, fmt.Sprintf(format, args...), ""})
}

func (e *examination) warn(subject, message, fix string) {
	e.report.Findings = append(e.report.Findings, Finding{subject, Warning, message, fix})
}

func (e *examination) fail(subject, message, fix string) {
	e.report.Findings = append(e.report.Findings, Finding{subject, Error, message, fix})
}

// unread reports objects that the user may not read, or that the hub does not return.
func (e *examination) unread(subject string, err error) {
	e.warn(subject, "not checked: "+err.Error(), "run the command as a user who may read it, for example with --as")
}

// complete counts the findings.
func (r Report) complete() Report {
	r.Result = OK
	for _, f := range r.Findings {
		switch f.Result {
		case Error:
			r.Errors++
		case Warning:
			r.Warnings++
		case OK:
		}
	}
	switch {
	case r.Errors > 0:
		r.Result = Error
	case r.Warnings > 0:
		r.Result = Warning
	}
	return r
}

// Err returns the exit code 1 if there is an error.
func (r Report) Err() error {
	if r.Errors == 0 {
		return nil
	}
	return &exit.Error{Code: 1}
}

// Write writes the report as text. The fix of a subject is on the line below it.
func (r Report) Write(out io.Writer) error {
	var rows [][]string
	for _, f := range r.Findings {
		rows = append(rows, []string{string(f.Result), f.Subject, f.Message})
		if f.Fix != "" {
			rows = append(rows, []string{"", "", "fix: " + f.Fix})
		}
	}
	return errors.Join(text.Columns(out, "", rows), r.writeVerdict(out))
}

func (r Report) writeVerdict(out io.Writer) error {
	if r.Result == OK {
		_, err := fmt.Fprintf(out, "\n%s: everything is ok.\n", phrase.Count(len(r.Findings), "check"))
		return err
	}
	var counts []string
	if r.Errors > 0 {
		counts = append(counts, phrase.Count(r.Errors, "error"))
	}
	if r.Warnings > 0 {
		counts = append(counts, phrase.Count(r.Warnings, "warning"))
	}
	_, err := fmt.Fprintf(out, "\n%s: %s.\n", phrase.Count(len(r.Findings), "check"), strings.Join(counts, ", "))
	return err
}
