import { setTimeout } from 'node:timers/promises';

// A client of the platform, as a team might have it: it issues a query, and sends one that got 503 again.
export class Reports {
  // The url is the base address of the interface core, such as http://127.0.0.1:4010/core/v3.
  constructor(url, key) {
    this.url = url;
    this.key = key;
  }

  // Returns the id of the job.
  async issue(query, attempts = 3) {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${this.url}/job/issue/trino/shop`, {
        method: 'POST',
        headers: { Authorization: `SVC1 ${this.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const answer = await response.json();
      if (response.ok) return answer.job_id;
      if (response.status !== 503 || attempt === attempts) throw new Error(`core answered ${response.status}`);
      await setTimeout(1000 * Number(response.headers.get('Retry-After') ?? 1));
    }
  }
}
