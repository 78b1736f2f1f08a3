import { readLocally, storeLocally } from './local-store.ts';
import { randomId } from './page-event.ts';

export type StorageKind = 'none' | 'local' | 'cookie';

const name = 'mp_id';
const yearSeconds = 31_536_000;

function write(kind: StorageKind, id: string, seconds: number) {
  if (kind === 'local') storeLocally(name, seconds ? id : undefined);
  if (kind === 'cookie')
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
    document.cookie = `${name}=${id}; path=/; max-age=${seconds}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
}

/** The visitor of this page if its ID could not be stored. */
let unstored: string | undefined;

const read = (kind: StorageKind) => (kind === 'local' ? readLocally(name) : document.cookie.match(/(?:^|; )mp_id=([\w-]+)/)?.[1]);

/** The stored ID of the visitor, created when it is first needed; none if nothing is to be stored. */
export function visitorId(kind: StorageKind): string | undefined {
  if (kind === 'none') return undefined;
  const id = read(kind) ?? unstored ?? randomId();
  write(kind, id, yearSeconds);
  unstored = id;
  return id;
}

/** The stored ID of the visitor, wherever it is stored. */
export const storedVisitorId = (): string | null | undefined => read('local') ?? read('cookie');

export function forgetVisitor(kind: StorageKind) {
  unstored = undefined;
  write(kind, '', 0);
}
