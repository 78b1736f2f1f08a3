import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../contract.ts';
import type { RecordedOperation } from './fixtures.ts';
import type { RecordedExamples } from './normalise-examples.ts';

/**
 * The new examples, with the previous example wherever request, status and shape of the response are equal. What depends on
 * timing, such as a status or a count, then does not change with every recording.
 */
export const keepUnchanged = (recorded: RecordedExamples, previous: RecordedExamples): RecordedExamples =>
  Object.fromEntries(
    Object.entries(recorded).map(([id, examples]) => [
      id,
      examples.map((example) => previous[id]?.find((other) => isUnchanged(example, other)) ?? example),
    ]),
  );

function isUnchanged({ answer: response, ...request }: RecordedOperation, { answer: before, ...previous }: RecordedOperation): boolean {
  return isDeepStrictEqual(request, previous) && hasShape(response, before);
}

/** Whether two values have the same fields. Null and an empty list have the shape of every value. */
function hasShape(value: Json, other: Json): boolean {
  if (value === null || other === null) return true;
  if (Array.isArray(value) && Array.isArray(other))
    return other.length === 0 || value.every((item) => other.some((known) => hasShape(item, known)));
  if (typeof value !== 'object' || typeof other !== 'object') return typeof value === typeof other;
  const names = Object.keys(value);
  return isDeepStrictEqual(names.toSorted(), Object.keys(other).toSorted()) && names.every((name) => hasShape(value[name], other[name]));
}
