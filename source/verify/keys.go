package verify

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/ssh"
)

// Beginnings of armored signatures.
const (
	pgpBegin = "-----BEGIN PGP SIGNATURE-----"
	sshBegin = "-----BEGIN SSH SIGNATURE-----"
)

// Keys are the public keys of the allowed signers.
type Keys struct {
	pgp openpgp.EntityList
	ssh []sshKey
}

// sshKey is an allowed key of SSH.
type sshKey struct {
	key                     ssh.PublicKey
	names                   []Name
	validAfter, validBefore time.Time // zero for no bound
}

const allowedSigners = "allowed_signers"

// ParseKeys reads the keys of a Secret: "*.asc" are armored OpenPGP keys, "*.pub" public keys of OpenSSH, and "allowed_signers" has
// the format of ssh-keygen. Other keys of the Secret are ignored.
func ParseKeys(secret map[string][]byte) (Keys, error) {
	var k Keys
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		var err error
		switch text := string(secret[name]); {
		case strings.HasSuffix(name, ".asc"):
			err = k.addPGP(text)
		case strings.HasSuffix(name, ".pub"):
			err = k.addSSH(text, false)
		case name == allowedSigners:
			err = k.addSSH(text, true)
		}
		if err != nil {
			return Keys{}, fmt.Errorf("key %q: %w", name, err)
		}
	}
	if len(k.pgp)+len(k.ssh) == 0 {
		return Keys{}, errors.New(`no key of a signer: expected "*.asc" (OpenPGP), "*.pub" (SSH) or "allowed_signers"`)
	}
	return k, nil
}

const pgpKeyBegin = "-----BEGIN PGP PUBLIC KEY BLOCK-----"

// addPGP reads all armored blocks of a text.
func (k *Keys) addPGP(text string) error {
	if strings.Contains(text, "PRIVATE KEY BLOCK") {
		return errors.New("it has a private key: export the public one (gpg --armor --export)")
	}
	blocks := strings.Split(text, pgpKeyBegin)[1:]
	if len(blocks) == 0 {
		return fmt.Errorf("expected %q", pgpKeyBegin)
	}
	for _, block := range blocks {
		list, err := openpgp.ReadArmoredKeyRing(strings.NewReader(pgpKeyBegin + block))
		if err != nil {
			return fmt.Errorf("reading the OpenPGP key: %w", err)
		}
		k.pgp = append(k.pgp, list...)
	}
	return nil
}

// addSSH reads one key of each line. With principals each line begins with a list of them.
func (k *Keys) addSSH(text string, principals bool) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		names := ""
		if principals {
			names, line, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		}
		key, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(line))
		if err == nil && len(bytes.TrimSpace(rest)) > 0 {
			err = errors.New("text after the key")
		}
		if err != nil {
			return fmt.Errorf("line %d: reading the SSH key: %w", number, err)
		}
		s := sshKey{key: key}
		for name := range strings.SplitSeq(strings.Trim(names, `"`), ",") {
			if name = strings.TrimSpace(name); name != "" {
				s.names = append(s.names, nameOf(name))
			}
		}
		if len(s.names) == 0 && comment != "" {
			s.names = []Name{nameOf(comment)}
		}
		forGit, err := s.read(options)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if forGit {
			k.ssh = append(k.ssh, s)
		}
	}
	return nil
}

// nameOf takes a text with "@" as an e-mail address.
func nameOf(text string) Name {
	if strings.Contains(text, "@") {
		return Name{Email: text}
	}
	return Name{Name: text}
}

// read applies the options of allowed_signers. It reports false if the key may not sign for Git.
func (s *sshKey) read(options []string) (forGit bool, err error) {
	forGit = true
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(key) {
		case "namespaces":
			forGit = slices.ContainsFunc(strings.Split(value, ","), func(n string) bool { return strings.TrimSpace(n) == "git" || n == "*" })
		case "valid-after":
			s.validAfter, err = parseTime(value)
		case "valid-before":
			s.validBefore, err = parseTime(value)
		case "cert-authority":
			err = errors.New("cert-authority is not supported: list the keys of the signers")
		default:
			err = fmt.Errorf("unknown option %q: expected namespaces, valid-after or valid-before", key)
		}
		if err != nil {
			return false, err
		}
	}
	return forGit, nil
}

// parseTime reads the times of allowed_signers. Without a zone, ssh-keygen takes the local one; here it is UTC.
func parseTime(text string) (time.Time, error) {
	digits := strings.TrimSuffix(text, "Z")
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.Parse(layout, digits); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("time %q: expected YYYYMMDD[HHMM[SS]][Z]", text)
}

// verify returns the allowed signer of a text. The errors are predicates of the signed object.
func (k Keys) verify(payload, signature []byte, now time.Time) (Signer, error) {
	text := bytes.TrimSpace(signature)
	switch {
	case len(text) == 0:
		return Signer{}, errors.New("is not signed")
	case bytes.HasPrefix(text, []byte(sshBegin)):
		return k.verifySSH(payload, text, now)
	case bytes.HasPrefix(text, []byte(pgpBegin)):
		return k.verifyPGP(payload, text, now)
	}
	return Signer{}, errors.New("has a signature of an unknown kind: expected OpenPGP or SSH")
}

func (k Keys) verifyPGP(payload, signature []byte, now time.Time) (Signer, error) {
	issuer := pgpIssuer(signature)
	if issuer == 0 {
		return Signer{}, errors.New("has an OpenPGP signature that cannot be read")
	}
	signer := Signer{Key: fmt.Sprintf("OpenPGP key %016X", issuer)}
	known := k.pgp.KeysById(issuer)
	if len(known) == 0 {
		return Signer{}, fmt.Errorf("is signed by %s, which is not an allowed signer", signer)
	}
	for _, id := range slices.Sorted(maps.Keys(known[0].Entity.Identities)) {
		user := known[0].Entity.Identities[id].UserId
		signer.Names = append(signer.Names, Name{Name: user.Name, Email: user.Email})
	}
	config := &packet.Config{Time: func() time.Time { return now }}
	entity, err := openpgp.CheckArmoredDetachedSignature(k.pgp, bytes.NewReader(payload), bytes.NewReader(signature), config)
	if err != nil {
		return Signer{}, fmt.Errorf("has an invalid signature of %s: %w", signer, err)
	}
	if entity.PrimaryKey.KeyId != known[0].Entity.PrimaryKey.KeyId {
		return Signer{}, fmt.Errorf("has a signature of several keys, beside %s", signer)
	}
	return signer, nil
}
