package check

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/internal/phrase"
)

// unseen is the time after which controllers have seen a new object, if there are any.
const unseen = time.Minute

// clusters checks the members, and the agents of those in pull mode.
func (e *examination) clusters(ctx context.Context) {
	list := &v1alpha1.ClusterList{}
	if err := e.hub.List(ctx, list); err != nil {
		e.unread("clusters", err)
		return
	}
	if len(list.Items) == 0 {
		e.warn("clusters", "the hub has no cluster", "accord join NAME --member-context CONTEXT")
	}
	for i := range list.Items {
		e.cluster(&list.Items[i])
	}
}

func (e *examination) cluster(c *v1alpha1.Cluster) {
	subject, pull := "cluster "+c.Name, c.Spec.SyncMode == v1alpha1.SyncModePull
	if c.DeletionTimestamp != nil {
		e.warn(subject, "it is being deleted and "+hub.DeletionNote(c), "start the controllers, or run \"accord leave "+c.Name+"\" again")
		return
	}
	ready := progress.Condition(c.Status.Conditions, c.Generation, "Ready")
	switch {
	case ready == nil || ready.Reason == v1alpha1.ClusterStatusNeverUpdated:
		e.warn(subject, "the controllers have not contacted it yet", "start the controllers, and run the command again")
	case ready.Status == metav1.ConditionTrue && c.Spec.Hold.In(time.Now()):
		e.warn(subject, "it is held: "+c.Spec.Hold.String(), "accord unhold "+c.Name)
	case ready.Status == metav1.ConditionTrue && pull:
		e.ok(subject, "its agent is connected")
	case ready.Status == metav1.ConditionTrue:
		e.ok(subject, "it is reachable")
	case pull:
		e.fail(subject, "its agent is not connected: "+ready.Message, "look at the agent: kubectl logs -n "+e.wanted.Namespace+" deploy/accord-agent (on the cluster); a new agent: accord register "+c.Name)
	default:
		e.fail(subject, fmt.Sprintf("%s: %s", ready.Reason, ready.Message), memberFix(ready.Reason, c.Name))
	}
	if c.Status.KubernetesVersion != "" {
		e.kubernetes(subject, c.Status.KubernetesVersion, oldestMember)
	}
}

// memberFix returns the step against a reason why a cluster is not ready.
func memberFix(reason, name string) string {
	switch join := "accord join " + name + " --member-context CONTEXT"; reason {
	case "AuthFailed", "CredentialsRefused":
		return join
	case "AnotherCluster":
		return join + " --replace, if it is a new cluster; else correct spec.apiEndpoint of the Cluster"
	case "DuplicateCluster":
		return "delete one of the two Clusters"
	case "TLSFailed":
		return "put the certificate authority of the cluster into its Secret: " + join
	}
	return "repair the network between the controllers and the cluster, or its API server"
}

// federations checks the sources of the Federations and the Secrets of their webhooks.
func (e *examination) federations(ctx context.Context) {
	all, err := e.hub.Federations(ctx)
	if err != nil {
		e.unread("federations", err)
		return
	}
	if len(all) == 0 {
		e.warn("federations", e.hub.NoFederations(), "apply a Federation that names your repository")
	}
	for i := range all {
		e.sources(&all[i])
		e.webhook(ctx, &all[i])
	}
}

func (e *examination) sources(fed *v1alpha1.Federation) {
	subject := "federation " + fed.Namespace + "/" + fed.Name
	problem := progress.SourceError(fed)
	switch {
	case fed.Spec.Suspend:
		e.warn(subject, "it is suspended, and its sources are not read", "set spec.suspend to false")
	case problem != "":
		e.fail(subject, "its sources cannot be read: "+problem, "correct the URL, the ref or the Secret of the source; accord retries by itself")
	case fed.Status.ObservedGeneration != fed.Generation && time.Since(fed.CreationTimestamp.Time) > unseen:
		e.fail(subject, "the controllers have not seen its newest version", "start the controllers: \"accord up\", \"accord run\" or the Deployment of \"accord install\"")
	case fed.Status.LastAttemptedRevision == "":
		e.warn(subject, "its sources have not been read yet", "run the command again in a minute")
	default:
		e.ok(subject, "%s read, at %s", phrase.Count(len(fed.Spec.Sources), "source"), fed.Status.LastAttemptedRevision)
	}
}

func (e *examination) webhook(ctx context.Context, fed *v1alpha1.Federation) {
	ref := fed.Spec.WebhookSecretRef
	if ref == nil {
		return
	}
	subject, s := "webhook of federation "+fed.Namespace+"/"+fed.Name, &corev1.Secret{}
	err := e.hub.Get(ctx, client.ObjectKey{Namespace: fed.Namespace, Name: ref.Name}, s)
	create := fmt.Sprintf("kubectl create secret generic %s -n %s --from-literal=token=KEY, with the key of the webhook at the forge", ref.Name, fed.Namespace)
	switch {
	case apierrors.IsNotFound(err):
		e.fail(subject, fmt.Sprintf("Secret %s/%s does not exist, so every webhook is rejected", fed.Namespace, ref.Name), create)
	case err != nil:
		e.unread(subject, err)
	case len(s.Data["token"]) == 0:
		e.fail(subject, fmt.Sprintf("Secret %s/%s has no key \"token\", so every webhook is rejected", fed.Namespace, ref.Name), create)
	default:
		e.ok(subject, "its Secret %s has a key", ref.Name)
	}
}
