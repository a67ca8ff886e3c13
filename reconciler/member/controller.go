// Package member is the Cluster controller: it connects the members, probes them, and writes their status. It keeps
// a deleted Cluster until every Federation lists the objects that stay there.
package member

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/discovery"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/witness"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/readiness"
)

const (
	// probeInterval is the regular time between two probes of a member, minProbeInterval the least.
	probeInterval    = 10 * time.Second
	minProbeInterval = 100 * time.Millisecond
	// ProbeTimeout bounds one probe.
	ProbeTimeout = 5 * time.Second
	// countInterval is the time between two counts of the nodes of a member.
	countInterval = time.Minute
)

// Options of a Controller.
type Options struct {
	Hub client.Client
	// Secrets reads credentials when they are needed, without a cache.
	Secrets client.Reader
	// SecretsNamespace is the only namespace whose Secrets are credentials of clusters.
	SecretsNamespace string
	Records          store.Store
	Registry         *state.Registry
	Pool             *deliver.Pool
	// Wake requests the reconciliation of a Cluster; it must not block.
	Wake func(cluster string)
	// Fence restricts a connection to a cluster that this replica owns, Visit one to a cluster of another replica.
	Fence func(cfg *rest.Config, cluster string) *rest.Config
	Visit func(cfg *rest.Config, cluster string) *rest.Config
	// Pull has the bundle of a cluster in pull mode published, with the UID and the resourceVersion of the Cluster; with an empty UID it
	// ends that. It must not block.
	Pull func(cluster, uid, version string)
	Emit func(changes.Event)
	Log  *slog.Logger
	// Local is the connection of an agent to its cluster; nil at the hub.
	Local *rest.Config
	// Now is the clock for the renewal of tokens; nil: time.Now.
	Now func() time.Time
	// Health has the times after which conditions and taints change.
	Health Health
	// Witness has to be reachable: otherwise no cluster gets the taint NoExecute.
	Witness *witness.Witness
}

// Controller connects the members and probes them.
type Controller struct {
	Options
	// catalogs are the kinds that members serve, shared among them.
	catalogs discovery.Cache
	presence presence

	mu          sync.Mutex
	credentials map[string]credentials    // of each connection
	renewals    map[string]time.Time      // when the token of each was last to be renewed
	counted     map[string]count          // the last complete probe of each
	taints      map[string][]corev1.Taint // that ClusterTaintPolicies decided, beside the declared ones
	uids        map[string]string         // of the namespace kube-system of each, as far as accord may read it
	readiness   map[string]readiness.State
	blocked     map[string]bool // clusters whose condition FailoverBlocked is True
	// fleet is the last count of the clusters that are not Ready, at fleetCounted.
	fleet        taint.Fleet
	fleetCounted time.Time
}

// credentials identify the Secret that a connection is made of.
type credentials struct {
	digest  string // see credentialDigest
	version string // resourceVersion
}

// New returns a controller.
func New(o Options) *Controller {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pull == nil {
		o.Pull = func(string, string, string) {}
	}
	if o.Health == (Health{}) {
		o.Health = defaultHealth()
	}
	return &Controller{
		Options: o, credentials: map[string]credentials{}, renewals: map[string]time.Time{}, counted: map[string]count{},
		taints: map[string][]corev1.Taint{}, uids: map[string]string{}, readiness: map[string]readiness.State{}, blocked: map[string]bool{},
	}
}

// Index has a cache of the hub find Clusters by their spec.id.
func (c *Controller) Index(ctx context.Context, by client.FieldIndexer) error {
	return by.IndexField(ctx, &v1alpha1.Cluster{}, specID, indexSpecID)
}

