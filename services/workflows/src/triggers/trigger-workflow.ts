import { exactlyOneOf } from '@mp/contracts/constraints';
import { Email } from '@mp/contracts/contact';
import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import { contactId, runId, workflowId } from '@mp/contracts/ids';
import type { ContactId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { FindContacts, Named } from '../contacts/find-contacts.ts';
import type { Entered, StartRuns } from '../runs/start-runs.ts';
import { requireSendPermission } from '../workflows/require-send-permission.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';

const email = z.string().trim().normalize('NFC').pipe(Email);
const givenId = contactId.min(1).max(100);

const maxDataBytes = 16 * 1024;

/** All runs of a request start in one transaction, which MongoDB 4.0 limits to 16 MiB; the runs without data need up to 5 MiB. */
const maxDataBytesTotal = 8 * 1024 * 1024;
const bytesOf = (data: unknown) => Buffer.byteLength(JSON.stringify(data ?? {}));

const RunData = z
  .record(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected up to 64 letters, digits, _ or -'), z.unknown())
  .refine((data) => bytesOf(data) <= maxDataBytes, 'expected at most 16 KiB')
  .describe('Stored with each run and passed to its webhooks. At most 16 KiB, and 8 MiB for all contacts of a request together.');

const Item = z.union([z.strictObject({ contact_id: givenId }), z.strictObject({ email })], 'expected {"contact_id": …} or {"email": …}');

const TriggerBody = z
  .strictObject({
    contact_id: givenId.optional().describe('A single contact, by its id.'),
    email: email.optional().describe('A single contact, by its email address.'),
    contacts: z.array(Item).min(1).max(1_000).optional().describe('Up to 1,000 contacts, each by its id or its email address.'),
    data: RunData.optional(),
  })
  .refine(({ contact_id, email, contacts }) => [contact_id, email, contacts].filter((one) => one !== undefined).length === 1, {
    path: ['contact_id'],
    message: 'expected exactly one of contact_id, email and contacts',
  })
  .refine(({ contacts = [], data }) => contacts.length * bytesOf(data) <= maxDataBytesTotal, {
    path: ['data'],
    message: 'expected at most 8 MiB for all contacts together, such as 8 KiB each for 1,000 contacts',
  })
  .meta(exactlyOneOf(['contact_id', 'email', 'contacts']));

const Triggered = z.object({
  workflow_id: workflowId.describe('The triggered workflow.'),
  runs: z
    .array(
      z.object({
        contact_id: contactId.nullable().describe('The contact; null if it was named by an unknown email address.'),
        email: z.string().nullable().describe('As in the request.'),
        run_id: runId.nullable().describe('The started run, or null.'),
        error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why no run started.'),
      }),
    )
    .describe('One entry per contact, in the order of the request.'),
});

type Deps = { workflows: WorkflowsStore; contacts: ContactsStore; findContacts: FindContacts; startRuns: StartRuns; transact: Transact };

export function triggerWorkflow(app: Server, { workflows, contacts: store, findContacts, startRuns, transact }: Deps) {
  app.post(
    '/v2/workflows/:id/trigger',
    {
      config: { scope: 'workflows:write' },
      schema: {
        operationId: 'triggerWorkflow',
        summary: 'Trigger a workflow',
        description:
          'Starts runs for one contact or for up to 1,000, whatever the trigger of the workflow; it must be active (otherwise 409 `INVALID_STATE`). ' +
          'For a single contact, an unknown contact fails with 400, and a contact that the entry policy does not admit with 409 `CONFLICT`, which names its run. ' +
          'For several contacts, each one has its own result.',
        params: z.object({ id: workflowId }),
        body: TriggerBody,
        response: { 202: success(Triggered) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { contact_id, email, contacts, data = {} } = request.body;
      const named: Named[] = contacts ?? (contact_id === undefined ? [{ email: email ?? '' }] : [{ contact_id }]);

      const begin = () =>
        transact(
          request,
          reply,
          async (tx, found) => {
            const workflow = await workflows.get(accountId, request.params.id, tx);
            await requireSendPermission(workflows, request.principal, workflow.steps, tx);
            if (workflow.status !== 'active') {
              throw new ApiError(
                'INVALID_STATE',
                `The workflow is ${workflow.status}; activate it first: POST /v2/workflows/${workflow.id}/activate.`,
              );
            }
            // A contact that was merged in the meantime enters as the survivor.
            const known = found.flatMap((contactId) => (contactId === undefined ? [] : [{ accountId, contactId }]));
            const survivors = await store.lockSurvivors(tx, known);
            const present = found.map((id) => id && survivors.get(id));
            const trigger = { type: 'api', event_id: null };
            const starts = present.flatMap((contactId) =>
              contactId === undefined ? [] : [{ accountId, workflow, trigger, entrant: { contactId, data } }],
            );
            const entered = await startRuns(tx, starts);
            const results = resultsOf(named, present, entered);
            if (contacts === undefined) refuseSingle(named, results);
            const [{ run_id = null } = {}] = contacts === undefined ? results : [];
            const location = run_id === null ? `/v2/workflows/${workflow.id}/runs` : `/v2/workflows/runs/${run_id}`;
            return { status: 202, data: { workflow_id: workflow.id, runs: results }, location };
          },
          {
            before: async () => {
              await workflows.get(accountId, request.params.id);
              return (await findContacts(accountId, named)).map((contact) => contact?.id);
            },
          },
        );
      // A concurrent request started a run for one of them; the second attempt finds it.
      return begin().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return begin();
      });
    },
  );
}

type Result = z.output<typeof Triggered>['runs'][number];

function resultsOf(named: readonly Named[], found: readonly (ContactId | undefined)[], entered: readonly Entered[]): Result[] {
  let next = 0;
  return named.map((one, index) => {
    const contact = found[index];
    const given = { contact_id: contact ?? ('contact_id' in one ? one.contact_id : null), email: 'email' in one ? one.email : null };
    if (!contact) return { ...given, run_id: null, error: { code: 'NOT_FOUND', message: 'The account has no such contact.' } };
    const outcome = entered[next];
    next += 1;
    if (outcome && 'run' in outcome) return { ...given, run_id: outcome.run.id, error: null };
    const message = `The entry policy does not admit the contact again; its run is ${outcome?.existing}.`;
    return { ...given, run_id: null, error: { code: 'CONFLICT', message } };
  });
}

function refuseSingle([one]: readonly Named[], [result]: readonly Result[]) {
  if (!one || !result?.error) return;
  const path = 'email' in one ? '/email' : '/contact_id';
  if (result.error.code === 'NOT_FOUND') throw invalid(path, 'unknown_contact', result.error.message);
  throw new ApiError('CONFLICT', result.error.message, { details: [{ path, code: 'already_entered', message: result.error.message }] });
}
