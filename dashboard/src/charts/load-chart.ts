/** Loads the chart library, after the page that shows the chart. */
export const loadChart = () => import('./area-chart.tsx').then(({ AreaChart }) => ({ default: AreaChart }));
