import type { TestContext } from 'node:test';
import type { Scope } from '@mp/contracts/permissions';
import { nameRequests } from '@mp/contracts/requests/names';
import { newId } from '@mp/ids';
import { heldBuiltIn, heldOf, newRole } from '../src/settings/roles/role.ts';
import { invitedUser } from '../src/settings/users/user.ts';
import { type RequestOptions, startTestGateway } from './start-test-gateway.ts';

/** Returns a function that creates an account with a campaign, whose users comment on it. */
export async function startCompany(t: TestContext, options: Parameters<typeof startTestGateway>[1] = {}) {
  const gateway = await startTestGateway(t, { live: true, ...options });
  const { parts, stores } = gateway;
  /** The owner and the name of each campaign. */
  const campaigns = new Map<string, { account: string; name: string }>();
  for (const request of [nameRequests.template, nameRequests.segment, nameRequests.workflow])
    await parts.broker.reply(request, async () => ({ name: null }));
  await parts.broker.reply(nameRequests.campaign, async ({ account_id, id }) => {
    const found = campaigns.get(id);
    return { name: found?.account === account_id ? found.name : null };
  });

  return async function company() {
    const account = await gateway.makeAccount();
    const campaign = newId('campaign');
    campaigns.set(campaign, { account: account.id, name: 'Spring\nnews' });

    /** Signs a new user in, with a built-in role or with the scopes of a custom one. */
    async function user(role: 'viewer' | 'editor' | 'admin', scopes?: Scope[]) {
      const held = scopes
        ? heldOf(newRole(account.id, { name: 'Custom', description: '', scopes, sending_limits: null }))
        : heldBuiltIn(role);
      const email = `${newId('user')}@example.com`;
      const row = invitedUser(account.id, { ...held, email, name: `${role} of ${account.id}` });
      await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.users.insert(tx, row));
      const signedIn = await gateway.signIn(account, row);
      const call = (method: string, path: string, body: object = {}, headers = {}) =>
        gateway.send(method, path, body, { headers: { ...signedIn, ...headers } });
      const send = (method: string, path: string, body: object = {}, headers = {}) => call(method, `/v2/comments${path}`, body, headers);
      const comment = (body: object = {}) =>
        send('POST', '', { resource_type: 'campaign', resource_id: campaign, text: 'Is the link right?', ...body });
      return { id: row.id, name: row.name, email, call, send, comment };
    }

    async function keyOf(grant: Parameters<typeof gateway.makeKey>[0]) {
      const key: RequestOptions['key'] = await gateway.makeKey({ account, ...grant });
      return (method: string, path: string, body: object = {}) => gateway.send(method, `/v2/comments${path}`, body, { key });
    }

    /** The author and the target of each entry of the audit log with this action. */
    async function audited(action: string) {
      const key = await gateway.makeKey({ account });
      const { items } = (await gateway.send('GET', `/v2/settings/audit-log?action=${action}`, undefined, { key })).data;
      return items.map(({ actor_id, target_id }: Record<string, string>) => [actor_id, target_id]);
    }

    return { account, campaign, campaigns, user, keyOf, audited, parts, stores, gateway };
  };
}
