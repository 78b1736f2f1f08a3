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
import { createAdmission } from './admit-submission.ts';
import { type CaptchasStore, createCaptcha } from './captcha.ts';
import { createConfirmations } from './carry-out-confirmation.ts';
import { createCarryOutSubmission } from './carry-out-submission.ts';
import { confirmationLinkRoutes } from './confirmation-link-routes.ts';
import type { FormCountsStore } from './form-counts-store.ts';
import type { FormsStore } from './forms-store.ts';
import { createLimitSubmissions } from './limit-submissions.ts';
import { createNoteFlood } from './note-flood.ts';
import { createOptInRunner } from './opt-in-worker.ts';
import type { OptInsStore } from './opt-ins-store.ts';
import { publicFormRoutes } from './public-form-routes.ts';
import { createRecordFormEvent } from './record-form-event.ts';
import { createRequestConfirmation } from './request-confirmation.ts';
import type { SubmissionsStore } from './submissions-store.ts';

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
  const { carryOutSubmission, dryRun } = createCarryOutSubmission({ ...written, submissions, requestConfirmation, noteFlood });
  const confirmations = createConfirmations({ ...written, suspended, linkKeys });
  const captcha = createCaptcha({ captchas, linkKeys });
  const admission = createAdmission({ forms, limits, captcha, carryOutSubmission, noteFlood, suspended, linkKeys });

  return {
    requestConfirmation,
    dryRun,

    addPages(app: Server) {
      confirmationLinkRoutes(app, { confirmations, limits });
      publicFormRoutes(app, { admission, captcha, formCounts, linkKeys });
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
