/** Where data goes and how long it is kept, by the limits of the service. */
import type { JSX } from 'preact';
import { engine } from '../engines/current.ts';
import { catalogue } from '../service.ts';
import { serviceHost } from './engine-bar.tsx';
import { durationText, tilesHost } from './service-words.ts';

export function ServiceNote(): JSX.Element | null {
  const loaded = catalogue.value;
  if (loaded.state !== 'ready' || loaded.value.service === null) return null;
  const { limits, map_tiles: tiles } = loaded.value.service;
  const [upload, output] = [limits.upload_retention_seconds, limits.output_retention_seconds].map(
    durationText,
  );
  return (
    <p class="service-note">
      {engine.value.id === 'service' &&
        `Files go only to this server (${serviceHost()}). Uploads are deleted after ${upload}, results ${output} after their job has ended.`}
      {tiles !== null &&
        ` The map loads tiles from ${tilesHost(tiles.url)}, which sees the areas you look at.`}
    </p>
  );
}
