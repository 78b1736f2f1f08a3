import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { Platform } from '../../tests/platform.ts';

/** A website on another origin than the platform: one page under every path, with a strict Content-Security-Policy. */
export async function startWebsite(t: TestContext, platform: Platform) {
  let script = '';
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    response.setHeader('content-type', 'text/html');
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${platform.url}; connect-src ${platform.url}; frame-src ${platform.url}`,
    );
    response.end(
      `<!doctype html><title>Shop</title><body>${script}
<a id=out href="https://elsewhere.example/">out</a> <a id=file href="/prices.PDF">prices</a>
<form id=f name=order><input name=id><button>ok</button></form>${'<br>'.repeat(100)}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,

    /** The paths that browsers have asked for. */
    requested,

    /** The pages load this script from now on. */
    show(html: string) {
      script = html;
    },
  };
}

/** Calls `mp` in a page that has loaded the snippet. */
export const callSnippet = (page: Page, ...call: unknown[]) =>
  page.evaluate((args) => {
    if (!window.mp) throw new Error('The snippet has not been loaded.');
    Reflect.apply(window.mp, window, args);
  }, call);
