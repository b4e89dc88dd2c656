// The types alone, with fetch.
import { activation, agent, anything, base, call, event, found, headers, project } from './calls';
import type { operations as Audience } from './gen/openapi-typescript/audience';
import type { operations as Core } from './gen/openapi-typescript/core';
import type { operations as Dwh } from './gen/openapi-typescript/dwh';
import type { operations as Ingestion } from './gen/openapi-typescript/ingestion';
import type { operations as Llm } from './gen/openapi-typescript/llm';
import type { operations as Workflow } from './gen/openapi-typescript/workflow';

type JSONOf<T> = T extends { content: { 'application/json': infer JSON } } ? JSON : never;
type AnyJSONOf<T> = T extends { content: infer Content } ? Content[keyof Content] : never;
type Answer<Operation> = Operation extends { responses: infer Responses }
  ? AnyJSONOf<Responses[keyof Responses & (200 | 201)]> : never;
type Body<Operation> = Operation extends { requestBody?: infer Request } ? JSONOf<NonNullable<Request>> : never;

async function send<Operation>(method: string, url: string, body?: Body<Operation>): Promise<Answer<Operation>> {
  const init = body === undefined ? { method, headers }
    : { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  if (!response.ok) {
    throw new Error(`answered ${response.status}`);
  }
  return await response.json() as Answer<Operation>;
}

await call('ingestion.ingestEvent', {}, () =>
  send<Ingestion['ingestEvent']>('POST', `${base('ingestion')}/postback/v3/event/shop/page_views`, event));
await call('audience.listSegments', 'Returning customers', async () =>
  (await send<Audience['listSegments']>('GET', `${base('audience')}/audiences/61/segments`))[0]?.name);
const connectionId = await call('core.lookupConnection', 1, async () =>
  (await send<Core['lookupConnection']>('GET', `${base('core')}/connections/lookup?name=warehouse_s3`)).id);
await call('audience.createActivation', '200', async () => (await send<Audience['createActivation']>(
  'POST', `${base('audience')}/audiences/61/segments/71/syndications`, { ...activation, connectionId })).code);
await call('dwh.listDwhIntegrations', 81, async () =>
  (await send<Dwh['listDwhIntegrations']>('GET', `${base('dwh')}/v1/dwh/`)).items?.[0]?.id);
await call('dwh.getDwhIntegration', 'Error: answered 404', () =>
  send<Dwh['getDwhIntegration']>('GET', `${base('dwh')}/v1/dwh/1`).then(() => '', String));
await call('core.createDatabase', 'generated', async () =>
  (await send<Core['createDatabase']>('POST', `${base('core')}/database/create/generated`)).database);
await call('core.listDatabases', true, async () =>
  (await send<Core['listDatabases']>('GET', `${base('core')}/database/list`)).databases.some(({ name }) => name === 'generated'));
const job = await call('core.issueJob', anything, async () =>
  found((await send<Core['issueJob']>('POST', `${base('core')}/job/issue/trino/shop`, { query: 'select 1' })).job_id));
await call('core.getJobStatus', job, async () =>
  (await send<Core['getJobStatus']>('GET', `${base('core')}/job/status/${job}`)).job_id);
await call('llm.getAgent', 'Shop helper', async () =>
  (await send<Llm['getAgent']>('GET', `${base('llm')}/api/agents/${agent}`)).data?.attributes?.name);
await call('llm.createProject', 'generated', async () =>
  (await send<Llm['createProject']>('POST', `${base('llm')}/api/projects`, project)).data?.attributes?.name);
const pool = await call('workflow.createPool', anything, async () => found((await send<Workflow['createPool']>(
  'POST', `${base('workflow')}/api/pools`, { name: 'generated', concurrencyLimit: 3 })).id));
await call('workflow.getPool', 3, async () =>
  (await send<Workflow['getPool']>('GET', `${base('workflow')}/api/pools/${pool}`)).concurrencyLimit);
