import { Badge } from '@mantine/core';
import classes from './tags.module.css';

export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span className={classes.tags}>
    {tags.map((tag) => (
      <Badge key={tag} variant="light" color="gray" tt="none" fw={500} className={classes.tag}>
        {tag}
      </Badge>
    ))}
  </span>
);
