import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsTo } from './link-url.ts';

test('a click is compared with the URL of a link, whatever its utm_ parameters', () => {
  const url = 'https://shop.example.com/sale?size=m';
  for (const clicked of [url, `${url}&utm_source=mail&utm_medium=email`, 'https://SHOP.example.com:443/sale?utm_campaign=x&size=m']) {
    assert.equal(leadsTo(clicked, url), true, clicked);
    assert.equal(leadsTo(url, clicked), true, clicked);
  }
  for (const encoded of [
    'https://shop.example.com/find?q=a%20b',
    "https://shop.example.com/find?to=it's",
    'https://shop.example.com/find?',
  ]) {
    const clicked = `${encoded}${encoded.endsWith('?') ? '' : '&'}utm_source=mail`;
    assert.equal(leadsTo(clicked, encoded), true, `${clicked}: how it is encoded does not matter`);
  }
  for (const clicked of ['https://shop.example.com/sale', 'https://shop.example.com/sale?size=l', 'https://shop.example.com/', 'no url'])
    assert.equal(leadsTo(clicked, url), false, clicked);
});
