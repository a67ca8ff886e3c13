package v1alpha1

import (
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
)

// ClusterHold keeps hands off a cluster.
type ClusterHold struct {
	// Reason is a sentence for everybody who wonders why the cluster does not get what is wanted.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
	// Owner is who to ask.
	// +kubebuilder:validation:MaxLength=128
	Owner string `json:"owner,omitempty"`
	// Until is when it ends by itself; absent: when it is removed.
	Until *metav1.Time `json:"until,omitempty"`
}

// In says whether the hold is in force at a time. One that does not end is, and so is any at the zero time.
func (h *ClusterHold) In(now time.Time) bool {
	return h != nil && (h.Until == nil || now.Before(h.Until.Time))
}

// String is "held by j.doe until Fri 2026-03-06 18:00 UTC: load test".
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

// checkHold wants a reason: a hold that nobody can explain is never removed.
func checkHold(doc *manifest.Doc, h *ClusterHold) {
	if h == nil {
		return
	}
	doc.Require("spec.hold.reason", strings.TrimSpace(h.Reason) != "")
	checkLength(doc, "spec.hold.reason", h.Reason, 256)
	checkLength(doc, "spec.hold.owner", h.Owner, 128)
}

// checkLength refuses what the API server of a hub would refuse.
func checkLength(doc *manifest.Doc, field, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most {
		doc.Errorf(field, "%s has %d characters, at most %d are allowed", field, n, most)
	}
}
