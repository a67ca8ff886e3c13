package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// leftBy makes the fixture again.
var leftBy = flag.String("left-by", "", "a commit, whose accord makes "+upgradeFixture+" first")

// installation is accord with a hub, members and repositories in installationDir.
type installation struct {
	t      *testing.T
	accord string // the program
	planes []*local.ControlPlane
	server *exec.Cmd // "accord up"
	log    bytes.Buffer
}

// TestUpgrade: this version starts with everything that an older one left. It writes nothing to the members, asks for no approval that was
// given, gives none, and continues with the next commit.
func TestUpgrade(t *testing.T) {
	claimInstallationDir(t)
	if *leftBy != "" {
		makeFixture(t, *leftBy)
		require.NoError(t, os.RemoveAll(installationDir))
	}
	require.NoError(t, os.MkdirAll(installationDir, 0o700))
	unpack(t, upgradeFixture, installationDir)
	i := &installation{t: t, accord: "accord"}
	i.startMembers()
	before := i.versions()
	require.Len(t, before["first"], len(before["second"]))
	i.up()

	i.repairsDrift("first")
	i.repairsDrift("second")
	for _, name := range upgradeMembers {
		delete(before[name], driftKey)
		now := i.versions()[name]
		delete(now, driftKey)
		require.Equal(t, before[name], now, "nothing is written to %s", name)
	}
	i.keepsApprovals()
	i.storesOneVersion()
	i.continues()
	i.down()
	require.NotContains(t, i.log.String(), "level=ERROR")
}

// claimInstallationDir waits until no other run uses the directory, and removes it at the end.
func claimInstallationDir(t *testing.T) {
	lock, err := fileutil.LockFile(installationDir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	remove := func() { require.NoError(t, os.RemoveAll(installationDir)) }
	t.Cleanup(func() { remove(); require.NoError(t, lock.Close()) })
	remove()
}

// up runs the hub, and waits until it answers.
func (i *installation) up(args ...string) {
	i.server = exec.Command(i.accord, append([]string{"up", "--data-dir", filepath.Join(installationDir, "data")}, args...)...)
	i.server.Stderr = &i.log
	i.server.Stdout = i.t.Output()
	require.NoError(i.t, i.server.Start())
	i.t.Cleanup(i.down)
	require.Eventually(i.t, func() bool { return i.run("status").Run() == nil }, untilLimit, 200*time.Millisecond, "the hub answers")
}

// down ends the hub in good order.
func (i *installation) down() {
	if i.server == nil {
		return
	}
	server := i.server
	i.server = nil
	require.NoError(i.t, server.Process.Signal(os.Interrupt))
	require.NoError(i.t, server.Wait(), "%s", &i.log)
}

func (i *installation) hubKubeconfig() string {
	return filepath.Join(installationDir, "data", "kubeconfig")
}

func (i *installation) kubeconfig(member string) string {
	return filepath.Join(installationDir, "members", member, "kubeconfig")
}

func (i *installation) run(args ...string) *exec.Cmd {
	c := exec.CommandContext(i.t.Context(), i.accord, args...)
	c.Env = append(os.Environ(), hub.KubeconfigEnv+"="+i.hubKubeconfig())
	return c
}

// exits runs a command of accord that ends with this exit code, and returns what it prints.
func (i *installation) exits(code int, args ...string) string {
	i.t.Helper()
	c := i.run(args...)
	out, err := c.CombinedOutput()
	if ended := (&exec.ExitError{}); err != nil && !errors.As(err, &ended) {
		require.NoError(i.t, err)
	}
	require.Equal(i.t, code, c.ProcessState.ExitCode(), "accord %v: %s", args, out)
	return string(out)
}

// client connects to the hub or to a member.
func (i *installation) client(kubeconfig string) client.Client {
	i.t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(i.t, err)
	c, err := testClient(cfg)
	require.NoError(i.t, err)
	return c
}

// release returns the Release of a commit.
func (i *installation) release(federation, sha string) *v1alpha1.Release {
	i.t.Helper()
	list := &v1alpha1.ReleaseList{}
	require.NoError(i.t, i.client(i.hubKubeconfig()).List(i.t.Context(), list))
	for n, r := range list.Items {
		if r.Spec.Federation == federation && strings.HasSuffix(r.Spec.Revision, sha) {
			return &list.Items[n]
		}
	}
	require.FailNow(i.t, "no Release", "%s of %s", sha, federation)
	return nil
}

// versions returns the resource versions of the objects on each member of the kinds that accord delivers or marks there.
func (i *installation) versions() map[string]map[string]string {
	i.t.Helper()
	all := map[string]map[string]string{}
	for _, name := range upgradeMembers {
		all[name] = map[string]string{}
		for _, kind := range []string{"ConfigMap", "Service", "ServiceAccount", "Namespace", "Secret"} {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind + "List"))
			require.NoError(i.t, i.client(i.kubeconfig(name)).List(i.t.Context(), list))
			for _, o := range list.Items {
				all[name][kind+" "+o.Namespace+"/"+o.Name] = o.ResourceVersion
			}
		}
	}
	return all
}

