import createClient from 'openapi-fetch';
import { activation, agent, anything, base, call, event, found, headers, project } from './calls';
import type { paths as AudiencePaths } from './gen/openapi-typescript/audience';
import type { paths as CorePaths } from './gen/openapi-typescript/core';
import type { paths as DwhPaths } from './gen/openapi-typescript/dwh';
import type { paths as IngestionPaths } from './gen/openapi-typescript/ingestion';
import type { paths as LlmPaths } from './gen/openapi-typescript/llm';
import type { paths as WorkflowPaths } from './gen/openapi-typescript/workflow';

const audience = createClient<AudiencePaths>({ baseUrl: base('audience'), headers });
const core = createClient<CorePaths>({ baseUrl: base('core'), headers });
const dwh = createClient<DwhPaths>({ baseUrl: base('dwh'), headers });
const ingestion = createClient<IngestionPaths>({ baseUrl: base('ingestion'), headers });
const llm = createClient<LlmPaths>({ baseUrl: base('llm'), headers });
const workflow = createClient<WorkflowPaths>({ baseUrl: base('workflow'), headers });

await call('ingestion.ingestEvent', {}, async () =>
  (await ingestion.POST('/postback/v3/event/{database_name}/{table_name}', {
    params: { path: { database_name: 'shop', table_name: 'page_views' } }, body: event,
  })).data);
await call('audience.listSegments', 'Returning customers', async () =>
  (await audience.GET('/audiences/{audienceId}/segments', { params: { path: { audienceId: 61 } } })).data?.[0]?.name);
const connectionId = await call('core.lookupConnection', 1, async () =>
  (await core.GET('/connections/lookup', { params: { query: { name: 'warehouse_s3' } } })).data?.id);
await call('audience.createActivation', '200', async () =>
  (await audience.POST('/audiences/{audienceId}/segments/{segmentId}/syndications', {
    params: { path: { audienceId: 61, segmentId: 71 } }, body: { ...activation, connectionId },
  })).data?.code);
await call('dwh.listDwhIntegrations', 81, async () => (await dwh.GET('/v1/dwh/')).data?.items?.[0]?.id);
await call('dwh.getDwhIntegration', 404, async () =>
  (await dwh.GET('/v1/dwh/{dwh_id}', { params: { path: { dwh_id: 1 } } })).response.status);
await call('core.createDatabase', 'generated', async () =>
  (await core.POST('/database/create/{database_name}', { params: { path: { database_name: 'generated' } } })).data?.database);
await call('core.listDatabases', true, async () =>
  (await core.GET('/database/list')).data?.databases.some(({ name }) => name === 'generated'));
const job = await call('core.issueJob', anything, async () =>
  found((await core.POST('/job/issue/{job_type}/{database_name}', {
    params: { path: { job_type: 'trino', database_name: 'shop' } }, body: { query: 'select 1' },
  })).data?.job_id));
await call('core.getJobStatus', job, async () =>
  (await core.GET('/job/status/{job_id}', { params: { path: { job_id: Number(job) } } })).data?.job_id);
await call('llm.getAgent', 'Shop helper', async () =>
  (await llm.GET('/api/agents/{id}', { params: { path: { id: agent } } })).data?.data?.attributes?.name);
await call('llm.createProject', 'generated', async () =>
  (await llm.POST('/api/projects', { body: project })).data?.data?.attributes?.name);
const pool = await call('workflow.createPool', anything, async () =>
  found((await workflow.POST('/api/pools', { body: { name: 'generated', concurrencyLimit: 3 } })).data?.id));
await call('workflow.getPool', 3, async () =>
  (await workflow.GET('/api/pools/{poolId}', { params: { path: { poolId: Number(pool) } } })).data?.concurrencyLimit);
