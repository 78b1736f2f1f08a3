import { campaignDrafts } from './campaign-drafts.ts';
import { campaignList } from './campaign-list.ts';
import { campaignReports } from './campaign-reports.ts';
import { campaignSending } from './campaign-sending.ts';
import { campaignSettings } from './campaign-settings.ts';
import { emailPalette } from './email-palette.ts';
import { emails } from './emails.ts';
import { testJourneys } from './test-journeys.ts';

testJourneys(
  'journeys through campaigns and emails',
  campaignDrafts,
  campaignList,
  campaignReports,
  campaignSettings,
  campaignSending,
  emails,
  emailPalette,
);
