package v1alpha1

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/builtin"
	"github.com/accord-dev/accord/api/manifest"
)

// KarmadaClusterGroup is the API group of Karmada's Cluster manifests, which are accepted unchanged.
const KarmadaClusterGroup = "cluster.karmada.io"

// maxClusterName is the longest name of a Cluster (Karmada §1.8).
const maxClusterName = 48

// DecodeCluster strictly reads a Cluster manifest of this group or of Karmada and validates it (Karmada §1.8). text is the
// YAML document of u, nil when there is none. Fields of metadata that a server sets are ignored. From the status of an
// exported Cluster it reads the fields that placing and dividing need: conditions, apiEnablements, resourceSummary and
// taints. Unknown fields of the status are accepted. The error joins every mistake, each a *manifest.Error.
func DecodeCluster(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Cluster, error) {
	var written Cluster
	doc := manifest.Decode(u, text, origin, &written)
	doc.OneOf("apiVersion", written.APIVersion, GroupVersion.String(), KarmadaClusterGroup+"/v1alpha1")
	checkClusterName(doc, written.Name)
	checkReservedLabels(doc, written.Labels)
	written.Spec.validate(doc)

	c := Cluster{Spec: written.Spec}
	c.SetGroupVersionKind(GroupVersion.WithKind("Cluster"))
	c.Name, c.Labels, c.Annotations = written.Name, written.Labels, written.Annotations
	if c.Spec.SyncMode == "" {
		c.Spec.SyncMode = SyncModePush
	}
	if c.Spec.Zone != "" { // deprecated; the API server would move it as well
		c.Spec.Zones, c.Spec.Zone = []string{c.Spec.Zone}, ""
	}
	c.Spec.ResourceModels = StandardResourceModels(c.Spec.ResourceModels)
	c.Status = decodeFacts(doc, u)
	return c, doc.Err()
}

// decodeFacts reads the fields of a status that describe the cluster, and not those about the connection to it.
func decodeFacts(doc *manifest.Doc, u *unstructured.Unstructured) ClusterStatus {
	written, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "resourceSummary") // anything else fails below
	if !doc.Finite("status.resourceSummary", written) {
		return ClusterStatus{}
	}
	encoded, err := json.Marshal(u.Object["status"])
	var s struct {
		Conditions      []metav1.Condition `json:"conditions"`
		APIEnablements  []APIEnablement    `json:"apiEnablements"`
		ResourceSummary *ResourceSummary   `json:"resourceSummary"`
		Taints          []corev1.Taint     `json:"taints"`
	}
	if err == nil {
		err = json.Unmarshal(encoded, &s)
	}
	if err != nil {
		for _, m := range builtin.CheckAs(u.Object["status"], &s, "status") {
			doc.Errorf(m.Field(), "%s", m.Message)
		}
		if doc.Err() == nil {
			doc.Errorf("status", "status cannot be read: %v", err)
		}
		return ClusterStatus{}
	}
	return ClusterStatus{Conditions: s.Conditions, APIEnablements: s.APIEnablements, ResourceSummary: s.ResourceSummary, Taints: s.Taints}
}

func checkClusterName(doc *manifest.Doc, name string) {
	const field = "metadata.name"
	doc.Require(field, name != "")
	if rule := manifest.InvalidName(name, manifest.DNSLabel); name != "" && rule != "" {
		doc.Errorf(field, "%q is not a valid Cluster name: %s", name, rule)
	}
	if len(name) > maxClusterName {
		doc.Errorf(field, "a Cluster name has at most %d characters, %q has %d", maxClusterName, name, len(name))
	}
}

// checkReservedLabels rejects the labels that accord itself sets: with them, a manifest could give a Cluster to another Federation.
func checkReservedLabels(doc *manifest.Doc, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		domain, _, _ := strings.Cut(key, "/")
		if domain == GroupVersion.Group || strings.HasSuffix(domain, "."+GroupVersion.Group) || domain == applySetDomain {
			doc.Errorf("metadata.labels."+key, "the label %q is reserved: accord sets the labels of %s and %s; remove it", key, GroupVersion.Group, applySetDomain)
		}
	}
}

