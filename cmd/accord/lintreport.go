package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// A lintReport is what lint found; its JSON form is stable.
type lintReport struct {
	dir string
	// unread: what there is could not be read as a whole, so nothing was counted.
	unread   bool
	Objects  int        `json:"objects"`
	Policies int        `json:"policies"`
	Clusters int        `json:"clusters"`
	Errors   []lintLine `json:"errors"`
	Notes    []lintLine `json:"notes"`
}

// A lintLine is one message about one place.
type lintLine struct {
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// at is a line about a place in the tree.
func at(o manifest.Origin, code, message string) lintLine {
	return lintLine{Path: o.Path, Line: o.Line, Code: code, Message: message}
}

// addErrors takes joined errors apart. One that is not about a manifest is a line without a place.
func (r *lintReport) addErrors(err error) {
	for _, e := range flatten(err) {
		if mistake, ok := errors.AsType[*manifest.Error](e); ok {
			r.Errors = append(r.Errors, at(mistake.Origin, "", mistake.Message))
		} else {
			r.Errors = append(r.Errors, lintLine{Message: e.Error()})
		}
	}
}

// flatten is the errors that were joined, in order.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

func (r *lintReport) addFindings(findings []propagate.Finding) {
	for _, f := range findings {
		r.Notes = append(r.Notes, at(f.At, f.Code, f.Message))
	}
}

// plan decides and renders everything. Without a declared Cluster there is nothing to place anything on, so what
// depends on the fleet is not judged.
func (r *lintReport) plan(in propagate.Input) {
	p, err := propagate.New(in)
	if err != nil {
		r.addErrors(err)
		return
	}
	r.addFindings(slices.DeleteFunc(p.Findings, func(f propagate.Finding) bool {
		return len(in.Fleet) == 0 && f.Code == propagate.UnknownCluster
	}))
	failures := map[string]bool{}
	for _, cluster := range p.Clusters() {
		for _, f := range p.For(cluster).Failed {
			if text := f.ID.String() + " " + f.Err.Error(); !failures[text] { // the same mistake on thirty clusters is one
				failures[text] = true
				r.addFailure(cluster, f)
			}
		}
	}
	if len(in.Fleet) == 0 {
		return
	}
	for _, d := range p.Decisions {
		if d.Why != "" {
			r.Notes = append(r.Notes, at(d.Origin, "goes-nowhere", d.ID.String()+" goes to no cluster: "+d.Why))
		}
	}
}

// addFailure is about the policy that cannot be followed if the error says so, else about the object.
func (r *lintReport) addFailure(cluster string, f propagate.Failure) {
	if mistake, ok := errors.AsType[*manifest.Error](f.Err); ok {
		r.Errors = append(r.Errors, at(mistake.Origin, "", fmt.Sprintf("%s on %s: %s", f.ID, cluster, mistake.Message)))
		return
	}
	r.Errors = append(r.Errors, at(f.Origin, "", fmt.Sprintf("%s on %s: %v", f.ID, cluster, f.Err)))
}

// verdict is "2 errors and 1 note in 14 objects, 3 policies, 30 clusters".
func (r *lintReport) verdict() string {
	if r.unread {
		return count(len(r.Errors), "error") + "; nothing was planned, there may be more"
	}
	return fmt.Sprintf("%s and %s in %s, %s, %s", count(len(r.Errors), "error"), count(len(r.Notes), "note"),
		count(r.Objects, "object"), count(r.Policies, "policy"), count(r.Clusters, "cluster"))
}

// write sorts by place and prints.
func (r *lintReport) write(out io.Writer, f format) error {
	byPlace := func(a, b lintLine) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) }
	slices.SortStableFunc(r.Errors, byPlace)
	slices.SortStableFunc(r.Notes, byPlace)
	if f == asJSON {
		r.Errors, r.Notes = append([]lintLine{}, r.Errors...), append([]lintLine{}, r.Notes...)
		return encode(out, f, r)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.verdict())
	for _, l := range r.Errors {
		fmt.Fprintln(&b, join(": ", l.place(r.dir), l.Message))
	}
	for _, l := range r.Notes {
		fmt.Fprintf(&b, "%s [%s]\n", join(": ", l.place(r.dir), "note", l.Message), l.Code)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// place is file and line as seen from where lint was called, so that an editor can jump there.
func (l lintLine) place(dir string) string {
	if l.Path == "" {
		return ""
	}
	return manifest.Origin{Path: path.Join(dir, l.Path), Line: l.Line}.String()
}
