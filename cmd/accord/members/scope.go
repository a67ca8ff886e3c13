package members

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// Scope selects the servers of a command, as Karmada names them (Karmada 11.2).
type Scope string

// Scopes of commands.
const (
	OnHub     Scope = "hub"
	OnMembers Scope = "members"
	Everyone  Scope = "all"
)

// karmada is Karmada's name of the hub.
const karmada = "karmada"

// scopeFlag is the flag --operation-scope.
type scopeFlag struct {
	value   Scope
	allowed []Scope
}

// Choices returns the values of the flag.
func (s *scopeFlag) Choices() []string {
	var all []string
	for _, a := range s.allowed {
		all = append(all, string(a))
	}
	return all
}

// String, Set and Type implement pflag.Value.
func (s *scopeFlag) String() string { return string(s.value) }

func (s *scopeFlag) Set(text string) error {
	if text == karmada {
		text = string(OnHub)
	}
	if !slices.Contains(s.allowed, Scope(text)) {
		return fmt.Errorf("expected one of %s", strings.Join(s.Choices(), ", "))
	}
	s.value = Scope(text)
	return nil
}

func (s *scopeFlag) Type() string { return "scope" }

// target selects the servers of a command: the hub, and clusters behind it.
type target struct {
	hub       hub.Flags
	namespace string
	scope     scopeFlag
	clusters  []string
	one       string
	every     bool
	force     bool
}

// register registers the flags of a command.
func (t *target) register(c *cobra.Command, v verb) {
	f := c.PersistentFlags()
	t.hub.Register(f)
	f.StringVarP(&t.namespace, "namespace", "n", "", "namespace of the objects (default that of the context)")
	if len(v.scopes) > 1 {
		t.scope.allowed = v.scopes
		f.VarP(&t.scope, "operation-scope", "s", fmt.Sprintf("where the command acts: %s (default hub, and members if clusters are named)", strings.Join(t.scope.Choices(), ", ")))
	}
	if !v.many {
		f.StringVarP(&t.one, "cluster", "C", "", "name of the Cluster"+v.chosen())
		return
	}
	f.StringSliceVarP(&t.clusters, "clusters", "C", nil, "names of Clusters, separated by commas"+v.defaultClusters())
	f.StringVar(&t.one, "cluster", "", "name of one Cluster")
	if v.asks() {
		f.BoolVar(&t.every, "all-clusters", false, "act on all clusters")
	}
	if v.writes {
		f.BoolVar(&t.force, "force-drift", false, "write to objects that accord delivers, too; accord repairs them later")
	}
}

// names returns the Clusters that the flags name.
func (t *target) names() []string {
	names := slices.Clone(t.clusters)
	if t.one != "" {
		names = append(names, t.one)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// where returns the scope: that of the flag, else members if the flags name clusters, else the first one of the command.
func (t *target) where(v verb) (Scope, error) {
	named := len(t.names()) > 0 || t.every
	switch {
	case t.every && len(t.names()) > 0:
		return "", errors.New("--all-clusters and --clusters are mutually exclusive")
	case t.scope.value == OnHub && named:
		return "", errors.New("--operation-scope hub and --clusters are mutually exclusive")
	case t.scope.value != "":
		return t.scope.value, nil
	case named:
		return OnMembers, nil
	}
	return v.scopes[0], nil
}
