// What the calls of every client share: where the mock is, the key, and a line for each call that answered as it should.
declare const process: { env: Record<string, string | undefined>; exitCode?: number };

export const headers = { Authorization: 'SVC1 1/admin' };

export const base = (document: string): string => process.env[`UNDERSTUDY_${document.toUpperCase()}_URL`]!;

export async function call<T>(operation: string, want: unknown, run: () => Promise<T>): Promise<T> {
  try {
    const got = await run();
    if (JSON.stringify(got) !== JSON.stringify(want) && want !== anything) {
      throw new Error(`answered ${JSON.stringify(got)}; want ${JSON.stringify(want)}`);
    }
    console.log(operation, 'ok');
    return got;
  } catch (error) {
    process.exitCode = 1;
    console.log(operation, String(error));
    return undefined as T;
  }
}

// anything but an exception.
export const anything = Symbol('anything');

// found returns a value that the types call optional, and fails where it is missing.
export function found<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) {
    throw new Error('the answer lacks what is looked for');
  }
  return value;
}

export const agent = '5dd290e9-2766-453c-8b7f-77e8f8d2b920';
export const event = { path: '/checkout', items: 3 };
export const activation = { name: 'generated', connectorConfig: { bucket: 'exports' }, allColumns: true };
export const project = { data: { type: 'projects' as const, attributes: { name: 'generated', description: 'By a client' } } };
