package override

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/distribution/reference"

	"github.com/accord-dev/accord/render/override/patch"
)

// image holds the parts of an image reference: [registry/]repository[:tag][@digest]. The digest includes its algorithm:
// "sha256:...".
type image struct {
	registry, repository, tag, digest string
}

// parseImage splits a valid reference. The first of several segments is the registry if it contains a dot or a colon or
// is "localhost"; "team/app" has no registry (Karmada §3.3).
func parseImage(s string) (image, error) {
	ref, err := reference.Parse(s)
	if err != nil {
		return image{}, fmt.Errorf("image %q is not valid: %w", s, err)
	}
	named, ok := ref.(reference.Named)
	if !ok {
		return image{}, fmt.Errorf("image %q is not valid: it has no repository", s)
	}
	var i image
	i.repository = named.Name()
	if first, rest, cut := strings.Cut(i.repository, "/"); cut && (strings.ContainsAny(first, ".:") || first == "localhost") {
		i.registry, i.repository = first, rest
	}
	if t, ok := ref.(reference.Tagged); ok {
		i.tag = t.Tag()
	}
	if d, ok := ref.(reference.Digested); ok {
		i.digest = d.Digest().String()
	}
	return i, nil
}

// String joins the parts. It always keeps the digest.
func (i image) String() string {
	var b strings.Builder
	if i.registry != "" {
		b.WriteString(i.registry + "/")
	}
	b.WriteString(i.repository)
	if i.tag != "" {
		b.WriteString(":" + i.tag)
	}
	if i.digest != "" {
		b.WriteString("@" + i.digest)
	}
	return b.String()
}

// edit changes one component as in Karmada §3.3, but rejects a change that would unpin the image or make it invalid
// (B6).
func (i image) edit(component, operator, value string) (image, error) {
	var err error
	switch component {
	case "Registry":
		i.registry, err = editPart(i.registry, operator, value)
	case "Repository":
		i.repository, err = editPart(i.repository, operator, value)
		if i.repository == "" {
			err = errors.New("an image cannot be without a repository")
		}
	case "Tag":
		i, err = i.editTag(operator, value)
	default:
		err = fmt.Errorf("unknown component %q, expected Registry, Repository or Tag", component)
	}
	return i, err
}

func editPart(part, operator, value string) (string, error) {
	switch operator {
	case "add":
		return part + value, nil
	case "replace":
		return value, nil
	case "remove":
		return "", nil
	}
	return "", fmt.Errorf("unknown operator %q, expected add, remove or replace", operator)
}

// editTag changes the tag or, in an image without a tag, the digest. It drops a digest only for a replacement.
func (i image) editTag(operator, value string) (image, error) {
	isDigest := reference.DigestRegexp.FindString(value) == value && value != ""
	pinned := errors.New("the image is pinned by its digest, so another tag would change nothing or unpin it; " +
		"replace the digest, or edit the image without one")
	switch operator {
	case "add":
		if i.tag != "" && i.digest != "" && value != "" {
			return i, pinned
		}
		if i.tag != "" {
			i.tag += value
		}
	case "replace":
		switch {
		case isDigest:
			i.tag, i.digest = "", value
		case i.tag != "" && i.digest != "":
			return i, pinned
		default:
			i.tag, i.digest = value, ""
		}
		if i.tag == "" && i.digest == "" {
			return i, errors.New("value is empty, expected a tag or a digest")
		}
	case "remove":
		if i.tag == "" && i.digest != "" {
			return i, errors.New("removing the digest would unpin the image")
		}
		i.tag = ""
	default:
		_, err := editPart("", operator, value)
		return i, err
	}
	return i, nil
}

// editImage applies one edit to a reference. It returns s if the edit changes nothing. The result is always a valid
// reference. An error is a *patch.SensitiveError.
func editImage(s, component, operator, value string) (string, error) {
	edited, err := editReference(s, component, operator, value)
	if err != nil {
		return "", &patch.SensitiveError{Err: err, Redacted: "the image cannot be edited"}
	}
	return edited, nil
}

func editReference(s, component, operator, value string) (string, error) {
	old, err := parseImage(s)
	if err != nil {
		return "", err
	}
	edited, err := old.edit(component, operator, value)
	if err != nil {
		return "", fmt.Errorf("image %q: %s: %w", s, describeEdit(component, operator, value), err)
	}
	if edited == old {
		return s, nil
	}
	if back, err := parseImage(edited.String()); err != nil {
		return "", fmt.Errorf("image %q: %s would make it invalid: %w", s, describeEdit(component, operator, value), err)
	} else if back.tag != edited.tag || back.digest != edited.digest {
		return "", fmt.Errorf("image %q: %s would change its tag or digest", s, describeEdit(component, operator, value))
	}
	return edited.String(), nil
}

// describeEdit returns an edit in one phrase.
func describeEdit(component, operator, value string) string {
	switch operator {
	case "add":
		return fmt.Sprintf("add %s to %s", value, component)
	case "replace":
		return fmt.Sprintf("replace %s with %s", component, cmp.Or(value, "nothing"))
	}
	return operator + " " + component
}
