import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { outward } from '@mp/service-kit/maintenance';
import { serveScript } from '@mp/service-kit/serve-script';
import type { Parts } from '@mp/service-kit/service-parts';
import type { Suspended } from '@mp/service-kit/suspensions';
import { latestOf, releasesOf } from '@mp/snippet/releases';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { RemoveContact, SaveContacts } from '../contacts/save-contacts.ts';
import type { LeftoversStore } from '../erasures/leftovers-store.ts';
import type { AddMembers } from '../segments/segment-members.ts';
import type { TimelineStore } from '../timeline/timeline-store.ts';
import type { AdditionsStore } from './additions-store.ts';
import { createAdditionsRunner } from './additions-worker.ts';
import { type CaptchasStore, createCaptcha } from './captcha.ts';
import { createConfirm } from './confirm.ts';
import { confirmForm } from './confirm-form.ts';
import type { FormCountsStore } from './form-counts-store.ts';
import type { FormsStore } from './forms-store.ts';
import { createLimitSubmissions } from './limit-submissions.ts';
import { createNoteFlood } from './note-flood.ts';
import { createOptInRunner } from './opt-in-worker.ts';
import type { OptInsStore } from './opt-ins-store.ts';
import { createReceiveSubmission } from './receive-submission.ts';
import { createRecordFormEvent } from './record-form-event.ts';
import { createRequestConfirmation } from './request-confirmation.ts';
import type { SubmissionsStore } from './submissions-store.ts';
import { createSubmit } from './submit.ts';
import { submitForm } from './submit-form.ts';

type Wiring = {
  parts: Pick<Parts, 'mongo' | 'outbox' | 'logger'>;
  stores: {
    contacts: ContactsStore;
    consentLog: ConsentLogStore;
    leftovers: LeftoversStore;
    timeline: TimelineStore;
    forms: FormsStore;
    optIns: OptInsStore;
    submissions: SubmissionsStore;
    additions: AdditionsStore;
    captchas: CaptchasStore;
    formCounts: FormCountsStore;
  };
  loadContext: LoadContext;
  saveContacts: SaveContacts;
  removeContact: RemoveContact;
  addMembers: AddMembers;
  suspended: Suspended;
  linkKeys: Keyring;
};

/** What visitors of forms can do, and the work that follows from it. */
export function createForms({ parts: { mongo, outbox, logger }, stores, suspended, linkKeys, ...contactParts }: Wiring) {
  const { loadContext, saveContacts, removeContact, addMembers } = contactParts;
  const { contacts, consentLog, leftovers, timeline, forms, optIns, submissions, additions, captchas, formCounts } = stores;
  const limits = createLimitSubmissions();
  const requestConfirmation = createRequestConfirmation({ optIns, outbox, linkKeys });
  const recordFormEvent = createRecordFormEvent({ outbox, timeline });
  const written = { mongo, contacts, loadContext, saveContacts, optIns, additions, formCounts, recordFormEvent };
  const noteFlood = createNoteFlood({ mongo, outbox, forms });
  const { submit, dryRun } = createSubmit({ ...written, submissions, requestConfirmation, noteFlood });
  const confirm = createConfirm({ ...written, suspended, linkKeys });
  const captcha = createCaptcha({ captchas, linkKeys });
  const receiver = createReceiveSubmission({ forms, limits, captcha, submit, noteFlood, suspended, linkKeys });

  return {
    requestConfirmation,
    dryRun,

    addPages(app: Server) {
      confirmForm(app, { confirm, limits });
      submitForm(app, { receiver, captcha, formCounts, linkKeys });
      for (const name of ['embed', 'frame', 'proof'] as const)
        serveScript(app, '/f', { name, latest: latestOf(name), releases: releasesOf(name) });
    },
    background: [
      outward(
        createOptInRunner({
          ...{ mongo, logger, contacts, consentLog, leftovers, loadContext, saveContacts, removeContact, optIns, submissions },
          ...{ requestConfirmation, suspended },
        }),
      ),
      createAdditionsRunner({ additions, addMembers, logger }),
    ],
  };
}
