package partition

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/resid"
)

// The name references of kustomize v0.21.1 (internal/konfig/builtinpluginconsts/namereference.go): the kinds that other
// objects refer to, the last steps of the paths of references, and the kinds whose references have a namespace.
var (
	referred = set("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet", "ConfigMap", "Secret", "Service", "Role",
		"ClusterRole", "ServiceAccount", "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "PriorityClass", "IngressClass",
		"ValidatingAdmissionPolicy")
	refersByName = set("name", "secretName", "adminSecretName", "userSecretName", "secretRef", "configMap", "serviceName",
		"serviceAccountName", "claimName", "volumeName", "storageClassName", "priorityClassName", "ingressClassName", "policyName",
		"resourceNames", "nginx.ingress.kubernetes.io/fastcgi-params-configmap", "ingress.kubernetes.io/auth-secret",
		"nginx.ingress.kubernetes.io/auth-secret", "nginx.ingress.kubernetes.io/auth-tls-secret")
	refersWithNamespace = set("RoleBinding", "ClusterRoleBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
)

func set(items ...string) map[string]bool {
	s := make(map[string]bool, len(items))
	for _, item := range items {
		s[item] = true
	}
	return s
}

// references finds the objects that others refer to.
type references struct {
	// targets are the items that can be referred to, by their names, and by their namespaces.
	targets map[string]map[string][]*item
	// places has one unit of all that have the same original and current namespace. Kustomize looks a reference with a
	// namespace up in the original namespaces, and in the current ones if no object is in that one.
	places []*unit
	items  map[*unit][]*item
	// words are those that a kustomization can write into any of its objects, and that are names of targets.
	words map[*Kustomization][]string
}

func (s *splitter) references() *references {
	refs := &references{targets: map[string]map[string][]*item{}, items: map[*unit][]*item{}, words: map[*Kustomization][]string{}}
	type place struct{ original, current string }
	places := map[place]bool{}
	for _, i := range s.items {
		at := place{i.original().EffectiveNamespace(), i.current.Namespace}
		if !places[at] {
			places[at] = true
			refs.places = append(refs.places, i.unit)
		}
		refs.items[i.unit] = append(refs.items[i.unit], i)
		if !referred[i.current.Kind] {
			continue
		}
		for _, name := range i.names() {
			if refs.targets[name] == nil {
				refs.targets[name] = map[string][]*item{}
			}
			namespace := i.current.EffectiveNamespace()
			refs.targets[name][namespace] = append(refs.targets[name][namespace], i)
		}
	}
	for r, e := range s.entries {
		words := map[string]bool{}
		add := func(text string) {
			if refs.targets[text] != nil {
				words[text] = true
			}
		}
		for word := range e.words {
			add(word)
		}
		for _, source := range e.sources {
			s.values(source, refs, add)
		}
		refs.words[r] = slices.Sorted(maps.Keys(words))
	}
	return refs
}

// of visits the units that a unit can refer to.
func (refs *references) of(u *unit, visit func(*unit)) {
	words := map[string]bool{}
	for _, g := range u.groups {
		for _, word := range g.words {
			words[word] = true
		}
	}
	for r := range u.roots {
		for _, word := range refs.words[r] {
			words[word] = true
		}
	}
	for _, o := range u.objects {
		if refersWithNamespace[o.GetKind()] {
			for _, place := range refs.places {
				visit(place)
			}
		}
		for key, value := range o.Object {
			if key != "metadata" {
				collect(key, value, words)
			}
		}
		for key, value := range o.GetAnnotations() {
			collect(key, value, words)
		}
	}
	for word := range words {
		for _, referrer := range refs.items[u] {
			refs.find(referrer, word, visit)
		}
	}
}

// find visits the units that an object could refer to by a name. Kustomize takes the only object with that name, whatever its prefix
// and suffix; of several, it takes those with the same or without. So of the others, two are enough.
func (refs *references) find(referrer *item, name string, visit func(*unit)) {
	type alike struct{ group, version, kind, original, current string }
	others := map[alike]int{}
	each := func(targets []*item) {
		for _, t := range targets {
			if !affixesMatch(referrer.prefixes, t.prefixes) || !affixesMatch(referrer.suffixes, t.suffixes) {
				key := alike{t.current.Group, t.current.Version, t.current.Kind, t.original().EffectiveNamespace(), t.current.Namespace}
				if others[key]++; others[key] > 2 {
					continue
				}
			}
			visit(t.unit)
		}
	}
	targets := refs.targets[name]
	if referrer.current.IsClusterScoped() || referrer.current.Kind == "RoleBinding" {
		for _, namespace := range slices.Sorted(maps.Keys(targets)) {
			each(targets[namespace])
		}
		return
	}
	each(targets[referrer.current.EffectiveNamespace()])
	each(targets[resid.TotallyNotANamespace])
}

// affixesMatch reports whether the prefixes or suffixes of two objects end in the same way, or one has none.
func affixesMatch(a, b []string) bool {
	for n := 1; n <= min(len(a), len(b)); n++ {
		if a[len(a)-n] != b[len(b)-n] {
			return false
		}
	}
	return true
}

// collect adds the texts below a field that can be references to words.
func collect(key string, value any, words map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			collect(key, v, words)
		}
	case []any:
		for _, v := range value {
			collect(key, v, words)
		}
	case nil:
	case string:
		if refersByName[key] {
			words[value] = true
		}
	default:
		if refersByName[key] {
			words[fmt.Sprint(value)] = true
		}
	}
}

// values visits the values that a replacement can copy from a unit.
func (s *splitter) values(source *unit, refs *references, visit func(string)) {
	for _, u := range source.together() {
		for _, i := range refs.items[u] {
			for _, name := range i.names() {
				visit(name)
			}
		}
		for _, g := range u.groups {
			for _, word := range g.words {
				visit(word)
			}
		}
		for _, o := range u.objects {
			scalars(o.Object, visit)
		}
		if u.generator != nil {
			s.generated(u.generator, visit)
		}
	}
}

// generated visits the values that a generator can make.
func (s *splitter) generated(g *generator, visit func(string)) {
	texts := slices.Clone(g.sources.LiteralSources)
	for _, name := range slices.Concat(g.sources.FileSources, g.sources.EnvSources) {
		if _, after, keyed := strings.Cut(name, "="); keyed {
			name = after
		}
		texts = append(texts, string(s.Data[path.Join(g.dir, name)]))
	}
	for _, text := range texts {
		visit(text)
		for line := range strings.Lines(text) {
			_, value, _ := strings.Cut(line, "=")
			visit(strings.Trim(value, " \t\r\n'\""))
		}
	}
}
