import type { Scope } from '@marketing-platform/sdk';
import { scopeAreas } from '../roles/scopes.ts';
import classes from './scope-list.module.css';

/** Scopes, each by what it allows. */
export const ScopeList = ({ scopes, labelledBy }: { scopes: readonly Scope[]; labelledBy: string }) => (
  <ul className={classes.scopes} aria-labelledby={labelledBy}>
    {scopeAreas.flatMap((area) =>
      area.scopes.filter(({ scope }) => scopes.includes(scope)).map(({ scope, means }) => <li key={scope}>{means}</li>),
    )}
  </ul>
);
