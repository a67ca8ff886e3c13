package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/accord-dev/accord/source/verify"
)

// now is after the signatures in testdata, which git, gpg and ssh-keygen made.
var now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)

// head is the commit of the tags.
const head = "2b4e311e4f80f3d6252b14f142432ff7a6896559"

func file(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return content
}

func keysOf(t *testing.T, files ...string) verify.Keys {
	t.Helper()
	secret := map[string][]byte{"unrelated": []byte("x")}
	for _, name := range files {
		secret[name] = file(t, name)
	}
	keys, err := verify.ParseKeys(secret)
	require.NoError(t, err)
	return keys
}

// revisionOf returns a commit as the repository reads it.
func revisionOf(commit []byte) verify.Revision {
	line, _, _ := bytes.Cut(commit, []byte("\n"))
	return verify.Revision{Hash: head, Tree: strings.TrimPrefix(string(line), "tree "), Commit: commit}
}

func tagged(t *testing.T, name, object string) verify.Revision {
	return verify.Revision{Hash: head, TagName: name, Tag: file(t, object)}
}

func TestSignaturesOfGit(t *testing.T) {
	all := keysOf(t, "ed.pub", "rsa.pub", "ec.pub", "dana.asc", "rita.asc")
	for name, want := range map[string]string{
		"ssh-ed25519": "alice@example.com (SSH key SHA256:", "ssh-rsa": "Bob Builder (SSH key SHA256:", "ssh-ecdsa": "carol@laptop (SSH key SHA256:",
		"pgp-ed25519": "Dana <dana@example.com> (OpenPGP key ", "pgp-rsa": "Rita <rita@example.com> (OpenPGP key ",
	} {
		t.Run(name, func(t *testing.T) {
			signers, err := verify.Check(verify.HEAD, revisionOf(file(t, name+".commit")), all, now)
			require.NoError(t, err)
			require.Len(t, signers, 1)
			require.Contains(t, signers[0].String(), want)
		})
	}
	for name, object := range map[string]string{"v1.0.0": "ssh.tag", "v2.0.0": "pgp.tag"} {
		_, err := verify.Check(verify.Tag, tagged(t, name, object), all, now)
		require.NoError(t, err, name)
		both := tagged(t, name, object)
		both.Commit = file(t, "unsigned.commit")
		_, err = verify.Check(verify.TagAndHEAD, both, all, now)
		require.EqualError(t, err, "commit 2b4e311e4f80 is not signed")
	}
}

