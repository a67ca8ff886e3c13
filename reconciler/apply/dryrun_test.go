package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// planted is a value of Secrets that must not be told.
const planted = "hunter2-planted"

// tries is a dry-run after a look, as the loops have it; nothing may be written.
func (w *world) tries(target propagate.ClusterPlan, o DryRunOptions) live.DryRunResult {
	w.Helper()
	w.look(target)
	return w.asks(w.member, target, &w.live, o)
}

func (w *world) asks(m *clusters.Member, target propagate.ClusterPlan, live *live.Objects, o DryRunOptions) live.DryRunResult {
	w.Helper()
	w.meanwhile = func(r *http.Request) {
		require.True(w, r.Method == http.MethodGet || r.URL.Query().Get("dryRun") == "All", "%s %s writes", r.Method, r.URL)
	}
	defer func() { w.meanwhile = nil }()
	before := w.sent.Load()
	trial, err := DryRun(w.Context(), m, w.federation, target, live, read(w.inventory...), o)
	require.NoError(w, err)
	if m == w.member {
		require.LessOrEqual(w, int64(trial.Requests), w.sent.Load()-before)
	}
	return trial
}

// does writes a YAML text as somebody else, whatever is there.
func (w *world) does(text string) {
	w.Helper()
	for doc := range strings.SplitSeq(strings.ReplaceAll(text, "NS", w.namespace), "\n---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		u := &unstructured.Unstructured{}
		require.NoError(w, yaml.Unmarshal([]byte(doc), &u.Object))
		mapping, err := w.kubectl.Kinds.Mapping(u.GroupVersionKind())
		require.NoError(w, err)
		objects := w.kubectl.Objects.Resource(mapping.Resource).Namespace(u.GetNamespace())
		_, err = objects.Apply(w.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: "kubectl", Force: true})
		require.NoError(w, err)
		if u.Object["status"] != nil {
			_, err = objects.ApplyStatus(w.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: "controller", Force: true})
			require.NoError(w, err)
		}
	}
}

// quota of ConfigMaps that is used up.
const quotaYAML = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: small, namespace: NS}
spec: {hard: {count/configmaps: "%[1]d"}}
status: {hard: {count/configmaps: "%[1]d"}, used: {count/configmaps: "1"}}
---
`

// denying is a policy that denies objects of the namespace with the label denied, and quotes their data.
const denying = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NS}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NS}}
    objectSelector: {matchLabels: {denied: "yes"}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps, secrets]}]
  validations: [{expression: "false", messageExpression: "'it says ' + string(object.data.key)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NS}
spec: {policyName: NS, validationActions: [Deny]}
---
`

func denied(kind, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: bad, namespace: NS, labels: {denied: \"yes\"}}\ndata: {key: %q}\n---\n", kind, value)
}

func TestDryRun(t *testing.T) {
	job := func(image string) string {
		return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: NS}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: %q}]}}}
