import { Skeleton } from '@mantine/core';
import classes from './outline.module.css';

/** What a page will show: panels with facts, the fields of a form, or metrics above a chart. */
export type Shape = 'panels' | 'form' | 'report';

type Props = {
  /** The resource, such as "the contact". */
  of: string;
  shape?: Shape;
};

/** The outline of a page that is being loaded, so that what comes takes the place of what is shown. */
export function Outline({ of, shape = 'panels' }: Props) {
  return (
    <div role="status" aria-label={`Loading ${of}`} className={classes.outline}>
      {shape === 'report' && (
        <div className={classes.metrics}>
          {lines(3).map((index) => (
            <div key={index} className={classes.metric}>
              <Skeleton height={12} width="50%" />
              <Skeleton height={24} width="35%" />
            </div>
          ))}
        </div>
      )}
      {shape === 'report' && (
        <div className={classes.panel}>
          <Skeleton height={16} width={180} />
          <Skeleton height={220} />
        </div>
      )}
      {shape === 'panels' && (
        <div className={classes.columns}>
          <Facts />
          <Facts />
        </div>
      )}
      {shape === 'form' && (
        <div className={classes.panel}>
          <Skeleton height={16} width={140} />
          {lines(4).map((index) => (
            <div key={index} className={classes.field}>
              <Skeleton height={12} width={110} />
              <Skeleton height={36} />
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

const lines = (length: number) => Array.from({ length }, (_, index) => index);
const widths = ['62%', '44%', '70%', '38%', '56%'];

const Facts = () => (
  <div className={classes.panel}>
    <Skeleton height={16} width={120} />
    {widths.map((width) => (
      <div key={width} className={classes.fact}>
        <Skeleton height={12} width="70%" />
        <Skeleton height={12} width={width} />
      </div>
    ))}
  </div>
);
