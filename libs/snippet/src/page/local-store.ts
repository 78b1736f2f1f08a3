/** A value in `localStorage`, unless the browser forbids it. */
export function readLocally(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value, or deletes it if it is undefined. Returns nothing: the storage may be full or forbidden. */
export function storeLocally(name: string, value: string | undefined) {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The value is not stored.
  }
}