---
`, image)
	}
	crd := func(plural, kind string) string {
		return strings.TrimSuffix(strings.TrimSpace(definition("dryrun.example.com", kind, plural)), "---") + "\n---\n"
	}
	for name, c := range map[string]struct {
		there     string // made by somebody else
		delivered string // by us
		wanted    string
		patient   bool // until the API server knows what is there
		refused   string
		message   string
		hidden    string
		untried   string
		tried     int
	}{
		"nothing to complain of": {
			there: foreignNamespace, wanted: configMap("one", "1") + deploymentYAML, tried: 2,
		},
		"nothing to do": {
			delivered: namespaceYAML + configMap("one", "1"), wanted: namespaceYAML + configMap("one", "1"),
		},
		"one object changed": {
			delivered: namespaceYAML + configMap("one", "1") + configMap("two", "1"),
			wanted:    namespaceYAML + configMap("one", "2") + configMap("two", "1"), tried: 1,
		},
		"a quota has no room": {
			there: foreignNamespace + "\n---\n" + fmt.Sprintf(quotaYAML, 1), patient: true,
			wanted: configMap("one", "1"), refused: live.QuotaExceeded, message: "exceeded quota: small", tried: 1,
		},
		"the quota is raised with it": {
			there: foreignNamespace + "\n---\n" + fmt.Sprintf(quotaYAML, 1), patient: true,
			wanted:  overwritten + strings.Replace(fmt.Sprintf(quotaYAML, 9), "status:", "#", 1) + configMap("one", "1"),
			untried: "a ResourceQuota of its namespace changes with it", tried: 1,
		},
		"a policy denies it": {
			there: foreignNamespace + "\n---\n" + denying, patient: true,
			wanted: denied("ConfigMap", "no") + configMap("good", "1"), refused: live.AdmissionDenied, message: "it says no", tried: 2,
		},
		"a policy denies a Secret and quotes it": {
			there: foreignNamespace + "\n---\n" + denying, patient: true,
			wanted: strings.Replace(denied("Secret", ""), "data: {key: \"\"}", "stringData: {key: "+planted+"}", 1), refused: live.AdmissionDenied,
			message: "the message is not shown", hidden: planted, tried: 1,
		},
		"a Secret is not valid": {
			there:   foreignNamespace,
			wanted:  strings.Replace(denied("Secret", planted), "data:", "type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: "+planted+"}\n#", 1),
			refused: live.InvalidObject, message: "the message is not shown", hidden: planted, tried: 1,
		},
		"a field cannot be changed": {
			delivered: namespaceYAML + job("a:1"), wanted: namespaceYAML + job("a:2"), refused: live.ImmutableField, message: "field is immutable", tried: 1,
		},
		"a field that the kind does not have": {
			there: foreignNamespace, wanted: strings.Replace(deploymentYAML, "replicas:", "replica:", 1), refused: live.InvalidObject, message: "replica", tried: 1,
		},
		"a version that is not served": {
			there: foreignNamespace, wanted: strings.Replace(deploymentYAML, "apps/v1", "apps/v1beta1", 1),
			refused: live.NoMatchForKind, message: "the cluster does not serve apps/v1beta1 Deployment", tried: 1,
		},
		"a namespace that nobody brings": {
			wanted: configMap("one", "1"), refused: live.NamespaceMissing, message: "not found", tried: 1,
		},
		"a namespace and what is in it": {
			wanted: namespaceYAML + configMap("one", "1") + deploymentYAML, untried: "its namespace is new", tried: 1,
		},
		"a namespace and something of a type that is wrong": {
			wanted: namespaceYAML + strings.Replace(deploymentYAML, "replicas: 2", "replicas: two", 1), refused: live.InvalidObject, message: "replicas", tried: 2,
		},
		"a namespace and a kind that is not served": {
			wanted: namespaceYAML + strings.Replace(deploymentYAML, "apps/v1", "apps/v2", 1), refused: live.NoMatchForKind, message: "apps/v2", tried: 2,
		},
		"a kind that is served and is of the wrong scope": {
			wanted: strings.Replace(namespaceYAML, "name: NS", "name: NS, namespace: NS", 1), refused: live.InvalidObject, message: "cluster-scoped on this cluster", tried: 1,
		},
		"a definition and an object of its kind": {
			there:   foreignNamespace,
			wanted:  crd("widgets", "Widget") + "apiVersion: dryrun.example.com/v1\nkind: Widget\nmetadata: {name: one, namespace: NS}\nspec: {size: 1}\n",
			untried: "its kind is defined by apiextensions.k8s.io/CustomResourceDefinition widgets.dryrun.example.com", tried: 1,
		},
		"what is somebody else's": {
			there: foreignNamespace + "\n---\n" + configMap("theirs", "1"), wanted: configMap("theirs", "2"),
			refused: live.Conflict, message: "is not managed by accord", tried: 1,
		},
		"a webhook that does not answer": {
			there: foreignNamespace + "\n---\n" + silent, patient: true,
			wanted: configMap("one", "1"), refused: live.AdmissionDenied, message: "failed calling webhook \"silent.example.com\"", tried: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOf("dryrun", name))
			w.does(c.there)
			if c.delivered != "" {
				w.delivered(w.target(c.delivered))
			}
			target := w.target(strings.TrimPrefix(c.wanted, overwritten))
			if strings.HasPrefix(c.wanted, overwritten) {
				target = overwriting(target)
			}
			trial := w.tries(target, DryRunOptions{})
			for deadline := time.Now().Add(20 * time.Second); c.patient && len(trial.Rejected)+len(trial.Unchecked) == 0 && time.Now().Before(deadline); {
				time.Sleep(100 * time.Millisecond)
				trial = w.tries(target, DryRunOptions{})
			}
			if c.hidden != "" {
				require.NotContains(t, fmt.Sprint(trial), c.hidden)
			}
			require.Equal(t, c.refused == "", len(trial.Rejected) == 0, "%+v", trial)
			require.Equal(t, c.untried == "", len(trial.Unchecked) == 0, "%+v", trial)
			if c.refused != "" {
				require.Len(t, trial.Rejected, 1)
				require.Equal(t, c.refused, trial.Rejected[0].Reason, trial.Rejected[0].Message)
				require.Contains(t, trial.Rejected[0].Message, c.message)
			}
			for _, u := range trial.Unchecked {
				require.Contains(t, u.Message, c.untried)
			}
			require.Equal(t, c.tried, trial.Checked)
			require.Equal(t, trial, withRequests(w.asks(w.member, target, nil, DryRunOptions{}), trial.Requests), "the same when what is live has to be looked up")
		})
	}
}

// overwritten begins a text whose objects may be taken over.
const overwritten = "# overwrite\n"

// silent is a webhook that nobody serves.
const silent = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: NS}
webhooks:
- name: silent.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 1
  clientConfig: {url: "https://127.0.0.1:1/"}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NS}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
`

