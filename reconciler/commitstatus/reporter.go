package commitstatus

import (
	"context"
	"encoding/json"
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
	"github.com/accord-dev/accord/source/forge"
)

// commitStatusFailed is the reason of the event that a forge could not be told of a commit.
const commitStatusFailed = "CommitStatusFailed"

// Reporter tells the forges of the sources how far each commit got. It reads Releases and decides nothing: whatever becomes
// of what it says, deliveries go on.
type Reporter struct {
	client.Client
	// secrets are read when they are needed, and never cached.
	secrets  client.Reader
	event    func(about client.Object, kind, reason, message string)
	log      *slog.Logger
	patience *backoff

	mu   sync.Mutex
	said map[target]string // the last error of each source, which is not told twice
}

func NewReporter(c client.Client, secrets client.Reader, event func(client.Object, string, string, string), log *slog.Logger) *Reporter {
	return &Reporter{Client: c, secrets: secrets, event: event, log: log, patience: newBackoff(), said: map[target]string{}}
}

// Start reports every Release when it or its Federation changed.
func (h *Reporter) Start(mgr manager.Manager, o controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).Named("commit-status").
		For(&v1alpha1.Release{}).
		Watches(&v1alpha1.Federation{}, handler.EnqueueRequestsFromMapFunc(h.Releases), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(o).
		Complete(h)
}

// Reconcile tells of one Release what was not told yet.
func (h *Reporter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	release := &v1alpha1.Release{}
	if err := h.Get(ctx, req.NamespacedName, release); err != nil {
		h.patience.forget(req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	fed := &v1alpha1.Federation{}
	if err := h.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: release.Spec.Federation}, fed); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := toldOf(release)
	told := maps.Clone(before)
	var again time.Duration
	var errs []error
	for _, source := range fed.Spec.Sources {
		if source.CommitStatus == nil || commitOf(release, source.Name) == "" {
			continue
		}
		print, wait, err := h.tell(ctx, fed, release, source, before[source.Name])
		if print != "" {
			told[source.Name] = print
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
		errs = append(errs, err)
	}
	if !maps.Equal(before, told) {
		errs = append(errs, h.remember(ctx, release, told))
	}
	return ctrl.Result{RequeueAfter: again}, errors.Join(errs...)
}

// tell tells the forge of one source, unless it knows, or it is not time yet: then it returns how long to wait. print is
// what it was told last. An error is one of the hub; those of the forge are waited out.
func (h *Reporter) tell(ctx context.Context, fed *v1alpha1.Federation, r *v1alpha1.Release, source v1alpha1.Source, print string) (string, time.Duration, error) {
	e := target{client.ObjectKeyFromObject(r), source.Name}
	token := target{types.NamespacedName{Namespace: fed.Namespace}, "secret/" + source.CommitStatus.SecretRef.Name}
	last, commit := h.patience.last(e, print), commitOf(r, source.Name)
	s := statusOf(r, source.CommitStatus)
	next := printOf(source, commit, s)
	if next == last.print || r.Status.SupersededBy != "" && last.print == "" { // nobody heard of it while it mattered
		return last.print, 0, nil
	}
	if speaks, err := h.speaks(ctx, r, source.Name, commit); !speaks {
		return last.print, 0, err
	}
	if wait := h.patience.wait(e, token, s.State, time.Since(r.CreationTimestamp.Time), time.Now()); wait > 0 {
		return last.print, wait, nil
	}
	secret, err := h.report(ctx, fed, source, commit, s)
	if err != nil {
		h.complain(fed, source, commit, err, secret)
		return last.print, h.patience.failed(e, token, err, time.Now()), nil
	}
	h.patience.succeeded(e, token, next, time.Now())
	h.content(fed, source)
	return next, 0, nil
}

// speaks says whether a Release is the one that speaks for its commit.
func (h *Reporter) speaks(ctx context.Context, r *v1alpha1.Release, source, commit string) (bool, error) {
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
	return speaker(list.Items) == r.Name, nil
}

// report asks the forge, and returns the token that it did that with, so that it can be kept out of what is said of an error.
func (h *Reporter) report(ctx context.Context, fed *v1alpha1.Federation, source v1alpha1.Source, commit string, s forge.Status) (token string, err error) {
	c := source.CommitStatus
	secret := &corev1.Secret{}
	if err := h.secrets.Get(ctx, types.NamespacedName{Namespace: fed.Namespace, Name: c.SecretRef.Name}, secret); err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token = string(secret.Data["token"])
	at, err := forge.New(forge.Options{
		Provider: forge.Provider(c.Provider), URL: source.URL, APIURL: c.APIURL, Token: token, CA: secret.Data["ca.crt"],
	})
	if err != nil {
		return token, err
	}
	return token, at.Report(ctx, commit, s)
}

// complain tells people that a forge could not be told, once until the error is another one.
func (h *Reporter) complain(fed *v1alpha1.Federation, source v1alpha1.Source, commit string, err error, token string) {
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
	known := h.said[about] == gist
	h.said[about] = gist
	h.mu.Unlock()
	if known {
		return
	}
	h.log.Warn("cannot report the status of a commit, trying again", "federation", about.release, "source", source.Name, "commit", commit, "error", text)
	h.event(fed, corev1.EventTypeWarning, commitStatusFailed, fmt.Sprintf("source %q: %s; it is tried again, and deliveries go on", source.Name, text))
}

// content forgets the error of a source that can be reported to again.
func (h *Reporter) content(fed *v1alpha1.Federation, source v1alpha1.Source) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.said, target{client.ObjectKeyFromObject(fed), source.Name})
}

// toldOf is what a Release remembers of what was told, by source.
func toldOf(r *v1alpha1.Release) map[string]string {
	told := map[string]string{}
	if json.Unmarshal([]byte(r.Annotations[v1alpha1.CommitStatusAnnotation]), &told) != nil || told == nil {
		return map[string]string{} // none, or somebody wrote another thing there: it is told again
	}
	return told
}

// remember writes down what was told, so that the process after this one does not tell it again.
func (h *Reporter) remember(ctx context.Context, r *v1alpha1.Release, told map[string]string) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1alpha1.CommitStatusAnnotation: string(text)}}})
	if err != nil {
		return err
	}
	err = h.Patch(ctx, r.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner("accord-commit-status"))
	if err != nil {
		return client.IgnoreNotFound(fmt.Errorf("noting what was reported of release %s: %w", r.Name, err))
	}
	return nil
}

// Releases of a Federation, to be told of when it says something else of its forges.
func (h *Reporter) Releases(ctx context.Context, fed client.Object) []ctrl.Request {
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
