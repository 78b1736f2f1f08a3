import { type Binary, isAtLeast, onPath, probe, seriesOf } from './binary.ts';

export type Report = (line: string) => void;

/** One way to get a program. Returns its path, undefined when it does not apply, or throws with the reason. */
export type Way = { what: string; find: (report: Report) => Promise<string | undefined> };

export type Search = {
  program: string;
  /** The oldest version the platform runs on. */
  least: string;
  /** The server that used the data folder last time. */
  before?: Binary | undefined;
  dataFolder: string;
  ways: readonly Way[];
  /** What the user can do when no way works, one line each. */
  advice: readonly string[];
};

/**
 * Tries each way in turn. Existing data is only opened by the program that wrote it or one of the same series: another one would
 * reject the files, or change them so that the first one does.
 */
export async function findProgram(search: Search, report: Report): Promise<Binary> {
  const { program, before, ways } = search;
  const again = before && (await probe(before.path));
  if (again && again.version === before.version) return again;

  const tried: string[] = [];
  for (const way of [{ what: 'PATH', find: async () => onPath(program) }, ...ways]) {
    const outcome = await attempt(way, search, report);
    if (typeof outcome !== 'string') return outcome;
    tried.push(`  ${way.what}: ${outcome}`);
  }
  throw new Error([summaryOf(search), 'Tried:', ...tried, 'What you can do:', ...search.advice.map((line) => `  - ${line}`)].join('\n'));
}

/** The program, or the reason why this way failed. */
async function attempt(way: Way, { program, least, before }: Search, report: Report): Promise<Binary | string> {
  try {
    const path = await way.find(report);
    if (path === undefined) return 'not found';
    const found = await probe(path);
    if (!found) return `${path} does not run on this machine`;
    if (!isAtLeast(found.version, least)) return `${path} is ${found.version}; ${program} ${least} or newer is needed`;
    if (before && seriesOf(found.version) !== seriesOf(before.version)) return `${path} is ${found.version}`;
    return found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function summaryOf({ program, before, dataFolder }: Search): string {
  if (!before) return `${program} is not installed and could not be downloaded.`;
  return (
    `${dataFolder} was written by ${program} ${before.version} (${before.path}), which no longer exists, ` +
    'and no other version of its series was found.\n' +
    'Install it again, or move that folder to start with empty data.'
  );
}
