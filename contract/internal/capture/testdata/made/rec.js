const { chromium } = require('playwright-core');
(async () => {
  const [path, content] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({ recordHar: { path, content, urlFilter: '**/workflow/api/**' } });
  const page = await context.newPage();
  const base = 'http://127.0.0.1:4931/workflow/api';
  await page.goto('http://127.0.0.1:4931/_understudy/health');
  await page.evaluate(async (base) => {
    const ask = async (method, path, body) => {
      const r = await fetch(base.replace('http://127.0.0.1:4931', '') + path, { method, body, headers: { Authorization: 'SVC1 1/admin', ...(body ? { 'Content-Type': 'application/json' } : {}) } });
      return r.arrayBuffer();
    };
    await ask('GET', '/pools');
    await ask('POST', '/pools', '{"name":"nächtlich","concurrencyLimit":2}');
    await ask('GET', '/projects/1/archive');
    await ask('DELETE', '/pools/1');
    await ask('DELETE', '/pools/4');
  }, base);
  await context.close(); await browser.close();
})();
