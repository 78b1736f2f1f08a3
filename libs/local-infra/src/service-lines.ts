import { inspect, stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';

const colours = [pc.cyan, pc.magenta, pc.blue, pc.green, pc.yellow, pc.white];
const levels: Record<number, string> = { 30: pc.green('info'), 40: pc.yellow('warn'), 50: pc.red('error'), 60: pc.red('fatal') };
const ordinary = new Set(['level', 'time', 'pid', 'hostname', 'service', 'msg', 'err', 'name', 'v']);

/** Formats a log line of a service for the console; undefined for lines that only go to the log file. */
export function createLineFormat(name: string, index: number, leastLevel: number) {
  const colour = colours[index % colours.length] ?? pc.white;
  const label = colour(name.padEnd(9));

  return (line: string, from: 'stdout' | 'stderr'): string | undefined => {
    const entry = parse(line);
    if (!entry) return (from === 'stderr' || leastLevel <= 30) && line.trim() !== '' ? `${label} ${line}` : undefined;
    if (entry.level < leastLevel) return undefined;
    const level = levels[Math.floor(entry.level / 10) * 10] ?? String(entry.level);
    const rest = Object.entries(entry).filter(([member]) => !ordinary.has(member));
    const extra =
      rest.length > 0 ? pc.dim(` ${inspect(Object.fromEntries(rest), { breakLength: Number.POSITIVE_INFINITY, depth: 3 })}`) : '';
    const stack = stackOf(entry.err);
    return `${label} ${level} ${clean(entry.msg)}${extra}${stack ? `\n${pc.dim(stack)}` : ''}`;
  };
}

type Entry = { level: number; msg?: unknown; err?: unknown };

function parse(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && 'level' in value && typeof value.level === 'number';
}

/** Removes control sequences from outside text, which could manipulate the terminal. */
const clean = (text: unknown) => (typeof text === 'string' ? stripVTControlCharacters(text) : '');

function stackOf(err: unknown): string | undefined {
  if (typeof err !== 'object' || err === null) return undefined;
  const text = 'stack' in err ? err.stack : 'message' in err ? err.message : undefined;
  return typeof text === 'string' ? clean(text) : undefined;
}
