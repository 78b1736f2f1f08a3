import { RequestFailed } from '../api/errors.ts';

/** Messages of the API by the path of the value in a rule, such as `/all/0/sequence/1/event`. */
export type RuleErrors = ReadonlyMap<string, string>;

export const noErrors: RuleErrors = new Map();

/** What an API error says about the definition of a segment. */
export const ruleErrors = (error: Error | null): RuleErrors =>
  errorsBelow(
    new Map(
      (error instanceof RequestFailed ? error.details : []).flatMap(({ path, message }): [string, string][] =>
        path !== undefined && message !== undefined ? [[path, message]] : [],
      ),
    ),
    '/definition',
  );

/** The errors of one part, by their paths in it; the path of the part itself is empty. */
export const errorsBelow = (errors: RuleErrors, path: string): RuleErrors =>
  new Map(
    [...errors].flatMap(([at, message]): [string, string][] => (`${at}/`.startsWith(`${path}/`) ? [[at.slice(path.length), message]] : [])),
  );

/** The first message about a value or what it contains. */
export const errorAt = (errors: RuleErrors, path: string): string | undefined =>
  errors.get(path) ?? errorsBelow(errors, path).values().next().value;
