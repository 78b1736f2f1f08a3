import { type Contact, emailKey } from '@mp/contracts/contact';
import { z } from 'zod';
import { type ContactChange, type Identity, identities } from './contact-body.ts';

export const MatchOn = z
  .enum([...identities, 'any'])
  .describe(
    'The identifier that rows are matched on. `email` (default): the email; in a row without one, the external_id; in a row without ' +
      'both, the phone. `external_id` and `phone`: only that identifier, which every row must then have. `any` means the same as `email`.',
  );
export type MatchOn = z.infer<typeof MatchOn>;

/** How rows find their contacts, and whether they may change stronger identifiers. */
export type Matching = { matchOn: MatchOn; changeIdentifiers: boolean };

/** A boolean query parameter. */
export const trueOrFalse = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

export const changeIdentifiersText =
  'Allows a row to change an identifier of its contact that is stronger than the one it was matched on: the email when matched on ' +
  'external_id, the email and the external_id when matched on phone. Without it, such a row is a conflict.';

/** The identifiers a row can be matched on; the first one it has is used. */
export const matchable = (matchOn: MatchOn): readonly Identity[] => (matchOn === 'email' || matchOn === 'any' ? identities : [matchOn]);

export const matchedOn = (row: ContactChange, matchOn: MatchOn): Identity | undefined =>
  matchable(matchOn).find((name) => row[name] != null);

/** Two values are the same identifier if their keys are equal. */
export const identityKey = (name: Identity, value: string) => `${name} ${name === 'email' ? emailKey(value) : value}`;

/**
 * A stronger identifier than the one the row was matched on, for which the contact has a different value than the row.
 * Phones are shared and external ids reused, so without the same email the two may be different people.
 */
export function contradicted(row: ContactChange, contact: Contact, on: Identity): Identity | undefined {
  const stronger = identities.slice(0, identities.indexOf(on));
  return stronger.find((name) => {
    const [said, known] = [row[name], contact[name]];
    if (said === undefined || known === null) return false;
    return said === null || identityKey(name, said) !== identityKey(name, known);
  });
}

/** A row that found its contact by the email keeps the spelling that the contact has, such as its capitals. */
export const spelledAs = <Row extends ContactChange>({ email }: Pick<Contact, 'email'>, row: Row, on: Identity | undefined): Row =>
  on === 'email' && email !== null ? { ...row, email } : row;

export const contradiction = (name: Identity, on: Identity, contact: string) =>
  `${contact} has this ${on} but a different ${name}; update it by its id, or send change_identifiers to replace its ${name}.`;
