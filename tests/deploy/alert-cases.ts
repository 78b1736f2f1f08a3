import type { AlertCase } from './alert-case.ts';
import { infrastructureAlerts } from './infrastructure-alerts.ts';
import { objectiveAlerts } from './objective-alerts.ts';
import { workAlerts } from './work-alerts.ts';

/** One case per alert of the chart: series on which it must fire, and series on which it must not. */
export const alertCases: readonly AlertCase[] = [...infrastructureAlerts, ...workAlerts, ...objectiveAlerts];
