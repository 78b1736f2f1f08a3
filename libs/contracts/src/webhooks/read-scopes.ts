import { type Grant, refusal, type Scope } from '../permissions.ts';

/** The scope that reads in the API what events of a group are about. Whoever reads events needs it, too. */
const readScopes: Readonly<Record<string, Scope>> = {
  contact: 'contacts:read',
  import: 'contacts:read',
  export: 'contacts:read',
  form: 'contacts:read',
  segment: 'segments:read',
  campaign: 'campaigns:read',
  message: 'campaigns:read',
  event: 'leadpulse:read',
  visitor: 'leadpulse:read',
  workflow: 'workflows:read',
  api_key: 'settings:read',
  audit_entry: 'settings:read',
};

/** Whether `*` includes events of this type. The audit log has to be named, because whoever receives it must be able to read it in the API. */
export const isInAll = (type: string) => !type.startsWith('audit_entry.');

/** Why a credential may not read events of this type, or of this group such as `contact.*`; undefined if it may. */
export function eventRefusal(grant: Grant, type: string): string | undefined {
  const scope = readScopes[type.split('.')[0] ?? ''];
  // A group that is missing above is read by nobody; a test says so.
  return scope === undefined ? `Events of the type ${type} cannot be read.` : refusal(grant, 'GET', scope);
}