func withRequests(t live.DryRunResult, n int) live.DryRunResult {
	t.Requests = n
	return t
}

func TestDryRunOfSome(t *testing.T) {
	w := newWorld(t, "dryrun-some")
	target := w.target(namespaceYAML + configMap("one", "1") + strings.Replace(deploymentYAML, "replicas: 2", "replicas: two", 1))
	trial := w.tries(target, DryRunOptions{Only: map[manifest.ID]bool{w.id("ConfigMap", "one"): true}})
	require.Zero(t, trial.Checked)
	require.Equal(t, []live.Unchecked{{ID: w.id("ConfigMap", "one"), Message: `its namespace is new`}}, trial.Unchecked)
}

func TestDryRunWithRights(t *testing.T) {
	const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: all, namespace: NS}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [get]}]\n---\n"
	const binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: all, namespace: NS}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: all}\nsubjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: NS}]\n---\n"
	for name, c := range map[string]struct {
		resources string // on which everything is allowed
		wanted    string
		refused   []string
		untried   []string
	}{
		"to read only": {wanted: configMap("one", "1"), refused: []string{`cannot patch resource "configmaps"`}},
		"that the revision grants": {
			resources: "roles", wanted: role + configMap("one", "1"),
			untried: []string{"the RBAC changes with it: configmaps"},
		},
		"to bind a Role that is new": {
			resources: "roles, rolebindings", wanted: role + binding,
			untried: []string{"it needs rbac.authorization.k8s.io/Role"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, worldOf("rights", name))
			w.does(foreignNamespace + "\n---\n" + fmt.Sprintf(rights, cmp.Or(c.resources, "nothing")))
			m := w.connectAs(w.namespace)
			var trial live.DryRunResult
			require.Eventually(t, func() (granted bool) { // which the API server hears of a moment later
				var err error
				trial, err = DryRun(t.Context(), m, w.federation, w.target(c.wanted), nil, nil, DryRunOptions{})
				return err == nil
			}, time.Minute, 100*time.Millisecond)
			require.Len(t, trial.Rejected, len(c.refused), "%+v", trial)
			require.Len(t, trial.Unchecked, len(c.untried), "%+v", trial)
			for i, r := range trial.Rejected {
				require.Equal(t, live.Forbidden, r.Reason)
				require.Contains(t, r.Message, c.refused[i])
			}
			for i, u := range trial.Unchecked {
				require.Contains(t, u.Message, c.untried[i])
			}
		})
	}
}

