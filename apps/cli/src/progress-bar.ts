import type { WriteStream } from 'node:tty';

const WIDTH = 30;

/** Of a conversion here or of a job at a service. */
interface ShownProgress {
  readonly fraction: number;
  readonly stage: string;
}

/** A one-line bar on a terminal; silent elsewhere, so that logs stay clean. */
export function progressBar(
  stream: WriteStream | NodeJS.WriteStream,
  wanted: boolean,
): { update(progress: ShownProgress): void; clear(): void } {
  if (!wanted || !stream.isTTY) return { update: () => {}, clear: () => {} };
  let shown = '';
  return {
    update({ fraction, stage }) {
      const filled = Math.round(fraction * WIDTH);
      const line = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${Math.floor(fraction * 100)} % ${stage}`;
      if (line === shown) return;
      shown = line;
      stream.write(`\r\x1b[K${line}`);
    },
    clear() {
      if (shown !== '') stream.write('\r\x1b[K');
    },
  };
}
