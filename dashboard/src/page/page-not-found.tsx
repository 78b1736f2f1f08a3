import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from './page.tsx';

export function PageNotFound() {
  return (
    <Page title="Page not found">
      <Text>
        <Anchor component={Link} to="/">
          Go to the overview
        </Anchor>
      </Text>
    </Page>
  );
}