// Each of these revisions has no valid signature of an allowed signer.
func TestHostileSignatures(t *testing.T) {
	signed, alice := file(t, "ssh-ed25519.commit"), keysOf(t, "ed.pub", "dana.asc")
	change := func(commit []byte, old, next string) []byte {
		changed := bytes.Replace(commit, []byte(old), []byte(next), 1)
		require.NotEqual(t, commit, changed, old)
		return changed
	}
	evil := strings.Repeat("e", 40)
	smuggled := revisionOf(change(signed, "gpgsig ", "gpgsig-sha256 x\n tree "+evil+"\ngpgsig "))
	smuggled.Tree = evil
	otherTree := revisionOf(signed)
	otherTree.Tree = evil
	headers, message, _ := strings.Cut(string(file(t, "unsigned.commit")), "\n\n")
	block := string(signed[bytes.Index(signed, []byte("gpgsig ")):bytes.Index(signed, []byte("\n\n"))])
	for name, c := range map[string]struct {
		mode verify.Mode
		at   verify.Revision
		want string
	}{
		"unsigned":                        {verify.HEAD, revisionOf(file(t, "unsigned.commit")), `^commit 2b4e311e4f80 is not signed$`},
		"somebody else":                   {verify.HEAD, revisionOf(file(t, "ssh-other.commit")), `^commit 2b4e311e4f80 is signed by SSH key SHA256:\S+, which is not an allowed signer$`},
		"somebody else, OpenPGP":          {verify.HEAD, revisionOf(file(t, "pgp-rsa.commit")), `is signed by OpenPGP key [0-9A-F]{16}, which is not an allowed signer$`},
		"another message":                 {verify.HEAD, revisionOf(change(signed, "Body of", "body of")), `has an invalid signature of alice@example.com \(SSH key SHA256:`},
		"another message, OpenPGP":        {verify.HEAD, revisionOf(change(file(t, "pgp-ed25519.commit"), "Body of", "body of")), `has an invalid signature of Dana <dana@example.com> \(OpenPGP key `},
		"another tree":                    {verify.HEAD, otherTree, `was signed for another tree than eeeeeeeeeeee$`},
		"a tree in a header beside":       {verify.HEAD, smuggled, `has an invalid signature`},
		"two signatures":                  {verify.HEAD, revisionOf(change(signed, "gpgsig ", block+"\ngpgsig ")), `the commit has two signatures$`},
		"a signature in the message":      {verify.HEAD, revisionOf([]byte(headers + "\n\n" + block + "\n\n" + message)), `is not signed$`},
		"no signature":                    {verify.HEAD, revisionOf(change(signed, "SSH SIGNATURE-----\n", "SIGNATURE-----\n")), `has a signature of an unknown kind`},
		"half a signature":                {verify.HEAD, revisionOf(change(signed, " -----END SSH SIGNATURE-----\n", "")), `cannot be read`},
		"half a signature, OpenPGP":       {verify.HEAD, revisionOf([]byte("tree x\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aGk=\n\n\nx")), `cannot be read`},
		"a tag without a tag":             {verify.Tag, revisionOf(signed), `was requested without a tag, and a tag must be signed`},
		"a lightweight tag":               {verify.Tag, verify.Revision{Hash: head, TagName: "v1.0.0"}, `^tag "v1.0.0" of commit 2b4e311e4f80 is not annotated, so it has no signature$`},
		"an annotated tag":                {verify.Tag, tagged(t, "v3.0.0", "unsigned.tag"), `^tag "v3.0.0" of commit 2b4e311e4f80 is not signed$`},
		"an old tag under a new name":     {verify.Tag, tagged(t, "v9.9.9", "ssh.tag"), `is the signed tag of something else: "object 2b4e311e4f80f3d6252b14f142432ff7a6896559 type commit tag v1.0.0"$`},
		"the signed tag of another one":   {verify.Tag, verify.Revision{Hash: evil, TagName: "v1.0.0", Tag: file(t, "ssh.tag")}, `is the signed tag of something else`},
		"a tag with an unsigned commit":   {verify.TagAndHEAD, tagged(t, "v1.0.0", "ssh.tag"), `is not signed$`},
		"a commit with an unsigned tag":   {verify.TagAndHEAD, tagged(t, "v3.0.0", "unsigned.tag"), `is not signed$`},
		"a commit that is a signed tag":   {verify.HEAD, revisionOf(file(t, "ssh.tag")), `is not signed$`},
		"text behind the tag's signature": {verify.Tag, verify.Revision{Hash: head, TagName: "v1.0.0", Tag: append(file(t, "ssh.tag"), "more\n"...)}, `it is not one armored block$`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verify.Check(c.mode, c.at, alice, now)
			require.Error(t, err)
			require.Regexp(t, c.want, err.Error())
		})
	}
}

const payload = "tree x\n\nmessage\n"

// commitBy returns a commit with a signature.
func commitBy(signature string) verify.Revision {
	lines := strings.ReplaceAll(strings.TrimSpace(signature), "\n", "\n ")
	return verify.Revision{Hash: head, Tree: "x", Commit: []byte("tree x\ngpgsig " + lines + "\n\nmessage\n")}
}

// sshsig signs the payload as ssh-keygen -Y sign does.
func sshsig(t *testing.T, key any, algorithm, namespace, hash string) string {
	t.Helper()
	plain, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	signer, err := ssh.NewSignerWithAlgorithms(plain.(ssh.AlgorithmSigner), []string{algorithm})
	require.NoError(t, err)
	sum := sha512.Sum512([]byte(payload))
	signed := ssh.Marshal(struct {
		Namespace, Reserved, Hash string
		Sum                       []byte
	}{namespace, "", hash, sum[:]})
	signature, err := signer.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, append([]byte("SSHSIG"), signed...), algorithm)
	require.NoError(t, err)
	body := ssh.Marshal(struct {
		Version                   uint32
		Key                       []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{1, signer.PublicKey().Marshal(), namespace, "", hash, ssh.Marshal(signature)})
	return string(pem.EncodeToMemory(&pem.Block{Type: "SSH SIGNATURE", Bytes: append([]byte("SSHSIG"), body...)}))
}

