import assert from 'node:assert/strict';
import { randomBytes, scryptSync } from 'node:crypto';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { Secret, TOTP } from 'otpauth';
import type { BuiltInRole } from '../src/settings/roles/role.ts';
import type { Mail } from '../src/settings/users/mailer.ts';
import { invitedUser, newOwner } from '../src/settings/users/user.ts';
import { createSoftwarePasskey } from './software-passkey.ts';
import { startTestGateway } from './start-test-gateway.ts';

export type Browser = Record<string, string>;

export const password = 'correct horse battery staple';

/** With a low cost, so that the tests are fast. */
function quickHash(word: string) {
  const salt = randomBytes(16);
  const [N, r, p] = [2 ** 10, 8, 1];
  return ['scrypt', N, r, p, salt.toString('base64url'), scryptSync(word, salt, 32, { N, r, p }).toString('base64url')].join('$');
}

/** The code of an app at this time, in steps of 30 s from now. */
export const codeOf = (secret: string, steps = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * 30_000 });

export const wrongCode = (secret: string) => {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? '';
};

export type SignInResponse = { status: number; headers: Headers };
export const cookiesOf = ({ headers }: SignInResponse) => headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');

/** A gateway with users who have passwords, and what a browser does with second factors. */
export async function startSecondFactors(t: TestContext) {
  const mails: Mail[] = [];
  const gateway = await startTestGateway(t, { mailer: { send: async (mail) => void mails.push(mail) } });
  const { send, call, stores, parts, makeAccount } = gateway;
  const hash = quickHash(password);
  let people = 0;

  const inTransaction: typeof parts.mongo.transaction<unknown> = (origin, work) => parts.mongo.transaction(origin, work);
  const signIn = (email: string) => send('POST', '/auth/sign-in', { email, password });
  const browserOf = (response: Awaited<ReturnType<typeof send>>): Browser => {
    assert.equal(response.status, 200, response.text);
    const cookie = cookiesOf(response).find((one) => one.startsWith('mp_session=')) ?? '';
    return { cookie, 'x-csrf-token': response.data.csrf_token };
  };

  async function person(role: BuiltInRole = 'owner', inAccount?: Awaited<ReturnType<typeof makeAccount>>) {
    people += 1;
    const email = `ada${people}@example.com`;
    const account = inAccount ?? (await makeAccount('starter'));
    const made = role === 'owner' ? newOwner(account.id) : invitedUser(account.id, { email, role });
    const user = { ...made, email, password: hash };
    await inTransaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, user));
    const browser = browserOf(await signIn(email));
    const post = (path: string, body: object = {}, headers: Browser = browser) => send('POST', path, body, { headers });

    /** Adds an authenticator app. Codes of later steps are still unused. */
    async function addTotp() {
      const begun = await post('/auth/second-factors/totp', { name: 'Phone' });
      assert.equal(begun.status, 200, begun.text);
      const { id, secret, url } = begun.data;
      const confirm = () => post('/auth/second-factors/totp/confirm', { id, code: codeOf(secret, -1) });
      const first = await confirm();
      // If a step has ended on the way, the code was that of two steps ago.
      const confirmed = first.status === 400 ? await confirm() : first;
      assert.equal(confirmed.status, 200, confirmed.text);
      return { id, secret, url, recoveryCodes: confirmed.data.recovery_codes };
    }

    async function addPasskey(passkey = createSoftwarePasskey()) {
      const options = await post('/auth/second-factors/passkeys/options');
      const added = await post('/auth/second-factors/passkeys', { name: 'Key', passkey: passkey.create(options.data) });
      assert.equal(added.status, 200, added.text);
      return { ...passkey, factorId: added.data.id, recoveryCodes: added.data.recovery_codes };
    }

    /** Proves the first factor; returns the cookie of the step. */
    async function begin(): Promise<Browser> {
      const response = await signIn(email);
      assert.ok(response.data.second_factor_due, response.text);
      const [cookie = ''] = cookiesOf(response);
      assert.match(cookie, /^mp_second_factor=/);
      return { cookie };
    }

    /** As if everything in the sessions had happened so many minutes ago. */
    async function age(minutes: number) {
      const at = new Date(Date.now() - minutes * 60_000);
      await parts.mongo.db
        .collection('sessions')
        .updateMany({ user_id: user.id }, { $set: { created_at: at, factor_at: at, password_at: at } });
    }

    const audited = async () => {
      const rows = await parts.mongo.db.collection('audit_log').find({ target_id: user.id }).toArray();
      return rows.map(({ action }): string => action);
    };

    return { account, user, email, browser, post, addTotp, addPasskey, begin, age, audited };
  }

  return {
    ...gateway,
    mails,
    signInWith: signIn,
    browserOf,
    person,
    mailWith: (subject: string, to: string) => eventually(async () => mails.find((mail) => mail.subject === subject && mail.to === to)),
    status: async (path: string, headers: Browser) => (await call(path, { headers })).status,
  };
}
