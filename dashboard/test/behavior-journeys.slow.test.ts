import { leadpulse } from './leadpulse.ts';
import { testJourneys } from './test-journeys.ts';
import { websites } from './websites.ts';
import { workflowCanvas } from './workflow-canvas.ts';
import { workflowDefinitions } from './workflow-definitions.ts';
import { workflowPages } from './workflow-pages.ts';
import { workflowPlayer } from './workflow-player.ts';

testJourneys(
  'journeys through LeadPulse and workflows',
  leadpulse,
  websites,
  workflowPages,
  workflowCanvas,
  workflowDefinitions,
  workflowPlayer,
);
