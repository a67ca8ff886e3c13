package forge

// MaxComment is how many characters one comment may have.
func (p Provider) MaxComment() int {
	switch p {
	case GitLab:
		return 1_000_000
	default:
		return 65_536
	}
}
