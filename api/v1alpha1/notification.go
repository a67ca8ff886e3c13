package v1alpha1

import corev1 "k8s.io/api/core/v1"

// Notification is one receiver of requests about the Releases of a Federation.
type Notification struct {
	// Name of the notification, unique in the Federation.
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	Name string `json:"name"`
	// Format of the body: Webhook is a JSON object with all figures of the Release, Slack is {"text": ...}, which Slack, Mattermost
	// and others accept.
	// +kubebuilder:default=Webhook
	// +optional
	Format NotificationFormat `json:"format,omitempty"`
	// SecretRef names a Secret in the namespace of the Federation. Its key url is the https:// address of the receiver. Its key key
	// signs the body: the header X-Signature has "sha256=" and the HMAC-SHA256 in hex. Its key ca.crt is a PEM bundle that is trusted
	// in addition to the roots of the system.
	// +kubebuilder:validation:XValidation:rule="has(self.name) && size(self.name) > 0",message="secretRef.name is required"
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
	// Events that are sent; all if it is absent.
	// +kubebuilder:validation:MaxItems=4
	// +listType=set
	Events []ReleaseEvent `json:"events,omitempty"`
	// Template of the text. accord replaces {event}, {namespace}, {federation}, {release}, {revision}, {commit}, {author}, {subject},
	// {message}, {healthy}, {total}, {failed}, {held} and {unreachable}.
	// +kubebuilder:validation:MaxLength=1024
	Template string `json:"template,omitempty"`
}

// NotificationFormat is the format of the body of a notification. Empty is Webhook.
//
// +kubebuilder:validation:Enum=Webhook;Slack
type NotificationFormat string

// The formats of notifications.
const (
	WebhookNotification NotificationFormat = "Webhook"
	SlackNotification   NotificationFormat = "Slack"
)

// ReleaseEvent is a change of a Release that receivers are notified of.
//
// +kubebuilder:validation:Enum=Started;Halted;Done;Failed
type ReleaseEvent string

// The events of Releases.
const (
	// ReleaseStarted: accord delivers the commit.
	ReleaseStarted ReleaseEvent = "Started"
	// ReleaseHalted: a stage failed, and the rollout does not continue, or was rolled back.
	ReleaseHalted ReleaseEvent = "Halted"
	// ReleaseDone: every chosen cluster runs the commit and is healthy.
	ReleaseDone ReleaseEvent = "Done"
	// ReleaseFailed: only another commit helps.
	ReleaseFailed ReleaseEvent = "Failed"
)
