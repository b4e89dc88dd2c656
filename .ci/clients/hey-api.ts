import { activation, agent, anything, base, call, event, found, headers, project } from './calls';
import * as audience from './gen/hey-api/audience';
import { client as audienceClient } from './gen/hey-api/audience/client.gen';
import * as core from './gen/hey-api/core';
import { client as coreClient } from './gen/hey-api/core/client.gen';
import * as dwh from './gen/hey-api/dwh';
import { client as dwhClient } from './gen/hey-api/dwh/client.gen';
import * as ingestion from './gen/hey-api/ingestion';
import { client as ingestionClient } from './gen/hey-api/ingestion/client.gen';
import * as llm from './gen/hey-api/llm';
import { client as llmClient } from './gen/hey-api/llm/client.gen';
import * as workflow from './gen/hey-api/workflow';
import { client as workflowClient } from './gen/hey-api/workflow/client.gen';

audienceClient.setConfig({ baseUrl: base('audience'), headers });
coreClient.setConfig({ baseUrl: base('core'), headers });
dwhClient.setConfig({ baseUrl: base('dwh'), headers });
ingestionClient.setConfig({ baseUrl: base('ingestion'), headers });
llmClient.setConfig({ baseUrl: base('llm'), headers });
workflowClient.setConfig({ baseUrl: base('workflow'), headers });

await call('ingestion.ingestEvent', {}, async () =>
  (await ingestion.ingestEvent({ path: { database_name: 'shop', table_name: 'page_views' }, body: event })).data);
await call('audience.listSegments', 'Returning customers', async () =>
  (await audience.listSegments({ path: { audienceId: 61 } })).data?.[0]?.name);
const connectionId = await call('core.lookupConnection', 1, async () =>
  (await core.lookupConnection({ query: { name: 'warehouse_s3' } })).data?.id);
await call('audience.createActivation', '200', async () =>
  (await audience.createActivation({ path: { audienceId: 61, segmentId: 71 }, body: { ...activation, connectionId } })).data?.code);
await call('dwh.listDwhIntegrations', 81, async () => (await dwh.listDwhIntegrations()).data?.items?.[0]?.id);
await call('dwh.getDwhIntegration', 404, async () =>
  (await dwh.getDwhIntegration({ path: { dwh_id: 1 } })).response?.status);
await call('core.createDatabase', 'generated', async () =>
  (await core.createDatabase({ path: { database_name: 'generated' } })).data?.database);
await call('core.listDatabases', true, async () =>
  (await core.listDatabases()).data?.databases.some(({ name }) => name === 'generated'));
const job = await call('core.issueJob', anything, async () =>
  found((await core.issueJob({ path: { job_type: 'trino', database_name: 'shop' }, body: { query: 'select 1' } })).data?.job_id));
await call('core.getJobStatus', job, async () =>
  (await core.getJobStatus({ path: { job_id: Number(job) } })).data?.job_id);
await call('llm.getAgent', 'Shop helper', async () =>
  (await llm.getAgent({ path: { id: agent } })).data?.data?.attributes?.name);
await call('llm.createProject', 'generated', async () =>
  (await llm.createProject({ body: project })).data?.data?.attributes?.name);
const pool = await call('workflow.createPool', anything, async () =>
  found((await workflow.createPool({ body: { name: 'generated', concurrencyLimit: 3 } })).data?.id));
await call('workflow.getPool', 3, async () =>
  (await workflow.getPool({ path: { poolId: Number(pool) } })).data?.concurrencyLimit);
