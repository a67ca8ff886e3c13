package commitstatus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/reconciler/networks"
	"github.com/accord-dev/accord/reconciler/sentrecord"
	"github.com/accord-dev/accord/source/forge"
)

// commitStatusFailed is the reason of the event about a status that the forge did not accept.
const commitStatusFailed = "CommitStatusFailed"

// record has the status that was sent last for each source.
var record = sentrecord.Annotation{Key: v1alpha1.CommitStatusAnnotation, Sender: "accord-commit-status"}

// Reporter sends the statuses of Releases to the forges of their sources. It only reads Releases: a failed request does not
// affect deliveries.
type Reporter struct {
	client.Client
	// secrets reads Secrets without a cache.
	secrets client.Reader
	// networks are the private networks in which a forge may be.
	networks egress.Networks
	event    func(about client.Object, kind, reason, message string)
	log      *slog.Logger
	backoff  *backoff

	mu     sync.Mutex
	errors map[target]string // the last error of each source, which is reported once
}

// Workers bounds the commits that are reported at once: a forge that hangs occupies a worker for half a minute.
const Workers = 8

// NewReporter returns a Reporter that reads Secrets with secrets and reports errors of forges with event. It reaches forges at
// public addresses, in networks, and in the networks of the Tenant.
func NewReporter(c client.Client, secrets client.Reader, networks egress.Networks, event func(client.Object, string, string, string), log *slog.Logger) *Reporter {
	return &Reporter{Client: c, secrets: secrets, networks: networks, event: event, log: log, backoff: newBackoff(), errors: map[target]string{}}
}

// Start adds the controller to mgr. It reconciles a Release when the Release or the spec of its Federation changes.
func (h *Reporter) Start(mgr manager.Manager, o controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).Named("commit-status").
		For(&v1alpha1.Release{}).
		Watches(&v1alpha1.Federation{}, handler.EnqueueRequestsFromMapFunc(h.releases), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(o).
		Complete(h)
}

// Reconcile sends the statuses of one Release that changed.
func (h *Reporter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	release := &v1alpha1.Release{}
	if err := h.Get(ctx, req.NamespacedName, release); err != nil {
		h.backoff.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	fed := &v1alpha1.Federation{}
	if err := h.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: release.Spec.Federation}, fed); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := record.Of(release)
	now := maps.Clone(before)
	var again time.Duration
	var errs []error
	for _, source := range fed.Spec.Sources {
		if source.CommitStatus == nil || commitOf(release, source.Name) == "" {
			continue
		}
		print, wait, err := h.send(ctx, fed, release, source, before[source.Name])
		if print != "" {
			now[source.Name] = print
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
		errs = append(errs, err)
	}
	if !maps.Equal(before, now) {
		errs = append(errs, record.Write(ctx, h.Client, release, now))
	}
	return ctrl.Result{RequeueAfter: again}, errors.Join(errs...)
}

// send sends the status of one source, unless the forge has it or it is too early: then send returns the time to wait.
// print identifies the last status sent. An error is an error of the hub; send retries those of the forge by itself.
func (h *Reporter) send(ctx context.Context, fed *v1alpha1.Federation, r *v1alpha1.Release, source v1alpha1.Source, print string) (string, time.Duration, error) {
	e := target{client.ObjectKeyFromObject(r), source.Name}
	token := target{types.NamespacedName{Namespace: fed.Namespace}, "secret/" + source.CommitStatus.SecretRef.Name}
	last, commit := h.backoff.last(e, print), commitOf(r, source.Name)
	s := statusOf(r, source.CommitStatus)
	next := printOf(source, commit, s)
	if next == last.print || r.Status.SupersededBy != "" && last.print == "" { // superseded before its first status
		return last.print, 0, nil
	}
	if reports, err := h.reports(ctx, r, source.Name, commit); !reports {
		return last.print, 0, err
	}
	if wait := h.backoff.wait(e, token, s.State, time.Since(r.CreationTimestamp.Time), time.Now()); wait > 0 {
		return last.print, wait, nil
	}
	secret, err := h.request(ctx, fed, source, commit, s)
	if err != nil {
		h.reportError(fed, source, commit, err, secret)
		return last.print, h.backoff.failed(e, token, err, time.Now()), nil
	}
	h.backoff.succeeded(e, token, next, time.Now())
	h.clearError(fed, source)
	return next, 0, nil
}

