package verify

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/ssh"
)

// pgpIssuer returns the ID of the key of an armored OpenPGP signature; zero if it cannot be read.
func pgpIssuer(signature []byte) uint64 {
	block, err := armor.Decode(bytes.NewReader(signature))
	if err != nil {
		return 0
	}
	p, err := packet.Read(block.Body)
	if s, ok := p.(*packet.Signature); err == nil && ok && s.IssuerKeyId != nil {
		return *s.IssuerKeyId
	}
	return 0
}

// sshMagic begins a signature of ssh-keygen -Y, and the text that it signs (PROTOCOL.sshsig of OpenSSH).
const sshMagic = "SSHSIG"

// sshNamespace is the namespace of Git: a signature that the key made for another purpose does not count.
const sshNamespace = "git"

// sshEnvelope is a signature without its magic.
type sshEnvelope struct {
	Version                            uint32
	Key                                []byte
	Namespace, Reserved, HashAlgorithm string
	Signature                          []byte
}

// sshSigned is the text that the key signs, without its magic.
type sshSigned struct {
	Namespace, Reserved, HashAlgorithm string
	Hash                               []byte
}

func (k Keys) verifySSH(payload, text []byte, now time.Time) (Signer, error) {
	s, err := parseSSH(text)
	if err != nil {
		return Signer{}, fmt.Errorf("has an SSH signature that cannot be read: %w", err)
	}
	key, err := ssh.ParsePublicKey(s.Key)
	if err != nil {
		return Signer{}, errors.New("has an SSH signature whose key cannot be read")
	}
	signer := Signer{Key: "SSH key " + ssh.FingerprintSHA256(key)}
	var outside error
	for _, allowed := range k.ssh {
		if !bytes.Equal(allowed.key.Marshal(), s.Key) {
			continue
		}
		signer.Names = allowed.names
		if !allowed.validAfter.IsZero() && now.Before(allowed.validAfter) || !allowed.validBefore.IsZero() && !now.Before(allowed.validBefore) {
			outside = fmt.Errorf("is signed by %s outside the time in which allowed_signers allows the key", signer)
			continue
		}
		if err := s.verify(key, payload); err != nil {
			return Signer{}, fmt.Errorf("has an invalid signature of %s: %w", signer, err)
		}
		return signer, nil
	}
	if outside != nil {
		return Signer{}, outside
	}
	return Signer{}, fmt.Errorf("is signed by %s, which is not an allowed signer", signer)
}

// parseSSH reads an armored signature.
func parseSSH(text []byte) (sshEnvelope, error) {
	var s sshEnvelope
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "SSH SIGNATURE" || len(bytes.TrimSpace(rest)) > 0 {
		return s, errors.New("it is not one armored block")
	}
	body, ok := bytes.CutPrefix(block.Bytes, []byte(sshMagic))
	if !ok {
		return s, errors.New("it does not begin with " + sshMagic)
	}
	if err := ssh.Unmarshal(body, &s); err != nil {
		return s, err
	}
	if s.Version != 1 {
		return s, fmt.Errorf("version %d is not known", s.Version)
	}
	return s, nil
}

// verify checks the signature of a text.
func (s sshEnvelope) verify(key ssh.PublicKey, payload []byte) error {
	if s.Namespace != sshNamespace {
		return fmt.Errorf("its namespace is %q, not %q", s.Namespace, sshNamespace)
	}
	var hash []byte
	switch s.HashAlgorithm {
	case "sha256":
		sum := sha256.Sum256(payload)
		hash = sum[:]
	case "sha512":
		sum := sha512.Sum512(payload)
		hash = sum[:]
	default:
		return fmt.Errorf("its hash algorithm is %q, not sha256 or sha512", s.HashAlgorithm)
	}
	var signature ssh.Signature
	if err := ssh.Unmarshal(s.Signature, &signature); err != nil {
		return err
	}
	switch signature.Format {
	case ssh.KeyAlgoRSA, ssh.InsecureKeyAlgoDSA: // SHA-1
		return fmt.Errorf("its algorithm %s is not secure", signature.Format)
	}
	signed := append([]byte(sshMagic), ssh.Marshal(sshSigned{s.Namespace, s.Reserved, s.HashAlgorithm, hash})...)
	return key.Verify(signed, &signature)
}
