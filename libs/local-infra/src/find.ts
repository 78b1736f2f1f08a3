import { type Binary, isAtLeast, onPath, probe, seriesOf } from './binary.ts';

export type Report = (line: string) => void;

/** One way to come by a program. It answers a path, says nothing when it does not apply here, or fails with the reason. */
export type Way = { what: string; find: (report: Report) => Promise<string | undefined> };

export type Search = {
  program: string;
  /** The oldest version the platform runs on. */
  least: string;
  /** The server that opened the data folder last time. */
  before?: Binary | undefined;
  dataFolder: string;
  ways: readonly Way[];
  /** What to do when no way works, one line each. */
  advice: readonly string[];
};

/**
 * Tries each way in turn. The program that wrote the data opens it again, or one of its series:
 * another would refuse the files, or change them so that the first one does.
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
  throw new Error([summaryOf(search), 'Tried:', ...tried, 'Ways out:', ...search.advice.map((line) => `  - ${line}`)].join('\n'));
}

/** The program, or in words why this way did not give it. */
async function attempt(way: Way, { program, least, before }: Search, report: Report): Promise<Binary | string> {
  try {
    const path = await way.find(report);
    if (path === undefined) return 'not there';
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
  if (!before) return `There is no ${program} on this machine and none could be fetched.`;
  return (
    `${dataFolder} was written by ${program} ${before.version} (${before.path}), which is not there any more, and no other of that series was found.\n` +
    'Bring it back, or move that folder away to begin with empty data.'
  );
}
