import { activation, agent, anything, base, call, event, found, headers, project } from './calls';
import { Api as Audience } from './gen/swagger-typescript-api/audience';
import { Api as Core } from './gen/swagger-typescript-api/core';
import { Api as Dwh } from './gen/swagger-typescript-api/dwh';
import { Api as Ingestion } from './gen/swagger-typescript-api/ingestion';
import { Api as Llm } from './gen/swagger-typescript-api/llm';
import { Api as Workflow } from './gen/swagger-typescript-api/workflow';

const baseApiParams = { headers };
const audience = new Audience({ baseUrl: base('audience'), baseApiParams });
const core = new Core({ baseUrl: base('core'), baseApiParams });
const dwh = new Dwh({ baseUrl: base('dwh'), baseApiParams });
const ingestion = new Ingestion({ baseUrl: base('ingestion'), baseApiParams });
const llm = new Llm({ baseUrl: base('llm'), baseApiParams });
const workflow = new Workflow({ baseUrl: base('workflow'), baseApiParams });

await call('ingestion.ingestEvent', {}, async () =>
  (await ingestion.postback.ingestEvent('shop', 'page_views', event)).data);
await call('audience.listSegments', 'Returning customers', async () =>
  (await audience.audiences.listSegments(61)).data[0]?.name);
const connectionId = await call('core.lookupConnection', 1, async () =>
  (await core.connections.lookupConnection({ name: 'warehouse_s3' })).data.id);
await call('audience.createActivation', '200', async () =>
  (await audience.audiences.createActivation(61, 71, { ...activation, connectionId })).data.code);
await call('dwh.listDwhIntegrations', 81, async () => (await dwh.v1.listDwhIntegrations()).data.items?.[0]?.id);
await call('dwh.getDwhIntegration', 404, () =>
  dwh.v1.getDwhIntegration(1).then(({ status }) => status, (answer: Response) => answer.status));
await call('core.createDatabase', 'generated', async () => (await core.database.createDatabase('generated')).data.database);
await call('core.listDatabases', true, async () =>
  (await core.database.listDatabases()).data.databases.some(({ name }) => name === 'generated'));
const job = await call('core.issueJob', anything, async () =>
  found((await core.job.issueJob('trino', 'shop', { query: 'select 1' })).data.job_id));
await call('core.getJobStatus', job, async () => (await core.job.getJobStatus(Number(job))).data.job_id);
// It takes application/vnd.api+json for JSON only if it is told so.
await call('llm.getAgent', 'Shop helper', async () => {
  if ((await llm.api.getAgent(agent)).data !== null) {
    throw new Error('format is not needed any more');
  }
  return (await llm.api.getAgent(agent, { format: 'json' })).data.data?.attributes?.name;
});
await call('llm.createProject', 'generated', async () =>
  (await llm.api.createProject(project, { format: 'json' })).data.data?.attributes?.name);
const pool = await call('workflow.createPool', anything, async () =>
  found((await workflow.api.createPool({ name: 'generated', concurrencyLimit: 3 })).data.id));
await call('workflow.getPool', 3, async () => (await workflow.api.getPool(Number(pool))).data.concurrencyLimit);
