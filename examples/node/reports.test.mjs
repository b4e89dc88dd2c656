import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Mock } from './mock.mjs';
import { Reports } from './reports.mjs';

const mock = new Mock();
before(() => mock.start());
after(() => mock.stop());

describe('Reports', { concurrency: true }, () => {
  it('issues a query once', async () => {
    const world = await mock.world();
    assert.match(await new Reports(world.core, world.key).issue('SELECT 1'), /^\d+$/);
    assert.deepEqual(await world.calls(), { 'core.issueJob': 1 });
  });

  it('sends a query that got 503 again', async () => {
    const world = await mock.world();
    await world.fault({ operation: 'core.issueJob', first: 1, status: 503, retryAfter: '1s' });
    assert.match(await new Reports(world.core, world.key).issue('SELECT 1'), /^\d+$/);
    assert.deepEqual(await world.calls(), { 'core.issueJob': 2 });
  });

  it('gives up', async () => {
    const world = await mock.world();
    await world.fault({ operation: 'core.issueJob', status: 503, headers: { 'Retry-After': '0' } });
    await assert.rejects(new Reports(world.core, world.key).issue('SELECT 1'), /503/);
    assert.deepEqual(await world.calls(), { 'core.issueJob': 3 });
  });
});
