import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../services/gateway/test/start-test-gateway.ts';
import { openBrowser, withoutBrowser } from './browser.ts';

test('the API reference shows every operation without requests to other origins', { skip: withoutBrowser }, async (t) => {
  const { url } = await startTestGateway(t);
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`left the origin: ${request.url()}`);
  });
  // Violations of the Content-Security-Policy are logged on the console.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${url}/reference`);
  await page.getByText('Create a contact').first().waitFor();
  await page.getByText('Workflows').first().waitFor();
  assert.deepEqual(faults, []);
});
