package request_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// encode returns a request that is signed by its key.
func encode(t *testing.T, key crypto.Signer, r x509.CertificateRequest) []byte {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &r, key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

func subject(name string, organizations ...string) x509.CertificateRequest {
	return x509.CertificateRequest{Subject: pkix.Name{CommonName: name, Organization: organizations}}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

const agent, agents = "system:accord:agent:eu-1:abcdefgh23", "system:accord:agents"

// valid returns a request of the holder of the token abcdef for cluster eu-1, which the hub approves.
func valid(t *testing.T) request.Input {
	t.Helper()
	return request.Input{
		UID: "request-1", Created: now, Now: now,
		Request: certificatesv1.CertificateSigningRequestSpec{
			Request: encode(t, newKey(t), subject(agent, agents)), SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:   []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth},
			Username: "system:bootstrap:abcdef", Groups: []string{"system:bootstrappers", registration.BootstrapGroup, "system:authenticated"},
			ExpirationSeconds: ptr.To[int32](3600),
		},
		Token: &registration.Token{ID: "abcdef", Secret: "0123456789abcdef", Clusters: "eu-*", Uses: 1, Expires: now.Add(time.Hour)},
	}
}

func pull() *v1alpha1.Cluster {
	return &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}, Spec: v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull}}
}

