import { activation, agent, anything, base, call, event, found, headers, project } from './calls';
import * as audience from './gen/orval/audience';
import * as core from './gen/orval/core';
import * as dwh from './gen/orval/dwh';
import * as ingestion from './gen/orval/ingestion';
import * as llm from './gen/orval/llm';
import * as workflow from './gen/orval/workflow';

// What orval sends is a path; the options say to which interface.
const to = (document: string) => ({ base: base(document), headers });

// body returns that of an answer with success.
function body<A extends { status: number; data: unknown }>(answer: A): Extract<A, { status: 200 | 201 }>['data'] {
  if (answer.status !== 200 && answer.status !== 201) {
    throw new Error(`answered ${answer.status}`);
  }
  return answer.data as Extract<A, { status: 200 | 201 }>['data'];
}

await call('ingestion.ingestEvent', {}, async () =>
  body(await ingestion.ingestEvent('shop', 'page_views', event, to('ingestion'))));
await call('audience.listSegments', 'Returning customers', async () =>
  body(await audience.listSegments(61, to('audience')))[0]?.name);
const connectionId = await call('core.lookupConnection', 1, async () =>
  body(await core.lookupConnection({ name: 'warehouse_s3' }, to('core'))).id);
await call('audience.createActivation', '200', async () =>
  body(await audience.createActivation(61, 71, { ...activation, connectionId }, to('audience'))).code);
await call('dwh.listDwhIntegrations', 81, async () =>
  body(await dwh.listDwhIntegrations({}, to('dwh'))).items?.[0]?.id);
await call('dwh.getDwhIntegration', 404, async () => (await dwh.getDwhIntegration(1, to('dwh'))).status);
await call('core.createDatabase', 'generated', async () =>
  body(await core.createDatabase('generated', to('core'))).database);
await call('core.listDatabases', true, async () =>
  body(await core.listDatabases({}, to('core'))).databases.some(({ name }) => name === 'generated'));
const job = await call('core.issueJob', anything, async () =>
  found(body(await core.issueJob('trino', 'shop', { query: 'select 1' }, to('core'))).job_id));
await call('core.getJobStatus', job, async () => body(await core.getJobStatus(Number(job), to('core'))).job_id);
await call('llm.getAgent', 'Shop helper', async () => body(await llm.getAgent(agent, to('llm'))).data?.attributes?.name);
await call('llm.createProject', 'generated', async () =>
  body(await llm.createProject(project, to('llm'))).data?.attributes?.name);
const pool = await call('workflow.createPool', anything, async () =>
  found(body(await workflow.createPool({ name: 'generated', concurrencyLimit: 3 }, to('workflow'))).id));
await call('workflow.getPool', 3, async () => body(await workflow.getPool(Number(pool), to('workflow'))).concurrencyLimit);
