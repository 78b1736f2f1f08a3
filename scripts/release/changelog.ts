const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## )/m;

/** What users notice of the next release. Throws if there is nothing, because then there is nothing to release. */
export function notesOf(changelog: string): string {
  const notes = unreleased.exec(changelog)?.[1]?.trim() ?? '';
  if (notes === '') throw new Error('CHANGELOG.md has nothing under Unreleased, so there is nothing to release.');
  return notes;
}

/** The changelog after the release: the notes under their version, and an empty section for what comes next. */
export const released = (changelog: string, version: string, date: string): string =>
  changelog.replace(unreleased, (_, notes: string) => `## Unreleased\n\n## ${version} - ${date}\n\n${notes.trim()}\n\n`);