// Reconcile connects one Cluster if it is new or has new credentials, and probes it.
func (c *Controller) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	member := &v1alpha1.Cluster{}
	if err := c.Hub.Get(ctx, req.NamespacedName, member); apierrors.IsNotFound(err) || err == nil && member.DeletionTimestamp != nil {
		c.abandon(req.Name) // accord leaves a cluster alone that is being deleted
		c.Registry.SetAgent(req.Name, false)
		c.Pull(req.Name, "", "")
		c.presence.forget(req.Name)
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, err
	}
	pulls := member.Spec.SyncMode == v1alpha1.SyncModePull
	c.Registry.SetAgent(member.Name, pulls) // also where this replica follows: no replica owns the cluster
	if pulls {
		c.drop(member.Name)
		return c.reconcilePull(ctx, member)
	}
	c.Pull(member.Name, "", "")
	if !c.Registry.Owns(member.Name) {
		c.abandon(member.Name)
		c.presence.forget(member.Name)
		return c.reconcileRemote(ctx, member, deliver.SurveyInterval)
	}
	if err := c.timeTaints(ctx, member); err != nil { // the next probe tries again
		c.Log.Warn("cannot set the time of taints", "cluster", member.Name, "error", err)
	}
	facts, err := c.probe(ctx, member)
	now := time.Now()
	next, err := c.probed(member, facts, err, now)
	c.emitReachability(member, err)
	c.addTaints(member, &next)
	if err := c.taint(ctx, member, &next, err == nil, now); err != nil {
		return reconcile.Result{}, err
	}
	if !worthWriting(member.Status, next, reachability.ProbeWriteInterval) {
		return reconcile.Result{RequeueAfter: c.nextProbe(member.Name)}, nil
	}
	return c.writeStatus(ctx, member, next, c.nextProbe(member.Name))
}

// probed takes over the result of a probe, and returns the next status of the Cluster, without changes of its taints. The error is that of
// the probe, or why the worker of the cluster sends nothing.
func (c *Controller) probed(member *v1alpha1.Cluster, facts clusters.Facts, err error, now time.Time) (v1alpha1.ClusterStatus, error) {
	if w := c.Pool.Worker(member.Name); w != nil {
		err = cmp.Or(err, w.BreakerError())
	}
	c.Pool.Probed(member.Name, err)
	next := status.Cluster(member.Status, member.Generation, status.Probe{
		Version: facts.Version, NodesTotal: facts.NodesTotal, NodesReady: facts.NodesReady,
		Err: err, Reason: readyReason(err), Readiness: c.observe(member, err, now), Thresholds: c.Health.Thresholds,
	}, now)
	c.inform(member, &next)
	return next, err
}

