package reconciler_test

import (
	"os"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/render"
)

// rights are what accord may do on members, for all that federations have delivered so far.
type rights struct {
	repositories []*repository
	granted      []rbacv1.PolicyRule
}

// account makes an identity on a member that may do nothing yet, and returns its token.
func (w *world) account(cluster string) string {
	w.t.Helper()
	name := metav1.ObjectMeta{Namespace: applyset.InventoryNamespace, Name: "accord"}
	k, err := kubernetes.NewForConfig(w.planes[cluster].Config())
	require.NoError(w.t, err)
	member := w.members[cluster]
	for _, o := range []func() error{
		func() error {
			return member.Create(w.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name.Namespace}})
		},
		func() error { return member.Create(w.t.Context(), &corev1.ServiceAccount{ObjectMeta: name}) },
		func() error {
			return member.Create(w.t.Context(), &rbacv1.Role{ObjectMeta: name, Rules: permit.OwnRights(name.Name)})
		},
		func() error {
			return member.Create(w.t.Context(), &rbacv1.RoleBinding{ObjectMeta: name, RoleRef: roleRef("Role"), Subjects: subjects(name)})
		},
		func() error {
			return member.Create(w.t.Context(), &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: "accord"}, RoleRef: roleRef("ClusterRole"), Subjects: subjects(name),
			})
		},
	} {
		if err := o(); !apierrors.IsAlreadyExists(err) { // joined before
			require.NoError(w.t, err)
		}
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](4 * 3600)}}
	token, err := k.CoreV1().ServiceAccounts(name.Namespace).CreateToken(w.t.Context(), name.Name, request, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.grant()
	return token.Status.Token
}

func roleRef(kind string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: "accord"}
}

func subjects(name metav1.ObjectMeta) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: name.Namespace, Name: name.Name}}
}

// grant gives accord on every member the least rights for all that Git has delivered so far, as "accord join
// --print-rbac" derives them. A commit that cannot be planned delivers nothing.
func (w *world) grant() {
	w.t.Helper()
	byFederation := map[string][]render.Object{}
	for _, r := range w.rights.repositories {
		objects, err := render.Build(os.DirFS(r.work), render.Options{})
		if err != nil {
			continue
		}
		byFederation[r.federation] = append(byFederation[r.federation], objects...)
	}
	var rules []rbacv1.PolicyRule
	for _, objects := range byFederation {
		rules = append(rules, w.needed(objects)...)
	}
	rules = append(rules, w.rights.granted...)
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int { return strings.Compare(a.String(), b.String()) })
	w.rights.granted = slices.CompactFunc(rules, func(a, b rbacv1.PolicyRule) bool { return a.String() == b.String() })
	for cluster := range w.members {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "accord"}, Rules: w.rights.granted}
		err := w.members[cluster].Create(w.t.Context(), role)
		if apierrors.IsAlreadyExists(err) {
			err = w.members[cluster].Update(w.t.Context(), role)
		}
		require.NoError(w.t, err)
	}
}

// needed are the rights for all that any member gets.
func (w *world) needed(objects []render.Object) []rbacv1.PolicyRule {
	w.t.Helper()
	parts, err := decode.Sort(objects)
	if err != nil {
		return nil
	}
	in := parts.Input()
	var joined v1alpha1.ClusterList
	require.NoError(w.t, w.hub.List(w.t.Context(), &joined))
	for _, c := range joined.Items {
		if parts.Origins[c.Name].Path == "" {
			in.Fleet = append(in.Fleet, fleet.Cluster{Name: c.Name, Labels: c.Labels})
		}
	}
	plan, err := propagate.New(in)
	if err != nil {
		return nil
	}
	var rules []rbacv1.PolicyRule
	for _, c := range plan.Clusters() {
		rules = append(rules, permit.Rights(plan, c, nil, func(gk schema.GroupKind) string {
			plural, _ := meta.UnsafeGuessKindToResource(gk.WithVersion(""))
			return plural.Resource
		})...)
	}
	return rules
}
