import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Permission, type Scope, scopes } from '@mp/contracts/permissions';
import fc from 'fast-check';
import { addressSet } from './ip-allow.ts';
import { excess, type Privileges } from './privileges.ts';

const anything: Privileges = { permission: 'admin', scopes: null, ip_allow: [], expires_at: null };

test('a credential cannot grant more than it has', () => {
  assert.equal(excess(anything, anything), undefined);
  assert.match(excess({ ...anything, permission: 'read_write' }, anything) ?? '', /permission admin/);
  const narrow: Privileges = { ...anything, scopes: ['settings:write', 'contacts:read'] };
  assert.match(excess(narrow, anything) ?? '', /list them/);
  assert.match(excess(narrow, { ...anything, scopes: ['contacts:read', 'contacts:write'] }) ?? '', /contacts:write/);
  assert.equal(excess(narrow, { ...anything, permission: 'read_only', scopes: ['contacts:read'] }), undefined);
});

test('a credential with allowed addresses can grant only those', () => {
  const office: Privileges = { ...anything, ip_allow: ['192.0.2.0/24', '2001:db8::/32'] };
  for (const ip_allow of [[], ['192.0.3.1'], ['192.0.0.0/16'], ['192.0.2.1', '::/0'], ['0.0.0.0/0']]) {
    assert.ok(excess(office, { ...anything, ip_allow }), String(ip_allow));
  }
  for (const ip_allow of [['192.0.2.0/24'], ['192.0.2.9'], ['192.0.2.128/25', '2001:db8:1::/48']]) {
    assert.equal(excess(office, { ...anything, ip_allow }), undefined, String(ip_allow));
  }
});

test('an expiring credential cannot grant anything longer, but may keep or reduce what lasts longer', () => {
  const brief: Privileges = { ...anything, expires_at: new Date(1_000) };
  const reader: Privileges = { ...anything, permission: 'read_only' };
  assert.match(excess(brief, reader) ?? '', /expires at 1970-01-01T00:00:01.000Z/);
  assert.ok(excess(brief, { ...reader, expires_at: new Date(1_001) }));
  assert.equal(excess(brief, { ...reader, expires_at: new Date(1_000) }), undefined);
  assert.equal(excess(brief, reader, reader), undefined);
  assert.equal(excess(brief, reader, anything), undefined);
  assert.ok(excess(brief, anything, reader), 'more than before');
  assert.ok(excess(brief, reader, { ...reader, expires_at: new Date(2_000) }), 'longer than before');
});

test('a chain of grants never exceeds the first credential', () => {
  const range = fc.tuple(fc.nat(3), fc.nat(255), fc.constantFrom(8, 16, 24, 30, 32)).map(([a, b, bits]) => `10.${a}.0.${b}/${bits}`);
  const power: fc.Arbitrary<Privileges> = fc.record({
    permission: fc.constantFrom(...Permission.options),
    scopes: fc.option(fc.uniqueArray(fc.constantFrom<Scope>(...scopes), { minLength: 1, maxLength: 4 })),
    ip_allow: fc.array(range, { maxLength: 3 }),
    expires_at: fc.option(fc.nat(3).map((hours) => new Date(hours * 3_600_000))),
  });
  const allows = ({ ip_allow }: Privileges, address: string) => ip_allow.length === 0 || addressSet(ip_allow)(address);
  fc.assert(
    fc.property(power, power, fc.nat(3), fc.nat(255), (holder, wanted, a, b) => {
      fc.pre(excess(holder, wanted) === undefined);
      const address = `10.${a}.0.${b}`;
      assert.ok((wanted.expires_at?.getTime() ?? Number.POSITIVE_INFINITY) <= (holder.expires_at?.getTime() ?? Number.POSITIVE_INFINITY));
      if (allows(wanted, address)) assert.ok(allows(holder, address));
      for (const scope of wanted.scopes ?? scopes) assert.ok(holder.scopes === null || holder.scopes.includes(scope));
    }),
    { numRuns: 2_000 },
  );
});
