package capture

// format is one way in which tools write recordings: an adapter, in a file of its own.
type format struct {
	name       string // in words, as docs/reference/formats.md has it
	recognises func(h *head) bool
	read       func(in *input, yield func(Record, error) bool) bool // false when yield was
}

// formats returns the adapters in the order in which they are asked. The first one that recognises an input reads it.
func formats() []format {
	return []format{
		{"log of Kong", isKong, readKong},
		{"mapping of WireMock", isMapping, readMapping},
		{"access log", isAccessLog, readAccessLog},
		{"NDJSON", isNDJSON, readNDJSON},
		{"mappings of WireMock", isMappings, lists{"mappings": inJSON(decodeMapping)}.read},
		{"journal of WireMock", isJournal, lists{"requests": inJSON(decodeServed)}.read},
		{"simulation of Hoverfly", isSimulation, lists{"data.pairs": inJSON(decodePair)}.read},
		{"collection of Postman", isPostman, readDocument(draftsOfPostman)},
		{"export of Insomnia", isInsomnia, readDocument(draftsOfInsomnia)},
		{"expectations of MockServer", isMockServer, lists{"": inJSON(decodeMockServer)}.read},
		{"cassette of EasyVCR", isEasyVCR, lists{"": inJSON(decodeEasyVCR)}.read},
		{"list of interactions in JSON", isJSONListing, lists{"": decodeJSONInteraction}.read},
		{"list of interactions in YAML", isListing, readListing},
		{"trace of httprr", isHTTPRR, readHTTPRR},
		{"flows of mitmproxy", isFlows, readFlows},
		{"HTTP Archive or cassette in JSON", isObject, archives().read},
		{"cassette in YAML", isYAML, readCassette},
	}
}

// formatOf returns the format of an input, nil if none recognises it.
func formatOf(h *head) *format {
	for _, f := range formats() {
		if f.recognises(h) {
			return &f
		}
	}
	return nil
}

// isObject is the last resort for JSON: the list of entries may stand behind anything.
func isObject(h *head) bool { return h.begins("{") }

// archives returns the lists that are found wherever they stand in an object.
func archives() lists {
	return lists{
		"log.entries": decodeEntry, interactions: decodeJSONInteraction, httpInteractions: decodeJSONInteraction,
	}
}
