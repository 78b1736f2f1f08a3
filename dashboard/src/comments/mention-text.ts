export type NamedUser = { id: string; name: string };

/** A part of a text: a mention of a user, such as `@Ada Lovelace`, or what is between two. */
export type TextPart = { text: string; at: number; user?: NamedUser };

/** What is typed after an `@` just before the caret, and where the `@` is; undefined elsewhere. */
export function typedMention(text: string, caret: number): { typed: string; at: number } | undefined {
  const [, typed] = /(?:^|[\s(])@([^\n@]{0,60})$/u.exec(text.slice(0, caret)) ?? [];
  return typed === undefined ? undefined : { typed, at: caret - typed.length - 1 };
}

/** The users whose name, or a word of it, begins with what is typed. */
export function suggested(users: readonly NamedUser[], typed: string): NamedUser[] {
  const wanted = typed.toLocaleLowerCase();
  return users.filter(({ name }) => {
    const lower = name.toLocaleLowerCase();
    return lower !== wanted && (lower.startsWith(wanted) || lower.includes(` ${wanted}`));
  });
}

/** The text with its mentions. The longest name counts; of users with the same name, the first. */
export function partsOf(text: string, users: readonly NamedUser[]): TextPart[] {
  const longestFirst = users.toSorted((a, b) => b.name.length - a.name.length);
  const parts: TextPart[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/(?<=^|[\s(])@/gu)) {
    const user = longestFirst.find(
      ({ name }) => text.startsWith(name, index + 1) && !/^[\p{L}\p{N}]/u.test(text.slice(index + 1 + name.length)),
    );
    if (!user) continue;
    if (index > from) parts.push({ text: text.slice(from, index), at: from });
    from = index + 1 + user.name.length;
    parts.push({ text: text.slice(index, from), at: index, user });
  }
  if (from < text.length) parts.push({ text: text.slice(from), at: from });
  return parts;
}

/** The users that the text mentions. `chosen` come first, so that one of two with the same name can be chosen. */
export function mentionedIn(text: string, users: readonly NamedUser[], chosen: readonly string[]): NamedUser[] {
  const ordered = users.toSorted((a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)));
  const found = partsOf(text, ordered).flatMap(({ user }) => user ?? []);
  return [...new Map(found.map((user) => [user.id, user])).values()];
}
