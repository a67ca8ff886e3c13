package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/gitrepo/edit"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// suspensionField is the field that suspends a kind.
type suspensionField struct {
	group string
	kinds []string
	// path is the field that is set to true.
	path []string
	// reason is the field beside it that has the reason; empty if there is none.
	reason string
}

// reasonPath returns the path of the field that takes the reason.
func (s suspensionField) reasonPath() []string {
	return append(slices.Clone(s.path[:len(s.path)-1]), s.reason)
}

var suspensions = []suspensionField{
	{policy.RolloutGroup, []string{"RolloutPolicy"}, []string{"spec", "paused"}, "pauseReason"},
	{policy.Group, []string{"PropagationPolicy", "ClusterPropagationPolicy"}, []string{"spec", "suspension", "dispatching"}, ""},
	{v1alpha1.GroupVersion.Group, []string{"Federation"}, []string{"spec", "suspend"}, ""},
}

// Suspension has the flags and the work of suspend; resume uses the flags, too.
type Suspension struct {
	Flags
	stage, kind, Reason string
}

// selector returns the manifests that can be suspended under a name.
func (f *Suspension) selector(name string) (gitrepo.Selector, error) {
	w := gitrepo.Selector{Noun: "RolloutPolicy, PropagationPolicy, ClusterPropagationPolicy or Federation", Name: name, Kinds: map[string][]string{}}
	for _, s := range suspensions {
		for _, kind := range s.kinds {
			if f.kind == "" || f.kind == kind {
				w.Kinds[s.group] = append(w.Kinds[s.group], kind)
			}
		}
	}
	if len(w.Kinds) == 0 {
		return w, fmt.Errorf("--kind %q: expected %s", f.kind, w.Noun)
	}
	if f.kind != "" {
		w.Noun = f.kind
	}
	return w, nil
}

// fieldOf returns the field that suspends a manifest.
func (f *Suspension) fieldOf(m gitrepo.ManifestFile) (suspensionField, error) {
	s := suspensions[slices.IndexFunc(suspensions, func(s suspensionField) bool {
		return s.group == m.Group() && slices.Contains(s.kinds, m.Kind)
	})]
	if f.stage == "" {
		return s, nil
	}
	if s.reason == "" {
		return s, fmt.Errorf("--stage: %s has no stages", m.Title())
	}
	if err := checkStage(m, f.stage); err != nil {
		return s, err
	}
	s.path = []string{"spec", "stages", f.stage, "paused"}
	return s, nil
}

// checkStage returns an error if the RolloutPolicy does not have the stage.
func checkStage(m gitrepo.ManifestFile, stage string) error {
	if _, there := m.Get("spec", "stages", stage, "name"); !there {
		return fmt.Errorf("%s (%s) has no stage %q", m.Title(), m.Place(), stage)
	}
	return nil
}

func (f *Suspension) Suspend(ctx context.Context, out io.Writer, name string) error {
	if f.Reason == "" {
		return errors.New("--reason is required")
	}
	w, err := f.selector(name)
	if err != nil {
		return err
	}
	h, m, err := gitrepo.FindManifest(f.dir, w)
	if err != nil {
		return err
	}
	s, err := f.fieldOf(m)
	if err != nil {
		return err
	}
	c := gitrepo.Change{File: m.File, Subject: "suspend " + text.Join(", stage ", m.Title(), f.stage) + ": " + f.Reason}
	if c.Text, err = s.set(m, f.Reason); err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), err)
	}
	return f.Commit(ctx, out, h, c)
}

func (f *Suspension) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.stage, "stage", "", "stage of a RolloutPolicy: this stage and all later ones")
	c.Flags().StringVar(&f.kind, "kind", "", "kind, if several manifests have the name")
	f.Flags.Register(c)
}

// suspendedClusters is the path of Karmada's suspension on some clusters. It excludes a suspension on all clusters: the
// annotation keeps its value until the policy is resumed.
var (
	suspendedClusters  = []string{"spec", "suspension", "dispatchingOnClusters", "clusterNames"}
	replacedSuspension = []string{"metadata", "annotations", policy.ReplacedSuspensionAnnotation}
)

// set returns the file with the manifest suspended.
func (s suspensionField) set(m gitrepo.ManifestFile, reason string) ([]byte, error) {
	e := &editor{ManifestFile: m}
	e.set(true, s.path...)
	if clusters := m.Values(suspendedClusters...); m.Group() == policy.Group && len(clusters) > 0 {
		e.set(strings.Join(clusters, ","), replacedSuspension...)
		e.remove(suspendedClusters[:3]...)
	}
	if s.reason != "" {
		e.set(reason, s.reasonPath()...)
	}
	return e.text, e.err
}

// unset returns the file with the manifest not suspended, or with the suspension that suspend replaced.
func (s suspensionField) unset(m gitrepo.ManifestFile) ([]byte, error) {
	e := &editor{ManifestFile: m}
	if _, there := m.Get(s.reasonPath()...); s.reason != "" && there {
		e.remove(s.reasonPath()...)
	}
	replaced, _ := m.Get(replacedSuspension...)
	if m.Group() == policy.Group && replaced != "" {
		e.set(strings.Split(replaced, ","), suspendedClusters...)
		e.remove(replacedSuspension...)
	}
	e.remove(s.path...)
	return e.text, e.err
}

// editor edits several fields of one manifest. The first error ends the edits.
type editor struct {
	gitrepo.ManifestFile
	text []byte
	err  error
}

func (e *editor) set(to any, path ...string) {
	e.edit(func() ([]byte, error) { return e.Set(to, path...) })
}

func (e *editor) remove(path ...string) {
	e.edit(func() ([]byte, error) { return e.Remove(path...) })
}

func (e *editor) edit(edit func() ([]byte, error)) {
	if e.err != nil {
		return
	}
	if e.text != nil {
		if e.ManifestFile, e.err = reread(e.ManifestFile, e.text); e.err != nil {
			return
		}
	}
	e.text, e.err = edit()
}

// reread returns the same manifest in a changed text of its file.
func reread(w gitrepo.ManifestFile, text []byte) (gitrepo.ManifestFile, error) {
	all, err := edit.Read(text)
	if err != nil {
		return w, err
	}
	i := slices.IndexFunc(all, func(m edit.Manifest) bool { return m.Line == w.Line && m.Kind == w.Kind && m.Name == w.Name })
	if i < 0 {
		return w, errors.New("the manifest was not found after the edit")
	}
	w.Manifest = all[i]
	return w, nil
}
