package hunk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Fingerprint returns "hmac " and 8 hex digits of the HMAC-SHA256 of a value, or "" without a key. Equal values have
// equal fingerprints under one key; without the key nobody can guess the value. Different values collide with a chance
// of one in four thousand million: fingerprints are for readers and decide nothing.
func Fingerprint(key []byte, value any) string {
	if len(key) == 0 {
		return ""
	}
	text, err := json.Marshal(value)
	if s, ok := value.(string); ok && !utf8.ValidString(s) { // a Secret may hold bytes that JSON cannot represent
		text = []byte("bytes " + s)
	}
	if err != nil { // not JSON; the Go syntax still distinguishes values
		text = fmt.Appendf(nil, "%#v", value)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return "hmac " + hex.EncodeToString(mac.Sum(nil)[:4])
}
