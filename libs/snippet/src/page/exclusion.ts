import { readLocally, storeLocally } from './local-store.ts';

const name = 'mp_excluded';

/** Whether visits with this browser are excluded on this origin, such as those of the site's own people. */
export const isExcluded = (): boolean => readLocally(name) === '1';

export const storeExclusion = (excluded: boolean) => storeLocally(name, excluded ? '1' : undefined);
