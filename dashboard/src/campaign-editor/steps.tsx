import { UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { type CampaignStep, campaignSteps, stepNames } from './campaign-steps.ts';
import classes from './steps.module.css';
import type { Missing } from './validate-campaign.ts';

type Props = {
  step: CampaignStep;
  missing: readonly Missing[];
  onStep: (step: CampaignStep) => void;
};

/** The steps of a campaign: which one is open, and which ones have all they need. */
export function Steps({ step, missing, onStep }: Props) {
  const current = useRef<HTMLButtonElement>(null);
  const shown = useRef(step);
  // The next step begins at its name, for the keyboard and for the eye; not when the page is opened.
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    current.current?.focus();
  }, [step]);
  return (
    <nav aria-label="Steps">
      <ol className={classes.steps}>
        {campaignSteps.map((one, index) => {
          const isDone = one !== 'review' && one !== 'settings' && missing.every((need) => need.step !== one);
          return (
            <li key={one}>
              <UnstyledButton
                className={classes.step}
                {...(one === step && { 'aria-current': 'step', ref: current })}
                {...(isDone && { 'data-done': '' })}
                onClick={() => onStep(one)}
              >
                <span className={classes.number}>{isDone ? <IconCheck size={14} aria-label="Complete:" /> : index + 1}</span>
                {stepNames[one]}
              </UnstyledButton>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
