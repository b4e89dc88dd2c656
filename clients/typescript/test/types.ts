// Is compiled, and never run: what the types allow, and what they do not.
import { inWorld, Understudy, type World } from '../index.js';

export async function steer(): Promise<string> {
  const mock = await Understudy.start({ flags: ['--clock', 'auto'] });
  const world: World = await mock.world({ scenario: 'quickstart', seed: 7, clock: 'frozen' });
  const fault = await world.fault({ operation: 'core.issueJob', status: 503, retryAfter: '1s', first: 1 });
  const calls: number = fault.calls;
  // @ts-expect-error no clock goes backwards
  await world.setClock('backwards');
  // @ts-expect-error a status is a number
  await world.fault({ status: '503' });
  await world.remove(fault);
  const rows = await world.exchanges({ status: ['4xx'], limit: calls });
  return rows[0]?.operation ?? (await world.exchange(1)).request.method;
}

export const test: (context: { name: string }) => Promise<void> =
  inWorld(() => Understudy.connect(), async (world, _: { name: string }) => world.advance('1h'), { seed: 1 });
