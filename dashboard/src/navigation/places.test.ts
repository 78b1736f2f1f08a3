import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf, places, sectionOf, settings } from './places.ts';

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
