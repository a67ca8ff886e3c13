package text

import (
	"bytes"
	"fmt"
	"io"

	"github.com/accord-dev/accord/api/jsonschema"
)

// DocumentGroup is the API group of the documents that commands print.
const DocumentGroup = "cli.accord.dev"

// A Document is what a command prints as JSON or YAML. Its fields have a published schema of its kind.
type Document interface {
	// DocumentKind returns the kind: "Plan".
	DocumentKind() string
}

// Encode writes a document as JSON or YAML, with the same field names.
func Encode(w io.Writer, f Format, d Document) error {
	identified, err := identify(d)
	if err != nil {
		return err
	}
	return EncodeForeign(w, f, identified)
}

// Write writes a document in a format: as text with the function asText.
func Write(w io.Writer, f Format, d Document, asText func(io.Writer) error) error {
	if f == AsText {
		return asText(w)
	}
	return Encode(w, f, d)
}

// EncodeDocumentLine returns a document as JSON on one line, without the end of the line.
func EncodeDocumentLine(d Document) (string, error) {
	identified, err := identify(d)
	if err != nil {
		return "", err
	}
	return EncodeLine(identified)
}

// identified is the JSON of a document.
type identified []byte

// MarshalJSON implements json.Marshaler.
func (i identified) MarshalJSON() ([]byte, error) { return i, nil }

// identify returns a document as JSON whose first fields are apiVersion and kind.
func identify(d Document) (identified, error) {
	fields, err := encodeJSON(d, "")
	if err != nil {
		return nil, fmt.Errorf("encoding the output: %w", err)
	}
	head := fmt.Sprintf(`{"apiVersion":"%s/%s","kind":"%s"`, DocumentGroup, jsonschema.Version, d.DocumentKind())
	if rest := bytes.TrimPrefix(bytes.TrimSpace(fields), []byte("{")); string(rest) != "}" {
		return identified(head + "," + string(rest)), nil
	}
	return identified(head + "}"), nil
}
