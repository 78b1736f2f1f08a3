import classes from './sparkline.module.css';

const width = 100;
const height = 28;

/** A small line without axes; the numbers beside it say the same in words. Without values, it keeps the place of the line. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const top = Math.max(...values, 0);
  const isEmpty = values.length < 2 || top === 0;
  const at = (value: number, index: number) =>
    `${((index / (values.length - 1)) * width).toFixed(2)},${(height - 2 - (value / top) * (height - 4)).toFixed(2)}`;
  const line = values.map(at).join(' ');
  return (
    <svg className={classes.line} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {!isEmpty && <polygon points={`0,${height} ${line} ${width},${height}`} />}
      {!isEmpty && <polyline points={line} vectorEffect="non-scaling-stroke" />}
    </svg>
  );
}
