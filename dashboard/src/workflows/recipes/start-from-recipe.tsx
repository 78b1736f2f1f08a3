import { Anchor, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ErrorAlert } from '../../api/error-alert.tsx';
import { type Brand, useBrand } from '../../brand/brand.ts';
import { useFinishForm } from '../../form/use-finish-form.ts';
import { Gallery } from '../../lists/gallery.tsx';
import { GalleryDialog } from '../../lists/gallery-dialog.tsx';
import { type DefaultSender, useSendingSettings } from '../../sending/sending-settings.ts';
import { currentSession } from '../../session/session-query.ts';
import { RecipePicture } from './recipe-picture.tsx';
import { recipes } from './recipes.ts';
import { useCreateFromRecipe } from './use-create-from-recipe.ts';

/** The recipes of workflows. Picking one creates its emails, its segment and a draft. */
export const StartFromRecipe = () => (
  <GalleryDialog label="Start from a recipe">
    <RecipeGallery />
  </GalleryDialog>
);

function RecipeGallery() {
  const brand = useBrand();
  const settings = useSendingSettings();
  const error = brand.error ?? settings.error;
  if (error) return <ErrorAlert error={error} title="Couldn't load the recipes" />;
  if (!brand.data || !settings.data) return null;
  const sender = settings.data.default_sender;
  return sender ? <Recipes brand={brand.data} sender={sender} /> : <NoSender />;
}

function Recipes({ brand, sender }: { brand: Brand; sender: DefaultSender }) {
  const userId = currentSession(useQueryClient())?.userId ?? '';
  const creation = useCreateFromRecipe({ brand, sender, userId });
  const finish = useFinishForm();
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        A recipe creates a draft with its emails as templates, or uses those that are already there. Put your links and codes into the
        emails, then activate it.
      </Text>
      {creation.error && <ErrorAlert error={creation.error} title="Couldn't create the workflow" />}
      <Gallery
        starters={recipes}
        picture={(recipe) => <RecipePicture recipe={recipe} />}
        pending={creation.isPending ? creation.variables.id : undefined}
        onPick={(recipe) =>
          creation.mutate(recipe, {
            onSuccess: ({ id, workflow }) =>
              id === undefined
                ? finish('Choose the segment that gets it, or create it.', { to: '/workflows/new', state: { workflow } })
                : finish(`${workflow.name} was created as a draft.`, { to: '/workflows/$id/edit', params: { id } }),
          })
        }
      />
    </Stack>
  );
}

const NoSender = () => (
  <Text size="sm">
    Recipes send from your default sender. Choose it in{' '}
    <Anchor component={Link} to="/settings/sending">
      the settings for sending
    </Anchor>{' '}
    first.
  </Text>
);
