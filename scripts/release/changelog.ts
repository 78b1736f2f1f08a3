const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## )/m;

/**
 * What users notice of this release: the section of its version or, before it has one, what is unreleased. Throws if there is
 * nothing, because then there is nothing to release.
 */
export function notesOf(changelog: string, version: string): string {
  const [, own] = changelog.split(`\n## ${version} - `);
  const notes = (own?.replace(/^.*\n/, '').split(/^## /m)[0] ?? unreleased.exec(changelog)?.[1] ?? '').trim();
  if (notes === '') throw new Error('CHANGELOG.md has nothing under Unreleased, so there is nothing to release.');
  return notes;
}

/** The changelog after the release: the notes under their version, and an empty section for what comes next. */
export const released = (changelog: string, version: string, date: string): string =>
  changelog.replace(unreleased, (_, notes: string) => `## Unreleased\n\n## ${version} - ${date}\n\n${notes.trim()}\n\n`);
