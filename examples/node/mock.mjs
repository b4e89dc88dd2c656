import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// One mock for all tests of a file.
export class Mock {
  async start() {
    const args = ['serve', '--listen', '127.0.0.1:0', '--log-level', 'warn'];
    this.process = spawn('understudy', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface(this.process.stdout), 'line'); // comes when the mock can answer
    this.ready = JSON.parse(line);
  }

  async stop() {
    this.process.kill();
    await once(this.process, 'exit');
  }

  // A world for one test, which sees nothing of what others do.
  async world() {
    const made = await call(`${this.ready.control}/worlds`, { scenario: 'quickstart', mintKeys: true });
    const control = `${this.ready.control}/worlds/${made.id}`;
    return {
      core: this.ready.interfaces.core,
      key: made.keys.admin, // a client with this key is in this world
      fault: (fault) => call(`${control}/faults`, fault),
      calls: async () => (await call(`${control}/journal/counts`)).operations,
    };
  }
}

async function call(url, body) {
  const response = await fetch(url, body && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
