import type { ConsentStatus, Contact } from '@mp/contracts/contact';
import { type AttributeType, type AttributeTypes, typeOfValue } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { SuppressionOf, SuppressionsStore } from '../suppressions/suppressions-store.ts';

/** What an account has said that decides what becomes of a contact. */
export type AccountFacts = {
  /** As it was declared, or else as whoever brings the key states. */
  typeOf: (attribute: string) => AttributeType | undefined;
  /** Whether the key would be one more of the account's. */
  isNewKey: (attribute: string) => boolean;
  /** Attributes of a contact that is going to be written: the next one of the same account must agree with them. */
  learn: (attributes: Contact['attributes']) => void;
  /** The types of those of them whose key has none yet. */
  undeclared: () => AttributeTypes;
  /** Whether the account may have so many more keys. */
  hasRoomFor: (keys: number) => boolean;
  suppressionOf: SuppressionOf;
  defaultConsent: ConsentStatus;
  /** Whether these facts are enough for these contacts too. */
  cover: (contacts: readonly Wanted[]) => boolean;
};

/** What is about to be written, as far as it decides which facts are needed. */
export type Wanted = { email?: string | null | undefined; attributes?: Record<string, unknown> | null | undefined };

export type LoadFacts = ReturnType<typeof createLoadFacts>;

/**
 * Reads the facts for some contacts. Outside the transaction: a type never changes once it is declared (declaring it
 * twice begins the transaction again), and a suppression that comes at the same moment looks for its contacts itself.
 */
export function createLoadFacts({
  attributes,
  suppressions,
  settings,
}: {
  attributes: AttributesStore;
  suppressions: SuppressionsStore;
  settings: SettingsStore;
}) {
  return async function loadFacts(accountId: string, wanted: readonly Wanted[], stated: AttributeTypes = new Map()): Promise<AccountFacts> {
    const keys = new Set(wanted.flatMap((one) => Object.keys(one.attributes ?? {})));
    const emails = new Set(wanted.flatMap(({ email }) => email ?? []));
    const [declared, suppressionOf, { default_consent: defaultConsent }] = await Promise.all([
      attributes.typesOf(accountId, [...keys]),
      suppressions.ofEmails(accountId, [...emails]),
      settings.of(accountId),
    ]);
    const undeclared = new Map<string, AttributeType>();
    const isNew = keys.size > declared.size;
    const room = isNew ? await attributes.room(accountId) : 0;
    // After the room: a key that was declared meanwhile takes none.
    const types = isNew ? await attributes.typesOf(accountId, [...keys]) : declared;
    return {
      typeOf: (key) => types.get(key) ?? stated.get(key),
      isNewKey: (key) => !types.has(key),
      learn(values) {
        for (const [key, value] of Object.entries(values)) {
          if (types.has(key)) continue;
          const type = stated.get(key) ?? typeOfValue(value);
          types.set(key, type);
          undeclared.set(key, type);
        }
      },
      undeclared: () => undeclared,
      hasRoomFor: (more) => undeclared.size + more <= room,
      suppressionOf,
      defaultConsent,
      cover: (contacts) =>
        contacts.every(
          ({ email, attributes }) => (email == null || emails.has(email)) && Object.keys(attributes ?? {}).every((key) => keys.has(key)),
        ),
    };
  };
}
