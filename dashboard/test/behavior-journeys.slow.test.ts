import { leadpulse } from './leadpulse.ts';
import { testJourneys } from './test-journeys.ts';
import { websites } from './websites.ts';
import { workflows } from './workflows.ts';

testJourneys('journeys through LeadPulse and workflows', leadpulse, websites, workflows);
