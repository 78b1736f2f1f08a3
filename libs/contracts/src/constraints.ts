/**
 * JSON Schema for constraints across fields, to pass to `.meta` of the zod schema that enforces them. Written with `if` and `then`,
 * which client generators ignore; they would turn `anyOf`, `oneOf` and `not` into types.
 */
type Constraint = Record<string, unknown>;

const absent = { not: {} };
const given = { not: { enum: [null] } };

/** Constrains some fields and allows any others: linters report the others as unknown unless that is said explicitly. */
const where = (members: Record<string, object>, required: readonly string[] = []): Constraint => ({
  ...(required.length > 0 && { required: [...required] }),
  properties: members,
  additionalProperties: true,
});

const each = (names: readonly string[], schema: object) => Object.fromEntries(names.map((name) => [name, schema]));

/** Built from entries, because an object with a property `then` would be treated as a promise when awaited. */
export const conditional = (condition: object, whenTrue: object, whenFalse?: object): Constraint =>
  Object.fromEntries([['if', condition], ['then', whenTrue], ...(whenFalse ? ([['else', whenFalse]] as const) : [])]);

/** At least one of the fields is present and not null. */
export const atLeastOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  conditional(where(each(others, { enum: [null] })), where({ [first]: given }, [first]));

export const exactlyOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  others.length === 0 ? has(first) : conditional(has(first), where(each(others, absent)), exactlyOneOf(others));

export const atMostOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  others.length < 2
    ? conditional(has(first), where(each(others, absent)))
    : conditional(has(first), where(each(others, absent)), atMostOneOf(others));

export const has = (name: string) => where({ [name]: {} }, [name]);
