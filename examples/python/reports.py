"""A client of the platform, as a team might have it: it issues a query, and sends one that got 503 again."""

import json
import time
import urllib.error
import urllib.request


class Reports:
    def __init__(self, url, key):
        """url is the base address of the interface core, such as http://127.0.0.1:4010/core/v3."""
        self.url, self.key = url, key

    def issue(self, query, attempts=3):
        """Returns the id of the job."""
        request = urllib.request.Request(
            self.url + "/job/issue/trino/shop",
            data=json.dumps({"query": query}).encode(),
            headers={"Authorization": "SVC1 " + self.key, "Content-Type": "application/json"},
        )
        for attempt in range(1, attempts + 1):
            try:
                with urllib.request.urlopen(request) as response:
                    return json.load(response)["job_id"]
            except urllib.error.HTTPError as error:
                if error.code != 503 or attempt == attempts:
                    raise
                time.sleep(int(error.headers.get("Retry-After", "1")))
