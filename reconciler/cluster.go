package reconciler

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/discovery"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/status"
)

const (
	// probeInterval is how often a member is asked whether it is there.
	probeInterval = 10 * time.Second
	// probeTimeout is how long it may take to answer.
	probeTimeout = 5 * time.Second
	// countInterval is how often its nodes are counted.
	countInterval = time.Minute
	// heardInterval is how old lastProbeTime may get before it alone is worth a write.
	heardInterval = time.Minute
)

// prober connects the members and keeps asking whether they are there.
type prober struct {
	client.Client
	secrets client.Reader
	engine  *engine
	store   store.Store
	// catalogs are what the members serve.
	catalogs discovery.Cache

	mu          sync.Mutex
	credentials map[string]string         // digest of what each cluster was connected with
	counted     map[string]time.Time      // when the nodes of each were counted last
	tainted     map[string][]corev1.Taint // beside the declared ones, where ClusterTaintPolicies decided
	// wake has a cluster looked at soon.
	wake func(cluster string)
}

func newProber(hub client.Client, secrets client.Reader, e *engine) *prober {
	return &prober{
		Client: hub, secrets: secrets, engine: e, store: e.store, wake: func(string) {},
		credentials: map[string]string{}, counted: map[string]time.Time{}, tainted: map[string][]corev1.Taint{},
	}
}

// Reconcile connects one Cluster if it is new or has new credentials, and probes it.
func (p *prober) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c := &v1alpha1.Cluster{}
	if err := p.Get(ctx, req.NamespacedName, c); apierrors.IsNotFound(err) || err == nil && c.DeletionTimestamp != nil { // from then on hands are off it
		p.drop(req.Name)
		p.engine.roll.strike(req.Name)
		return ctrl.Result{}, nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	if p.engine.elsewhere(c.Name) {
		p.drop(c.Name)
		p.engine.roll.strike(c.Name)
		return p.lookElsewhere(ctx, c)
	}
	facts, err := p.probe(ctx, c)
	err = cmp.Or(err, p.engine.broken(c.Name))
	p.engine.heard(c.Name, err)
	p.engine.answered(c, err)
	next := status.Cluster(c.Status, c.Generation, status.Probe{
		Version: facts.Version, NodesTotal: facts.NodesTotal, NodesReady: facts.NodesReady,
		Err: err, Reason: clusters.Reason(err),
	}, time.Now())
	p.inform(c, &next)
	if stale(c.Status.LastProbeTime, next.LastProbeTime) || !sameButHeard(c.Status, next) {
		c.Status = next
		if err := p.store.PutStatus(ctx, c); err != nil && !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: p.engine.nextProbe(c.Name)}, nil
}

// probe connects if it has to.
func (p *prober) probe(ctx context.Context, c *v1alpha1.Cluster) (clusters.Facts, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	secret, err := p.secret(ctx, c)
	switch {
	case apierrors.IsNotFound(err):
		p.drop(c.Name)
		return clusters.Facts{}, err
	case err != nil: // the hub is slow: that says nothing of the member, which is as it was connected last
		p.engine.log.Warn("cannot read credentials", "cluster", c.Name, "error", err)
	default:
		if err := p.connect(ctx, c, secret); err != nil {
			p.drop(c.Name)
			return clusters.Facts{}, err
		}
	}
	b := p.engine.bulkhead(c.Name)
	if b == nil {
		return clusters.Facts{}, cmp.Or(err, errRemoved)
	}
	b.facts.setModels(c.Spec.ResourceModels, p.engine.follows() && roomWanted(c))
	return p.ask(ctx, c, b.Member)
}

var errRemoved = errors.New("the cluster was removed while it was probed")

