// Reads dashboards as strictly as Grafana's own schema allows: a field that it does not know, or of another type,
// is a fault, in the dashboard as well as in the options of its panels and in its queries.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	// Without them the options of a panel would be any JSON.
	plugins.RegisterDefaultPlugins()
	exitCode := 0
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err == nil {
			read := dashboard.Dashboard{}
			err = read.UnmarshalJSONStrict(text)
		}
		// No fault comes as an empty list of faults, which Go does not take for nil.
		if err != nil && err.Error() != "" {
			fmt.Printf("%s: %s\n", path, err)
			exitCode = 1
		}
	}
	os.Exit(exitCode)
}
