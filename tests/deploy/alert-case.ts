/** Values by series (name and labels), one minute apart, in promtool notation. */
type Series = Record<string, string>;

export type AlertCase = {
  alert: string;
  /** The alert fires on these series after `after` minutes, with these labels and this summary … */
  fires: Series;
  after?: number;
  labels?: Record<string, string>;
  severity: 'critical' | 'warning';
  summary: string;
  /** … and stays silent on these. */
  silent: readonly Series[];
};

export const growing = (perMinute: number) => `0+${perMinute}x60`;
export const steady = (value: number) => `${value}x60`;
