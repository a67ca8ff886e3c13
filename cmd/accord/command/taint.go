package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/gitrepo/edit"
)

// Taint adds taints to a cluster and removes them, in Git or on the hub.
type Taint struct {
	ClusterEdit
	overwrite bool
}

// Run changes spec.taints of a cluster as the arguments of "kubectl taint" describe.
func (f *Taint) Run(ctx context.Context, out io.Writer, cluster string, args []string) error {
	changes, err := parseTaints(args)
	if err != nil {
		return err
	}
	return f.change(ctx, out, cluster, "taint cluster "+cluster+": "+strings.Join(args, " "), always(changes))
}

// uncordon removes the taints of cordon and of drain.
func (f *Taint) uncordon(ctx context.Context, out io.Writer, cluster string) error {
	return f.change(ctx, out, cluster, "uncordon cluster "+cluster, func(taints []corev1.Taint) ([]taintChange, error) {
		var changes []taintChange
		for _, c := range []taintChange{{key: v1alpha1.TaintUnschedulable, remove: true}, {key: v1alpha1.TaintDrain, remove: true}} {
			if slices.ContainsFunc(taints, c.matches) {
				changes = append(changes, c)
			}
		}
		if len(changes) == 0 {
			return nil, fmt.Errorf("has neither the taint %s nor %s in spec.taints", v1alpha1.TaintUnschedulable, v1alpha1.TaintDrain)
		}
		return changes, nil
	})
}

// changesOf returns the changes of the taints of a cluster. The message of an error continues a sentence about the cluster.
type changesOf func(taints []corev1.Taint) ([]taintChange, error)

// always returns the same changes for all taints.
func always(changes []taintChange) changesOf {
	return func([]corev1.Taint) ([]taintChange, error) { return changes, nil }
}

func (f *Taint) change(ctx context.Context, out io.Writer, cluster, subject string, changes changesOf) error {
	if f.onHub {
		return f.changeOnHub(ctx, out, cluster, subject, func(c *v1alpha1.Cluster) error {
			if by := c.Labels[v1alpha1.SourceLabel]; by != "" {
				return fmt.Errorf("the Cluster %s is declared in Git by %s: change spec.taints there, without --on-hub", cluster, by)
			}
			all, err := changes(c.Spec.Taints)
			if err == nil {
				c.Spec.Taints, err = changed(c.Spec.Taints, all, f.overwrite)
			}
			return inCluster(cluster, err)
		})
	}
	h, m, err := f.findCluster(ctx, cluster)
	if err != nil {
		return err
	}
	c := gitrepo.Change{File: m.File, Subject: subject}
	taints, err := taintsOf(m.Manifest)
	if err != nil {
		return err
	}
	all, err := changes(taints)
	if err == nil {
		c.Text, err = f.edited(m.Manifest, all)
	}
	if err != nil {
		return fmt.Errorf("editing %s: %w", m.Place(), inCluster(cluster, err))
	}
	return f.Commit(ctx, out, h, c)
}

// taintsOf returns spec.taints of a manifest.
func taintsOf(m edit.Manifest) ([]corev1.Taint, error) {
	var items []taintSpec
	if err := m.Items(&items, "spec", "taints"); err != nil {
		return nil, err
	}
	taints := make([]corev1.Taint, len(items))
	for i, t := range items {
		taints[i] = corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
	}
	return taints, nil
}

// inCluster names the cluster in an error about its taints.
func inCluster(cluster string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cluster %s %w", cluster, err)
}

// edited returns the file of a manifest after the changes. Taints that stay are not touched.
func (f *Taint) edited(m edit.Manifest, changes []taintChange) (text []byte, err error) {
	path := []string{"spec", "taints"}
	for len(changes) > 0 {
		c := changes[0]
		taints, err := taintsOf(m)
		if err != nil {
			return nil, err
		}
		if _, err := changed(taints, []taintChange{c}, f.overwrite); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(taints, c.matches)
		switch {
		case c.remove:
			text, err = m.RemoveItem(at, path...)
		case at < 0:
			text, err = m.AddItem(c.spec(), path...)
		default:
			text, err = m.ReplaceItem(at, c.spec(), path...)
		}
		if err != nil {
			return nil, err
		}
		if m, err = m.In(text); err != nil {
			return nil, err
		}
		if at < 0 || !c.remove || !slices.ContainsFunc(taints[at+1:], c.matches) {
			changes = changes[1:]
		}
	}
	return text, nil
}

