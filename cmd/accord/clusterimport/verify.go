package clusterimport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/importer"
)

// verdict is the comparison of one object on one cluster.
type verdict struct {
	Cluster  string   `json:"cluster"`
	Object   string   `json:"object"`
	Result   string   `json:"result"` // same, differs, missing
	Changes  []string `json:"changes,omitempty"`
	Beyond   []string `json:"beyond,omitempty"`
	Restarts bool     `json:"restarts,omitempty"`
}

// Verification compares the manifests of an import with the clusters.
type Verification struct {
	Objects []verdict `json:"objects"`
	// Differ counts the objects that differ or are missing.
	Differ int `json:"differ"`
}

// DocumentKind implements text.Document.
func (Verification) DocumentKind() string { return "ImportVerification" }

// verifyAll compares the directory with the clusters.
func (o *Options) verifyAll(ctx context.Context, out, errOut io.Writer, sources []*source) error {
	wanted, err := o.wanted(ctx, sources)
	if err != nil {
		return err
	}
	for i, s := range sources {
		if err := s.discover(o.toCompare(wanted[i])); err != nil {
			return err
		}
	}
	selection := o.selection
	selection.Kinds = nil // discover has selected them
	clusters, err := readAll(ctx, sources, reading{selection: selection}, errOut)
	if err != nil {
		return err
	}
	all, differing := []verdict{}, 0
	for i, c := range clusters {
		for _, v := range c.CompareAll(wanted[i]) {
			all = append(all, verdictOf(c.Name, v))
			if !v.Same() {
				differing++
			}
		}
	}
	if err := o.printVerdicts(out, all, differing); err != nil {
		return err
	}
	if differing > 0 {
		return &exit.Error{Code: 1}
	}
	return nil
}

// wanted returns the objects that the directory delivers to each cluster. Without policies they are all objects. Secrets are not
// compared, because the import does not read their values.
func (o *Options) wanted(ctx context.Context, sources []*source) ([][]*unstructured.Unstructured, error) {
	t, err := (&load.Flags{Paths: []string{"."}}).Read(ctx, o.dir)
	if err != nil {
		return nil, err
	}
	if t.Mistakes != nil {
		return nil, t.Mistakes
	}
	for _, s := range sources {
		if !slices.ContainsFunc(t.Input.Fleet, func(c fleet.Cluster) bool { return c.Name == s.name }) {
			t.Input.Fleet = append(t.Input.Fleet, fleet.Cluster{Name: s.name})
		}
	}
	plan, err := propagate.New(t.Input)
	if err != nil {
		return nil, err
	}
	wanted := make([][]*unstructured.Unstructured, len(sources))
	for i, s := range sources {
		target := plan.ForCluster(s.name)
		for _, failed := range target.Failed {
			return nil, fmt.Errorf("%s cannot be rendered for cluster %s: %w", failed.ID, s.name, failed.Err)
		}
		for _, placed := range target.Objects {
			u := &unstructured.Unstructured{}
			if err := utiljson.Unmarshal(placed.Body.Bytes(), &u.Object); err != nil {
				return nil, fmt.Errorf("reading %s as it was rendered: %w", placed.ID, err)
			}
			wanted[i] = append(wanted[i], u)
		}
		if len(t.Input.Policies) == 0 {
			for _, object := range t.Input.Objects {
				wanted[i] = append(wanted[i], object.Manifest.Get())
			}
		}
		wanted[i] = slices.DeleteFunc(wanted[i], func(u *unstructured.Unstructured) bool { return manifest.IDOf(u).IsSecret() })
		if len(wanted[i]) == 0 {
			return nil, fmt.Errorf("%s delivers nothing to cluster %s: name the clusters as in the import", o.dir, s.name)
		}
	}
	return wanted, nil
}

// toCompare selects the kinds of the objects, and autoscalers, which own the replicas of others.
func (o *Options) toCompare(objects []*unstructured.Unstructured) importer.Selection {
	s := o.selection
	if len(s.Kinds) == 0 {
		s.Kinds = []string{"horizontalpodautoscalers.autoscaling", "customresourcedefinitions.apiextensions.k8s.io"}
		if len(s.Namespaces) > 0 {
			s.Kinds = s.Kinds[:1]
		}
	}
	for _, u := range objects {
		id := manifest.IDOf(u)
		if word := strings.TrimSuffix(id.Kind+"."+id.Group, "."); !slices.Contains(s.Kinds, word) {
			s.Kinds = append(s.Kinds, word)
		}
	}
	return s
}

func verdictOf(cluster string, v importer.Verdict) verdict {
	result := "differs"
	switch {
	case v.Missing:
		result = "missing"
	case v.Same():
		result = "same"
	}
	return verdict{cluster, v.ID.String(), result, v.Changes, v.Beyond, v.Restarts}
}

func (o *Options) printVerdicts(out io.Writer, all []verdict, differing int) error {
	if o.output.Value == text.AsJSON {
		return text.Encode(out, text.AsJSON, Verification{all, differing})
	}
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(out, format+"\n", args...)
		errs = append(errs, err)
	}
	for _, v := range all {
		line("%-8s %s  %s", v.Result, v.Cluster, v.Object)
		if len(v.Changes) > 0 {
			restart := ""
			if v.Restarts {
				restart = ", and restarts pods"
			}
			line("         a delivery changes %s%s", phrase.List(v.Changes, 8), restart)
		}
		if len(v.Beyond) > 0 {
			line("         the manifest does not have %s", phrase.List(v.Beyond, 8))
		}
	}
	if differing == 0 {
		line("%s the same: a delivery changes no field of them", phrase.Count(len(all), "object"))
	} else {
		line("%d of %s not the same", differing, phrase.Count(len(all), "object"))
	}
	return errors.Join(errs...)
}
