// Steers the mock server Understudy from Node 20 or later, without dependencies. index.d.ts documents all of it.

import { spawn } from 'node:child_process';
import process from 'node:process';

/** The mock refused a call, or did not start. */
export class UnderstudyError extends Error {
  constructor(message, { status = 0, answer, cause } = {}) {
    super(message, { cause });
    this.name = 'UnderstudyError';
    this.status = status;
    this.answer = answer;
  }
}

/** A running mock. */
export class Understudy {
  #token;
  #child;

  constructor(url, token, interfaces, child) {
    this.url = url;
    this.interfaces = interfaces;
    this.#token = token;
    this.#child = child;
  }

  static async connect({ url, token } = {}) {
    const { UNDERSTUDY_URL, UNDERSTUDY_CONTROL_TOKEN } = process.env;
    const mock = new Understudy(
      (url ?? UNDERSTUDY_URL ?? 'http://127.0.0.1:4010').replace(/\/+$/, ''), token ?? UNDERSTUDY_CONTROL_TOKEN, {});
    mock.interfaces = (await mock.call('GET', '/version')).interfaces;
    return mock;
  }

  static async start({ flags = [], binary = process.env.UNDERSTUDY_BINARY ?? 'understudy', token } = {}) {
    const all = ['serve', '--listen', '127.0.0.1:0', '--log-level', 'warn', ...flags];
    const child = spawn(binary, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, log] = ['', ''];
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8').on('data', (text) => { log = (log + text).slice(-10_000); });
    const kill = () => child.kill();
    process.once('exit', kill); // a test that fails must not leave a mock behind
    child.once('exit', () => process.removeListener('exit', kill));
    const ready = await new Promise((resolve, reject) => { // the first line comes when the mock can answer
      child.stdout.on('data', (text) => { (out += text).includes('\n') && resolve(out); });
      child.once('error', (cause) => reject(new UnderstudyError(
        `${binary} cannot be started: ${cause.message}; install it, or set UNDERSTUDY_BINARY`, { cause })));
      child.once('close', (code) => reject(new UnderstudyError(`${[binary, ...all].join(' ')} ended with ${code}: ${log.trim()}`)));
    });
    for (const handle of [child, child.stdout, child.stderr]) {
      handle.unref(); // a mock keeps no test running
    }
    const { url } = JSON.parse(ready.slice(0, ready.indexOf('\n')));
    try {
      const { interfaces } = await Understudy.connect({ url, token });
      return new Understudy(url, token, interfaces, child);
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  async world(request = {}) {
    return new World(this, await this.call('POST', '/worlds', { mintKeys: true, ...request }));
  }

  async close() {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.ref();
      await new Promise((resolve) => { child.once('exit', resolve).kill(); });
    }
  }

  async call(method, path, body) {
    const headers = { 'Content-Type': 'application/json', ...(this.#token && { Authorization: `Bearer ${this.#token}` }) };
    let answer;
    try {
      answer = await fetch(`${this.url}/_understudy${path}`, { method, headers, body: JSON.stringify(body) });
    } catch (cause) {
      throw new UnderstudyError(`no mock answers at ${this.url}: ${cause.cause?.message ?? cause.message}`, { cause });
    }
    const text = await answer.text();
    if (answer.ok) {
      return text ? JSON.parse(text) : undefined;
    }
    throw refusal(`${method} /_understudy${path}`, answer.status, text);
  }
}

/** The state of one account. */
export class World {
  #mock;

  constructor(mock, { id, keys = {} }) {
    this.#mock = mock;
    this.id = id;
    this.keys = keys;
    this.key = keys.admin;
  }

  url(name) {
    const path = this.#mock.interfaces[name];
    if (path === undefined) {
      throw new UnderstudyError(`no interface ${name} is served: want one of ${Object.keys(this.#mock.interfaces).join(', ')}`);
    }
    return `${this.#mock.url}/_worlds/${this.id}${path}`;
  }

  fork(request = {}) { return this.#mock.world({ fork: this.id, ...request }); }
  async reset() { await this.#call('POST', '/reset'); }
  async delete() { await this.#call('DELETE', ''); }
  async checkpoint(name) { await this.#call('PUT', `/checkpoints/${encodeURIComponent(name)}`); }
  async restore(name) { await this.#call('POST', `/checkpoints/${encodeURIComponent(name)}/restore`); }
  state() { return this.#call('GET', '/state'); }
  async load(fixture) { await this.#call('PUT', '/state', fixture); }

  fault(fault) { return this.#call('POST', '/faults', fault); }
  stub(stub) { return this.#call('POST', '/stubs', stub); }
  async remove({ id }) { await this.#call('DELETE', `/${id.startsWith('stub') ? 'stubs' : 'faults'}/${encodeURIComponent(id)}`); }
  async clearFaults() { await this.#call('DELETE', '/faults'); }
  async clearStubs() { await this.#call('DELETE', '/stubs'); }
  jobResult(result) { return this.#call('POST', '/jobs/results', result); }
  chatTurn(turn) { return this.#call('POST', '/chats/turns', turn); }
  taskOutcome(outcome) { return this.#call('POST', '/attempts/outcomes', outcome); }

  clock() { return this.#call('GET', '/clock'); }
  advance(duration) { return this.#call('POST', '/clock', { advance: duration }); }
  advanceUntilIdle() { return this.#call('POST', '/clock', { untilIdle: true }); }
  setClock(mode, now) { return this.#call('POST', '/clock', { mode, now }); }

  async calls() { return (await this.#call('GET', '/journal/counts')).operations; }
  async count(calls = {}) { return (await this.#call('POST', '/journal/counts', calls)).count; }

  async wait(calls = {}) {
    return (await this.#call('POST', '/journal/wait', { count: 1, timeout: '10s', ...calls })).exchanges;
  }

  async exchanges({ limit = 100, ...filters } = {}) {
    const query = new URLSearchParams({ order: 'desc', limit });
    for (const [name, value] of Object.entries(filters)) {
      for (const one of [value].flat()) {
        query.append(name, one);
      }
    }
    return (await this.#call('GET', `/journal/rows?${query}`)).rows.reverse();
  }

  exchange(seq) { return this.#call('GET', `/journal/${seq}`); }

  async describe(limit = 10) {
    const rows = await this.exchanges({ limit });
    const lines = rows.map(line);
    if (rows.length > 0) {
      const last = await this.exchange(rows.at(-1).seq);
      for (const name of ['request', 'response']) {
        const text = last[name]?.body?.text;
        if (text) {
          lines.push(`    ${name}: ${text.slice(0, 1000)}`);
        }
      }
    }
    return lines.join('\n') || 'no request has come';
  }

  #call(method, path, body) { return this.#mock.call(method, `/worlds/${this.id}${path}`, body); }
}

/** Runs a test in a world of its own, which is deleted behind it. An error of the test also shows what the world was asked. */
export function inWorld(mock, test, request) {
  return async (...context) => {
    const world = await (await mock()).world(request);
    try {
      return await test(world, ...context);
    } catch (error) {
      const said = await world.describe().catch(String);
      if (error instanceof Error) {
        error.message += `\n\nexchanges in the world ${world.id}:\n${said}`;
        error.stack = error.stack && `${error.stack}\n\nexchanges in the world ${world.id}:\n${said}`;
      }
      throw error;
    } finally {
      await world.delete().catch((error) => { // the test may have deleted it
        if (error.status !== 404) {
          throw error;
        }
      });
    }
  };
}

function line({ seq, method, url, status, operation, fault, notes }) {
  const { pathname, search } = new URL(url);
  return [`${String(seq).padStart(4)}  ${method} ${pathname}${search}`, `→ ${status || 'no answer'}`, operation,
    fault && `[fault: ${fault}]`, notes && `[${notes.join('; ')}]`].filter(Boolean).join(' ');
}

function refusal(call, status, text) {
  let [answer, message] = [text, text];
  try {
    answer = JSON.parse(text);
    message = [answer.error.field, answer.error.message, answer.error.hint].filter(Boolean).join(': ');
  } catch {
    // not in the form of the control interface
  }
  return new UnderstudyError(`${call}: ${status}: ${message}`, { status, answer });
}
