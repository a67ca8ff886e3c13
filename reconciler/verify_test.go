package reconciler_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// signer is an SSH key that signs commits and tags as ssh-keygen does.
type signer struct{ ssh.Signer }

func newSigner(t *testing.T) signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	s, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	return signer{s}
}

// allowed is the line of allowed_signers for a principal.
func (s signer) allowed(principal string) string {
	return principal + " " + string(ssh.MarshalAuthorizedKey(s.PublicKey()))
}

func (s signer) sign(t *testing.T, payload string) string {
	t.Helper()
	sum := sha512.Sum512([]byte(payload))
	signed := ssh.Marshal(struct{ Namespace, Reserved, Hash, Sum string }{"git", "", "sha512", string(sum[:])})
	signature, err := s.Sign(rand.Reader, append([]byte("SSHSIG"), signed...))
	require.NoError(t, err)
	body := ssh.Marshal(struct {
		Version                              uint32
		Key, Namespace, Reserved, Hash, Made string
	}{1, string(s.PublicKey().Marshal()), "git", "", "sha512", string(ssh.Marshal(signature))})
	return strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte("SSHSIG"), body...)})))
}

// pushSigned pushes a commit that somebody has signed.
func (r *repository) pushSigned(s signer, message string, files ...string) string {
	r.t.Helper()
	r.commit(message, files...)
	headers, text, _ := strings.Cut(r.git(r.work, "cat-file", "commit", "HEAD")+"\n", "\n\n")
	signature := strings.ReplaceAll(s.sign(r.t, headers+"\n\n"+text), "\n", "\n ")
	object := filepath.Join(r.t.TempDir(), "commit")
	require.NoError(r.t, os.WriteFile(object, []byte(headers+"\ngpgsig "+signature+"\n\n"+text), 0o600))
	sha := r.git(r.work, "hash-object", "-t", "commit", "-w", object)
	r.git(r.work, "reset", "--quiet", "--hard", sha)
	r.git(r.work, "push", "--quiet", "origin", "HEAD:main")
	return sha
}

// hostileUnverifiedSource: a revision without a valid signature of an allowed signer changes nothing.
func hostileUnverifiedSource(t *testing.T, w *world) {
	alice, mallory := newSigner(t), newSigner(t)
	signers := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "signers"}, StringData: map[string]string{"allowed_signers": alice.allowed("alice@example.com")}}
	w.create(signers)
	r := newRepository(t)
	r.federation = "verified"
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Sources[0].Verify = &v1alpha1.Verification{SecretRef: corev1.LocalObjectReference{Name: "signers"}}
	})
	refused := func(sentence string) {
		t.Helper()
		w.federationIs(r, "Ready", metav1.ConditionFalse, "SourceUnverified")
		w.eventually("the refusal "+sentence, func() error {
			c := apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.SourceVerified)
			return unless(c != nil && c.Status == metav1.ConditionFalse && c.Reason == "SourceUnverified" && strings.Contains(c.Message, sentence), fmt.Sprint(c))
		})
	}
	sha := r.push("unsigned", "app.yaml", configMap("verified", "0"), "policy.yaml", policyFor("verified", both, ""))
	refused("(spec.sources[].verify, mode HEAD): commit " + sha[:12] + " is not signed")
	require.Equal(t, "main@sha1:"+sha, w.declared(r).Status.RefusedRevision)
	require.True(t, w.absent("cluster-a", "verified"))

	sha = r.pushSigned(alice, "signed", "app.yaml", configMap("verified", "1"))
	w.ready(r, sha)
	w.federationIs(r, v1alpha1.SourceVerified, metav1.ConditionTrue, "Succeeded")
	require.Empty(t, w.declared(r).Status.RefusedRevision)
	require.Contains(t, apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.SourceVerified).Message,
		"main: "+sha[:7]+" is signed by alice@example.com (SSH key SHA256:")

	sha = r.pushSigned(mallory, "signed by somebody else", "app.yaml", configMap("verified", "2"))
	refused("commit " + sha[:12] + " is signed by SSH key " + ssh.FingerprintSHA256(mallory.PublicKey()) + ", which is not an allowed signer")
	w.repaired("cluster-a", "verified", "1")

	// The signer is an author: another name in the commit hides nobody.
	w.patch(r, func(fed *v1alpha1.Federation) {
		fed.Spec.Approval = &v1alpha1.ApprovalPolicy{NotBy: v1alpha1.NotByAuthor}
	})
	sha = r.pushSigned(alice, "signed again", "app.yaml", configMap("verified", "3"))
	release := w.held(r, sha)
	require.NoError(t, approveAs(t, w.as("alice@example.com"), release, release.Spec.PlanDigest, "alice@example.com"))
	release = w.condition(r, sha, v1alpha1.Approved, metav1.ConditionFalse, "ApprovalRefused")
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, v1alpha1.Approved).Message, "the signer of commit "+sha[:7]+` is "" <alice@example.com>`)

	// The key of a signer is taken away while the plan waits: its approval delivers nothing.
	require.NoError(t, w.hub.Get(t.Context(), client.ObjectKeyFromObject(signers), signers))
	signers.Data = map[string][]byte{"allowed_signers": []byte(mallory.allowed("bob@example.com"))}
	require.NoError(t, w.hub.Update(t.Context(), signers))
	refused("commit " + sha[:12] + " is signed by SSH key")
	w.approve(release, release.Spec.PlanDigest)
	w.repaired("cluster-b", "verified", "1")
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Sources[0].Verify = nil })
	w.ready(r, sha)
	require.Equal(t, "3", w.configMap("cluster-a", "verified").Data["key"])
	w.eventually("no source to be verified", func() error {
		c := apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.SourceVerified)
		return unless(c == nil, fmt.Sprint(c))
	})
}
