import { klaviyoArchive } from '@mp/move-in/klaviyo/archive';
import { listmonkArchive } from '@mp/move-in/listmonk/archive';
import { mailchimpArchive } from '@mp/move-in/mailchimp/archive';

/** The systems whose exports can be imported, by the name that mp import gives them. */
export const archives = { mailchimp: mailchimpArchive, klaviyo: klaviyoArchive, listmonk: listmonkArchive } as const;
export type System = keyof typeof archives;

export const systems = Object.entries(archives).map(([value, { title }]) => ({ value, label: title }));
export const isSystem = (name: string): name is System => Object.hasOwn(archives, name);
