package v1alpha1

import (
	"fmt"
	"net/netip"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/manifest"
)

// Defaults of the limits of a Tenant, as in the CustomResourceDefinition.
const (
	DefaultTenantObjects      = 20000
	DefaultTenantBytes        = "64Mi"
	DefaultTenantFetchTimeout = 5 * time.Minute
	DefaultTenantScripts      = 10 * time.Second
)

// The forms of values in a Tenant, as in the CustomResourceDefinition.
var (
	namespaceGlob = regexp.MustCompile(`^[-a-z0-9*]+$`)
	kindGlob      = regexp.MustCompile(`^([-a-z0-9.*]*/)?[A-Za-z0-9*]+$`)
	byteCount     = regexp.MustCompile(`^[1-9][0-9]{0,9}(Ki|Mi|Gi)?$`)
)

// DecodeTenant strictly reads a Tenant manifest and validates it as the CustomResourceDefinition does. text is the YAML document of
// u, nil when there is none. The error joins every mistake, each a *manifest.Error.
func DecodeTenant(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Tenant, error) {
	var t Tenant
	doc := manifest.Decode(u, text, origin, &t)
	doc.OneOf("apiVersion", t.APIVersion, GroupVersion.String())
	doc.Require("metadata.name", t.Name != "")
	if doc.Value("spec.clusters") == nil {
		doc.Errorf("spec.clusters", "spec.clusters is required; an empty selector, {}, selects every cluster")
	}
	t.Spec.validate(doc)
	t.Spec.Limits = t.Spec.Limits.WithDefaults()
	return t, doc.Err()
}

// WithDefaults returns the limits with the defaults of the CustomResourceDefinition.
func (l TenantLimits) WithDefaults() TenantLimits {
	if l.Objects == 0 {
		l.Objects = DefaultTenantObjects
	}
	if l.Bytes == "" {
		l.Bytes = DefaultTenantBytes
	}
	if l.FetchTimeout.Duration == 0 {
		l.FetchTimeout.Duration = DefaultTenantFetchTimeout
	}
	if l.Scripts.Duration == 0 {
		l.Scripts.Duration = DefaultTenantScripts
	}
	return l
}

// MaxBytes returns the limit of bytes as a number; 0 if it has no valid form.
func (l TenantLimits) MaxBytes() int64 {
	q, err := resource.ParseQuantity(l.Bytes)
	if err != nil {
		return 0
	}
	return q.Value()
}

func (s TenantSpec) validate(doc *manifest.Doc) {
	checkGlobs(doc, "spec.federations.namespaces", s.Federations.Namespaces, namespaceGlob, `the name of a namespace, "*" included`)
	checkGlobs(doc, "spec.namespaces", s.Namespaces, namespaceGlob, `the name of a namespace, "*" included`)
	doc.Require("spec.sources", len(s.Sources) > 0)
	for i, glob := range s.Sources {
		doc.Require(fmt.Sprintf("spec.sources[%d]", i), glob != "")
	}
	for i, cidr := range s.Networks {
		if _, err := netip.ParsePrefix(cidr); err != nil {
			at := fmt.Sprintf("spec.networks[%d]", i)
			doc.Errorf(at, "%s is %q, expected a CIDR such as 10.20.0.0/16", at, cidr)
		}
	}
	for field, kinds := range map[string][]string{"spec.kinds.clusterScoped": s.Kinds.ClusterScoped, "spec.kinds.denied": s.Kinds.Denied} {
		if len(kinds) > 0 {
			checkGlobs(doc, field, kinds, kindGlob, `Kind or group/Kind, "*" included`)
		}
	}
	if _, err := metav1.LabelSelectorAsSelector(&s.Clusters); err != nil {
		doc.Errorf("spec.clusters", "spec.clusters is not a selector: %v", err)
	}
	powers := []string{string(DeclareClusters), string(HoldClusters), string(TaintClusters), string(CustomizeKinds), string(Overwrite), string(AllowPrune), string(DeclareFederations)}
	for i, p := range s.May {
		doc.OneOf(fmt.Sprintf("spec.may[%d]", i), string(p), powers...)
	}
	if s.Has(HoldClusters) && !s.Has(DeclareClusters) {
		doc.Errorf("spec.may", "the power HoldClusters requires DeclareClusters: a hold is part of a Cluster")
	}
	if a := s.Impersonate; a != nil {
		for field, name := range map[string]string{"spec.impersonate.namespace": a.Namespace, "spec.impersonate.serviceAccount": a.ServiceAccount} {
			doc.Require(field, name != "")
			if wrong := validation.IsDNS1123Subdomain(name); name != "" && len(wrong) > 0 {
				doc.Errorf(field, "%s is %q: %s", field, name, wrong[0])
			}
		}
	}
	s.Limits.validate(doc)
}

func (l TenantLimits) validate(doc *manifest.Doc) {
	if l.Objects < 0 || l.Objects > 1000000 {
		doc.Errorf("spec.limits.objects", "spec.limits.objects is %d, expected 1 to 1000000", l.Objects)
	}
	if l.Bytes != "" && !byteCount.MatchString(l.Bytes) {
		doc.Errorf("spec.limits.bytes", "spec.limits.bytes is %q, expected a whole number of bytes, Ki, Mi or Gi, such as 64Mi", l.Bytes)
	}
	if d := l.FetchTimeout.Duration; d != 0 && d < time.Second {
		doc.Errorf("spec.limits.fetchTimeout", "spec.limits.fetchTimeout is %s, at least 1s is required", d)
	}
	if d := l.Scripts.Duration; d != 0 && d < 100*time.Millisecond {
		doc.Errorf("spec.limits.scripts", "spec.limits.scripts is %s, at least 100ms is required", d)
	}
}

// checkGlobs requires at least one value, each of a form.
func checkGlobs(doc *manifest.Doc, field string, globs []string, form *regexp.Regexp, expected string) {
	doc.Require(field, len(globs) > 0)
	for i, glob := range globs {
		if at := fmt.Sprintf("%s[%d]", field, i); !form.MatchString(glob) {
			doc.Errorf(at, "%s is %q, expected %s", at, glob, expected)
		}
	}
}
