import { isEqual } from '../json/is-equal.ts';

type Lists<Item> = { before: readonly Item[]; mine: readonly Item[]; stored: readonly Item[] };

/**
 * What is stored, with the items that the user added, changed or removed since `before`. So the changes of two users to one list
 * are both kept.
 */
export function mergedList<Item>({ before, mine, stored }: Lists<Item>, keyOf: (item: Item) => string): Item[] {
  const byKey = (items: readonly Item[]) => new Map(items.map((item) => [keyOf(item), item]));
  const [old, edited, merged] = [byKey(before), byKey(mine), byKey(stored)];
  for (const key of old.keys()) if (!edited.has(key)) merged.delete(key);
  for (const [key, item] of edited) if (!isEqual(item, old.get(key))) merged.set(key, item);
  return [...merged.values()];
}
