/** The sample file of the page, for people who want to look around first. */
import { messageOf } from '../service.ts';
import { addFiles, reject } from './sources.ts';

declare const SAMPLE_FILE: string;
const NAME = 'harbour.geojson';

export async function addSample(): Promise<void> {
  try {
    const response = await fetch(new URL(SAMPLE_FILE, import.meta.url));
    if (!response.ok) throw new Error(`The service answered ${response.status}. Reload the page.`);
    await addFiles([new File([await response.blob()], NAME)]);
  } catch (error) {
    reject('The sample', messageOf(error));
  }
}
