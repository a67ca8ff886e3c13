// Package complete returns the candidates of shell completion: contexts, revisions, and names on the hub. A source that cannot
// be read in time has no candidates.
package complete

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// timeLimit limits one completion.
const timeLimit = 3 * time.Second

// Contexts returns the contexts of a kubeconfig, kubectl's default one if path is empty.
func Contexts(path string) []string {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	cfg, err := rules.Load()
	if err != nil {
		return nil
	}
	var all []string
	for name := range cfg.Contexts {
		all = append(all, name)
	}
	return unique(all)
}

// Revisions returns the branches and tags of the repository around the current directory.
func Revisions() []string {
	h, err := gitrepo.Open(".")
	if err != nil {
		return nil
	}
	return unique(h.RefNames())
}

// Names lists names on a hub.
type Names func(context.Context, *hub.Hub) []string

// FromHub returns the names on the hub that the flags of a command select.
func FromHub(c *cobra.Command, list Names) []string {
	ctx, end := context.WithTimeout(c.Context(), timeLimit)
	defer end()
	f := &hub.Flags{Timeout: timeLimit, Kubeconfig: value(c, "kubeconfig"), Context: value(c, "context")}
	h, err := f.Connect()
	if err != nil {
		return nil
	}
	if namespace := value(c, "namespace"); namespace != "" {
		h.Namespace, h.NamespaceGiven = namespace, true
	}
	return unique(list(ctx, h))
}

// value returns the value of a flag, empty if the command has no such flag.
func value(c *cobra.Command, flag string) string {
	if f := c.Flags().Lookup(flag); f != nil {
		return f.Value.String()
	}
	return ""
}

// Clusters lists the members.
func Clusters(ctx context.Context, h *hub.Hub) []string {
	list := &v1alpha1.ClusterList{}
	if h.List(ctx, list) != nil {
		return nil
	}
	var all []string
	for i := range list.Items {
		all = append(all, list.Items[i].Name)
	}
	return all
}

// Federations lists the federations, as commands accept them.
func Federations(ctx context.Context, h *hub.Hub) []string {
	feds, err := h.Federations(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for i := range feds {
		all = append(all, h.Title(&feds[i]))
	}
	return all
}

// Namespaces lists the namespaces that have federations.
func Namespaces(ctx context.Context, h *hub.Hub) []string {
	h.NamespaceGiven = false // it may be the one that is completed
	feds, err := h.Federations(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for i := range feds {
		all = append(all, feds[i].Namespace)
	}
	return all
}

// Objects lists the objects of the federations, "deployment/web".
func Objects(ctx context.Context, h *hub.Hub) []string {
	feds, err := h.Federations(ctx)
	if err != nil {
		return nil
	}
	var all []string
	for i := range feds {
		list := &v1alpha1.FederatedObjectList{}
		if h.List(ctx, list, hub.ListOptions(&feds[i])...) != nil {
			return nil
		}
		for j := range list.Items {
			of := list.Items[j].Spec.Template
			all = append(all, strings.ToLower(of.Kind)+"/"+of.Name)
		}
	}
	return all
}

// Rollouts lists the RolloutPolicies of the newest Releases.
func Rollouts(ctx context.Context, h *hub.Hub) []string {
	var all []string
	for _, r := range rollouts(ctx, h) {
		all = append(all, r.Policy)
	}
	return all
}

// Stages lists the stages of the rollouts of the newest Releases.
func Stages(ctx context.Context, h *hub.Hub) []string {
	var all []string
	for _, r := range rollouts(ctx, h) {
		for _, s := range r.Stages {
			all = append(all, s.Name)
		}
	}
	return all
}

func rollouts(ctx context.Context, h *hub.Hub) []v1alpha1.RolloutStatus {
	feds, err := h.Federations(ctx)
	if err != nil {
		return nil
	}
	var all []v1alpha1.RolloutStatus
	for i := range feds {
		if rel, err := h.NewestRelease(ctx, &feds[i]); err == nil && rel != nil {
			all = append(all, rel.Status.Rollouts...)
		}
	}
	return all
}

func unique(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}