// A key that an allowed signer used for something else, or does not hold any more, verifies nothing.
func TestHostileKeys(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	public := func(key any) string {
		s, err := ssh.NewSignerFromKey(key)
		require.NoError(t, err)
		return string(ssh.MarshalAuthorizedKey(s.PublicKey()))
	}
	git := sshsig(t, ed, ssh.KeyAlgoED25519, "git", "sha512")
	for name, c := range map[string]struct {
		signers, signature, want string
	}{
		"allowed":               {"alice@example.com " + public(ed), git, ""},
		"from now on":           {`alice@example.com namespaces="file,git",valid-after="20270101" ` + public(ed), git, ""},
		"before its time":       {`alice@example.com valid-after="20270102" ` + public(ed), git, "is signed by alice@example.com .* outside the time in which allowed_signers allows the key$"},
		"after its time":        {`alice@example.com valid-before="20270101Z" ` + public(ed), git, "outside the time"},
		"for files only":        {`alice@example.com namespaces="file" ` + public(ed) + "bob " + public(weak), git, "which is not an allowed signer"},
		"signed as a file":      {"alice@example.com " + public(ed), sshsig(t, ed, ssh.KeyAlgoED25519, "file", "sha512"), `its namespace is "file", not "git"$`},
		"with an unknown hash":  {"alice@example.com " + public(ed), sshsig(t, ed, ssh.KeyAlgoED25519, "git", "md5"), `its hash algorithm is "md5"`},
		"with SHA-2":            {"bob " + public(weak), sshsig(t, weak, ssh.KeyAlgoRSASHA512, "git", "sha512"), ""},
		"with SHA-1":            {"bob " + public(weak), sshsig(t, weak, ssh.KeyAlgoRSA, "git", "sha512"), "its algorithm ssh-rsa is not secure$"},
		"of another key's name": {"alice@example.com " + public(weak), git, "which is not an allowed signer"},
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := verify.ParseKeys(map[string][]byte{"allowed_signers": []byte("# signers\n\n" + c.signers)})
			require.NoError(t, err)
			_, err = verify.Check(verify.HEAD, commitBy(c.signature), keys, now)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Regexp(t, c.want, err.Error())
		})
	}
	t.Run("an OpenPGP key that is expired", func(t *testing.T) {
		made := &packet.Config{Time: func() time.Time { return now.Add(-2 * time.Hour) }, KeyLifetimeSecs: 3600, Algorithm: packet.PubKeyAlgoEdDSA}
		entity, err := openpgp.NewEntity("Eve", "", "eve@example.com", made)
		require.NoError(t, err)
		var signature, key bytes.Buffer
		require.NoError(t, openpgp.ArmoredDetachSignText(&signature, entity, strings.NewReader(payload), made))
		out, err := armor.Encode(&key, openpgp.PublicKeyType, nil)
		require.NoError(t, err)
		require.NoError(t, entity.Serialize(out))
		require.NoError(t, out.Close())
		keys, err := verify.ParseKeys(map[string][]byte{"eve.asc": key.Bytes()})
		require.NoError(t, err)
		_, err = verify.Check(verify.HEAD, commitBy(signature.String()), keys, now)
		require.ErrorContains(t, err, "has an invalid signature of Eve <eve@example.com>")
		require.ErrorContains(t, err, "expired")
		_, err = verify.Check(verify.HEAD, commitBy(signature.String()), keys, now.Add(-2*time.Hour+time.Minute))
		require.NoError(t, err)
	})
}

func TestParseKeys(t *testing.T) {
	for name, c := range map[string]struct{ key, text, want string }{
		"none":               {"token", "x", `no key of a signer: expected "*.asc" (OpenPGP), "*.pub" (SSH) or "allowed_signers"`},
		"empty":              {"a.pub", "# nobody\n", "no key of a signer"},
		"no OpenPGP key":     {"a.asc", "x", `key "a.asc": expected "-----BEGIN PGP PUBLIC KEY BLOCK-----"`},
		"a private key":      {"a.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----", "it has a private key: export the public one"},
		"a broken key":       {"a.asc", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nx\n-----END PGP PUBLIC KEY BLOCK-----", "reading the OpenPGP key"},
		"no SSH key":         {"a.pub", "\nssh-ed25519 x", `key "a.pub": line 2: reading the SSH key`},
		"an authority":       {"allowed_signers", "*@example.com cert-authority " + "ED", "line 1: cert-authority is not supported"},
		"an unknown option":  {"allowed_signers", "a@example.com command=x ED", `unknown option "command"`},
		"a time of no sense": {"allowed_signers", "a@example.com valid-after=tomorrow ED", `time "tomorrow": expected YYYYMMDD`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(c.text, "ED", strings.TrimSpace(string(file(t, "ed.pub"))))
			if !strings.Contains(c.text, " ED") && !strings.HasSuffix(c.text, "ED") {
				text = c.text
			}
			_, err := verify.ParseKeys(map[string][]byte{c.key: []byte(text)})
			require.ErrorContains(t, err, c.want)
		})
	}
}
