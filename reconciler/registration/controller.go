// Package registration registers clusters in pull mode on the hub: it approves the certificate signing requests of their agents, creates
// their Clusters with the rights of the agents, and signs the certificates where nobody else does.
package registration

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	run "github.com/accord-dev/accord/reconciler/manager"
	"github.com/accord-dev/accord/reconciler/registration/request"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// retryPending is the time after which a pending request is decided again: its name can become free.
const retryPending = 15 * time.Second

// Options of a Controller.
type Options struct {
	Hub client.Client
	// Uncached reads tokens, Clusters and rights when they are needed: a decision must not rest on an old state.
	Uncached client.Reader
	// Authority signs certificates; nil: kube-controller-manager does.
	Authority Authority
	Emit      func(changes.Event)
	Log       *slog.Logger
}

// Controller decides about the requests of agents, one after another: two requests cannot take one use of a token, or one name.
type Controller struct {
	Options
	// enrolled has the names of the Clusters that this controller created, by their ID. Only its worker uses it.
	enrolled map[string]string
}

// AddTo has the leader register clusters in pull mode, if that is on.
func (c *Controller) AddTo(mgr manager.Manager, on bool) error {
	if !on {
		return nil
	}
	return errors.Join(c.Start(mgr, run.Workers(1)), mgr.Add(run.Leading(c.RunTokens)))
}

// Start has the manager run the controller.
func (c *Controller) Start(mgr manager.Manager, o controller.Options) error {
	c.enrolled = map[string]string{}
	agents := predicate.NewPredicateFuncs(func(o client.Object) bool {
		r, ok := o.(*certificatesv1.CertificateSigningRequest)
		return ok && request.ForAgent(&r.Spec)
	})
	return ctrl.NewControllerManagedBy(mgr).Named("registration").
		For(&certificatesv1.CertificateSigningRequest{}, builder.WithPredicates(agents)).WithOptions(o).Complete(c)
}

// Reconcile decides about one request, signs it when it is approved, and deletes it when it has expired.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r := &certificatesv1.CertificateSigningRequest{}
	if err := c.Uncached.Get(ctx, req.NamespacedName, r); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	now := time.Now()
	if left := request.Expiry(r).Sub(now); left <= 0 {
		return ctrl.Result{}, client.IgnoreNotFound(c.Hub.Delete(ctx, r))
	}
	final := slices.IndexFunc(r.Status.Conditions, func(x certificatesv1.CertificateSigningRequestCondition) bool { return request.Final(x.Type) })
	if final < 0 {
		verdict, err := c.decide(ctx, r, now)
		switch {
		case err != nil:
			return ctrl.Result{}, err
		case !verdict.Approve && request.Permanent(verdict.Reason):
			return ctrl.Result{RequeueAfter: request.Expiry(r).Sub(now)}, nil
		case !verdict.Approve:
			return ctrl.Result{RequeueAfter: retryPending}, nil
		}
	} else if r.Status.Conditions[final].Type != certificatesv1.CertificateApproved {
		return ctrl.Result{RequeueAfter: request.Expiry(r).Sub(now)}, nil
	}
	if err := c.issue(ctx, r, now); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: max(request.Expiry(r).Sub(now), time.Second)}, nil
}

// decide approves a request or explains why not. What the approval rests on is written before the approval: the use of the token, the
// Cluster, and the rights of the agent.
func (c *Controller) decide(ctx context.Context, r *certificatesv1.CertificateSigningRequest, now time.Time) (request.Verdict, error) {
	in, secret, err := c.gather(ctx, r, now)
	if err != nil {
		return request.Verdict{}, err
	}
	verdict := request.Decide(in)
	if !verdict.Approve {
		return verdict, c.explain(ctx, r, verdict)
	}
	if verdict.Reason == request.Approved {
		if err := c.use(ctx, in, secret); err != nil {
			return request.Verdict{}, err
		}
		if err := c.enroll(ctx, verdict, in); err != nil {
			return request.Verdict{}, err
		}
	}
	condition := certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: verdict.Reason, Message: verdict.Message, LastUpdateTime: metav1.NewTime(now),
	}
	r.Status.Conditions = append(without(r.Status.Conditions, registration.NotApproved), condition)
	err = c.Hub.SubResource("approval").Update(ctx, r)
	if apierrors.IsNotFound(err) && verdict.Reason == request.Approved { // nobody gets the certificate: the name is free again
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: registration.RoleName(verdict.Cluster)}}
		return request.Verdict{Reason: request.RequestTooOld}, client.IgnoreNotFound(c.Hub.Delete(ctx, binding))
	}
	if err != nil {
		return request.Verdict{}, fmt.Errorf("approving the request %s: %w", r.Name, err)
	}
	c.Emit(changes.Event{About: r, Type: changes.Normal, Reason: verdict.Reason, Message: verdict.Message})
	c.Log.Info("approved the certificate of an agent", "cluster", verdict.Cluster, "request", r.Name, "reason", verdict.Reason)
	return verdict, nil
}

