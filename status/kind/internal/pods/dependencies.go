package pods

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Dependencies returns the Dependencies of a kind that runs pods (Karmada §6.7): the ConfigMaps, Secrets and
// PersistentVolumeClaims that the pod spec names, and its ServiceAccount unless that is the default one. Optional
// references are included: a pod that could run without an object is still meant to have it.
func Dependencies(find SpecOf) func(*unstructured.Unstructured) []Reference {
	return func(u *unstructured.Unstructured) []Reference {
		refs := References{Namespace: u.GetNamespace()}
		refs.addPod(find(u))
		return refs.Sorted()
	}
}

// addPod adds the references of a pod spec.
func (r *References) addPod(spec map[string]any) {
	if account := accountOf(spec); account != "default" {
		r.Add("ServiceAccount", account)
	}
	for _, s := range read.Objects(spec, "imagePullSecrets") {
		r.Add("Secret", read.Text(s, "name"))
	}
	for _, c := range containers(spec) {
		r.addEnvironment(c)
	}
	for _, v := range read.Objects(spec, "volumes") {
		r.addVolume(v)
	}
}

// accountOf returns the name of a pod's ServiceAccount. The deprecated field is an alias, as for the API server.
func accountOf(spec map[string]any) string {
	return cmp.Or(read.Text(spec, "serviceAccountName"), read.Text(spec, "serviceAccount"))
}

// Reference names an object that another one needs, or, when its Name is empty, every object with the Labels.
type Reference struct {
	manifest.ID
	Labels map[string]string
}

// References collects the objects that an object refers to in its own namespace.
type References struct {
	Namespace string
	Found     []Reference
}

// Add adds a reference to an object of the core group, unless the name is empty.
func (r *References) Add(kind, name string) {
	if name != "" {
		r.Found = append(r.Found, Reference{ID: manifest.ID{Kind: kind, Namespace: r.Namespace, Name: name}})
	}
}

// addEnvironment adds the sources of a container's environment.
func (r *References) addEnvironment(container map[string]any) {
	for _, e := range read.Objects(container, "env") {
		r.Add("ConfigMap", read.Text(e, "valueFrom", "configMapKeyRef", "name"))
		r.Add("Secret", read.Text(e, "valueFrom", "secretKeyRef", "name"))
	}
	for _, e := range read.Objects(container, "envFrom") {
		r.Add("ConfigMap", read.Text(e, "configMapRef", "name"))
		r.Add("Secret", read.Text(e, "secretRef", "name"))
	}
}

// volumeSecrets are the paths at which volumes name a Secret. It is only read.
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

// addVolume adds the objects of a volume. A generic ephemeral volume refers to none: its claim is created with the pod.
func (r *References) addVolume(volume map[string]any) {
	r.Add("ConfigMap", read.Text(volume, "configMap", "name"))
	r.Add("PersistentVolumeClaim", read.Text(volume, "persistentVolumeClaim", "claimName"))
	for _, path := range volumeSecrets {
		r.Add("Secret", read.Text(volume, path...))
	}
	for _, source := range read.Objects(volume, "projected", "sources") {
		r.Add("ConfigMap", read.Text(source, "configMap", "name"))
		r.Add("Secret", read.Text(source, "secret", "name"))
	}
}

// Sorted returns the references by kind and name, each once.
func (r *References) Sorted() []Reference {
	slices.SortFunc(r.Found, func(a, b Reference) int { return a.Compare(b.ID) })
	return slices.CompactFunc(r.Found, func(a, b Reference) bool { return a.ID == b.ID })
}