// reports reports whether the commit shows the status of this Release.
func (h *Reporter) reports(ctx context.Context, r *v1alpha1.Release, source, commit string) (bool, error) {
	if r.Status.SupersededBy == "" {
		return true, nil
	}
	list := &v1alpha1.ReleaseList{}
	err := h.List(ctx, list, client.InNamespace(r.Namespace), client.MatchingLabels{
		v1alpha1.FederationLabel: r.Spec.Federation, v1alpha1.RevisionLabelPrefix + source: commit,
	})
	if err != nil || len(list.Items) == 0 {
		return false, err
	}
	return reporting(list.Items) == r.Name, nil
}

// request sends the status to the forge. It returns the token, so that the caller can remove it from error messages.
func (h *Reporter) request(ctx context.Context, fed *v1alpha1.Federation, source v1alpha1.Source, commit string, s forge.Status) (token string, err error) {
	c := source.CommitStatus
	secret := &corev1.Secret{}
	if err := h.secrets.Get(ctx, types.NamespacedName{Namespace: fed.Namespace, Name: c.SecretRef.Name}, secret); err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token = string(secret.Data["token"])
	if url := cmp.Or(c.APIURL, source.URL); strings.HasPrefix(strings.ToLower(strings.TrimSpace(url)), "http://") {
		return token, errors.New("the token of a forge is sent over https only: set commitStatus.apiURL to an https:// URL")
	}
	allowed, err := networks.Of(ctx, h, fed, h.networks)
	if err != nil {
		return token, err
	}
	at, err := forge.New(forge.Options{
		Provider: forge.Provider(c.Provider), URL: source.URL, APIURL: c.APIURL, Token: token, CA: secret.Data["ca.crt"], Networks: allowed,
	})
	if err != nil {
		return token, err
	}
	return token, at.Report(ctx, commit, s)
}

// reportError logs an error of a forge and writes an event, once until the error changes.
func (h *Reporter) reportError(fed *v1alpha1.Federation, source v1alpha1.Source, commit string, err error, token string) {
	text := err.Error()
	if token = strings.TrimSpace(token); token != "" {
		text = strings.ReplaceAll(text, token, "***")
	}
	gist := strings.ReplaceAll(strings.ReplaceAll(text, commit, ""), commit[:12], "")
	if _, limited := errors.AsType[*forge.RateLimitError](err); limited {
		gist = "rate limit"
	}
	about := target{client.ObjectKeyFromObject(fed), source.Name}
	h.mu.Lock()
	known := h.errors[about] == gist
	h.errors[about] = gist
	h.mu.Unlock()
	if known {
		return
	}
	h.log.Warn("cannot report the status of a commit, trying again", "federation", about.release, "source", source.Name, "commit", commit, "error", text)
	h.event(fed, corev1.EventTypeWarning, commitStatusFailed, fmt.Sprintf("source %q: %s; accord retries, and deliveries continue", source.Name, text))
}

// clearError drops the error of a source that accepted a status.
func (h *Reporter) clearError(fed *v1alpha1.Federation, source v1alpha1.Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.errors, target{client.ObjectKeyFromObject(fed), source.Name})
}

// releases returns a request for every Release of a Federation whose commitStatus may have changed.
func (h *Reporter) releases(ctx context.Context, fed client.Object) []ctrl.Request {
	list := &v1alpha1.ReleaseList{}
	if err := h.List(ctx, list, client.InNamespace(fed.GetNamespace()), client.MatchingLabels{v1alpha1.FederationLabel: fed.GetName()}); err != nil {
		h.log.Error("cannot list the Releases of a Federation", "federation", client.ObjectKeyFromObject(fed), "error", err)
		return nil
	}
	var all []ctrl.Request
	for _, r := range list.Items {
		all = append(all, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&r)})
	}
	return all
}
