#!/usr/bin/env python3
"""Counts the exchanges of recordings with parsers that have nothing in common with those of the checker, for the test
of the corpus: count.py FOLDER prints {"file": [at least, at most]}. Files that are cut end within an exchange."""
import gzip, io, json, os, re, sys, zipfile

lists = {"har": ["log", "entries"], "wiremock": ["mappings"], "journal": ["requests"], "hoverfly": ["data", "pairs"],
         "mock's journal": ["entries"], "vcrpy-json": ["interactions"], "ruby-json": ["http_interactions"],
         "easyvcr": [], "phpvcr-json": [], "mockserver": []}
decoder = json.JSONDecoder()


def elements(text, path):
    """The elements of a list that can be read, one by one, up to where the text is cut."""
    at = 0
    for key in path:
        at = text.find('"%s"' % key, at)
        if at < 0:
            return
    at = text.find("[", at)
    while at >= 0:
        at += 1
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            element, at = decoder.raw_decode(text, at)
        except ValueError:
            return
        yield element
        at -= 1


def netstrings(data):
    count = at = 0
    while (colon := data.find(b":", at)) > 0:
        at = colon + 1 + int(data[at:colon]) + 1
        count += at <= len(data)
    return count


def traces(data):
    at, count = data.index(b"\n") + 1, 0
    while at < len(data):
        end = data.find(b"\n", at)
        sizes = data[at:end].split()
        if end < 0 or len(sizes) != 2:
            return count
        at = end + 1 + int(sizes[0]) + int(sizes[1])
        count += at <= len(data)
    return count


def whole(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def postman(document):
    if isinstance(document, dict) and "item" in document:
        return sum(map(postman, document["item"]))
    return len(document.get("response", [])) if document else 0


def count(kind, data):
    if kind == "fiddler":
        try:
            return len({n for n in zipfile.ZipFile(io.BytesIO(data)).namelist() if re.fullmatch(r"raw/\d+_c\.txt", n)})
        except zipfile.BadZipFile:
            return 0
    if kind == "flows":
        return netstrings(data)
    if kind == "httprr":
        return traces(data)
    text = data.decode("utf-8-sig", errors="ignore")
    if kind in lists:
        return sum(1 for _ in elements(text, lists[kind]))
    if kind == "postman":
        return postman(whole(text))
    if kind == "insomnia":
        return sum(r["_type"] == "request" for r in (whole(text) or {"resources": []})["resources"])
    if kind.endswith("yaml"):
        return len(re.findall(r"^ *-\s+(?:id: \d+\s+)?request:", text, re.M))
    return sum(whole(line) is not None for line in text.splitlines() if line.strip())


counts = {}
for name in sorted(os.listdir(sys.argv[1])):
    kind, variant = name.split(".")[:2]
    data = open(os.path.join(sys.argv[1], name), "rb").read()
    n = count(kind, gzip.decompress(data) if variant == "gz" else data)
    counts[name] = [max(0, n - (variant == "cut" and kind.endswith("yaml"))), n]
print(json.dumps(counts))
