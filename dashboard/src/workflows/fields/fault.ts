import { errorAt, errorsBelow, type RuleErrors } from '../../rules/rule-errors.ts';

/** The message about a field, by its path; `below` has those of all its parts. */
export type Fault = { (path: string): string | undefined; below: (path: string) => RuleErrors };

/** Errors by their path in a step or the trigger. */
export const faultOf = (errors: RuleErrors): Fault =>
  Object.assign((path: string) => errorAt(errors, path), { below: (path: string) => errorsBelow(errors, path) });
