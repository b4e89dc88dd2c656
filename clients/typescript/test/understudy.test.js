import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { inWorld, Understudy, UnderstudyError } from '../index.js';

let mock;
before(async () => { mock = await Understudy.start({ flags: ['--clock', 'frozen'] }); });
after(() => mock.close());
const testInWorld = (name, body) => test(name, inWorld(() => mock, body, { scenario: 'quickstart' }));

async function get(url, key, method = 'GET', body = undefined) {
  const answer = await fetch(url, {
    method, body: JSON.stringify(body), headers: { Authorization: `SVC1 ${key}`, 'Content-Type': 'application/json' },
  });
  if (!answer.ok) {
    throw new Error(`${method} ${url}: ${answer.status}: ${await answer.text()}`);
  }
  return answer.json();
}
const pools = async (world) => (await get(`${world.url('workflow')}/api/pools`, world.key)).pools.map(({ name }) => name);
const makePool = (world, name) => get(`${world.url('workflow')}/api/pools`, world.key, 'POST', { name, concurrencyLimit: 2 });

testInWorld('worlds do not see each other', async (world) => {
  const other = await mock.world({ scenario: 'quickstart' });
  await makePool(world, 'mine');
  assert.ok((await pools(world)).includes('mine'));
  assert.ok(!(await pools(other)).includes('mine'));
  const fork = await world.fork();
  assert.ok((await pools(fork)).includes('mine'));
  await world.reset();
  assert.ok(!(await pools(world)).includes('mine'));
  await fork.delete();
  await assert.rejects(fork.reset(), { name: 'UnderstudyError', status: 404, message: /not found/ });
});

testInWorld('a key leads to its world', async (world) => {
  await makePool(world, 'mine');
  const found = await get(`${mock.url}${mock.interfaces.workflow}/api/pools`, world.key);
  assert.ok(found.pools.some(({ name }) => name === 'mine'));
});

testInWorld('checkpoints and states', async (world) => {
  await world.checkpoint('before');
  await makePool(world, 'mine');
  const dump = await world.state();
  await world.restore('before');
  assert.ok(!(await pools(world)).includes('mine'));
  await world.load(dump);
  assert.ok((await pools(world)).includes('mine'));
});

testInWorld('faults and stubs', async (world) => {
  const fault = await world.fault({ operation: 'workflow.listPools', status: 503 });
  await assert.rejects(pools(world), /503/);
  await world.remove(fault);
  await world.stub({ operation: 'workflow.listPools', status: 200, body: { pools: [{ name: 'stubbed' }] }, times: 1 });
  assert.deepEqual(await pools(world), ['stubbed']);
  assert.deepEqual(await world.calls(), { 'workflow.listPools': 2 });
  assert.equal(await world.count({ operation: 'workflow.listPools' }), 2);
  await world.fault({ operation: 'workflow.listPools', status: 503 });
  await world.clearFaults();
  await world.clearStubs();
  assert.notDeepEqual(await pools(world), ['stubbed']);
});

testInWorld('a mistake says what would be right', async (world) => {
  await assert.rejects(world.fault({ operation: 'core.isueJob', status: 503 }), { status: 400, message: /core\.isueJob/ });
  assert.throws(() => world.url('cores'), /want one of audience, core/);
});

testInWorld('the clock', async (world) => {
  const { now } = await world.clock();
  assert.ok((await world.advance('1h')).now > now);
  assert.equal((await world.advanceUntilIdle()).idle, true);
  assert.equal((await world.setClock('auto')).mode, 'auto');
});

testInWorld('queued results', async (world) => {
  await world.jobResult({ query: 'select 1 as one', columns: [['one', 'bigint']], rows: [[7]] });
  const { job_id: job } = await get(`${world.url('core')}/job/issue/trino/shop`, world.key, 'POST', { query: 'select 1 as one' });
  await world.advanceUntilIdle();
  assert.deepEqual(await get(`${world.url('core')}/job/result/${job}?format=json`, world.key), [7]);
  await world.taskOutcome({ task: '+load', error: 'locked', times: 1 });
  await world.chatTurn({ status: 429, message: 'too many requests', times: 1 });
});

testInWorld('waiting and the journal', async (world) => {
  assert.equal(await world.describe(), 'no request has come');
  await pools(world);
  assert.deepEqual(await world.wait({ operation: 'workflow.listPools' }), [1]);
  await assert.rejects(world.wait({ operation: 'workflow.listPools', count: 2, timeout: '10ms' }), /saw 1 of 2 calls/);
  assert.deepEqual(await world.exchanges({ status: ['4xx', '5xx'] }), []);
  assert.match(await world.describe(), /^ {3}1 {2}GET \S*\/api\/pools → 200 workflow\.listPools\n +response: \{/);
});

test('a test that fails shows its exchanges', async () => {
  const failing = inWorld(() => mock, async (world) => {
    await pools(world);
    throw new Error('as it should');
  });
  await assert.rejects(failing(), /as it should\n\nexchanges in the world w\d+:\n {3}1 {2}GET/);
});

test('a mock that is there', async () => {
  assert.deepEqual((await Understudy.connect({ url: `${mock.url}/` })).interfaces, mock.interfaces);
});

test('a mock that does not start', async () => {
  await assert.rejects(Understudy.start({ flags: ['--nonsense'] }), /--nonsense/);
  await assert.rejects(Understudy.start({ binary: '/nothing/here' }), /UNDERSTUDY_BINARY/);
  await assert.rejects(Understudy.connect({ url: 'http://127.0.0.1:1' }), UnderstudyError);
});
