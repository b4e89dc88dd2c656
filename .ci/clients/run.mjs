// Generates clients of all documents, compiles them, makes calls with them, and holds the result against
// docs/reference/generators.md: run.mjs PAGE, in the folder that .ci/generators prepares. UPDATE=1 writes the table anew.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import YAML from 'yaml';

const documents = ['ingestion', 'audience', 'dwh', 'core', 'llm', 'workflow', 'control'];
const page = process.argv[2];
const failures = [];
const parsed = {}; // documents as objects
const tsc = ['node', 'node_modules/tsc/bin/tsc'];
const versions = process.env;

// Each generator writes the client of a document into a folder, and throws if it cannot.
const generators = {
  'oapi-codegen': {
    version: versions.OAPI_CODEGEN_VERSION,
    generate(file, folder, name) {
      run('bin/oapi-codegen', '-generate', 'types,client', '-package', name, '-o', `${folder}/client.go`, file);
    },
  },
  ogen: {
    version: versions.OGEN_VERSION,
    generate(file, folder, name) {
      const { status, stderr, stdout } = spawnSync('bin/ogen',
        ['--config', 'ogen.yml', '--target', folder, '--package', name, '--clean', file], { encoding: 'utf8' });
      const skipped = (stdout + stderr).match(/Skipping operation.*/g);
      if (status !== 0 || skipped) {
        throw new Error(skipped?.join('\n') ?? stderr);
      }
    },
  },
  'openapi-typescript': {
    version: versions.OPENAPI_TYPESCRIPT_VERSION,
    async generate(file, folder) {
      const { default: openapiTS, astToString } = await import('openapi-typescript');
      // A member that has a default need not be sent.
      const tree = await openapiTS(new URL(`file://${file}`), { defaultNonNullable: false });
      fs.writeFileSync(`${folder}/index.ts`, astToString(tree));
    },
  },
  'openapi-fetch': { version: versions.OPENAPI_FETCH_VERSION, types: 'openapi-typescript' },
  orval: {
    version: versions.ORVAL_VERSION,
    async generate(file, folder) {
      const { generate } = await import('orval');
      const mutator = { path: './orval-fetch.ts', name: 'send' };
      await quietly(() => generate({ input: file, output: { target: `${folder}/index.ts`, client: 'fetch', override: { mutator } } }));
    },
  },
  'hey-api': {
    version: versions.HEY_API_VERSION,
    async generate(file, folder) {
      const { createClient } = await import('@hey-api/openapi-ts');
      await createClient({
        input: file, output: folder, logs: { level: 'silent' },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      });
    },
  },
  'swagger-typescript-api': {
    version: versions.SWAGGER_TYPESCRIPT_API_VERSION,
    async generate(file, folder) {
      const { generateApi } = await import('swagger-typescript-api');
      await generateApi({ input: file, output: `${process.cwd()}/${folder}`, fileName: 'index.ts', silent: true });
    },
  },
};

function run(program, ...args) {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
}

async function quietly(work) {
  const { log } = console;
  console.log = () => {};
  try {
    await work();
  } finally {
    console.log = log;
  }
}

// The rows of the table of the page below a heading, each a list of its cells.
function rows(text, heading) {
  const lines = text.slice(text.indexOf(`\n## ${heading}\n`)).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const last = lines.findIndex((line, i) => i > first && !line.startsWith('|'));
  return lines.slice(first, last).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', '')));
}

// Writes a document without the operations, or media types of their bodies, that a generator cannot take.
function write(name, left, file) {
  if (left.length === 0) {
    fs.writeFileSync(file, texts[name]);
    return;
  }
  const document = structuredClone(parsed[name] ??= YAML.parse(texts[name]));
  for (const item of Object.values(document.paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(item)) {
      for (const { part } of left.filter(({ operation }) => operation === `${name}.${operationId}`)) {
        if (part === 'all') {
          delete item[method];
        } else {
          delete requestBody.content[part];
        }
      }
    }
  }
  fs.writeFileSync(file, JSON.stringify(document));
}

async function generate(generator, name, left, folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const file = `${process.cwd()}/gen/document.${left.length === 0 ? 'yaml' : 'json'}`;
  write(name, left, file);
  await generators[generator].generate(file, folder, name);
}

// Reports what a generator is said not to be able to do, and can.
async function stillFails(row) {
  const name = row.operation.split('.')[0];
  const folder = `gen/known/${name}`;
  try {
    await generate(row.generator, name, known.filter((other) => other !== row && other.generator === row.generator), folder);
    if (fs.existsSync(`${folder}/index.ts`)) {
      run(...tsc, '--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', `${folder}/index.ts`);
    } else {
      run('go', 'build', `./${folder}`);
    }
  } catch {
    return;
  }
  failures.push(`${row.generator} can do ${row.operation} (${row.part}) now: remove the row from ${page}`);
}