// inform adds to the next status of a Cluster what it says of itself, and the taints that policies put on it.
func (p *prober) inform(c *v1alpha1.Cluster, next *v1alpha1.ClusterStatus) {
	for _, about := range []string{v1alpha1.CompleteAPIEnablements, v1alpha1.ResourceSummaryAvailable} {
		if known := meta.FindStatusCondition(c.Status.Conditions, about); known != nil {
			kept := *known
			kept.ObservedGeneration = c.Generation
			next.Conditions = append(next.Conditions, kept)
		}
	}
	if b := p.engine.bulkhead(c.Name); b != nil {
		b.facts.inform(next, c.Generation)
	}
	p.retaint(c, next)
}

// ask whether a cluster is there, and now and then how many nodes it has.
func (p *prober) ask(ctx context.Context, c *v1alpha1.Cluster, m *clusters.Member) (clusters.Facts, error) {
	p.mu.Lock()
	fresh := time.Since(p.counted[c.Name]) < countInterval
	p.mu.Unlock()
	if fresh {
		known := c.Status.NodeSummary
		v, err := clusters.Ping(ctx, m)
		return clusters.Facts{Version: v, NodesTotal: known.TotalNum, NodesReady: known.ReadyNum}, err
	}
	facts, err := clusters.Probe(ctx, m)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counted[c.Name] = time.Now()
	}
	return facts, err
}

// secret is the credentials of a cluster; empty when it names none.
func (p *prober) secret(ctx context.Context, c *v1alpha1.Cluster) (map[string][]byte, error) {
	ref := c.Spec.SecretRef
	if ref == nil {
		return nil, nil
	}
	secret := &corev1.Secret{}
	if err := p.secrets.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return nil, fmt.Errorf("credentials of cluster %s: %w", c.Name, err)
	}
	return secret.Data, nil
}

// connect does nothing when the cluster is connected with these credentials already.
func (p *prober) connect(ctx context.Context, c *v1alpha1.Cluster, secret map[string][]byte) error {
	digest := credentialDigest(c, secret)
	p.mu.Lock()
	known := p.credentials[c.Name] == digest
	p.mu.Unlock()
	if known {
		return nil
	}
	cfg, err := clusters.RESTConfig(c, secret)
	if err != nil {
		return err
	}
	m, err := clusters.ConnectWith(p.engine.fenced(cfg, c.Name), c.Name, &p.catalogs)
	if err != nil {
		return err
	}
	if err := p.engine.inherit(ctx, c.Name); err != nil {
		m.Close()
		return err
	}
	p.mu.Lock()
	p.credentials[c.Name] = digest
	p.mu.Unlock()
	p.engine.connect(m)
	return nil
}

func (p *prober) drop(cluster string) {
	p.mu.Lock()
	_, known := p.credentials[cluster]
	delete(p.credentials, cluster)
	delete(p.counted, cluster)
	p.mu.Unlock()
	if known {
		p.engine.disconnect(cluster)
	}
}

// credentialDigest identifies everything that a connection is made of.
func credentialDigest(c *v1alpha1.Cluster, secret map[string][]byte) string {
	spec := c.Spec
	h := sha256.New()
	enc := json.NewEncoder(h)
	_ = enc.Encode([]any{spec.APIEndpoint, spec.InsecureSkipTLSVerification, spec.ProxyURL, spec.ProxyHeader, maps.Clone(secret)}) // always encodes
	return fmt.Sprintf("%x", h.Sum(nil))
}

// stale says that lastProbeTime has to be written although nothing else changed.
func stale(written, now *metav1.Time) bool {
	return now != nil && (written == nil || now.Sub(written.Time) >= heardInterval)
}

// sameButHeard compares two statuses without the times that tick.
func sameButHeard(a, b v1alpha1.ClusterStatus) bool {
	a.LastProbeTime, b.LastProbeTime = nil, nil
	a.ResourceSummary, b.ResourceSummary = unmeasured(a.ResourceSummary), unmeasured(b.ResourceSummary)
	return equality.Semantic.DeepEqual(a, b)
}

func unmeasured(s *v1alpha1.ResourceSummary) *v1alpha1.ResourceSummary {
	if s == nil {
		return nil
	}
	without := *s
	without.MeasuredAt = nil
	return &without
}
