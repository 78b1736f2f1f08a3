import type { Change } from './change.ts';
import classes from './change-mark.module.css';

type Props = { change: Change | undefined; than?: string };

/** How a number has changed, colored by whether that is good. Nothing without an earlier value. */
export const ChangeMark = ({ change, than = 'Compared with the previous period' }: Props) =>
  change && (
    <span className={classes.change} data-good={change.isGood} title={than}>
      {change.words}
    </span>
  );
