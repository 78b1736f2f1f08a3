import type { ReactNode } from 'react';
import classes from './form-grid.module.css';

/** Fields side by side where there is room. */
export const FormGrid = ({ children }: { children: ReactNode }) => <div className={classes.grid}>{children}</div>;
