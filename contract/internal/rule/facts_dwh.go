package rule

import (
	"github.com/tidwall/gjson"
)

// DWHFacts hold what exchanges of the data warehouse integration interface say.
type DWHFacts struct {
	Target *targetFact
}

// targetFact names the target of an integration's data.
type targetFact struct {
	Database string
	Tables   []string
}

func readTargets(e *Event, body gjson.Result) {
	e.Target = &targetFact{Database: visible(body.Get("output_config.database"))}
	for _, entry := range body.Get("advanced_configs").Array() {
		if table := visible(entry.Get("target_table")); table != "" {
			e.Target.Tables = append(e.Target.Tables, table)
		}
	}
}
