/**
 * What JSON Schema can say of fields that belong together, for `.meta` of the schema that checks it. Said with `if` and `then`,
 * which generators of clients pass over; of `anyOf`, `oneOf` and `not` they make types.
 */
type Constraint = Record<string, unknown>;

const absent = { not: {} };
const given = { not: { enum: [null] } };

/** Says of some members what they are, and of others nothing: linters take them for unknown unless that is said too. */
const where = (members: Record<string, object>, required: readonly string[] = []): Constraint => ({
  ...(required.length > 0 && { required: [...required] }),
  properties: members,
  additionalProperties: true,
});

const each = (names: readonly string[], schema: object) => Object.fromEntries(names.map((name) => [name, schema]));

/** Not a literal: what has a member `then` is taken for a promise where it is awaited. */
export const conditional = (condition: object, whenTrue: object, whenFalse?: object): Constraint =>
  Object.fromEntries([['if', condition], ['then', whenTrue], ...(whenFalse ? ([['else', whenFalse]] as const) : [])]);

/** One of them is there, and not null. */
export const atLeastOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  conditional(where(each(others, { enum: [null] })), where({ [first]: given }, [first]));

export const exactlyOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  others.length === 0 ? has(first) : conditional(has(first), where(each(others, absent)), exactlyOneOf(others));

export const atMostOneOf = ([first = '', ...others]: readonly string[]): Constraint =>
  others.length < 2
    ? conditional(has(first), where(each(others, absent)))
    : conditional(has(first), where(each(others, absent)), atMostOneOf(others));

export const has = (name: string) => where({ [name]: {} }, [name]);