// writeStatus writes the status of a Cluster, which is reconciled again after a while: soon, if somebody else has changed the Cluster since
// it was read, because the status rests on what it was.
func (c *Controller) writeStatus(ctx context.Context, member *v1alpha1.Cluster, next v1alpha1.ClusterStatus, again time.Duration) (reconcile.Result, error) {
	member.Status = next
	switch err := c.Records.PutStatus(ctx, member); {
	case apierrors.IsConflict(err):
		again = minProbeInterval
	case err != nil && !apierrors.IsNotFound(err):
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// nextProbe returns when the cluster is probed next: when its breaker lets a probe pass, or when its condition Ready is about to change.
func (c *Controller) nextProbe(cluster string) time.Duration {
	after := probeInterval
	if w := c.Pool.Worker(cluster); w != nil {
		if b := w.Breaker(); b.State == breaker.Open {
			after = time.Until(b.NextProbe)
		}
	}
	c.mu.Lock()
	due := c.readiness[cluster].Due(c.Health.Thresholds)
	c.mu.Unlock()
	if !due.IsZero() {
		after = min(after, time.Until(due))
	}
	return min(max(after, minProbeInterval), probeInterval)
}

// probe connects if necessary, and probes.
func (c *Controller) probe(ctx context.Context, member *v1alpha1.Cluster) (clusters.Facts, error) {
	ctx, cancel := context.WithTimeout(ctx, ProbeTimeout)
	defer cancel()
	secret, err := c.secret(ctx, member)
	_, refused := errors.AsType[*clusters.CredentialsError](err)
	switch {
	case apierrors.IsNotFound(err) || refused:
		c.drop(member.Name)
		return clusters.Facts{}, unusable{err}
	case err != nil: // the hub is slow: the member stays connected as it is
		c.Log.Warn("cannot read credentials", "cluster", member.Name, "error", err)
	default:
		if err := c.connect(ctx, member, secret); err != nil {
			c.drop(member.Name)
			return clusters.Facts{}, err
		}
	}
	w := c.Pool.Worker(member.Name)
	if w == nil {
		return clusters.Facts{}, cmp.Or(err, errRemoved)
	}
	w.SetResourceModels(member.Spec.ResourceModels, c.Registry.Follower() && resourcesWanted(member))
	facts, asked := c.ask(ctx, member, w)
	if asked == nil && err == nil {
		c.renewToken(ctx, member, secret, w.Member())
	}
	return facts, asked
}

var errRemoved = errors.New("the cluster was removed while it was probed")

// inform adds the results of the last survey to the next status of a Cluster.
func (c *Controller) inform(member *v1alpha1.Cluster, next *v1alpha1.ClusterStatus) {
	for _, kind := range []string{v1alpha1.CompleteAPIEnablements, v1alpha1.ResourceSummaryAvailable} {
		if known := meta.FindStatusCondition(member.Status.Conditions, kind); known != nil {
			kept := *known
			kept.ObservedGeneration = member.Generation
			next.Conditions = append(next.Conditions, kept)
		}
	}
	if w := c.Pool.Worker(member.Name); w != nil {
		w.Inform(next, member.Generation)
	}
}

// count is a complete probe, which counted the nodes.
type count struct {
	at    time.Time
	facts clusters.Facts
}

// ask probes a cluster, and now and then counts its nodes and identifies it again.
func (c *Controller) ask(ctx context.Context, member *v1alpha1.Cluster, w *deliver.Worker) (clusters.Facts, error) {
	c.mu.Lock()
	last, complete := c.counted[member.Name]
	c.mu.Unlock()
	if !complete { // since this process connected the cluster
		last.facts = clusters.Facts{
			Version: member.Status.KubernetesVersion, NodesTotal: member.Status.NodeSummary.TotalNum, NodesReady: member.Status.NodeSummary.ReadyNum,
		}
	}
	sent := time.Now()
	if time.Since(last.at) < countInterval && w.Identified() {
		err := clusters.Ping(ctx, w.Member())
		if err != nil && slow(ctx, w, sent) {
			err = nil
		}
		return last.facts, err
	}
	facts, err := clusters.Probe(ctx, w.Member())
	if err == nil {
		err = c.identify(ctx, member, w)
	}
	switch {
	case err == nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.counted[member.Name] = count{at: time.Now(), facts: facts}
	case w.Identified() && slow(ctx, w, sent):
		return last.facts, nil
	}
	return facts, err
}

// slow reports whether a probe ran out of time while the API server answered other requests.
func slow(ctx context.Context, w *deliver.Worker, sent time.Time) bool {
	return ctx.Err() != nil && w.Member().Breaker.Answered(sent)
}

// secret reads the credentials of a cluster. Of a cluster that is connected, the API server of the hub shows the Secret as it has it in
// memory, which is cheaper; another one is read again from its store.
func (c *Controller) secret(ctx context.Context, member *v1alpha1.Cluster) (*corev1.Secret, error) {
	if err := clusters.CheckSecretRef(member, c.SecretsNamespace); err != nil {
		return nil, err
	}
	ref, secret := member.Spec.SecretRef, &corev1.Secret{}
	key := types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	c.mu.Lock()
	known := c.credentials[member.Name].version
	c.mu.Unlock()
	if known != "" {
		fromMemory := &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}}
		if err := c.Secrets.Get(ctx, key, secret, fromMemory); err == nil && secret.ResourceVersion == known {
			return secret, nil
		}
		*secret = corev1.Secret{}
	}
	if err := c.Secrets.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("credentials of cluster %s: %w", member.Name, err)
	}
	return secret, nil
}

// connect connects a cluster, unless it is connected with these credentials already.
func (c *Controller) connect(ctx context.Context, member *v1alpha1.Cluster, secret *corev1.Secret) error {
	next := credentials{credentialDigest(member, secret), secret.ResourceVersion}
	c.mu.Lock()
	known := c.credentials[member.Name].digest == next.digest
	if known {
		c.credentials[member.Name] = next
	}
	c.mu.Unlock()
	if known && c.keepConnection(member.Name, strings.TrimSpace(string(secret.Data[clusters.TokenKey]))) {
		return nil
	}
	cfg, err := clusters.RESTConfig(member, secret, c.SecretsNamespace)
	if err != nil {
		return unusable{err}
	}
	m, err := clusters.ConnectWith(c.Fence(cfg, member.Name), member.Name, &c.catalogs)
	if err != nil {
		return unusable{err}
	}
	if err := c.inherit(ctx, member.Name); err != nil {
		m.Close()
		return err
	}
	c.mu.Lock()
	if c.credentials[member.Name] != (credentials{}) { // the next probe is the first one with these credentials, and counts at once
		c.readiness[member.Name] = readiness.State{}
	}
	c.credentials[member.Name] = next
	c.mu.Unlock()
	c.Pool.Connect(m)
	return nil
}

