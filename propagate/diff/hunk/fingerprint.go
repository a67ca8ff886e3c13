package hunk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Fingerprint is "hmac " and 8 hex digits of the HMAC-SHA256 of value, or nothing without a key. The same values have the
// same fingerprint under one key, and without the key no value can be guessed from it. Other values have another one but
// for one chance in four thousand million: it is for reading, and what changed is never decided by it.
func Fingerprint(key []byte, value any) string {
	if len(key) == 0 {
		return ""
	}
	text, err := json.Marshal(value)
	if s, ok := value.(string); ok && !utf8.ValidString(s) { // what a Secret holds may be no text, and JSON has no bytes
		text = []byte("bytes " + s)
	}
	if err != nil { // not JSON at all; its Go text still tells one value from another
		text = fmt.Appendf(nil, "%#v", value)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return "hmac " + hex.EncodeToString(mac.Sum(nil)[:4])
}