// applySetDomain is the domain of the labels of ApplySets.
const applySetDomain = "applyset.kubernetes.io"

func (s ClusterSpec) validate(doc *manifest.Doc) {
	doc.OneOf("spec.syncMode", s.SyncMode, SyncModePush, SyncModePull)
	s.checkPull(doc)
	checkURL(doc, "spec.apiEndpoint", s.APIEndpoint, "https", "http")
	checkURL(doc, "spec.proxyURL", s.ProxyURL, "http", "https", "socks5")
	for field, ref := range map[string]*SecretRef{"spec.secretRef": s.SecretRef, "spec.impersonatorSecretRef": s.ImpersonatorSecretRef} {
		if ref != nil {
			doc.Require(field+".namespace", ref.Namespace != "")
			doc.Require(field+".name", ref.Name != "")
		}
	}
	s.validateTopology(doc)
	checkTaints(doc, s.Taints)
	checkHold(doc, s.Hold)
	checkResourceModels(doc, s.ResourceModels)
}

// checkPull rejects a connection to a cluster in pull mode, which accord would never use.
func (s ClusterSpec) checkPull(doc *manifest.Doc) {
	if s.SyncMode != SyncModePull {
		return
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"apiEndpoint", s.APIEndpoint != ""}, {"secretRef", s.SecretRef != nil}, {"proxyURL", s.ProxyURL != ""},
		{"proxyHeader", len(s.ProxyHeader) > 0}, {"insecureSkipTLSVerification", s.InsecureSkipTLSVerification},
	} {
		if f.set {
			doc.Errorf("spec."+f.name, "spec.%s and spec.syncMode Pull are mutually exclusive: accord does not connect to a cluster in pull mode; remove spec.%s", f.name, f.name)
		}
	}
}

// checkURL requires a host, and rejects user and query because credentials belong into the Secret.
func checkURL(doc *manifest.Doc, field, value string, schemes ...string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err != nil {
		doc.Errorf(field, "%s is not a URL: %v", field, err)
		return
	}
	doc.OneOf(field, u.Scheme, schemes...)
	if u.Host == "" {
		doc.Errorf(field, "%s is %q, expected a URL with a host (%s://host:port)", field, value, schemes[0])
	}
	if field == "spec.apiEndpoint" && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		doc.Errorf(field, "%s must not have a user, a query or a fragment", field)
	}
}

func (s ClusterSpec) validateTopology(doc *manifest.Doc) {
	if s.Zone != "" && len(s.Zones) > 0 {
		doc.Errorf("spec.zone", "spec.zone is deprecated and excludes spec.zones; write zones only")
	}
	checkTopology(doc, "spec.provider", s.Provider)
	checkTopology(doc, "spec.region", s.Region)
	checkTopology(doc, "spec.zone", s.Zone)
	for i, zone := range s.Zones {
		checkTopology(doc, fmt.Sprintf("spec.zones[%d]", i), zone)
	}
}

func checkTopology(doc *manifest.Doc, field, value string) {
	if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
		doc.Errorf(field, "%s is %q: %s", field, value, strings.Join(problems, "; "))
	}
}

func checkTaints(doc *manifest.Doc, taints []corev1.Taint) {
	seen := map[corev1.Taint]bool{}
	for i, t := range taints {
		field := fmt.Sprintf("spec.taints[%d]", i)
		doc.Require(field+".key", t.Key != "")
		doc.Require(field+".effect", t.Effect != "")
		doc.OneOf(field+".effect", string(t.Effect), string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectNoExecute))
		same := corev1.Taint{Key: t.Key, Effect: t.Effect}
		if seen[same] {
			doc.Errorf(field, "%s repeats key %q with effect %s", field, t.Key, t.Effect)
		}
		seen[same] = true
	}
}