// driftKey is the object that repairsDrift changes.
const driftKey = "ConfigMap default/shop"

// repairsDrift changes an object by hand. Its repair proves that this version has gone through its loops for the cluster.
func (i *installation) repairsDrift(member string) {
	i.t.Helper()
	c, shop := i.client(i.kubeconfig(member)), &corev1.ConfigMap{}
	key := types.NamespacedName{Namespace: "default", Name: "shop"}
	require.NoError(i.t, c.Get(i.t.Context(), key, shop))
	shop.Data["version"] = "by hand"
	require.NoError(i.t, c.Update(i.t.Context(), shop))
	require.Eventually(i.t, func() bool {
		return c.Get(i.t.Context(), key, shop) == nil && shop.Data["version"] == "1"
	}, untilLimit, 100*time.Millisecond, "the change is repaired on %s", member)
}

// judged is what a Release says of the approvals and the result of a commit.
type judged struct{ Federation, Revision, PlanDigest, Ready, ApprovedBy, SupersededBy, WaitsFor string }

// judgements returns the Releases on the hub by name.
func (i *installation) judgements() map[string]judged {
	i.t.Helper()
	list := &v1alpha1.ReleaseList{}
	require.NoError(i.t, i.client(i.hubKubeconfig()).List(i.t.Context(), list))
	all := map[string]judged{}
	for _, r := range list.Items {
		j := judged{Federation: r.Spec.Federation, Revision: r.Spec.Revision, PlanDigest: r.Spec.PlanDigest, ApprovedBy: r.Status.ApprovedBy, SupersededBy: r.Status.SupersededBy}
		if ready := apimeta.FindStatusCondition(r.Status.Conditions, "Ready"); ready != nil {
			j.Ready = string(ready.Status) + " " + ready.Reason
		}
		if r.Status.WaitingFor != nil {
			j.WaitsFor = r.Status.WaitingFor.Message
		}
		all[r.Name] = j
	}
	return all
}

// keepsApprovals: what was approved stays done, and what waits for a person waits for the same plan or stage. If you changed what a plan
// digest covers, every plan that waits needs another approval: say so in docs/how-to/upgrade.md before you make the fixture again.
func (i *installation) keepsApprovals() {
	i.t.Helper()
	text, err := os.ReadFile(judgementsFile)
	require.NoError(i.t, err)
	var before map[string]judged
	require.NoError(i.t, json.Unmarshal(text, &before))
	require.Len(i.t, before, 5)
	require.Equal(i.t, before, i.judgements())
	for _, federation := range []string{"careful", "staged"} {
		i.exits(4, "wait", federation, "--revision", i.head(federation), "--timeout", "60s")
	}
}

func (i *installation) head(federation string) string {
	i.t.Helper()
	out, err := exec.CommandContext(i.t.Context(), "git", "-C", filepath.Join(installationDir, federation), "rev-parse", "HEAD").Output()
	require.NoError(i.t, err)
	return strings.TrimSpace(string(out))
}

// storesOneVersion: each kind of accord has the schema of this version, and one stored version.
func (i *installation) storesOneVersion() {
	i.t.Helper()
	want, err := v1alpha1.CRDs()
	require.NoError(i.t, err)
	c := i.client(i.hubKubeconfig())
	for _, crd := range want {
		got := &apiextensionsv1.CustomResourceDefinition{}
		require.NoError(i.t, c.Get(i.t.Context(), client.ObjectKeyFromObject(crd), got))
		require.Equal(i.t, []string{v1alpha1.GroupVersion.Version}, got.Status.StoredVersions, crd.Name)
		require.Len(i.t, got.Spec.Versions, len(crd.Spec.Versions), crd.Name)
		for n, v := range crd.Spec.Versions {
			require.Equal(i.t, v.Schema, got.Spec.Versions[n].Schema, "%s %s", crd.Name, v.Name)
			require.Equal(i.t, v.Name == v1alpha1.GroupVersion.Version, got.Spec.Versions[n].Storage, "%s %s", crd.Name, v.Name)
		}
	}
}

// continues: the next commit is delivered, and the approvals that were awaited have their effect.
func (i *installation) continues() {
	i.t.Helper()
	sha := i.push("shop", map[string]string{"more.yaml": configMapOf("shop-more", "1") + "---\n" + policyOf("shop-more")})
	i.exits(0, "wait", "shop", "--revision", sha, "--timeout", "2m")
	for _, federation := range []string{"careful", "staged"} {
		head := i.head(federation)
		i.approve(federation, head)
		i.exits(0, "wait", federation, "--revision", head, "--timeout", "2m")
		for _, member := range upgradeMembers {
			got := &corev1.ConfigMap{}
			require.NoError(i.t, i.client(i.kubeconfig(member)).Get(i.t.Context(), types.NamespacedName{Namespace: metav1.NamespaceDefault, Name: federation}, got))
			require.Equal(i.t, "2", got.Data["version"], "%s on %s", federation, member)
		}
	}
}
