package v1alpha1

import (
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
)

// ClusterHold suspends delivery to a cluster. People write it in Git.
type ClusterHold struct {
	// Reason is shown wherever the hold is reported.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
	// Owner is the person or team responsible for the hold.
	// +kubebuilder:validation:MaxLength=128
	Owner string `json:"owner,omitempty"`
	// Until is the time at which the hold ends. Without it the hold ends when it is removed.
	Until *metav1.Time `json:"until,omitempty"`
}

// In reports whether the hold applies at a time. A hold without an end always applies, and every hold applies at the zero time.
func (h *ClusterHold) In(now time.Time) bool {
	return h != nil && (h.Until == nil || now.Before(h.Until.Time))
}

// String returns "held by j.doe until Fri 2026-03-06 18:00 UTC: load test".
func (h ClusterHold) String() string {
	text := "held"
	if h.Owner != "" {
		text += " by " + h.Owner
	}
	if h.Until != nil {
		text += h.Until.UTC().Format(" until Mon 2006-01-02 15:04 UTC")
	}
	return text + ": " + h.Reason
}

// checkHold requires a reason: nobody removes a hold without one.
func checkHold(doc *manifest.Doc, h *ClusterHold) {
	if h == nil {
		return
	}
	doc.Require("spec.hold.reason", strings.TrimSpace(h.Reason) != "")
	checkLength(doc, "spec.hold.reason", h.Reason, 256)
	checkLength(doc, "spec.hold.owner", h.Owner, 128)
}

// checkLength reports a text that the API server of a hub would reject because of its length.
func checkLength(doc *manifest.Doc, field, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most {
		doc.Errorf(field, "%s has %d characters, at most %d are allowed", field, n, most)
	}
}
