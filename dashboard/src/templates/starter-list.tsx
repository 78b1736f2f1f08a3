import { useBrand } from '../brand/brand.ts';
import { type Starter, starters } from '../email-design/starters.ts';
import { Gallery } from '../lists/gallery.tsx';
import { EmailPicture } from './email-picture.tsx';

/** The emails to start from, in the colors of the brand. */
export function StarterList({ onPick }: { onPick: (starter: Starter) => void }) {
  const { data: brand } = useBrand();
  return <Gallery starters={starters} picture={(starter) => brand && <EmailPicture starter={starter} brand={brand} />} onPick={onPick} />;
}
