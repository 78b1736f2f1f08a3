import { AttributeTypesOf } from '@mp/contracts/requests/contacts';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { MessageTemplates } from '@mp/templates/message';
import type { Templates } from '@mp/templates/templates';

const replyMs = 1_000;
const maxKeys = 100;

export type FindUnknownAttributes = ReturnType<typeof createFindUnknownAttributes>;

/** The attributes that an email reads and no contact of the account has ever had. None without a reply from contacts. */
export const createFindUnknownAttributes =
  ({ broker, templates }: { broker: Pick<Broker, 'request' | 'ready'>; templates: Pick<Templates, 'attributesOf'> }) =>
  async (accountId: AccountId, versions: readonly MessageTemplates[]): Promise<string[]> => {
    const found = new Set<string>();
    for (const { subject, preview_text, html, text } of versions)
      for (const key of await templates.attributesOf({ accountId, templates: { subject, preview_text, html, text } })) found.add(key);
    const keys = [...found].filter((key) => key.length <= 200).slice(0, maxKeys);
    if (keys.length === 0 || !broker.ready()) return [];
    try {
      const { types } = await broker.request(AttributeTypesOf, { account_id: accountId, keys }, replyMs);
      return keys.filter((key) => !Object.hasOwn(types, key));
    } catch {
      return [];
    }
  };
