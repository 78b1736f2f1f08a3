import type { ConsentStatus, Contact } from '@mp/contracts/contact';
import type { AccountId } from '@mp/ids';
import { type AttributeType, type AttributeTypes, typeOfValue } from '../attributes/attribute-type.ts';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { SuppressionOf, SuppressionsStore } from '../suppressions/suppressions-store.ts';

/** The account data that determines the result of a contact change: attribute types, suppressions and default consent. */
export type AccountContext = {
  /** The declared type, or else the type the caller stated. */
  typeOf: (attribute: string) => AttributeType | undefined;
  /** Whether the key is new to the account. */
  isNewKey: (attribute: string) => boolean;
  /** Registers the attributes of a contact about to be written, so that later contacts must use the same types. */
  learn: (attributes: Contact['attributes']) => void;
  /** The types of registered attributes whose keys are new to the account. */
  undeclared: () => AttributeTypes;
  /** Whether the account can have this many more keys. */
  hasRoomFor: (keys: number) => boolean;
  suppressionOf: SuppressionOf;
  defaultConsent: ConsentStatus;
  /** Whether it is enough for these contacts too. */
  cover: (contacts: readonly Wanted[]) => boolean;
};

/** The part of a contact to be written that determines which context is needed. */
export type Wanted = { email?: string | null | undefined; attributes?: Record<string, unknown> | null | undefined };

export type LoadContext = ReturnType<typeof createLoadContext>;

/**
 * Reads the context of some contacts. This can happen outside the transaction: a type never changes once declared (declaring
 * it twice restarts the transaction), and a suppression added at the same moment finds its contacts itself.
 */
export function createLoadContext({
  attributes,
  suppressions,
  settings,
}: {
  attributes: AttributesStore;
  suppressions: SuppressionsStore;
  settings: SettingsStore;
}) {
  return async function loadContext(
    accountId: AccountId,
    wanted: readonly Wanted[],
    stated: AttributeTypes = new Map(),
  ): Promise<AccountContext> {
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
    // Read after the room, so that a key declared in the meantime does not count as new.
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