// rights to read everything, and to write some of it.
const rights = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NS}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [get, list]}
- {apiGroups: ["*"], resources: [%s], verbs: [create, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: NS}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NS}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: NS}]
`

// TestVerdict is about answers that an API server of today does not give in a test, or not reliably.
func TestVerdict(t *testing.T) {
	config := schema.GroupResource{Resource: "configmaps"}
	denial := func(code int32, reason metav1.StatusReason) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: `admission webhook "w" denied the request: no`}}
	}
	for name, c := range map[string]struct {
		err         error
		reason, why string
	}{
		"a webhook with side effects":        {err: apierrors.NewBadRequest(`admission webhook "w" does not support dry run`), why: "it cannot be tried"},
		"too many requests":                  {err: apierrors.NewTooManyRequests("later", 1), why: "the answer is not about the object"},
		"an internal error":                  {err: apierrors.NewInternalError(errors.New("no leader")), why: "the answer is not about the object"},
		"no answer in time":                  {err: context.DeadlineExceeded, why: "the answer is not about the object"},
		"a webhook that says 500":            {err: denial(500, metav1.StatusReasonInternalError), reason: live.AdmissionDenied},
		"a webhook that says 429":            {err: denial(429, metav1.StatusReasonTooManyRequests), reason: live.AdmissionDenied},
		"a webhook that says nothing":        {err: denial(400, metav1.StatusReasonUnknown), reason: live.AdmissionDenied},
		"an admission plugin":                {err: apierrors.NewForbidden(config, "a", errors.New(`violates PodSecurity "restricted:latest"`)), reason: live.AdmissionDenied},
		"a quota that is not counted yet":    {err: apierrors.NewForbidden(config, "a", errors.New("status unknown for quota: q, resources: pods")), reason: live.QuotaExceeded},
		"rights that may not be passed on":   {err: apierrors.NewForbidden(config, "a", errors.New(`user "u" is attempting to grant RBAC permissions not currently held`)), reason: live.Forbidden},
		"a field of another manager":         {err: apierrors.NewApplyConflict([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict}}, "conflict"), reason: live.FieldConflict},
		"a kind that is not served any more": {err: apierrors.NewGenericServerResponse(404, "patch", config, "", "", 0, true), reason: live.NoMatchForKind},
		"something that it refers to":        {err: apierrors.NewNotFound(schema.GroupResource{Resource: "roles"}, "r"), reason: live.InvalidObject},
		"an object that is too large":        {err: apierrors.NewRequestEntityTooLargeError("limit is 3145728"), reason: live.InvalidObject},
	} {
		t.Run(name, func(t *testing.T) {
			x := &task{Placed: propagate.Placed{Rendered: &propagate.Rendered{ID: manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}}}}
			reason, why := verdict(x, c.err)
			require.Equal(t, c.reason, reason)
			require.Equal(t, c.why, why)
		})
	}
}

func TestDryRunOfACluster(t *testing.T) {
	w := newWorld(t, "dryrun-down")
	cfg := rest.CopyConfig(w.plane.Config())
	cfg.Host = "https://127.0.0.1:1"
	m, err := clusters.Connect(cfg, "member")
	require.NoError(t, err)
	_, err = DryRun(t.Context(), m, w.federation, w.target(configMap("one", "1")), nil, nil, DryRunOptions{})
	require.True(t, clusters.Down(err), "%v", err)
}

// connectAs somebody of whom the API server knows nothing but the name.
func (w *world) connectAs(user string) *clusters.Member {
	cfg := rest.CopyConfig(w.plane.Config())
	cfg.Impersonate.UserName = user
	m, err := clusters.Connect(cfg, "member")
	require.NoError(w, err)
	w.Cleanup(m.Close)
	return m
}
