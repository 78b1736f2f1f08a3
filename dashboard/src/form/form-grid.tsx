import type { ReactNode } from 'react';
import classes from './form-grid.module.css';

/** Puts fields side by side if the screen is wide enough. */
export const FormGrid = ({ children }: { children: ReactNode }) => <div className={classes.grid}>{children}</div>;
