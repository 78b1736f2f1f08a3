import { base, en, Faker } from '@faker-js/faker';
import { isId } from '@mp/ids';
import type { Db } from 'mongodb';
import { createFormCountsStore } from '../../services/contacts/src/forms/form-counts-store.ts';
import type { DemoForm } from './sign-ups.ts';

const dayMs = 24 * 60 * 60_000;
const confirmedAfterMs = 7 * 60_000;
/** How many visitors see the form for each that signs up. */
const viewsPerSignUp = { min: 6, max: 18 };

type Dating = { accountId: string; form: DemoForm; contacts: Db; leadpulse: Db };

/** Dates sign-ups back: the form, its counts, its contacts, and since when their orders count for the form. */
export async function dateForm({ accountId, form: { id: formId, signUps }, contacts: db, leadpulse }: Dating) {
  const [first] = signUps;
  if (!first || !isId('account', accountId) || !isId('form', formId)) return;
  const own = { account_id: accountId };
  const counts = createFormCountsStore(db);
  const rows = db.collection('form_counts');
  const confirmations = await db
    .collection('opt_ins')
    .find({ ...own, form_id: formId, state: 'confirmed' })
    .project({ contact_id: 1 })
    .toArray();
  const confirmed = new Set(confirmations.map(({ contact_id }) => contact_id));
  await rows.deleteMany({ ...own, form_id: formId });
  const created = new Date(first.at.getTime() - dayMs);
  await db.collection('forms').updateOne({ ...own, name: 'Newsletter' }, { $set: { created_at: created, updated_at: created } });
  const dice = new Faker({ locale: [en, base], seed: 30 });
  for (const { email, at, page, source } of signUps) {
    const contact = await db.collection('contacts').findOne({ ...own, email });
    if (!contact) continue;
    const ofContact = { ...own, contact_id: contact._id };
    const where = { page, source };
    for (let views = dice.number.int(viewsPerSignUp); views > 0; views -= 1) {
      const seen = new Date(Math.min(Date.now(), at.getTime() + dice.number.int({ min: -dayMs, max: dayMs })));
      await counts.add(accountId, { formId, at: seen, where, counts: { views: 1 } });
    }
    await counts.add(accountId, { formId, at, where, counts: { submissions: 1, new_contacts: 1, awaiting_confirmation: 1 } });
    const done = new Date(at.getTime() + confirmedAfterMs);
    if (confirmed.has(contact._id)) await counts.add(accountId, { formId, at: done, where, counts: { confirmations: 1 } });
    await db.collection('contacts').updateOne({ ...own, email }, { $set: { created_at: at } });
    await db.collection('form_submissions').updateMany(ofContact, { $set: { at } });
    await db.collection('opt_ins').updateMany({ ...ofContact, state: 'confirmed' }, { $set: { submitted_at: at, confirmed_at: done } });
    await db.collection('opt_ins').updateMany({ ...ofContact, state: 'open' }, { $set: { submitted_at: at } });
    await leadpulse.collection('form_contacts').updateMany(ofContact, { $set: { at } });
  }
}
