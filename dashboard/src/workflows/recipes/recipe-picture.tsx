import { IconBolt } from '@tabler/icons-react';
import { Fragment } from 'react';
import { stepKinds } from '../canvas/step-kinds.ts';
import classes from './recipe-picture.module.css';
import type { Recipe } from './recipes.ts';

const shown = 4;

/** The trigger of a recipe and its first steps. */
export const RecipePicture = ({ recipe: { starts, steps } }: { recipe: Recipe }) => (
  <div className={classes.flow}>
    <div className={classes.step}>
      <IconBolt size={14} aria-hidden />
      {starts}
    </div>
    {steps.slice(0, shown).map(({ id, type }) => {
      const { icon: Icon, name } = stepKinds[type];
      return (
        <Fragment key={id}>
          <div className={classes.line} />
          <div className={classes.step}>
            <Icon size={14} aria-hidden />
            {name}
          </div>
        </Fragment>
      );
    })}
  </div>
);
