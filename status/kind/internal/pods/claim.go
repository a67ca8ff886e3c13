package pods

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// ClaimOf decodes a PersistentVolumeClaim and fills in its defaults; nil if it cannot be decoded.
func ClaimOf(v any) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{}
	if !decode(v, claim) {
		return nil
	}
	fillClaim(&claim.Spec)
	return claim
}

// fillClaim fills in the defaults of a claim. Its source has two fields, which the API server keeps equal.
func fillClaim(spec *corev1.PersistentVolumeClaimSpec) {
	fill(&spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	fillResources(spec.Resources.Requests)
	fillResources(spec.Resources.Limits)
	switch source, ref := spec.DataSource, spec.DataSourceRef; {
	case source != nil && ref == nil:
		spec.DataSourceRef = &corev1.TypedObjectReference{APIGroup: source.APIGroup, Kind: source.Kind, Name: source.Name}
	case ref != nil && source == nil && ref.Namespace == nil:
		spec.DataSource = &corev1.TypedLocalObjectReference{APIGroup: ref.APIGroup, Kind: ref.Kind, Name: ref.Name}
	}
}

// SameClaims compares the claim templates of a StatefulSet.
func SameClaims(before, after any) bool {
	if read.Equal(before, after) {
		return true
	}
	was, ok := claimsOf(before)
	is, also := claimsOf(after)
	return ok && also && equality.Semantic.DeepEqual(was, is)
}

// claimsOf decodes claim templates, without their kind, which is always the same, and without a status.
func claimsOf(v any) (claims []corev1.PersistentVolumeClaim, ok bool) {
	if v != nil && !decode(v, &claims) {
		return nil, false
	}
	for i := range claims {
		fillClaim(&claims[i].Spec)
		claims[i].TypeMeta, claims[i].Status = metav1.TypeMeta{}, corev1.PersistentVolumeClaimStatus{}
	}
	return claims, true
}
