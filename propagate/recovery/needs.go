package recovery

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

// Need is an object that others refer to: a ConfigMap, Secret, account or volume claim of pods, or a class.
type Need struct {
	ID manifest.ID
	// By are the objects that refer to it, in their order.
	By []manifest.ID
}

// classes are the fields of a spec that name an object without a namespace: that of an object, of its pods or of its volume claims.
var classes = map[string]schema.GroupKind{
	"storageClassName":  {Group: "storage.k8s.io", Kind: "StorageClass"},
	"ingressClassName":  {Group: "networking.k8s.io", Kind: "IngressClass"},
	"priorityClassName": {Group: "scheduling.k8s.io", Kind: "PriorityClass"},
	"runtimeClassName":  {Group: "node.k8s.io", Kind: "RuntimeClass"},
}

// classesOf returns the classes that an object names.
func classesOf(u *unstructured.Unstructured) (all []manifest.ID) {
	specs := []map[string]any{u.Object}
	if template := kind.Of(manifest.IDOf(u).GroupKind()).Template; template != nil {
		specs = append(specs, template(u))
	}
	if job, _, _ := unstructured.NestedMap(u.Object, "spec", "jobTemplate", "spec", "template"); job != nil { // of a CronJob
		specs = append(specs, job)
	}
	claims, _, _ := unstructured.NestedSlice(u.Object, "spec", "volumeClaimTemplates")
	for _, c := range claims {
		claim, _ := c.(map[string]any)
		specs = append(specs, claim)
	}
	for _, of := range specs {
		for field, class := range classes {
			if name, _, _ := unstructured.NestedString(of, "spec", field); name != "" {
				all = append(all, manifest.ID{Group: class.Group, Kind: class.Kind, Name: name})
			}
		}
	}
	slices.SortFunc(all, manifest.ID.Compare)
	return slices.Compact(all)
}

// Needs returns the objects that others refer to and that are not among them, sorted.
func Needs(objects []*unstructured.Unstructured) []Need {
	there, found := map[manifest.ID]bool{}, map[manifest.ID]*Need{}
	for _, u := range objects {
		there[manifest.IDOf(u)] = true
	}
	add := func(id, by manifest.ID) {
		if there[id] || id.Name == "" {
			return
		}
		if found[id] == nil {
			found[id] = &Need{ID: id}
		}
		found[id].By = append(found[id].By, by)
	}
	for _, u := range objects {
		by := manifest.IDOf(u)
		if dependencies := kind.Of(by.GroupKind()).Dependencies; dependencies != nil {
			for _, r := range dependencies(u) {
				if r.Kind == "ServiceAccount" && r.Name == "default" {
					continue // every namespace has it
				}
				add(r.ID, by)
			}
		}
		for _, class := range classesOf(u) {
			add(class, by)
		}
	}
	all := make([]Need, 0, len(found))
	for _, n := range found {
		all = append(all, *n)
	}
	slices.SortFunc(all, func(a, b Need) int { return a.ID.Compare(b.ID) })
	return all
}

// Requests returns the pods of workloads and the sums of their requests, by namespace.
func Requests(objects []*unstructured.Unstructured) map[string]corev1.ResourceList {
	sums := map[string]corev1.ResourceList{}
	for _, u := range objects {
		k := kind.Of(manifest.IDOf(u).GroupKind())
		if k.Replicas == nil {
			continue
		}
		n, ok := k.Replicas(u)
		if !ok || n == 0 {
			continue
		}
		sum := sums[u.GetNamespace()]
		if sum == nil {
			sum = corev1.ResourceList{}
			sums[u.GetNamespace()] = sum
		}
		add(sum, corev1.ResourcePods, *resource.NewQuantity(int64(n), resource.DecimalSI))
		if k.Requirements == nil {
			continue
		}
		for name, q := range k.Requirements(u) {
			q.Mul(int64(n))
			add(sum, name, q)
		}
	}
	return sums
}

func add(sum corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	all := sum[name]
	all.Add(q)
	sum[name] = all
}

// Shortage is a resource of which a switch needs more than is left.
type Shortage struct{ Namespace, Quota, Message string }

// Exceeded returns the quotas that the requests of a switch exceed, sorted. Quotas with scopes are for some pods only: they are left out.
func Exceeded(quotas []corev1.ResourceQuota, requests map[string]corev1.ResourceList) []Shortage {
	var all []Shortage
	for _, q := range quotas {
		if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
			continue
		}
		for name, hard := range q.Spec.Hard {
			needed, asked := requests[q.Namespace][request(name)]
			if !asked {
				continue
			}
			used := q.Status.Used[name]
			left := hard.DeepCopy()
			left.Sub(used)
			if needed.Cmp(left) > 0 {
				all = append(all, Shortage{q.Namespace, q.Name, fmt.Sprintf("%s: the switch needs %s, and %s of %s is left", name, needed.String(), left.String(), hard.String())})
			}
		}
	}
	slices.SortFunc(all, func(a, b Shortage) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Quota, b.Quota), cmp.Compare(a.Message, b.Message))
	})
	return all
}

// request returns the resource that a quota of a name limits.
func request(name corev1.ResourceName) corev1.ResourceName {
	switch name {
	case corev1.ResourceRequestsCPU:
		return corev1.ResourceCPU
	case corev1.ResourceRequestsMemory:
		return corev1.ResourceMemory
	case corev1.ResourceRequestsEphemeralStorage:
		return corev1.ResourceEphemeralStorage
	}
	return name
}

// Images returns the images of the pods of workloads, each once.
func Images(objects []*unstructured.Unstructured) (images []string) {
	for _, u := range objects {
		template := kind.Of(manifest.IDOf(u).GroupKind()).Template
		if template == nil {
			continue
		}
		for _, list := range []string{"initContainers", "containers"} {
			containers, _, _ := unstructured.NestedSlice(template(u), "spec", list)
			for _, c := range containers {
				container, _ := c.(map[string]any)
				if image, _ := container["image"].(string); image != "" && !slices.Contains(images, image) {
					images = append(images, image)
				}
			}
		}
	}
	return images
}
