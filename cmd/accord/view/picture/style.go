package picture

import (
	"fmt"
	"strings"
)

// style returns the style sheet for both backgrounds.
func style() string {
	var b strings.Builder
	b.WriteString("svg{color-scheme:light dark;font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}\n")
	b.WriteString(".title{font-size:16px;font-weight:bold}.stage{font-weight:bold}.axis{font-size:11px}\n")
	b.WriteString(ground("#ffffff", "#1f2328", "#59636e", "#d1d9e0"))
	for _, l := range looks {
		fmt.Fprintf(&b, ".%s{fill:%s}", l.Kind, l.Light)
	}
	b.WriteString("\n@media(prefers-color-scheme:dark){\n")
	b.WriteString(ground("#0d1117", "#f0f6fc", "#9198a1", "#3d444d"))
	for _, l := range looks {
		fmt.Fprintf(&b, ".%s{fill:%s}", l.Kind, l.Dark)
	}
	b.WriteString("\n}\n")
	return b.String()
}

// ground returns the colours of everything except bars.
func ground(back, text, soft, line string) string {
	return fmt.Sprintf(".ground{fill:%s}.title,.words,.stage,.name{fill:%s}.soft,.axis{fill:%s}.grid,.edge{stroke:%s;stroke-width:1}.mark{stroke:%s;stroke-dasharray:3 3}\n",
		back, text, soft, line, soft)
}

// Patterns are drawn over the colours for readers who cannot distinguish them.
const Patterns = `<pattern id="accord-rising" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M-1 7L7 -1" stroke="#fff" stroke-opacity=".55"/></pattern>
<pattern id="accord-falling" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M-1 -1L7 7" stroke="#fff" stroke-opacity=".55"/></pattern>
<pattern id="accord-crossed" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 0L6 6M6 0L0 6" stroke="#fff" stroke-opacity=".6"/></pattern>
<pattern id="accord-dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1" fill="#000" fill-opacity=".45"/></pattern>
`