async function generateAll() {
  fs.rmSync('gen', { recursive: true, force: true });
  fs.rmSync('dist', { recursive: true, force: true });
  for (const [generator, { types }] of Object.entries(generators)) {
    for (const name of documents.filter(() => !types)) {
      const left = known.filter((row) => row.generator === generator && row.operation.startsWith(`${name}.`));
      try {
        await generate(generator, name, left, `gen/${generator}/${name}`);
      } catch (error) {
        failures.push(`${generator} does not take ${name}: ${error.stderr ?? error.message}`);
      }
    }
  }
  for (const row of known) {
    await stillFails(row);
  }
  const compilers = {
    go: () => run('go', 'build', '-o', 'dist/', './gen/oapi-codegen/...', './gen/ogen/...', './oapi-codegen', './ogen'),
    tsc: () => run(...tsc, '-p', '.'),
    esbuild: () => run('node_modules/.bin/esbuild', ...programs.filter((name) => fs.existsSync(`${name}.ts`)).map((name) => `${name}.ts`),
      '--bundle', '--platform=node', '--format=esm', '--outdir=dist', '--out-extension:.js=.mjs', '--log-level=warning'),
  };
  for (const [compiler, compile] of Object.entries(compilers)) {
    try {
      compile();
    } catch (error) {
      failures.push(`${compiler}: ${error.stdout}${error.stderr}`);
    }
  }
}

// The operations of a document that a generator's client has not.
function missing(generator, name) {
  const folder = `gen/${generators[generator].types ?? generator}/${name}`;
  const code = fs.readdirSync(folder, { recursive: true }).filter((file) => /\.(go|ts)$/.test(file))
    .map((file) => fs.readFileSync(`${folder}/${file}`, 'utf8')).join('\n').toLowerCase();
  const words = new Set(code.match(/\w+/g));
  return operations[name].filter((id) => isKnown(generator, `${name}.${id}`) ||
    !words.has(id.toLowerCase()) && !words.has(`${id.toLowerCase()}withresponse`));
}

function isKnown(generator, operation) {
  return known.some((row) => row.generator === generator && row.operation === operation && row.part === 'all');
}

function call(generator) {
  const program = fs.existsSync(`${generator}.ts`) ? ['node', `dist/${generator}.mjs`] : [`dist/${generator}`];
  const { stdout, stderr, status } = spawnSync('bin/understudy',
    ['serve', '--listen', '127.0.0.1:0', '--scenario', 'full-account', '--log-level', 'error', '--', ...program], { encoding: 'utf8' });
  const lines = stdout.trim().split('\n');
  for (const line of lines.filter((line) => !line.endsWith(' ok'))) {
    failures.push(`${generator}: ${line}`);
  }
  if (status !== 0 || lines.length < 10) {
    failures.push(`${generator}: exit code ${status} after ${lines.length} calls, want 10 or more: ${stderr}`);
  }
  return lines;
}

const texts = Object.fromEntries(documents.map((name) => [name, run('bin/understudy', 'spec', name)]));
const operations = Object.fromEntries(documents.map((name) =>
  [name, [...texts[name].matchAll(/^ +operationId: (\w+)$/gm)].map((match) => match[1])]));
const programs = Object.keys(generators);
const text = fs.readFileSync(page, 'utf8');
const known = rows(text, 'What they cannot do').slice(2).map(([generator, operation, part]) => ({ generator, operation, part }));

// Nothing is generated again of what was generated and found good.
const sum = createHash('sha256').update(JSON.stringify([texts, known, process.version, run('go', 'version'), process.env.INPUTS])).digest('hex');
const done = fs.existsSync('done') ? fs.readFileSync('done', 'utf8') : '';
if (done !== sum) {
  await generateAll();
}

let table = `| generator | version | ${documents.join(' | ')} |\n|---|---|${documents.map(() => '---|').join('')}\n`;
for (const [generator, { version }] of Object.entries(generators)) {
  const lines = failures.length === 0 ? call(generator) : [];
  const cells = documents.map((name) => {
    const calls = lines.filter((line) => line.startsWith(`${name}.`)).length;
    const left = missing(generator, name);
    for (const id of left.filter((id) => !isKnown(generator, `${name}.${id}`))) {
      failures.push(`${generator} leaves out ${name}.${id}`);
    }
    const all = operations[name].length;
    return `${all - left.length} of ${all}${calls ? `, ${calls} call${calls > 1 ? 's' : ''}` : ''}`;
  });
  table += `| ${generator} | ${version.replace(/^v/, '')} | ${cells.join(' | ')} |\n`;
}
console.log(table);

const [before, after] = [text.indexOf('| generator | version |'), text.indexOf('\n\n', text.indexOf('| generator | version |')) + 1];
if (text.slice(before, after) !== table) {
  if (process.env.UPDATE) {
    fs.writeFileSync(page, text.slice(0, before) + table + text.slice(after));
  } else {
    failures.push(`${page} has another table: UPDATE=1 .ci/generators writes it anew`);
  }
}
for (const failure of failures) {
  console.error(failure);
}
if (failures.length > 0) {
  process.exit(1);
}
fs.writeFileSync('done', sum);
