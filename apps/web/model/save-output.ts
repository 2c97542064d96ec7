/** Writes an output to a place of the disk that the user chooses (File System Access API). */
import type { EndedJob, EngineJob } from '../engines/engine.ts';

type Picker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

/** Does nothing if the user closes the dialog. */
export async function saveOutput(job: EngineJob, { output }: EndedJob): Promise<void> {
  const { showSaveFilePicker } = window as unknown as { readonly showSaveFilePicker: Picker };
  let file: FileSystemFileHandle;
  try {
    file = await showSaveFilePicker({ suggestedName: output.name ?? 'output' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    throw error;
  }
  const content = await (await job.download()).stream();
  await content.pipeTo(await file.createWritable());
}