// gather reads everything that the verdict depends on, and the Secret of the token.
func (c *Controller) gather(ctx context.Context, r *certificatesv1.CertificateSigningRequest, now time.Time) (request.Input, *corev1.Secret, error) {
	in := request.Input{UID: r.UID, Created: r.CreationTimestamp.Time, Request: r.Spec, Traits: request.TraitsOf(r.Annotations), Now: now}
	form, err := request.Parse(&r.Spec)
	if err != nil {
		return in, nil, nil // the verdict has the error
	}
	var secret *corev1.Secret
	if id := registration.TokenID(r.Spec.Username); id != "" {
		if in.Token, secret, err = c.token(ctx, id); err != nil {
			return in, nil, err
		}
	}
	present := &v1alpha1.Cluster{}
	switch err := c.Uncached.Get(ctx, client.ObjectKey{Name: form.Cluster}, present); {
	case err == nil:
		in.Cluster = present
	case !apierrors.IsNotFound(err):
		return in, nil, fmt.Errorf("reading cluster %s: %w", form.Cluster, err)
	}
	if in.SameID, err = c.withID(ctx, in.Traits.ID, form.Cluster); err != nil {
		return in, nil, err
	}
	binding := &rbacv1.ClusterRoleBinding{}
	err = c.Uncached.Get(ctx, client.ObjectKey{Name: registration.RoleName(form.Cluster)}, binding)
	if client.IgnoreNotFound(err) != nil {
		return in, nil, fmt.Errorf("reading the rights of the agent: %w", err)
	}
	if in.Cluster != nil && ownedBy(binding, in.Cluster) {
		in.RegisteredBy = types.UID(binding.Annotations[registration.RegisteredByAnnotation])
		if len(binding.Subjects) == 1 {
			in.Agent = binding.Subjects[0].Name
		}
	}
	return in, secret, nil
}

// withID returns the name of a Cluster other than name that has an ID; empty without one. The hub's cache finds it, so that a thousand
// registrations do not each read all Clusters, and may not have the Clusters yet that this controller created.
func (c *Controller) withID(ctx context.Context, id, name string) (string, error) {
	if id == "" {
		return "", nil
	}
	var all v1alpha1.ClusterList
	if err := c.Hub.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return "", fmt.Errorf("listing the clusters: %w", err)
	}
	found := []string{c.enrolled[id]}
	for i := range all.Items {
		if all.Items[i].Spec.ID == id {
			found = append(found, all.Items[i].Name)
		}
	}
	for _, other := range found {
		if other == "" || other == name {
			continue
		}
		cluster := &v1alpha1.Cluster{}
		err := c.Uncached.Get(ctx, client.ObjectKey{Name: other}, cluster) // it may be gone
		switch {
		case err == nil && cluster.Spec.ID == id:
			return other, nil
		case client.IgnoreNotFound(err) != nil:
			return "", fmt.Errorf("reading cluster %s: %w", other, err)
		}
	}
	return "", nil
}

// token returns a token of accord, and nil if there is none or accord may not read it.
func (c *Controller) token(ctx context.Context, id string) (*registration.Token, *corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := c.Uncached.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: registration.SecretName(id)}, secret)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the token %s: %w", id, err)
	}
	t, err := registration.ReadToken(secret)
	if err != nil {
		c.Log.Warn("cannot use a bootstrap token", "token", id, "error", err)
		return nil, nil, nil
	}
	return &t, secret, nil
}

// use counts the request as a use of its token. A conflict means that the token changed meanwhile, and the request is decided again.
func (c *Controller) use(ctx context.Context, in request.Input, secret *corev1.Secret) error {
	if slices.Contains(in.Token.UsedBy, in.UID) {
		return nil
	}
	in.Token.Used(in.UID, in.Now).Put(secret)
	if err := c.Hub.Update(ctx, secret); err != nil {
		return fmt.Errorf("counting the use of the token %s: %w", in.Token.ID, err)
	}
	return nil
}

// explain writes the reason of a request that stays pending into a condition, and emits an event when the reason is new.
func (c *Controller) explain(ctx context.Context, r *certificatesv1.CertificateSigningRequest, v request.Verdict) error {
	i := slices.IndexFunc(r.Status.Conditions, func(x certificatesv1.CertificateSigningRequestCondition) bool {
		return x.Type == registration.NotApproved
	})
	if i >= 0 && r.Status.Conditions[i].Reason == v.Reason && r.Status.Conditions[i].Message == v.Message {
		return nil
	}
	r.Status.Conditions = append(without(r.Status.Conditions, registration.NotApproved), certificatesv1.CertificateSigningRequestCondition{
		Type: registration.NotApproved, Status: corev1.ConditionTrue, Reason: v.Reason, Message: v.Message,
	})
	if err := c.Hub.Status().Update(ctx, r); err != nil {
		return fmt.Errorf("writing the status of the request %s: %w", r.Name, err)
	}
	c.Emit(changes.Event{About: r, Type: changes.Warning, Reason: v.Reason, Message: "accord does not approve the request: " + v.Message})
	return nil
}

// issue signs an approved request, unless kube-controller-manager does.
func (c *Controller) issue(ctx context.Context, r *certificatesv1.CertificateSigningRequest, now time.Time) error {
	if c.Authority == nil || len(r.Status.Certificate) > 0 {
		return nil
	}
	certificate, err := c.Authority.sign(&r.Spec, now)
	if err != nil {
		return err
	}
	r.Status.Certificate = certificate
	if err := c.Hub.Status().Update(ctx, r); err != nil {
		return fmt.Errorf("writing the certificate of the request %s: %w", r.Name, err)
	}
	return nil
}

func without(all []certificatesv1.CertificateSigningRequestCondition, kind certificatesv1.RequestConditionType) []certificatesv1.CertificateSigningRequestCondition {
	return slices.DeleteFunc(slices.Clone(all), func(x certificatesv1.CertificateSigningRequestCondition) bool { return x.Type == kind })
}

func ownedBy(o client.Object, owner client.Object) bool {
	return slices.ContainsFunc(o.GetOwnerReferences(), func(x metav1.OwnerReference) bool { return x.UID == owner.GetUID() })
}
