import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Metric, Metrics } from '../numbers/metric.tsx';
import classes from './outline.module.css';

type Props = {
  /** The resource, such as "the contact". */
  of: string;
  shape?: Shape;
  /** How many metrics, rows, lines, fields or cards; by default as many as usual. */
  count?: number;
  /** The height of a chart; by default that of most charts. */
  height?: number;
  /** What the user waits for. */
  doing?: string;
};

type Sizes = { count: number | undefined; height: number | undefined };

const numbered = (length: number) => Array.from({ length }, (_, index) => index);
const widths = ['62%', '44%', '70%', '38%', '56%', '48%'];
const widthOf = (index: number) => widths[index % widths.length] ?? '50%';

/** What a page will show, with its panels, and what a part of a page will show. */
const shapes = {
  panels: () => (
    <div className={classes.columns}>
      <Facts />
      <Facts />
    </div>
  ),
  report: () => (
    <>
      {metrics(7)}
      <Framed>
        <Chart />
      </Framed>
    </>
  ),
  form: ({ count = 4 }) => (
    <Framed>
      {numbered(count).map((index) => (
        <div key={index} className={classes.field}>
          <Skeleton height={12} width={110} />
          <Skeleton height={36} />
        </div>
      ))}
    </Framed>
  ),
  metrics: ({ count = 3 }) => metrics(count),
  chart: ({ height }) => <Chart height={height} />,
  rows: ({ count = 3 }) => (
    <div>
      {numbered(count).map((index) => (
        <div key={index} className={classes.row}>
          <Skeleton height={12} width={widthOf(index)} />
          <Skeleton height={12} width={72} />
        </div>
      ))}
    </div>
  ),
  lines: ({ count }) => <Lines count={count} />,
  email: () => (
    <div className={classes.email}>
      <Skeleton height={20} width="45%" />
      <Lines count={3} />
      <div className={classes.picture}>
        <Skeleton height={48} width={48} circle />
      </div>
      <Lines count={4} />
      <Skeleton height={36} width={140} />
    </div>
  ),
  steps: ({ count = 3 }) => (
    <div className={classes.steps}>
      {numbered(count).map((index) => (
        <div key={index} className={classes.step}>
          <Skeleton height={12} width="35%" />
          <Skeleton height={12} width={widthOf(index)} />
        </div>
      ))}
    </div>
  ),
  cards: ({ count = 3 }) => (
    <div className={classes.cards}>
      {numbered(count).map((index) => (
        <div key={index} className={classes.card}>
          <Skeleton height={12} width={widthOf(index)} />
        </div>
      ))}
    </div>
  ),
} as const satisfies Record<string, (sizes: Sizes) => ReactNode>;

export type Shape = keyof typeof shapes;

/** The outline of a page, or of a part of one, that is being loaded, so that what comes takes the place of what is shown. */
export function Outline({ of, shape = 'panels', doing = 'Loading', count, height }: Props) {
  return (
    <div role="status" aria-label={`${doing} ${of}`} className={classes.outline}>
      {shapes[shape]({ count, height })}
    </div>
  );
}

/** As large as the metrics that take their place. */
const metrics = (count: number) => (
  <Metrics>
    {numbered(count).map((index) => (
      <Metric key={index} label={<Skeleton height="0.8em" width="50%" display="inline-block" />} value={undefined} />
    ))}
  </Metrics>
);

const Framed = ({ children }: { children: ReactNode }) => (
  <div className={classes.panel}>
    <Skeleton height={16} width={160} />
    {children}
  </div>
);

const Facts = () => (
  <div className={classes.panel}>
    <Skeleton height={16} width={120} />
    {widths.slice(0, 5).map((width) => (
      <div key={width} className={classes.fact}>
        <Skeleton height={12} width="70%" />
        <Skeleton height={12} width={width} />
      </div>
    ))}
  </div>
);

const Lines = ({ count = 3 }: { count?: number | undefined }) => (
  <div className={classes.lines}>
    {numbered(count).map((index) => (
      <Skeleton key={index} height={12} width={index === count - 1 ? '60%' : `${100 - (index % 3) * 6}%`} />
    ))}
  </div>
);

/** The lines of a scale with their values, and the dates below. */
const Chart = ({ height = 240 }: { height?: number | undefined }) => (
  <div className={classes.chart} style={{ height }}>
    {numbered(4).map((index) => (
      <div key={index} className={classes.level}>
        <Skeleton height={10} width={24} />
      </div>
    ))}
    <div className={classes.dates}>
      {numbered(4).map((index) => (
        <Skeleton key={index} height={10} width={40} />
      ))}
    </div>
  </div>
);
