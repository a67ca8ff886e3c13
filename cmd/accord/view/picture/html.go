package picture

import (
	"fmt"
	"strings"
)

// HTML returns a page with the drawing, and a table of its figures.
func HTML(r Rollout) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n", escape(r.Title))
	b.WriteString("<style>\n:root{color-scheme:light dark}\nbody{margin:1rem auto;max-width:62rem;padding:0 1rem;font:14px/1.5 system-ui,sans-serif;background:#fff;color:#1f2328}\n" +
		"svg{max-width:100%;height:auto}\ntable{border-collapse:collapse;margin-top:1rem}\nth,td{text-align:left;padding:.25rem 1rem .25rem 0;border-bottom:1px solid #d1d9e0;overflow-wrap:anywhere}\n" +
		"@media(prefers-color-scheme:dark){body{background:#0d1117;color:#f0f6fc}th,td{border-color:#3d444d}}\n</style>\n</head>\n<body>\n<main>\n")
	b.Write(SVG(r))
	b.WriteString("<table>\n<caption>Stages</caption>\n<thead><tr><th scope=\"col\">Stage</th><th scope=\"col\">Clusters</th><th scope=\"col\">Note</th></tr></thead>\n<tbody>\n")
	for _, s := range r.Stages {
		fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td></tr>\n", escape(s.Name), escape(s.words()), escape(s.Note))
	}
	b.WriteString("</tbody>\n</table>\n</main>\n</body>\n</html>\n")
	return []byte(b.String())
}