// taintSpec is an item of spec.taints in YAML.
type taintSpec struct {
	Key    string `yaml:"key"`
	Value  string `yaml:"value,omitempty"`
	Effect string `yaml:"effect"`
}

// taintChange adds a taint, or removes taints. An empty effect removes the taints of the key with any effect.
type taintChange struct {
	key, value string
	effect     corev1.TaintEffect
	remove     bool
}

// String returns the taint as kubectl writes it.
func (c taintChange) String() string {
	t := corev1.Taint{Key: c.key, Value: c.value, Effect: c.effect}
	return t.ToString()
}

func (c taintChange) spec() taintSpec { return taintSpec{c.key, c.value, string(c.effect)} }

// matches reports whether the change is about a taint.
func (c taintChange) matches(t corev1.Taint) bool {
	return t.Key == c.key && (c.effect == "" || t.Effect == c.effect)
}

// changed returns taints after changes, in their order. The message of an error continues a sentence about the cluster.
func changed(taints []corev1.Taint, changes []taintChange, overwrite bool) ([]corev1.Taint, error) {
	taints = slices.Clone(taints)
	for _, c := range changes {
		i := slices.IndexFunc(taints, c.matches)
		switch {
		case c.remove && i < 0:
			return nil, fmt.Errorf("has no taint %s in spec.taints", c)
		case c.remove:
			taints = slices.DeleteFunc(taints, c.matches)
		case i < 0:
			taints = append(taints, corev1.Taint{Key: c.key, Value: c.value, Effect: c.effect})
		case taints[i].Value == c.value:
			return nil, errPresent{c}
		case !overwrite:
			return nil, fmt.Errorf("has the taint %s already: replace its value with --overwrite", taints[i].ToString())
		default:
			taints[i] = corev1.Taint{Key: c.key, Value: c.value, Effect: c.effect}
		}
	}
	return taints, nil
}

// errPresent is the error of a taint that the cluster has already.
type errPresent struct{ taint taintChange }

func (e errPresent) Error() string { return fmt.Sprintf("has the taint %s already", e.taint) }

// effects are the effects of taints of clusters.
var effects = []string{string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectNoExecute)}

// parseTaints reads the arguments of "kubectl taint".
func parseTaints(args []string) ([]taintChange, error) {
	var all []taintChange
	for _, arg := range args {
		c, err := parseTaint(arg)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(all, func(x taintChange) bool { return x.key == c.key && x.effect == c.effect }); i >= 0 {
			return nil, fmt.Errorf("%q: the taint %s is there twice", arg, all[i])
		}
		all = append(all, c)
	}
	return all, nil
}

func parseTaint(arg string) (c taintChange, err error) {
	text, remove := strings.CutSuffix(arg, "-")
	c.remove = remove
	text, effect, hasEffect := strings.Cut(text, ":")
	c.key, c.value, _ = strings.Cut(text, "=")
	c.effect = corev1.TaintEffect(effect)
	switch {
	case !hasEffect && !remove:
		return c, fmt.Errorf(`%q: expected KEY=VALUE:EFFECT or KEY:EFFECT to add a taint, KEY:EFFECT- or KEY- to remove one`, arg)
	case hasEffect && !slices.Contains(effects, effect):
		return c, fmt.Errorf("%q: the effect is %q, expected NoSchedule or NoExecute%s", arg, effect, manifest.DidYouMean(effect, effects))
	case remove && c.value != "":
		return c, fmt.Errorf("%q: a taint is removed by its key and effect: write %s:%s-", arg, c.key, c.effect)
	case !remove && c.key == v1alpha1.TaintDrain:
		return c, fmt.Errorf("%q: the taint %s drains a cluster: use \"accord drain\"", arg, c.key)
	case !remove && (c.key == v1alpha1.TaintNotReady || c.key == v1alpha1.TaintUnreachable):
		return c, fmt.Errorf("%q: accord itself sets the taint %s: choose another key, or use \"accord cordon\"", arg, c.key)
	}
	if errs := validation.IsQualifiedName(c.key); len(errs) > 0 {
		return c, fmt.Errorf("%q: the key is %q: %s", arg, c.key, strings.Join(errs, "; "))
	}
	if errs := validation.IsValidLabelValue(c.value); len(errs) > 0 {
		return c, fmt.Errorf("%q: the value is %q: %s", arg, c.value, strings.Join(errs, "; "))
	}
	return c, nil
}
