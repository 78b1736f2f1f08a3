import { Email } from '@mp/contracts/contact';
import { ApiError, invalid, notFound } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import type { Keyring } from '@mp/contracts/keyring';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey, type Mongo } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { FindContacts, Named } from '../contacts/find-contacts.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import { pointed } from '../workflows/json-pointer.ts';
import type { Trigger } from '../workflows/trigger.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ChargeRequest } from './charge-request.ts';
import { type Hook, readHook } from './hook-token.ts';

type Deps = {
  mongo: Mongo;
  keys: Keyring;
  workflows: WorkflowsStore;
  contacts: ContactsStore;
  findContacts: FindContacts;
  startRuns: StartRuns;
  chargeRequest: ChargeRequest;
  suspended: Suspended;
};

type HookTrigger = Trigger & { type: 'webhook_received' };

/** The limits of one URL in this process, below those of the smallest plan, so that the other requests of the account continue. */
export const hookRate = { perSecond: 20, burst: 40 } as const;

const maxBodyBytes = 64 * 1024;
const maxDataBytes = 16 * 1024;

const Body = z
  .record(z.string(), z.unknown())
  .refine((data) => Buffer.byteLength(JSON.stringify(data)) <= maxDataBytes, 'expected at most 16 KiB');
const Params = z.object({ token: z.string() });

/** A key by which the sender marks a request that it repeats. */
const RequestKey = z.string().trim().min(1).max(255).optional().catch(undefined);

/** `POST /t/hooks/:token`: other systems start runs, without a key; the path is the secret. */
export function receiveHook(app: Server, { mongo, keys, workflows, contacts, findContacts, startRuns, chargeRequest, suspended }: Deps) {
  const requests = createTokenBuckets({ ...hookRate, max: 10_000 });

  /** Each URL has its own limit, so that one that was replaced cannot use up that of its successor. */
  function checkRate({ workflowId, generation }: Hook) {
    const retryAfter = requests.take(`${workflowId} ${generation}`, 1);
    if (retryAfter === 0) return;
    const { perSecond } = hookRate;
    throw new ApiError('RATE_LIMITED', `This URL accepts ${perSecond} requests per second; slow down.`, {
      retryAfter,
      details: [{ limit: perSecond, used: perSecond, reset_at: new Date(Date.now() + retryAfter * 1_000).toISOString() }],
    });
  }

  /** The workflow that the URL belongs to now. Throws NOT_FOUND and INVALID_STATE. */
  async function activeWorkflow({ accountId, workflowId, generation }: Hook, tx?: Parameters<WorkflowsStore['find']>[2]) {
    const workflow = await workflows.find(accountId, workflowId, tx);
    const trigger = workflow?.trigger;
    if (trigger?.type !== 'webhook_received' || trigger.generation !== generation) throw notFound();
    if (workflow?.status !== 'active') throw new ApiError('INVALID_STATE', `The workflow is ${workflow?.status}; activate it first.`);
    return { workflow, trigger };
  }

  async function contactNamed(accountId: AccountId, trigger: HookTrigger, body: unknown) {
    const [found] = await findContacts(accountId, [namedIn(trigger, body)]);
    if (!found) throw unknownContact(trigger);
    return found.id;
  }

  app.post(
    '/t/hooks/:token',
    { config: { bodyLimit: maxBodyBytes }, schema: { hide: true, params: Params, querystring: z.object({}).loose(), body: Body } },
    async (request, reply) => {
      const hook = readHook(keys, request.params.token);
      if (!hook) throw notFound();
      const { accountId } = hook;
      if (suspended.has(accountId)) throw new ApiError('ACCOUNT_SUSPENDED', 'The account of this workflow is suspended.');
      checkRate(hook);
      const { trigger } = await activeWorkflow(hook);
      await chargeRequest(reply, hook);
      const contactId = await contactNamed(accountId, trigger, request.body);
      const key = RequestKey.parse(request.headers['webhook-id'] ?? request.headers['idempotency-key']);

      const begin = () =>
        mongo.transaction(
          { correlationId: request.id, causationId: null },
          async (tx) => {
            const { workflow } = await activeWorkflow(hook, tx);
            // A contact that was merged in the meantime enters as the survivor.
            const survivor = await contacts.lockSurvivor(tx, accountId, contactId);
            if (survivor === undefined) throw unknownContact(trigger);
            const entrant = { contactId: survivor, data: request.body, ...(key !== undefined && { key: `hook ${key}` }) };
            return startRuns(tx, [{ accountId, workflow, trigger: { type: trigger.type, event_id: null }, entrant }]);
          },
          { contendsFor: contactId },
        );
      // A concurrent request started a run; the second attempt finds it.
      const [entered] = await begin().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return begin();
      });
      const started = entered !== undefined && 'run' in entered;
      const run_id = started ? entered.run.id : (entered?.existing ?? null);
      return reply.status(202).send({ success: true, data: { run_id, started } });
    },
  );
}

const pathOf = ({ contact }: HookTrigger) => contact.email ?? contact.contact_id ?? '';

const unknownContact = (trigger: HookTrigger) => invalid(pathOf(trigger), 'unknown_contact', 'The account has no such contact.');

/** The contact that the body names where the trigger says. Throws VALIDATION_ERROR. */
function namedIn(trigger: HookTrigger, body: unknown): Named {
  const path = pathOf(trigger);
  const value = pointed(body, path);
  if (trigger.contact.email !== undefined) {
    const email = z.string().trim().normalize('NFC').pipe(Email).safeParse(value);
    if (!email.success) throw invalid(path, 'invalid_format', `Expected the email address of a contact at ${path}.`);
    return { email: email.data };
  }
  const id = contactId.min(1).max(100).safeParse(value);
  if (!id.success) throw invalid(path, 'invalid_format', `Expected the id of a contact at ${path}.`);
  return { contact_id: id.data };
}
