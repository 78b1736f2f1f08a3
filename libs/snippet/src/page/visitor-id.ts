import { randomId } from './page-event.ts';

export type StorageKind = 'none' | 'local' | 'cookie';

const name = 'mp_id';
const yearSeconds = 31_536_000;

/** `localStorage`, unless the browser forbids it. */
export function localStore(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

function write(kind: StorageKind, id: string, seconds: number) {
  if (kind === 'local') {
    if (seconds) localStore()?.setItem(name, id);
    else localStore()?.removeItem(name);
  }
  if (kind === 'cookie')
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
    document.cookie = `${name}=${id}; path=/; max-age=${seconds}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
}

const read = (kind: StorageKind) => (kind === 'local' ? localStore()?.getItem(name) : document.cookie.match(/(?:^|; )mp_id=([\w-]+)/)?.[1]);

/** The stored ID of the visitor, created when it is first needed; none if nothing is to be stored. */
export function visitorId(kind: StorageKind): string | undefined {
  if (kind === 'none') return undefined;
  const id = read(kind) ?? randomId();
  write(kind, id, yearSeconds);
  return id;
}

export const forgetVisitor = (kind: StorageKind) => write(kind, '', 0);
