/** The choices of a select, from what each value is called. */
export const optionsOf = <Value extends string>(names: Readonly<Record<Value, string>>) =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }));

/** The choice that a select tells of, if it is one of them. */
export const optionIn = <Value extends string>(names: Readonly<Record<Value, string>>, value: string): Value | undefined =>
  isOption(names, value) ? value : undefined;

const isOption = <Value extends string>(names: Readonly<Record<Value, string>>, value: string): value is Value =>
  Object.hasOwn(names, value);
