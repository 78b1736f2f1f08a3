import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstSetting, placeOf, places, sectionOf, settings, shownSections } from './places.ts';

test('a page belongs to the section of its nearest tab', () => {
  const sectionNames = ['/', '/contacts/contact_1', '/segments/new', '/contacts/forms/form_1', '/leadpulse/live', '/workflows/runs/run_1'];
  assert.deepEqual(
    sectionNames.map((path) => sectionOf(path)?.name),
    ['Overview', 'Contacts', 'Contacts', 'Campaigns', 'LeadPulse', 'Workflows'],
  );
  assert.equal(placeOf('/contacts/imports/new')?.name, 'Imports');
  assert.equal(sectionOf('/settings/account'), undefined);
});

test('every page is in the navigation once, and every key opens one page', () => {
  const all = [...places, ...settings.flatMap((group) => group.places)];
  assert.equal(new Set(all.map(({ to }) => to)).size, all.length);
  const keys = all.flatMap(({ key }) => key ?? []);
  assert.equal(new Set(keys).size, keys.length);
});

test('a user sees the sections of which they may see a page, and opens the first of these', () => {
  const segments = shownSections(({ scope }) => scope === undefined || scope === 'segments:read');
  assert.deepEqual(
    segments.map(({ name, to, tabs }) => [name, to, tabs.length]),
    [
      ['Overview', '/', 0],
      ['Contacts', '/segments', 1],
    ],
  );
  assert.equal(
    firstSetting(({ scope }) => scope === 'segments:read'),
    undefined,
  );
  assert.equal(firstSetting(({ scope }) => scope === 'webhooks:write')?.to, '/settings/webhooks');
});