// keepConnection has a connection go on with the token of the Secret, and reports false if it needs a new one: its breaker
// is not closed, and knows the former token only.
func (c *Controller) keepConnection(cluster, token string) bool {
	w := c.Pool.Worker(cluster)
	if w == nil || token == "" || w.Member().HasToken(token) {
		return true
	}
	if w.Breaker().State != breaker.Closed {
		return false
	}
	w.Member().SetToken(token)
	return true
}

// VisitRemote connects to a cluster of another replica, to read its inventories and to send dry-runs. The connection refuses writes;
// the caller closes it.
func (c *Controller) VisitRemote(ctx context.Context, cluster string) (*clusters.Member, error) {
	member := &v1alpha1.Cluster{}
	if err := c.Hub.Get(ctx, types.NamespacedName{Name: cluster}, member); err != nil {
		return nil, err
	}
	secret, err := c.secret(ctx, member)
	if err != nil {
		return nil, err
	}
	cfg, err := clusters.RESTConfig(member, secret, c.SecretsNamespace)
	if err != nil {
		return nil, err
	}
	return clusters.ConnectWith(c.Options.Visit(cfg, cluster), cluster, &c.catalogs)
}

func (c *Controller) drop(cluster string) {
	c.mu.Lock()
	_, known := c.credentials[cluster]
	delete(c.credentials, cluster)
	delete(c.counted, cluster)
	delete(c.renewals, cluster)
	delete(c.uids, cluster)
	c.mu.Unlock()
	if known {
		c.Pool.Disconnect(cluster)
	}
}

// abandon ends all work for a cluster, and drops what probes showed of it: this replica does not probe it any more.
func (c *Controller) abandon(cluster string) {
	c.drop(cluster)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.readiness, cluster)
	delete(c.blocked, cluster)
}

// Release ends all work for clusters that this replica does not own any more, and returns when none is under way.
func (c *Controller) Release(owns func(cluster string) bool) {
	var closing sync.WaitGroup
	for _, w := range c.Pool.Workers() {
		if !owns(w.Name()) {
			closing.Go(func() { c.abandon(w.Name()) })
		}
	}
	closing.Wait()
	c.Pool.AwaitRelease(owns)
}

// credentialDigest identifies everything that a connection is made of, but for the token: a connection goes on with a new one.
func credentialDigest(member *v1alpha1.Cluster, secret *corev1.Secret) string {
	spec, data := member.Spec, maps.Clone(secret.Data)
	if len(data[clusters.TokenKey]) > 0 {
		data[clusters.TokenKey] = nil
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	_ = enc.Encode([]any{spec.ID, spec.APIEndpoint, spec.InsecureSkipTLSVerification, spec.ProxyURL, spec.ProxyHeader, secret.Type, data}) // always encodes
	return fmt.Sprintf("%x", h.Sum(nil))
}

// worthWriting reports whether the next status of a Cluster differs from the written one by more than times, or the written times are
// older than every.
func worthWriting(written, next v1alpha1.ClusterStatus, every time.Duration) bool {
	return probeTimeDue(written.LastProbeTime, next.LastProbeTime, every) || !sameExceptTimes(written, next)
}

// probeTimeDue reports whether lastProbeTime has to be written although nothing else changed.
func probeTimeDue(written, now *metav1.Time, every time.Duration) bool {
	return now != nil && (written == nil || now.Sub(written.Time) >= every)
}

// sameExceptTimes compares two statuses without the times that always change.
func sameExceptTimes(a, b v1alpha1.ClusterStatus) bool {
	a.LastProbeTime, b.LastProbeTime = nil, nil
	a.ResourceSummary, b.ResourceSummary = withoutTime(a.ResourceSummary), withoutTime(b.ResourceSummary)
	return equality.Semantic.DeepEqual(a, b)
}

func withoutTime(s *v1alpha1.ResourceSummary) *v1alpha1.ResourceSummary {
	if s == nil {
		return nil
	}
	copied := *s
	copied.MeasuredAt = nil
	return &copied
}