func TestDecide(t *testing.T) {
	type edit func(*testing.T, *request.Input)
	spec := func(change func(*certificatesv1.CertificateSigningRequestSpec)) edit {
		return func(_ *testing.T, in *request.Input) { change(&in.Request) }
	}
	csr := func(r x509.CertificateRequest) edit {
		return func(t *testing.T, in *request.Input) { in.Request.Request = encode(t, newKey(t), r) }
	}
	from := func(user string, groups ...string) edit {
		return spec(func(s *certificatesv1.CertificateSigningRequestSpec) { s.Username, s.Groups = user, groups })
	}
	renewal := func(cluster *v1alpha1.Cluster, registeredBy types.UID) edit {
		return func(t *testing.T, in *request.Input) {
			from(agent, agents, "system:authenticated")(t, in)
			in.Token, in.Cluster, in.RegisteredBy, in.Agent = nil, cluster, registeredBy, agent
		}
	}
	deleted, push := pull(), pull()
	deleted.DeletionTimestamp = &metav1.Time{Time: now}
	push.Spec.SyncMode = v1alpha1.SyncModePush
	withExtra := subject(agent, agents)
	withExtra.Subject.OrganizationalUnit = []string{"system:masters"}
	withSAN := subject(agent, agents)
	withSAN.DNSNames = []string{"kubernetes.default"}
	withURI := subject(agent, agents)
	withURI.URIs = []*url.URL{{Scheme: "spiffe", Host: "accord"}}
	withExtension := subject(agent, agents)
	withExtension.ExtraExtensions = []pkix.Extension{{Id: []int{2, 5, 29, 19}, Value: []byte{0x30, 0x03, 0x01, 0x01, 0xff}}} // CA: true

	for name, c := range map[string]struct {
		edit            edit
		reason, message string
	}{
		"a free name": {func(*testing.T, *request.Input) {}, request.Approved, "the token abcdef registers the cluster eu-1"},
		"a Cluster in pull mode without an agent":   {func(_ *testing.T, in *request.Input) { in.Cluster = pull() }, request.Approved, ""},
		"a request that was counted before a crash": {func(_ *testing.T, in *request.Input) { *in.Token = in.Token.Used(in.UID, now) }, request.Approved, ""},
		"a request that was registered before a crash": {func(_ *testing.T, in *request.Input) {
			*in.Token = in.Token.Used(in.UID, now)
			in.Cluster, in.RegisteredBy, in.Now = pull(), in.UID, now.Add(time.Hour)
		}, request.Approved, ""},
		"an RSA key": {func(t *testing.T, in *request.Input) {
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			require.NoError(t, err)
			in.Request.Request = encode(t, key, subject(agent, agents))
			in.Request.Usages = append(in.Request.Usages, certificatesv1.UsageKeyEncipherment)
		}, request.Approved, ""},
		"an Ed25519 key": {func(t *testing.T, in *request.Input) {
			_, key, err := ed25519.GenerateKey(rand.Reader)
			require.NoError(t, err)
			in.Request.Request = encode(t, key, subject(agent, agents))
		}, request.Approved, ""},
		"a renewal": {renewal(pull(), "request-0"), request.Renewed, ""},

		"another signer":                 {spec(func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "kubernetes.io/kubelet-serving" }), request.InvalidRequest, "the signer is"},
		"no request":                     {spec(func(s *certificatesv1.CertificateSigningRequestSpec) { s.Request = []byte("x") }), request.InvalidRequest, "not a PEM block"},
		"a user of the group":            {csr(subject("system:kube-scheduler", agents)), request.InvalidRequest, `the common name is "system:kube-scheduler"`},
		"another organization":           {csr(subject(agent, "system:masters")), request.InvalidRequest, "the organization is"},
		"two organizations":              {csr(subject(agent, agents, "system:masters")), request.InvalidRequest, "the organization is"},
		"no organization":                {csr(subject(agent)), request.InvalidRequest, "the organization is"},
		"an organizational unit":         {csr(withExtra), request.InvalidRequest, "attributes beside common name and organization"},
		"a DNS name":                     {csr(withSAN), request.InvalidRequest, "subject alternative names"},
		"a URI":                          {csr(withURI), request.InvalidRequest, "subject alternative names"},
		"a CA":                           {csr(withExtension), request.InvalidRequest, "it has extensions"},
		"no cluster":                     {csr(subject("system:accord:agent:", agents)), request.InvalidRequest, `cluster name ""`},
		"a reserved name":                {csr(subject("system:accord:agent:hub", agents)), request.InvalidRequest, "are reserved"},
		"a name with a colon":            {csr(subject("system:accord:agent:eu-1:admin:abcdefgh23", agents)), request.InvalidRequest, "the name of the registration"},
		"no registration":                {csr(subject("system:accord:agent:eu-1", agents)), request.InvalidRequest, "the name of the registration"},
		"a registration of another form": {csr(subject("system:accord:agent:eu-1:admin", agents)), request.InvalidRequest, "the name of the registration"},
		"a name with a slash":            {csr(subject("system:accord:agent:../eu-1", agents)), request.InvalidRequest, "expected at most 48"},
		"a name with a capital":          {csr(subject("system:accord:agent:EU-1", agents)), request.InvalidRequest, "expected at most 48"},
		"a name with a line break":       {csr(subject("system:accord:agent:eu-1\n", agents)), request.InvalidRequest, "expected at most 48"},
		"a name of 49 characters":        {csr(subject("system:accord:agent:"+strings.Repeat("e", 49), agents)), request.InvalidRequest, "expected at most 48"},
		"a server's usage": {spec(func(s *certificatesv1.CertificateSigningRequestSpec) {
			s.Usages = append(s.Usages, certificatesv1.UsageServerAuth)
		}), request.InvalidRequest, "the usages are"},
		"no client's usage": {spec(func(s *certificatesv1.CertificateSigningRequestSpec) { s.Usages = s.Usages[:1] }), request.InvalidRequest, "the usages are"},
		"31 days": {spec(func(s *certificatesv1.CertificateSigningRequestSpec) {
			s.ExpirationSeconds = ptr.To[int32](31 * 24 * 3600)
		}), request.InvalidRequest, "spec.expirationSeconds"},
		"no lifetime":               {spec(func(s *certificatesv1.CertificateSigningRequestSpec) { s.ExpirationSeconds = nil }), request.InvalidRequest, "spec.expirationSeconds"},
		"a region that is no label": {func(_ *testing.T, in *request.Input) { in.Traits.Region = "eu west" }, request.InvalidRequest, `"eu west"`},
		"a small RSA key": {func(t *testing.T, in *request.Input) {
			t.Setenv("GODEBUG", "rsa1024min=0")
			key, err := rsa.GenerateKey(rand.Reader, 1024)
			require.NoError(t, err)
			in.Request.Request = encode(t, key, subject(agent, agents))
		}, request.InvalidRequest, "1024 bits"},
		"the signature of another key": {func(t *testing.T, in *request.Input) {
			block, _ := pem.Decode(in.Request.Request)
			block.Bytes[len(block.Bytes)-1] ^= 1
			in.Request.Request = pem.EncodeToMemory(block)
		}, request.InvalidRequest, "its signature is not by its key"},

		"an administrator":                   {from("kubernetes-admin", "system:masters"), request.UnknownRequester, "kubernetes-admin"},
		"a token of another program":         {from("system:bootstrap:abcdef", "system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"), request.UnknownRequester, ""},
		"a user who is named as an agent":    {from(agent, "system:authenticated"), request.UnknownRequester, ""},
		"a token that is deleted":            {func(_ *testing.T, in *request.Input) { in.Token = nil }, request.TokenUnknown, "abcdef"},
		"another token than the requester's": {func(_ *testing.T, in *request.Input) { in.Token.ID = "ghijkl" }, request.TokenUnknown, "abcdef"},
		"a request that nobody waits for":    {func(_ *testing.T, in *request.Input) { in.Now = now.Add(request.Patience + 1) }, request.RequestTooOld, "again"},
		"an expired token":                   {func(_ *testing.T, in *request.Input) { in.Token.Expires = now }, request.TokenExpired, "2026-11-23T12:00:00Z"},
		"a used token":                       {func(_ *testing.T, in *request.Input) { *in.Token = in.Token.Used("another", now) }, request.TokenUsedUp, "(1)"},
		"a name that the token does not permit": {csr(subject("system:accord:agent:us-1:abcdefgh23", agents)), request.NameNotPermitted,
			`the token abcdef permits the cluster "eu-*", not "us-1"`},
		"a Cluster in push mode":          {func(_ *testing.T, in *request.Input) { in.Cluster = push }, request.NameTaken, "push mode"},
		"a Cluster with an agent":         {func(_ *testing.T, in *request.Input) { in.Cluster, in.RegisteredBy = pull(), "request-0" }, request.NameTaken, "has an agent"},
		"a Cluster that is being deleted": {func(_ *testing.T, in *request.Input) { in.Cluster = deleted }, request.NameTaken, "being deleted"},
		"a member under another name":     {func(_ *testing.T, in *request.Input) { in.SameID = "old" }, request.DuplicateCluster, "as Cluster old"},

		"a renewal for another cluster":      {from("system:accord:agent:us-1:abcdefgh23", agents), request.AnotherAgent, "its own certificate only"},
		"a renewal for another registration": {from("system:accord:agent:eu-1:another234", agents), request.AnotherAgent, "its own certificate only"},
		"a renewal of an earlier registration": {func(t *testing.T, in *request.Input) {
			renewal(pull(), "request-0")(t, in)
			in.Agent = "system:accord:agent:eu-1:another234"
		}, request.AgentRevoked, "register it again"},
		"a renewal without a Cluster":      {renewal(nil, "request-0"), request.AgentRevoked, ""},
		"a renewal after unregister":       {renewal(pull(), ""), request.AgentRevoked, "register it again"},
		"a renewal in push mode":           {renewal(push, "request-0"), request.AgentRevoked, ""},
		"a renewal of a Cluster that goes": {renewal(deleted, "request-0"), request.AgentRevoked, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := valid(t)
			c.edit(t, &in)
			got := request.Decide(in)
			require.Equal(t, c.reason, got.Reason, got.Message)
			require.Contains(t, got.Message, c.message)
			require.NotEmpty(t, got.Message)
			require.Equal(t, c.reason == request.Approved || c.reason == request.Renewed, got.Approve)
			if got.Approve {
				require.Equal(t, []string{"eu-1", agent}, []string{got.Cluster, got.User})
			}
		})
	}
}

