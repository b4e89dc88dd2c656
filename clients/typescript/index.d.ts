import type { components } from './control.js';

type Schemas = components['schemas'];

export type Calls = Schemas['Calls'];
export type Clock = Schemas['Clock'];
export type ClockMode = Schemas['ClockMode'];
export type Exchange = Schemas['JournalExchange'];
export type ExchangeRow = Schemas['JournalRow'];
export type Fault = Schemas['Fault'];
export type FaultRequest = Schemas['FaultRequest'];
export type Fixture = Schemas['Fixture'];
export type JobResult = Schemas['JobResult'];
export type JobResultRequest = Schemas['JobResultRequest'];
export type Outcome = Schemas['Outcome'];
export type Stub = Schemas['Stub'];
export type StubRequest = Schemas['StubRequest'];
export type Turn = Schemas['Turn'];
export type WorldRequest = Schemas['WorldRequest'];

/** Which rows of a journal to list; of a list, any value fits. Its members are parameters of `GET …/journal/rows`. */
export interface RowFilter {
  operation?: string | string[];
  interface?: string;
  status?: string | string[];
  text?: string;
  fault?: boolean;
  resource?: string | string[];
  /** At most so many of the last ones; 100 if absent, at most 1,000. */
  limit?: number;
}

/** The mock refused a call, did not answer, or did not start. */
export class UnderstudyError extends Error {
  /** The HTTP status, 0 without an answer. */
  readonly status: number;
  readonly answer?: unknown;
}

/** A running mock. */
export class Understudy {
  private constructor();

  /** Its address, such as http://127.0.0.1:4010. */
  readonly url: string;
  /** The path of each interface that is served, by its name. */
  readonly interfaces: Readonly<Record<string, string>>;

  /**
   * Finds a mock that runs. What is left out is taken from UNDERSTUDY_URL and UNDERSTUDY_CONTROL_TOKEN, which
   * `understudy serve -- COMMAND` sets. For an address with https, NODE_EXTRA_CA_CERTS names the file of its authority.
   */
  static connect(options?: { url?: string; token?: string }): Promise<Understudy>;

  /**
   * Starts `understudy serve` on a free port, with more flags if you like, and waits until it can answer. The binary is
   * that of UNDERSTUDY_BINARY, or `understudy` in the path, if none is given. It ends with this process, or by `close`.
   */
  static start(options?: { flags?: string[]; binary?: string; token?: string }): Promise<Understudy>;

  /** Makes a world: of a scenario, or as a fork of another world. It has API keys of its own unless `mintKeys` is false. */
  world(request?: WorldRequest): Promise<World>;

  /** Ends the mock if `start` started it. */
  close(): Promise<void>;

  /** Calls the control interface: `path` stands behind `/_understudy`. Returns the body of the answer. */
  call(method: string, path: string, body?: unknown): Promise<any>;
}

/** The state of one account. Nothing that happens in it is seen in others. Durations are texts such as `90s` or `1h30m`. */
export class World {
  private constructor();

  readonly id: string;
  /** API keys that lead here whatever address a client uses. */
  readonly keys: { readonly admin?: string; readonly write?: string };
  /** The key of an administrator. */
  readonly key: string;

  /** The base address of an interface in this world, such as core. */
  url(name: string): string;

  /** Makes a world that begins as this one is now. */
  fork(request?: WorldRequest): Promise<World>;
  /** Takes the world back to what it was when it was made. */
  reset(): Promise<void>;
  delete(): Promise<void>;
  /** Remembers state and clock under a name. */
  checkpoint(name: string): Promise<void>;
  /** Goes back to a checkpoint. */
  restore(name: string): Promise<void>;
  /** Everything that the world remembers, as `load` takes it. */
  state(): Promise<Fixture>;
  /** Replaces everything that the world remembers by a fixture. */
  load(fixture: Fixture): Promise<void>;

  /** Plans what happens to calls from now on: a status, a delay, a broken connection. */
  fault(fault: FaultRequest): Promise<Fault>;
  /** Plans answers in place of an operation's. */
  stub(stub: StubRequest): Promise<Stub>;
  /** Removes a planned fault or stub. */
  remove(planned: Fault | Stub): Promise<void>;
  clearFaults(): Promise<void>;
  clearStubs(): Promise<void>;
  /** Queues the result of a query. */
  jobResult(result: JobResultRequest): Promise<JobResult>;
  /** Scripts the answer of an agent. */
  chatTurn(turn: Turn): Promise<Turn>;
  /** Says how tasks of workflows end. */
  taskOutcome(outcome: Outcome): Promise<Outcome>;

  clock(): Promise<Clock>;
  /** Moves the clock forward, and settles what becomes due. */
  advance(duration: string): Promise<Clock>;
  /** Moves the clock until nothing is under way. */
  advanceUntilIdle(): Promise<Clock>;
  /** Says what moves the clock, and sets it. */
  setClock(mode: ClockMode, now?: string): Promise<Clock>;

  /** How often each operation was called, by names such as `core.issueJob`. */
  calls(): Promise<Record<string, number>>;
  /** How many calls fit a description. */
  count(calls?: Calls): Promise<number>;
  /** Waits for calls that fit a description, one within ten seconds if nothing else is said. Returns the numbers of their exchanges. */
  wait(calls?: Calls & { count?: number; timeout?: string }): Promise<number[]>;
  /** The last exchanges, oldest first. */
  exchanges(filter?: RowFilter): Promise<ExchangeRow[]>;
  /** One exchange in full, without secrets. */
  exchange(seq: number): Promise<Exchange>;
  /** The last exchanges as text for people, the last of them with its bodies. */
  describe(limit?: number): Promise<string>;
}

/**
 * Makes a test that runs in a world of its own: `test('…', inWorld(mock, async (world) => { … }))`, in node:test, Vitest,
 * Jest or Mocha. The world is deleted behind it. What the test throws also shows the last exchanges of the world.
 * The mock is a function, since it is asked for when the test runs.
 */
export function inWorld<Context extends unknown[]>(
  mock: () => Understudy | Promise<Understudy>,
  test: (world: World, ...context: Context) => unknown,
  request?: WorldRequest,
): (...context: Context) => Promise<void>;
