/** `localStorage`, unless the browser forbids it. */
export function localStore(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** Stores a value, or deletes it if it is undefined. */
export function storeLocally(name: string, value: string | undefined) {
  try {
    if (value === undefined) localStore()?.removeItem(name);
    else localStore()?.setItem(name, value);
  } catch {
    // The storage is full.
  }
}
