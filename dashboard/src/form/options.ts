/** The options of a select, from labels by value. */
export const optionsOf = <Value extends string>(names: Readonly<Record<Value, string>>) =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }));

/** The selected value, if it is one of the options. */
export const optionIn = <Value extends string>(names: Readonly<Record<Value, string>>, value: string): Value | undefined =>
  isOption(names, value) ? value : undefined;

const isOption = <Value extends string>(names: Readonly<Record<Value, string>>, value: string): value is Value =>
  Object.hasOwn(names, value);
