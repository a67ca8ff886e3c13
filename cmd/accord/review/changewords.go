package review

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/diff"
)

// verbs are the sign and the word for each action.
var verbs = map[diff.Action]struct{ sign, word string }{
	diff.Create:   {"+", "new"},
	diff.Modify:   {"~", "changed"},
	diff.Recreate: {"!", "must be recreated"},
	diff.Delete:   {"-", "deleted"},
	diff.Keep:     {"-", "leaves, stays there"},
	diff.Hold:     {"=", "held"},
	diff.Fail:     {"!", "cannot be rendered"},
}

// controlWord returns the effect of a changed control manifest: it is in the digest of the plan although no object shows it.
func controlWord(c diff.ControlChange) string {
	return verbs[c.Action].word + "; it decides, and no object shows it"
}

// subject returns "apps/Deployment shop/web", or "30 x apps/Deployment" for several objects.
func subject(c diff.Change) string {
	if len(c.Objects) == 1 {
		return c.Objects[0].ID.String()
	}
	return fmt.Sprintf("%d x %s", len(c.Objects), kindOf(c.Objects[0].ID))
}

// kindOf returns "apps/Deployment", "ConfigMap".
func kindOf(id manifest.ID) string {
	if id.Group == "" {
		return id.Kind
	}
	return id.Group + "/" + id.Kind
}

// summaryOf returns the first fields of a change, or the action.
func summaryOf(v diff.Variant) string {
	if len(v.Hunks) == 0 {
		return text.Join(": ", verbs[v.Action].word, v.Message)
	}
	paths := make([]string, len(v.Hunks))
	for i, h := range v.Hunks {
		paths[i] = hunkPath(h)
	}
	words := phrase.List(paths, 2)
	if v.Action != diff.Modify {
		words = verbs[v.Action].word + ": " + words
	}
	return words
}

// hunkPath returns the path of a field.
func hunkPath(h diff.Hunk) string {
	if h.Path == "" {
		return "the whole object"
	}
	return h.Path
}

// cost returns the pods that a change restarts.
func cost(c diff.Change) string {
	pods, restarts := 0, false
	for _, v := range c.Variants {
		pods += v.RestartedPods
		restarts = restarts || v.Restarts
	}
	switch {
	case pods > 0:
		return "restarts " + phrase.Count(pods, "pod")
	case restarts:
		return "restarts pods"
	}
	return ""
}

// clustersOf returns the clusters of all variants.
func clustersOf(c diff.Change) []string {
	var all []string
	for _, v := range c.Variants {
		all = append(all, v.Clusters...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// reach returns the number of clusters: "30 clusters", "eu-1", "28 clusters, eu-7 differs".
func reach(c diff.Change) string {
	rest := len(clustersOf(c)) - len(c.Variants[0].Clusters)
	first := c.Variants[0].Clusters
	words := phrase.Count(len(first), "cluster")
	if len(first) == 1 {
		words = first[0]
	}
	switch {
	case rest == 1:
		return words + ", " + lastCluster(c) + " differs"
	case rest > 1:
		return fmt.Sprintf("%s, %d differ", words, rest)
	}
	return words
}

// lastCluster returns the first cluster that is not in the largest variant.
func lastCluster(c diff.Change) string {
	others := slices.DeleteFunc(clustersOf(c), func(name string) bool { return slices.Contains(c.Variants[0].Clusters, name) })
	return text.First(others)
}

// location returns the clusters of the i-th variant: "the same in 28 clusters", "eu-7 differs". name formats the name of a
// cluster.
func location(c diff.Change, i int, name func(string) string) string {
	clusters := c.Variants[i].Clusters
	switch {
	case len(clusters) == 1 && i == 0:
		return name(clusters[0])
	case len(clusters) == 1:
		return name(clusters[0]) + " differs"
	case i == 0:
		return "the same in " + phrase.Count(len(clusters), "cluster")
	}
	return phrase.Count(len(clusters), "cluster") + " differ"
}

// detail returns the part of a variant that its hunks do not show.
func detail(v diff.Variant, hunks bool) string {
	word := verbs[v.Action].word
	if hunks && v.Action == diff.Modify {
		word = ""
	}
	immutable := ""
	if len(v.Immutable) > 0 {
		immutable = "the API does not let " + phrase.List(v.Immutable, 3) + " change"
	}
	restarts := ""
	if v.RestartedPods > 0 {
		restarts = "restarts " + phrase.Count(v.RestartedPods, "pod")
	} else if v.Restarts {
		restarts = "restarts pods"
	}
	return text.Join("; ", text.Join(": ", word, v.Message), immutable, restarts)
}

// hunkLines returns a hunk as a diff.
func hunkLines(h diff.Hunk) []string {
	if h.Text != "" {
		return text.PrintableLines("", h.Text)
	}
	lines := slices.Concat(text.PrintableLines("-", h.Before), text.PrintableLines("+", h.After))
	if len(lines) == 0 {
		return []string{" (" + string(h.Op) + "; the value is not shown)"}
	}
	return lines
}

// command returns the command that prints the same review, without the password in a URL.
func (f *Options) command(p *comparison, dir string) []string {
	if f.Command != nil {
		return f.Command
	}
	args := []string{"accord", "plan"}
	if dir != "" {
		args = append(args, dir)
	}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	repo := f.Tree.Repo
	if u, err := url.Parse(repo); err == nil && u.User != nil {
		u.User = nil
		repo = u.String()
	}
	add("--repo", repo)
	add("--base", f.Base)
	if p.head.label != worktreeLabel {
		add("--head", f.Head)
	}
	add("--federation", f.Tree.FederationName)
	if f.Tree.FederationName == "" && !slices.Equal(f.Tree.Paths, []string{"."}) {
		for _, path := range f.Tree.Paths {
			add("--path", path)
		}
	}
	add("--fleet-file", f.Tree.FleetFile)
	return args
}
