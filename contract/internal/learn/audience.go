package learn

func (l *learner) audience() *mapping { return nil }

func (l *learner) dwh() *mapping { return nil }

func (l *learner) llm() *mapping { return nil }

func (l *learner) story() []byte { return nil }
