import { campaigns } from './campaigns.ts';
import { emails } from './emails.ts';
import { testJourneys } from './test-journeys.ts';

testJourneys('journeys through campaigns and emails', campaigns, emails);
