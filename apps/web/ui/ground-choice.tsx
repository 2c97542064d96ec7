/** The choice between the Earth and plain paper, where there is data of both kinds. */
import type { JSX } from 'preact';
import { chosenGround, type Ground, ground, OUTLINE_SIZE, paperOutlines } from '../model/map-layers.ts';

const GROUNDS: readonly [Ground, string][] = [
  ['earth', 'On the Earth'],
  ['paper', 'On plain paper'],
];

export function GroundChoice(): JSX.Element {
  return (
    <div class="grounds">
      <div class="compare" role="group" aria-label="What data is drawn on">
        {GROUNDS.map(([one, text]) => (
          <button
            key={one}
            type="button"
            class={ground.value === one ? 'shown' : ''}
            aria-pressed={ground.value === one}
            onClick={() => {
              chosenGround.value = one;
            }}
          >
            {text}
          </button>
        ))}
      </div>
      {paperOutlines.value.map(({ title, path }) => (
        <figure key={title}>
          <svg viewBox={`-20 -20 ${OUTLINE_SIZE + 40} ${OUTLINE_SIZE + 40}`} aria-hidden="true">
            <path d={path} />
          </svg>
          <figcaption dir="auto">Shape of {title}</figcaption>
        </figure>
      ))}
    </div>
  );
}
