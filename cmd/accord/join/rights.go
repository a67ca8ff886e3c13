package join

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/render"
)

// printRights writes accord's identity on a member, with the smallest role for the objects that Git delivers there.
func (f *Options) printRights(ctx context.Context, out io.Writer, name, dir string) error {
	t, err := f.Tree.Read(ctx, dir)
	if err != nil {
		return err
	}
	if t.Mistakes != nil {
		return &exit.Error{Code: 1, Err: t.Mistakes}
	}
	if !slices.ContainsFunc(t.Input.Fleet, func(c fleet.Cluster) bool { return c.Name == name }) {
		t.Input.Fleet = append(t.Input.Fleet, f.Traits.cluster(name))
	}
	plan, err := propagate.New(t.Input)
	if err != nil {
		return &exit.Error{Code: 1, Err: err}
	}
	plurals := newPlurals(t.Parts.Objects)
	rules := permit.Rights(plan, name, nil, plurals.resource)
	_, err = fmt.Fprintf(out, "# What accord may do on %s: what it takes to deliver the %s that Git has for it (%s).\n", name,
		phrase.Count(len(plan.ForCluster(name).Objects), "object"), t.Input.Revision)
	if err != nil {
		return err
	}
	if guessed := plurals.guessedKinds(); len(guessed) > 0 {
		fmt.Fprintf(out, "# Guessed, because Git has no CustomResourceDefinition of them: %s.\n", strings.Join(guessed, ", "))
	}
	documents := []any{identityNamespace(), identityAccount(), rightsRole(rules), identityBinding(identityName), ownRole(), ownBinding()}
	all, err := impersonations(f.Impersonate)
	if err != nil {
		return err
	}
	for _, x := range all {
		documents = append(documents, x.role, x.binding)
	}
	if rules := permit.ImpersonationRights(f.Users, f.Groups); len(rules) > 0 {
		documents = append(documents, usersRole(rules), usersBinding())
	}
	return printDocuments(out, documents...)
}

// cluster returns the cluster as policies see it.
func (t Traits) cluster(name string) fleet.Cluster {
	return fleet.Cluster{Name: name, Labels: t.Labels, Provider: t.Provider, Region: t.Region, Zones: t.Zones}
}

// plurals are the resource names of kinds.
type plurals struct {
	defined map[schema.GroupKind]string
	guessed map[schema.GroupKind]bool
}

// newPlurals knows the kinds whose CustomResourceDefinitions are in Git. It guesses others by the rules of English, which
// Kubernetes' own kinds follow.
func newPlurals(objects []render.Object) *plurals {
	p := &plurals{defined: map[schema.GroupKind]string{}, guessed: map[schema.GroupKind]bool{}}
	for _, o := range objects {
		if o.ID().Kind != "CustomResourceDefinition" {
			continue
		}
		if name, _, _ := unstructured.NestedString(o.Manifest.Get().Object, "spec", "names", "plural"); name != "" {
			p.defined[manifest.Defines(o.Manifest.Get())] = name
		}
	}
	return p
}

func (p *plurals) resource(gk schema.GroupKind) string {
	if name, known := p.defined[gk]; known {
		return name
	}
	if strings.Contains(gk.Group, ".") && !strings.HasSuffix(gk.Group, ".k8s.io") {
		p.guessed[gk] = true
	}
	plural, _ := meta.UnsafeGuessKindToResource(gk.WithVersion(""))
	return plural.Resource
}

// guessedKinds returns the kinds with a guessed name, sorted.
func (p *plurals) guessedKinds() []string {
	var names []string
	for gk := range p.guessed {
		names = append(names, gk.String())
	}
	slices.Sort(names)
	return names
}

func rightsRole(rules []rbacv1.PolicyRule) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: identityName, Labels: managedLabels()},
		Rules:      rules,
	}
}

// ownRole grants access to the inventory and to the token of the account, in the namespace of both.
func ownRole() *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Namespace: hub.SystemNamespace, Name: identityName, Labels: managedLabels()},
		Rules:      permit.OwnRights(identityName),
	}
}

func ownBinding() *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: hub.SystemNamespace, Name: identityName, Labels: managedLabels()},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: identityName},
		Subjects:   identitySubjects(),
	}
}

// printDocuments writes manifests for kubectl.
func printDocuments(out io.Writer, objects ...any) error {
	for _, o := range objects {
		doc, err := yaml.Marshal(o)
		if err != nil {
			return fmt.Errorf("encoding the identity: %w", err)
		}
		if _, err := fmt.Fprintf(out, "---\n%s", doc); err != nil {
			return err
		}
	}
	return nil
}

// Traits are the fields that policies select by. An empty field does not change an existing Cluster.
type Traits struct {
	Provider string
	Region   string
	Zones    []string
	Labels   map[string]string
}