func TestOtherRequestsAreNotAccords(t *testing.T) {
	in := valid(t)
	require.True(t, request.ForAgent(&in.Request))
	in.Request.Request = encode(t, newKey(t), subject("system:node:a", agents))
	require.True(t, request.ForAgent(&in.Request), "it would be in the group of agents")
	in.Request.Request = encode(t, newKey(t), subject("system:node:a", "system:nodes"))
	require.False(t, request.ForAgent(&in.Request))
	in = valid(t)
	in.Request.SignerName = "example.com/other"
	require.False(t, request.ForAgent(&in.Request))
}

func TestRequestsExpire(t *testing.T) {
	r := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(now)}}
	condition := func(kind certificatesv1.RequestConditionType) {
		r.Status.Conditions = append(r.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{Type: kind, LastUpdateTime: metav1.NewTime(now.Add(time.Minute))})
	}
	require.Equal(t, now.Add(24*time.Hour), request.Expiry(r))
	condition(registration.NotApproved)
	require.Equal(t, now.Add(24*time.Hour), request.Expiry(r), "it is still pending")
	condition(certificatesv1.CertificateApproved)
	require.Equal(t, now.Add(24*time.Hour), request.Expiry(r), "its certificate is not there yet")
	r.Status.Certificate = []byte("x")
	require.Equal(t, now.Add(61*time.Minute), request.Expiry(r))
	r.Status.Conditions[1].Type, r.Status.Certificate = certificatesv1.CertificateDenied, nil
	require.Equal(t, now.Add(61*time.Minute), request.Expiry(r))
}

func TestTraits(t *testing.T) {
	traits := request.TraitsOf(map[string]string{
		registration.ClusterIDAnnotation: "uid", registration.ClusterRegionAnnotation: "eu", registration.ClusterProviderAnnotation: "acme",
		registration.ClusterZonesAnnotation: "a,b",
	})
	require.Equal(t, v1alpha1.ClusterSpec{SyncMode: "Pull", ID: "uid", Region: "eu", Provider: "acme", Zones: []string{"a", "b"}}, traits.Spec())
}
