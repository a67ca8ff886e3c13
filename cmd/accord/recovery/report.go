package recovery

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/importer"
)

// Report is the state of a standby.
type Report struct {
	Plan    string `json:"plan"`
	Verdict string `json:"verdict"`
	Active  string `json:"active"`
	Standby string `json:"standby"`
	// Production is the revision of production now; empty if it cannot be read. Revision is the one that the standby has.
	Production string `json:"production,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// NewestChange is the time of the newest change in production that the standby has.
	NewestChange *time.Time `json:"newestChange,omitempty"`
	// Unread is the reason why production cannot be read, UnreadSince the time since which the hub cannot read it.
	Unread      string       `json:"unread,omitempty"`
	UnreadSince *time.Time   `json:"unreadSince,omitempty"`
	Kinds       []kindCount  `json:"kinds"`
	Differences []difference `json:"differences"`
	Excluded    []excluded   `json:"excluded"`
	Failed      []problem    `json:"failed"`

	code int
}

// DocumentKind implements text.Document.
func (*Report) DocumentKind() string { return "StandbyStatus" }

// kindCount counts the objects of a kind by their comparison with production.
type kindCount struct {
	Kind    string `json:"kind"`
	Objects int    `json:"objects"`
	Same    int    `json:"same"`
	Differ  int    `json:"differ"`
	Missing int    `json:"missing"`
}

// difference is an object of the standby that is not as the policies want it.
type difference struct {
	Object  string   `json:"object"`
	Missing bool     `json:"missing,omitempty"`
	Fields  []string `json:"fields,omitempty"`
}

// excluded are objects of production that do not go to the standby, for one reason.
type excluded struct {
	Reason  string   `json:"reason"`
	Objects []string `json:"objects"`
}

type problem struct {
	Object  string `json:"object"`
	Message string `json:"message"`
}

// add counts the comparison of all objects.
func (r *Report) add(verdicts []importer.Verdict) {
	for _, v := range verdicts {
		kind := strings.TrimPrefix(v.ID.Group+"/"+v.ID.Kind, "/")
		at := slices.IndexFunc(r.Kinds, func(k kindCount) bool { return k.Kind == kind })
		if at < 0 {
			at, r.Kinds = len(r.Kinds), append(r.Kinds, kindCount{Kind: kind})
		}
		k := &r.Kinds[at]
		k.Objects++
		switch {
		case v.Missing:
			k.Missing++
		case differs(v):
			k.Differ++
		default:
			k.Same++
		}
		if differs(v) {
			r.Differences = append(r.Differences, difference{v.ID.String(), v.Missing, v.Changes})
		}
	}
	slices.SortFunc(r.Kinds, func(a, b kindCount) int { return cmp.Compare(a.Kind, b.Kind) })
}

func (r *Report) exclude(reason, object string) {
	at := slices.IndexFunc(r.Excluded, func(x excluded) bool { return x.Reason == reason })
	if at < 0 {
		at, r.Excluded = len(r.Excluded), append(r.Excluded, excluded{Reason: reason})
	}
	r.Excluded[at].Objects = append(r.Excluded[at].Objects, object)
}

// conclude computes the verdict and the exit code.
func (r *Report) conclude(now time.Time) *Report {
	objects, same := 0, 0
	for _, k := range r.Kinds {
		objects, same = objects+k.Objects, same+k.Same
	}
	side := "production is active"
	if r.Active == policy.StandbySite {
		side = r.Standby + " is active"
	}
	switch {
	case r.Unread != "":
		r.Verdict, r.code = side+"; production cannot be read", 5
		if r.UnreadSince != nil {
			r.Verdict += ": " + r.Standby + " lacks the changes of the last " + phrase.Duration(now.Sub(*r.UnreadSince).Round(time.Second))
		}
	case len(r.Failed) > 0:
		r.Verdict, r.code = fmt.Sprintf("%s; %s of %s", side, phrase.Count(len(r.Failed), "failure"), phrase.Count(objects, "object")), 1
	case len(r.Differences) > 0:
		r.Verdict, r.code = fmt.Sprintf("%s; %d of %s not as production has them", side, objects-same, phrase.Count(objects, "object")), 1
	default:
		r.Verdict = fmt.Sprintf("%s; in sync: all %s as the policies want them", side, phrase.Count(objects, "object"))
	}
	r.Kinds, r.Differences, r.Excluded, r.Failed = orEmpty(r.Kinds), orEmpty(r.Differences), orEmpty(r.Excluded), orEmpty(r.Failed)
	return r
}

// orEmpty returns an empty list for nil, so that JSON has [] in place of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

const (
	// shownFields is the number of fields of a difference that a line has, shownObjects that of the objects of an exclusion.
	shownFields, shownObjects = 8, 3
)

func (r *Report) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Plan, r.Verdict)
	if r.NewestChange != nil {
		fmt.Fprintf(&b, "  newest change of production on %s: %s (%s)\n", r.Standby, r.NewestChange.UTC().Format(time.RFC3339), text.ShortRevision(r.Revision))
	}
	if r.Unread != "" {
		fmt.Fprintf(&b, "  %s\n", r.Unread)
	}
	if len(r.Kinds) > 0 {
		rows := [][]string{{"KIND", "OBJECTS", "SAME", "DIFFER", "MISSING"}}
		for _, k := range r.Kinds {
			rows = append(rows, []string{k.Kind, strconv.Itoa(k.Objects), strconv.Itoa(k.Same), strconv.Itoa(k.Differ), strconv.Itoa(k.Missing)})
		}
		if err := text.Table(&b, "  ", rows); err != nil {
			return err
		}
	}
	r.printDifferences(&b)
	for _, p := range r.Failed {
		fmt.Fprintf(&b, "failed   %s: %s\n", p.Object, phrase.Line(p.Message))
	}
	for _, x := range r.Excluded {
		fmt.Fprintf(&b, "excluded %s: %s\n", phrase.List(x.Objects, shownObjects), phrase.Line(x.Reason))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *Report) printDifferences(b *strings.Builder) {
	for _, d := range r.Differences {
		if d.Missing {
			fmt.Fprintf(b, "missing  %s\n", d.Object)
		} else {
			fmt.Fprintf(b, "differs  %s: %s\n", d.Object, phrase.List(d.Fields, shownFields))
		}
	}
}

// printOverwritten prints the differences.
func (r *Report) printOverwritten(out io.Writer) error {
	var b strings.Builder
	r.printDifferences(&b)
	_, err := io.WriteString(out, b.String())
	return err
}
