import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from './page.tsx';

export function PageNotFound() {
  return (
    <Page title="There is no such page">
      <Text>
        <Anchor component={Link} to="/">
          Go to the start
        </Anchor>
      </Text>
    </Page>
  );
}
