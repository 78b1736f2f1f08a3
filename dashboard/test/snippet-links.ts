import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { SnippetSite } from './snippet-site.ts';

export async function snippetLinks(t: TestContext, { website, newSite, open, nextEvent }: SnippetSite) {
  await t.test('clicks on files and submitted forms are events, even of a form with a field named id', async (t) => {
    await newSite('data-track="downloads forms"');
    const { page, context } = await open(t, '/interactions');
    // The page stays, so that the events are sent by requests whose body the test can read.
    await page.evaluate(() => {
      document.querySelector('#file')?.addEventListener('click', (event) => event.preventDefault());
      document.querySelector('#f')?.addEventListener('submit', (event) => event.preventDefault());
    });
    const [download] = await Promise.all([nextEvent(context, 'file_download'), page.click('#file')]);
    assert.deepEqual(download.properties, { url: `${website.origin}/prices.PDF` });
    const [submission] = await Promise.all([nextEvent(context, 'form_submit'), page.click('#f button')]);
    assert.deepEqual(submission.properties, { id: 'f', name: 'order' });
  });

  await t.test('links are tracked without password, and without query and hash unless the site asks for them', async (t) => {
    const followed = async (attributes: string) => {
      await newSite(attributes);
      const { page, context } = await open(t, '/links');
      await page.evaluate(() => {
        for (const link of document.querySelectorAll('a')) {
          link.href = `${link.href.replace('elsewhere', 'me:pw@elsewhere')}?secret=1#part`;
          link.addEventListener('click', (event) => event.preventDefault());
        }
      });
      const [out] = await Promise.all([nextEvent(context, 'outbound_link'), page.click('#out')]);
      const [file] = await Promise.all([nextEvent(context, 'file_download'), page.click('#file')]);
      return [out.properties.url, file.properties.url];
    };
    assert.deepEqual(await followed('data-track="outbound downloads"'), ['https://elsewhere.example/', `${website.origin}/prices.PDF`]);
    assert.deepEqual(await followed('data-track="outbound downloads queries"'), [
      'https://elsewhere.example/?secret=1#part',
      `${website.origin}/prices.PDF?secret=1#part`,
    ]);
  });
}
