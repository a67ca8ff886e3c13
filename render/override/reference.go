package override

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/distribution/reference"

	"github.com/accord-dev/accord/render/override/patch"
)

// image is an image reference in parts: [registry/]repository[:tag][@digest]. Digest has its algorithm: "sha256:...".
type image struct {
	registry, repository, tag, digest string
}

// parseImage splits s, which must be a valid reference. The registry is the first of several segments if it has a dot
// or a colon or is "localhost"; "team/app" has none (Karmada §3.3).
func parseImage(s string) (image, error) {
	ref, err := reference.Parse(s)
	if err != nil {
		return image{}, fmt.Errorf("image %q is not valid: %w", s, err)
	}
	named, ok := ref.(reference.Named)
	if !ok {
		return image{}, fmt.Errorf("image %q is not valid: it names no repository", s)
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

// String puts the parts together again; digests are kept whatever else there is.
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

// edit changes one component as Karmada §3.3 does, but refuses what would unpin the image or make it invalid (B6).
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

// editTag changes the tag or, in an image without one, the digest. A digest goes only when a replacement is named for it.
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
			return i, errors.New("without its digest the image would not be pinned any more")
		}
		i.tag = ""
	default:
		_, err := editPart("", operator, value)
		return i, err
	}
	return i, nil
}

// editImage is the image s with one edit; s itself when the edit changes nothing. The result is always a valid reference.
// An error is a *patch.Quoting.
func editImage(s, component, operator, value string) (string, error) {
	edited, err := editReference(s, component, operator, value)
	if err != nil {
		return "", &patch.Quoting{Err: err, Sentence: "the image cannot be edited"}
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
		return "", fmt.Errorf("image %q: %s: %w", s, sayEdit(component, operator, value), err)
	}
	if edited == old {
		return s, nil
	}
	if back, err := parseImage(edited.String()); err != nil {
		return "", fmt.Errorf("image %q: %s would make it invalid: %w", s, sayEdit(component, operator, value), err)
	} else if back.tag != edited.tag || back.digest != edited.digest {
		return "", fmt.Errorf("image %q: %s would change its tag or digest", s, sayEdit(component, operator, value))
	}
	return edited.String(), nil
}

// sayEdit is an edit in one phrase.
func sayEdit(component, operator, value string) string {
	switch operator {
	case "add":
		return fmt.Sprintf("add %s to %s", value, component)
	case "replace":
		return fmt.Sprintf("replace %s with %s", component, cmp.Or(value, "nothing"))
	}
	return operator + " " + component
}
