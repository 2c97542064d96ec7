/** Lists of findings, by severity. */
import type { Finding, Severity } from '@geomill/client/client.ts';
import type { ComponentChildren, JSX } from 'preact';
import { hiddenPlaces, placesOf, togglePlaces } from '../model/finding-places.ts';
import { type FindingGroup, groupFindings } from '../model/found-places.ts';
import { type Run, runs } from '../model/run.ts';
import { countText } from './controls.tsx';
import { DownloadLink } from './download-link.tsx';
import { PlaceList } from './place-list.tsx';

const SEVERITIES: readonly [Severity, string][] = [
  ['lost', 'Lost'],
  ['changed', 'Changed'],
  ['info', 'For information'],
];

/** As the map draws them, so that colour is not all that tells severities apart. */
const SYMBOLS: Readonly<Record<Severity, string>> = { lost: '✖', changed: '▲', info: '◆' };

function SeveritySymbol({ severity }: { readonly severity: Severity }): JSX.Element {
  return (
    <span class={`severity-symbol ${severity}`} aria-hidden="true">
      {SYMBOLS[severity]}
    </span>
  );
}

/** `nothing`: the sentence if there are none. */
export function Findings(props: {
  readonly findings: readonly Finding[];
  readonly nothing: string;
}): JSX.Element {
  return <BySeverity groups={groupFindings(props.findings, null)} nothing={props.nothing} />;
}

/** The findings of a run, with their locations. */
export function RunFindings({ run }: { readonly run: Run }): JSX.Element | null {
  const found = placesOf(run);
  if (found === null) return null;
  const { places } = run;
  return (
    <>
      <BySeverity
        groups={found.groups}
        nothing="Nothing was lost or changed."
        places={(group) => group.places.length > 0 && <PlaceList run={run.key} group={group} />}
      />
      {places?.state === 'failed' && (
        <p class="soft">The places of these findings are not known here: {places.message}</p>
      )}
      {places?.state === 'ready' && places.value.features.length > 0 && run.handle !== null && (
        <p class="places-download">
          <DownloadLink url={run.handle.links.findings} name="findings.geojson">
            Download findings as GeoJSON
          </DownloadLink>
        </p>
      )}
    </>
  );
}

function BySeverity(props: {
  readonly groups: readonly FindingGroup[];
  readonly nothing: string;
  readonly places?: (group: FindingGroup) => ComponentChildren;
}): JSX.Element {
  if (props.groups.length === 0) return <p class="soft">{props.nothing}</p>;
  return (
    <>
      {SEVERITIES.map(([severity, title]) => {
        const groups = props.groups.filter((group) => group.severity === severity);
        if (groups.length === 0) return null;
        return (
          <details key={severity} class={`severity ${severity}`} open={severity !== 'info'}>
            <summary>
              <SeveritySymbol severity={severity} /> {title} ({countText(groups.length)})
            </summary>
            <ul class="notes">
              {groups.map((group) => (
                <li key={group.code}>
                  <Messages warnings={group.warnings} />
                  {props.places?.(group)}
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </>
  );
}

/** Of so many of one kind, such as one for each zoom level, the first is shown, and the others open. */
const MAX_MESSAGES = 3;

function Messages({ warnings }: Pick<FindingGroup, 'warnings'>): JSX.Element {
  const line = ({ message, count }: FindingGroup['warnings'][number]): JSX.Element => (
    <p key={message} class="finding">
      <span dir="auto">{message}</span>
      {count > 1 && <span class="times"> {countText(count)}×</span>}
    </p>
  );
  if (warnings.length <= MAX_MESSAGES) return <>{warnings.map(line)}</>;
  const [first, ...others] = warnings;
  return (
    <>
      {line(first)}
      <details class="more-findings">
        <summary>{countText(others.length)} more like this</summary>
        {others.map(line)}
      </details>
    </>
  );
}

/** Rows of the legend of the map: one for each run with places. */
export function PlacesLegend(): JSX.Element {
  return (
    <>
      {runs.value.map((run) => {
        const found = placesOf(run);
        if (found === null || found.drawn === 0) return null;
        return (
          <li key={run.key}>
            <div class="legend-row">
              <label>
                <input
                  type="checkbox"
                  checked={!hiddenPlaces.value.has(run.key)}
                  onChange={() => togglePlaces(run.key)}
                />
                <span dir="auto">{run.title}, findings</span>
              </label>
              <span class="soft">{countText(found.drawn)}</span>
            </div>
            <span class="legend-kinds">
              {SEVERITIES.map(([severity, title]) => {
                const count = found.symbols.get(severity)?.addresses.length ?? 0;
                if (count === 0) return null;
                return (
                  <span key={severity}>
                    <SeveritySymbol severity={severity} /> {countText(count)} {title.toLowerCase()}
                  </span>
                );
              })}
            </span>
          </li>
        );
      })}
    </>
  );
}
