package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// podDependencies is the Dependencies of a kind that runs pods (Karmada §6.7): the ConfigMaps, Secrets and
// PersistentVolumeClaims that the pod spec names, and its ServiceAccount unless that is the one every namespace has.
// An optional reference is one too: a pod that could do without is still meant to have it.
func podDependencies(find podSpec) func(*unstructured.Unstructured) []Reference {
	return func(u *unstructured.Unstructured) []Reference {
		refs := references{namespace: u.GetNamespace()}
		refs.addPod(find(u))
		return refs.sorted()
	}
}

// addPod notes what a pod needs.
func (r *references) addPod(spec map[string]any) {
	if account := accountOf(spec); account != "default" {
		r.add("ServiceAccount", account)
	}
	for _, s := range maps(spec, "imagePullSecrets") {
		r.add("Secret", text(s, "name"))
	}
	for _, c := range containers(spec) {
		r.addEnvironment(c)
	}
	for _, v := range maps(spec, "volumes") {
		r.addVolume(v)
	}
}

// accountOf is the name of the account of a pod. The API server takes the deprecated field for the new one.
func accountOf(spec map[string]any) string {
	return cmp.Or(text(spec, "serviceAccountName"), text(spec, "serviceAccount"))
}

// references are what an object refers to in its own namespace, as they are found.
type references struct {
	namespace string
	found     []Reference
}

// add notes a reference to an object of the core group; a reference without a name refers to nothing.
func (r *references) add(kind, name string) {
	if name != "" {
		r.found = append(r.found, Reference{ID: manifest.ID{Kind: kind, Namespace: r.namespace, Name: name}})
	}
}

// addEnvironment notes where a container has its environment from.
func (r *references) addEnvironment(container map[string]any) {
	for _, e := range maps(container, "env") {
		r.add("ConfigMap", text(e, "valueFrom", "configMapKeyRef", "name"))
		r.add("Secret", text(e, "valueFrom", "secretKeyRef", "name"))
	}
	for _, e := range maps(container, "envFrom") {
		r.add("ConfigMap", text(e, "configMapRef", "name"))
		r.add("Secret", text(e, "secretRef", "name"))
	}
}

// volumeSecrets is where a volume of each type names its Secret. It is only read.
var volumeSecrets = [][]string{
	{"secret", "secretName"},
	{"azureFile", "secretName"},
	{"cephfs", "secretRef", "name"},
	{"cinder", "secretRef", "name"},
	{"csi", "nodePublishSecretRef", "name"},
	{"flexVolume", "secretRef", "name"},
	{"iscsi", "secretRef", "name"},
	{"rbd", "secretRef", "name"},
	{"scaleIO", "secretRef", "name"},
	{"storageos", "secretRef", "name"},
}

// addVolume notes what a volume is made of. A generic ephemeral volume refers to nothing: its claim is made with the pod.
func (r *references) addVolume(volume map[string]any) {
	r.add("ConfigMap", text(volume, "configMap", "name"))
	r.add("PersistentVolumeClaim", text(volume, "persistentVolumeClaim", "claimName"))
	for _, path := range volumeSecrets {
		r.add("Secret", text(volume, path...))
	}
	for _, source := range maps(volume, "projected", "sources") {
		r.add("ConfigMap", text(source, "configMap", "name"))
		r.add("Secret", text(source, "secret", "name"))
	}
}

// sorted is what was found, by kind and name, each once.
func (r *references) sorted() []Reference {
	slices.SortFunc(r.found, func(a, b Reference) int { return a.Compare(b.ID) })
	return slices.CompactFunc(r.found, func(a, b Reference) bool { return a.ID == b.ID })
}
