import { test } from 'node:test';
import { withoutBrowser } from './browser.ts';
import { snippetLinks } from './snippet-links.ts';
import { snippetPageViews } from './snippet-page-views.ts';
import { snippetQueue } from './snippet-queue.ts';
import { startSnippetSite } from './snippet-site.ts';
import { snippetVisitors } from './snippet-visitors.ts';

test('the snippet in a browser, on a page of another origin', { skip: withoutBrowser }, async (t) => {
  const site = await startSnippetSite(t);
  for (const part of [snippetPageViews, snippetLinks, snippetVisitors, snippetQueue]) await part(t, site);
});
